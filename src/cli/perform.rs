//! What `compare` and `run` do: a run, or a sweep of comparisons.

use super::options::OutputOptions;
use super::outputs::{self, Copies, Format};
use super::{conduct, sweep};
use crate::exit::{Error, Exit};
use crate::plan::sweep::load_points;
use crate::plan::{Command, Spec};

/// Performs a run or a sweep and reports it.
pub(super) fn perform(spec: &Spec, output: &OutputOptions) -> Result<Exit, Error> {
    let copies = Copies::checked([
        (Format::Json, output.json.as_deref()),
        (Format::Html, output.html.as_deref()),
        (Format::Markdown, output.markdown.as_deref()),
        (Format::Junit, output.junit.as_deref()),
    ])?;
    let resolved = match (load_points(spec)?, spec.command) {
        (None, _) => conduct::settle(spec)?,
        (Some(points), Command::Run) => sweep::settle_in_one_run(spec, &points)?,
        (Some(points), _) => return sweep::perform(spec, &points, output, &copies),
    };
    let (folder, judged) = conduct::measure(&resolved, output.telling())?;
    outputs::publish(&folder, &judged, &copies, outputs::detail(output.verbose))?;
    Ok(judged.exit())
}

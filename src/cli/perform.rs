//! What `compare` and `run` do: a run, or a sweep of comparisons.

use super::options::OutputOptions;
use super::outputs;
use super::{conduct, sweep};
use crate::plan::sweep::load_points;
use crate::plan::{self, Command, Spec};
use protocol::{Error, Exit};

/// Performs a run or a sweep and reports it.
pub(super) fn perform(spec: &Spec, output: &OutputOptions) -> Result<Exit, Error> {
    let copies = output.copies()?;
    let inputs = plan::read(spec)?;
    let resolved = match (load_points(spec, &inputs)?, spec.command) {
        (None, _) => conduct::settle_read(spec, inputs)?,
        (Some(points), Command::Run) => sweep::settle_in_one_run(spec, &points)?,
        (Some(points), _) => return sweep::perform(spec, &points, output, &copies),
    };
    let (directory, judged) = conduct::measure(&resolved, output.reporting(), None)?;
    outputs::publish(&directory, &judged, &copies, outputs::detail(output.verbose))?;
    Ok(judged.exit())
}

//! From a spec to reports: what `compare`, `run` and `demo` have in common.

use super::options::OutputOptions;
use super::outputs::{self, Copies, Format};
use super::sweep;
use crate::exit::{Error, Exit};
use crate::judging::{self, Judged};
use crate::plan::sweep::load_points;
use crate::plan::{Machine, Resolved, Spec, resolve};
use crate::runner::{self, Telling};
use crate::targets::attached::{self, Resolver};
use crate::targets::sight;
use crate::{cores, host, signals};
use std::path::PathBuf;

/// Conducts a run and tells it.
pub(super) fn perform(spec: &Spec, output: &OutputOptions) -> Result<Exit, Error> {
    let copies = Copies::checked([
        (Format::Json, output.json.as_deref()),
        (Format::Html, output.html.as_deref()),
        (Format::Markdown, output.markdown.as_deref()),
        (Format::Junit, output.junit.as_deref()),
    ])?;
    if let Some(points) = load_points(spec)? {
        return sweep::perform(spec, &points, output, &copies);
    }
    let resolved = settle(spec)?;
    let (folder, judged) = measure(&resolved, output.telling())?;
    outputs::publish(&folder, &judged, &copies, outputs::detail(output.verbose))?;
    Ok(judged.exit())
}

/// Settles the plan for this machine.
pub(super) fn settle(spec: &Spec) -> Result<Resolved, Error> {
    with_machine(spec, |machine, resolver| resolve(spec, machine, resolver))
}

/// Settles something for this machine.
pub(super) fn with_machine<T>(
    spec: &Spec,
    settle: impl FnOnce(&Machine, &mut Resolver<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let cores = read_cores()?;
    let descriptors = host::raise_descriptor_limit()
        .map_err(|error| Error::failed(format!("the limit of descriptors: {error}")))?;
    let host = host::facts(&cores.allowed, descriptors);
    let mut resolver = Resolver::new(spec.allow_public, &attached::look_up, &attached::accepts);
    let drawn_seed =
        host::draw_seed().map_err(|error| Error::failed(format!("/dev/urandom: {error}")))?;
    settle(&Machine { cores, host, look: sight::look, drawn_seed }, &mut resolver)
}

/// The cores of this process.
pub(super) fn read_cores() -> Result<cores::Facts, Error> {
    cores::Facts::read()
        .map_err(|error| Error::failed(format!("the cores of this process: {error}")))
}

/// Drives the plan and judges the journal.
pub(super) fn measure(
    resolved: &Resolved,
    telling: Telling<'_>,
) -> Result<(PathBuf, Judged), Error> {
    let stop =
        signals::catch().map_err(|error| Error::failed(format!("signal handlers: {error}")))?;
    let folder = runner::perform(resolved, &stop, telling)?;
    let judged = judging::read(&folder)?;
    Ok((folder, judged))
}

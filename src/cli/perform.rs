//! What `compare` and `run` do: a run, perhaps at several load points.

use super::against;
use super::conduct;
use super::options::OutputOptions;
use super::outputs;
use crate::plan::Spec;
use protocol::{Error, Exit};

/// Performs a run and reports it.
pub(super) fn perform(spec: &Spec, output: &OutputOptions) -> Result<Exit, Error> {
    let copies = output.copies()?;
    // The snapshots are removed when the run has ended.
    let (inputs, _snapshots) = against::read(spec, output.quiet)?;
    let resolved = conduct::settle_read(spec, inputs)?;
    let (directory, judged) = conduct::measure(&resolved, output.reporting(), None)?;
    outputs::publish(&directory, &judged, &copies, outputs::detail(output.verbose))?;
    Ok(judged.exit())
}

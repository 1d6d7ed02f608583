//! A sweep: one comparison after the other, and a report of all of them.

use super::conduct;
use super::options::OutputOptions;
use super::outputs::{self, Copies};
use crate::plan::sweep::{LoadPoints, Settled};
use crate::plan::{Resolved, Spec};
use crate::run::judging;
use crate::run::runner;
use crate::run::runner::{Reporting, SweepRun};
use crate::system::signals;
use protocol::{Error, Exit};

/// Performs a sweep and reports it.
pub(super) fn perform(
    spec: &Spec,
    points: &LoadPoints<'_>,
    output: &OutputOptions,
    copies: &Copies,
) -> Result<Exit, Error> {
    copies.fit_a_sweep()?;
    let settled = settle(spec, points)?;
    settled.points.iter().try_for_each(|(_, resolved)| runner::check_programs(resolved))?;
    let reporting = output.reporting();
    let begun = runner::begin(points.factor, &settled, reporting)?;
    let driven = drive(&begun, &settled, reporting);
    let swept = judging::sweep::read(&begun.directory)?;
    outputs::publish_sweep(&begun.directory, &swept, copies, outputs::detail(output.verbose))?;
    driven.map(|()| swept.exit())
}

/// Settles every load point for this machine.
pub(super) fn settle(spec: &Spec, points: &LoadPoints<'_>) -> Result<Settled, Error> {
    conduct::with_machine(spec, |machine, resolver| points.settle(machine, resolver))
}

/// Settles one run of all load points for this machine.
pub(super) fn settle_in_one_run(spec: &Spec, points: &LoadPoints<'_>) -> Result<Resolved, Error> {
    conduct::with_machine(spec, |machine, resolver| points.in_one_run(machine, resolver))
}

/// Drives the load points, each as a run in its own directory, until a signal stops the sweep
/// or tiebreak fails. A target that fails at one point may work at the next.
fn drive(begun: &SweepRun, settled: &Settled, reporting: Reporting<'_>) -> Result<(), Error> {
    for (turn, at) in (1..).zip(&begun.order) {
        if turn > 1 && signals::caught() {
            break;
        }
        let (value, resolved) = &settled.points[*at];
        let directory = begun.directory.join(&begun.sweep.points[*at].directory);
        let name = format!("{} {value}", begun.sweep.factor.name());
        let part = format!("point {turn} of {}, {name}", begun.order.len());
        let reporting = Reporting { out: Some(&directory), part: &part, ..reporting };
        let (directory, judged) = conduct::measure(resolved, reporting, None)?;
        outputs::leave_reports(&directory, &judged)?;
        if let Some(failure) = judged.failure() {
            outputs::complain(&format!("error: at {name}: {failure}"));
        }
        if judged.exit() == Exit::Failed {
            break;
        }
    }
    Ok(())
}

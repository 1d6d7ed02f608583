//! Whether the commits can be compared by a figure, which is known before anything is built.

use crate::plan::against::RevisionExperiment;
use protocol::Error;
use record::{Metric, Plan};

/// Refuses a figure that runs of this plan do not have.
///
/// # Errors
/// If that is so; the message says why.
pub(super) fn check(by: Metric, plan: &Plan, experiment: &RevisionExperiment) -> Result<(), Error> {
    let question = &plan.question;
    // Each run of a program has a peak of its own, and so has each launch of a server.
    let has_peaks = experiment.is_program_alone() || question.restarts > 0;
    let has = by == question.primary
        || question.secondary.contains(&by)
        || by == Metric::PeakMemory && has_peaks;
    if has {
        return Ok(());
    }
    Err(Error::usage(match by {
        Metric::TargetCpu => {
            "--by cpu: the CPU time of the target is not visible; `tiebreak check` says why"
        }
        Metric::PeakMemory => {
            "--by memory: a program with servers has no peak of its own in each run: a search compares the peaks of \
             launched services, and of programs without servers (exec:)"
        }
        Metric::ResponseP999 => {
            "--by p99.9 is compared only at a given rate of which a round holds enough replies: add --rate"
        }
        _ => "--by: this contender has no such figure; leave it out to compare throughput",
    }))
}

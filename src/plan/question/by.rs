//! `--by`: the metric that ranks are made by.

use super::PlanFacts;
use crate::plan::Spec;
use crate::plan::contender::access::ContenderAccess;
use crate::plan::length::Length;
use protocol::Error;
use record::Metric;

/// Makes this metric the primary one in place of the usual one.
///
/// # Errors
/// When contenders are not ranked, or have no such figure.
pub(super) fn ranked(
    by: Metric,
    spec: &Spec,
    usual: Metric,
    others: Vec<Metric>,
) -> Result<(Metric, Vec<Metric>), Error> {
    check_rank(spec)?;
    let mut others: Vec<Metric> = std::iter::once(usual).chain(others).collect();
    let known = others.len();
    others.retain(|metric| *metric != by);
    if others.len() == known {
        return Err(Error::usage(match by {
            Metric::TargetCpu => {
                "--by cpu: the CPU time of a target is not visible for all contenders; `tiebreak \
                 check` says for which, and why"
            }
            Metric::ResponseP999 => {
                "--by p99.9 is judged only at a given rate of which a round holds enough replies"
            }
            _ => "these contenders have no response times that could be compared: leave out --by",
        }));
    }
    Ok((by, others))
}

fn check_rank(spec: &Spec) -> Result<(), Error> {
    if spec.run.rank {
        return Ok(());
    }
    Err(Error::usage("--by says what contenders are ranked by: give --rank, too"))
}

/// Refuses the peak memory as the primary metric where it is not one figure for each replicate.
///
/// # Errors
/// When contenders are not ranked, a target is not started anew for each replicate, or the length follows from
/// figures that are not known while a launch is under way.
pub(super) fn check_memory(
    spec: &Spec,
    given: &PlanFacts<'_>,
    length: &Length,
) -> Result<(), Error> {
    check_rank(spec)?;
    let is_launched = |access: &ContenderAccess| matches!(access, ContenderAccess::Launched { .. });
    let is_program = |access: &ContenderAccess| match access {
        ContenderAccess::Program { program } => program.servers.is_none(),
        _ => false,
    };
    let run = &spec.run;
    let all_launched = given.accesses.iter().all(is_launched);
    let why = if given.swept.is_some() {
        "load points share a launch, so their peaks cannot be told apart: leave out --sweep"
    } else if !all_launched && !given.accesses.iter().all(is_program) {
        "the peak of a target is that since its start, so each launch is a replicate: tiebreak must launch \
         every contender (launch = [...], a recipe), or all of them are programs without servers (exec:)"
    } else if all_launched && length.launches == 0 {
        "each launch is a replicate, and there is one: use --launches 8"
    } else if all_launched && (run.until_decided || run.see.is_some()) {
        "the peak of a launch is known when it has ended, too late for a look: leave out --until-decided and --see"
    } else {
        return Ok(());
    };
    Err(Error::usage(format!("--by memory: {why}")))
}

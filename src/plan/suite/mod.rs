//! Suites: programs whose runs give the figures of several cases.

pub(crate) mod cases;

use crate::plan::contender::access::ContenderAccess;
use crate::plan::contender::gather::{Candidate, TargetLocation};
use crate::plan::settings::LONGEST_TIMEOUT;
use crate::plan::{Command, Spec};
use crate::targets::exec::figures::{kind_named, selects_cases};
use crate::targets::exec::{Figures, Program};
use figures::Kind;
use protocol::Error;
use record::Pair;
use std::time::Duration;
use text::lists;

/// The smallest difference of a case that matters, unless one is given, as a share: benchmark programs differ by so
/// much between two builds of one source.
pub(super) const MATTERS: f64 = 0.03;

/// How long a run may take unless `--timeout` says so. Runs of many cases take long.
const TIMEOUT: Duration = Duration::from_secs(2 * 3600);

/// Gives the programs of a spec the figures of `--figures`, and adds the contender of `--control`.
///
/// # Errors
/// When only some are suites, or something was asked for that suites do not have.
pub(super) fn of(spec: &Spec, mut candidates: Vec<Candidate>) -> Result<Vec<Candidate>, Error> {
    if let Some(name) = &spec.run.figures {
        let kind =
            kind_named(name).map_err(|message| Error::usage(format!("--figures: {message}")))?;
        for candidate in &mut candidates {
            give(candidate, kind.clone())?;
        }
    }
    let (suites, others): (Vec<&Candidate>, Vec<&Candidate>) =
        candidates.iter().partition(|candidate| figures_of(candidate).is_some());
    match (suites.first(), others.first()) {
        (None, _) if spec.run.control => {
            return Err(Error::usage(
                "--control compares a suite with itself, and no contender is one: leave it out, or give `figures` \
                 (--figures KIND)",
            ));
        }
        (None, _) => return refuse_long_timeouts(&candidates).map(|()| candidates),
        (Some(suite), Some(other)) => {
            return Err(Error::usage(format!(
                "`{}` gives figures of cases and `{}` does not: all contenders of a comparison must have figures",
                suite.name, other.name
            )));
        }
        (Some(_), None) => {}
    }
    refuse(spec)?;
    for candidate in &mut candidates {
        candidate.settings.timeout.get_or_insert(TIMEOUT);
    }
    if spec.run.control {
        candidates.extend(copy_of_last(&candidates));
    }
    Ok(candidates)
}

/// Refuses timeouts that only runs of suites may have.
fn refuse_long_timeouts(others: &[Candidate]) -> Result<(), Error> {
    let is_long = |of: &&Candidate| of.settings.timeout.is_some_and(|it| it > LONGEST_TIMEOUT);
    match others.iter().find(is_long) {
        Some(candidate) => Err(Error::usage(format!(
            "`{}`: the timeout of an operation must be at most 10m (`timeout`, --timeout): only a run of a suite, which \
             has `figures`, may take longer",
            candidate.name
        ))),
        None => Ok(()),
    }
}

fn give(candidate: &mut Candidate, kind: Option<Kind>) -> Result<(), Error> {
    let TargetLocation::Program(program) = &mut candidate.location else {
        return Err(Error::usage(format!(
            "--figures: only programs (exec:) have figures of cases, and `{}` is none",
            candidate.name
        )));
    };
    let file = program.figures.take().and_then(|figures| figures.file);
    let figures = Figures { kind, file };
    figures
        .check(&program.command)
        .map_err(|message| Error::usage(format!("`{}`: {message}", candidate.name)))?;
    program.figures = Some(figures);
    Ok(())
}

fn figures_of(candidate: &Candidate) -> Option<&Figures> {
    match &candidate.location {
        TargetLocation::Program(program) => program.figures.as_ref(),
        TargetLocation::Attached { .. } | TargetLocation::Launched(_) => None,
    }
}

/// Refuses what has no meaning for suites.
fn refuse(spec: &Spec) -> Result<(), Error> {
    let run = &spec.run;
    if spec.command != Command::Compare {
        return Err(Error::usage(
            "the figures of one suite are what it prints: `tiebreak compare` compares those of two or more",
        ));
    }
    let given = [
        (run.rank || run.by.is_some(), "--rank"),
        (!run.slo.is_empty(), "--slo"),
        (spec.sweep.is_some(), "--sweep"),
        (spec.agents > 0, "--agents"),
    ];
    let given = given.into_iter().find(|(is_given, _)| *is_given);
    let others = ["see", "until_decided", "operations", "round", "warm_up", "pilot"];
    match given.map(|(_, flag)| flag.to_owned()).or_else(|| run.first_flag(&others)) {
        Some(flag) => Err(Error::usage(format!(
            "{flag} has no meaning for suites, whose cases are compared by their figures, one of each in a round: \
             leave it out"
        ))),
        None => Ok(()),
    }
}

/// A copy of the last contender under a name that no other one has.
fn copy_of_last(candidates: &[Candidate]) -> Option<Candidate> {
    let last = candidates.last()?;
    let first = format!("{}-again", last.name);
    let numbered = (2..).map(|number| format!("{first}-{number}"));
    let is_free = |name: &String| candidates.iter().all(|of| of.name != *name);
    let name = std::iter::once(first.clone()).chain(numbered).find(is_free)?;
    Some(Candidate { name, ..last.clone() })
}

pub(super) fn are_all(accesses: &[ContenderAccess]) -> bool {
    !accesses.is_empty() && accesses.iter().all(|access| program(access).is_some())
}

fn program(access: &ContenderAccess) -> Option<&Program> {
    match access {
        ContenderAccess::Program { program } => Some(&**program).filter(|it| it.figures.is_some()),
        _ => None,
    }
}

/// The last contender and its copy, which is the one after it.
pub(super) fn control(spec: &Spec, contenders: usize) -> Option<Pair> {
    let last = u32::try_from(contenders.checked_sub(2)?).ok()?;
    spec.run.control.then_some(Pair { a: last, b: last + 1 })
}

/// Whether each case is run alone, so that contenders take turns case by case: the command of every contender selects
/// cases.
pub(crate) fn is_case_by_case(accesses: &[ContenderAccess]) -> bool {
    are_all(accesses)
        && accesses.iter().filter_map(program).all(|program| selects_cases(&program.command))
}

/// The arguments that make the runs of these suites shorter, as far as their tools have any.
pub(crate) fn shorter_runs(accesses: &[ContenderAccess]) -> Option<String> {
    let kinds =
        accesses.iter().filter_map(|access| program(access)?.figures.as_ref()?.kind.as_ref());
    let mut flags: Vec<String> = kinds
        .filter_map(|kind| Some(format!("{} ({})", kind.shorter_runs()?, kind.name())))
        .collect();
    flags.dedup();
    (!flags.is_empty()).then(|| lists::listed(&flags))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::example;
    use record::{LengthRule, Metric};

    fn suites(spec: &mut Spec) {
        let program = |name: &str| format!("{name}=exec:bench {name}");
        spec.contenders = ["old", "mid", "new"].map(program).to_vec();
        spec.run.figures = Some("go".to_owned());
    }

    #[test]
    fn a_suite_is_judged_by_its_cases_alone() {
        let question = example::plan(suites).question;
        assert!(question.is_suite && question.secondary.is_empty() && question.control.is_none());
        assert_eq!((question.primary, question.matters), (Metric::Cost, MATTERS));
        assert_eq!(question.length, LengthRule::Cases);
        let numbers =
            |pairs: &[Pair]| pairs.iter().map(|pair| (pair.a, pair.b)).collect::<Vec<_>>();
        assert_eq!(numbers(&question.pairs), [(0, 1), (0, 2)]);
        let plan = example::plan(|spec| {
            suites(spec);
            (spec.run.matters, spec.run.rounds) = (Some(0.02), Some(12));
        });
        assert_eq!((plan.warm_up_ns, plan.pilot_ns, plan.rounds), (0, 0, 12));
        assert_eq!((plan.question.matters, plan.question.length), (0.02, LengthRule::Fixed));
        assert_eq!(plan.contenders[0].timeout_ns, TIMEOUT.as_nanos() as u64);
    }

    #[test]
    fn a_run_may_take_longer_than_an_operation() {
        let plan = example::plan(|spec| {
            suites(spec);
            spec.common.timeout = Some(Duration::from_secs(3 * 3600));
        });
        assert_eq!(plan.contenders[1].timeout_ns, 10_800_000_000_000);
        let [most, long] = [600, 601].map(|seconds| {
            let plan = example::settled(|spec| {
                spec.common.timeout = Some(Duration::from_secs(seconds));
            });
            plan.map(|plan| plan.contenders[0].timeout_ns)
        });
        assert_eq!(most.map_err(|error| error.text), Ok(600_000_000_000));
        let why = long.expect_err("an operation").text;
        assert!(why.contains("must be at most 10m") && why.contains("`figures`"), "{why}");
    }

    #[test]
    fn a_control_is_compared_with_the_contender_that_it_copies_and_with_no_other() {
        let plan = example::plan(|spec| {
            suites(spec);
            spec.run.control = true;
        });
        assert_eq!(plan.question.names(), ["old", "mid", "new", "new-again"]);
        assert_eq!(plan.question.control, Some(Pair { a: 2, b: 3 }));
        assert!(plan.question.pairs.iter().all(|pair| pair.b < 3));
        let target = |at: usize| plan.contenders[at].target.clone();
        assert_eq!(target(2), target(3));
        let taken = example::plan(|spec| {
            suites(spec);
            let more = ["new-again", "new-again-2", "new"].map(|name| format!("{name}=exec:bench"));
            spec.contenders.splice(2.., more);
            spec.run.control = true;
        });
        assert_eq!(taken.question.names().last(), Some(&"new-again-3".to_owned()));
    }
}

//! Lengths that follow from a difference (`--see`), from a time (`--within`) or, between running servers, from
//! the looks of short rounds.

use crate::plan::contender::access::ContenderAccess;
use crate::plan::contender::local;
use crate::plan::{Command, RunSettings, Spec};
use judge::stats::short_rounds;
use protocol::Error;
use record::{Contender, Interleave, LengthRule, Metric};
use std::time::Duration;
use text::units::{nanoseconds, show_ns, show_percent, show_whole_seconds};

pub(in crate::plan) const LONGEST_RUN_NS: u64 = 86_400_000_000_000;
/// How much longer rounds and launches take than their plan says: the time between slices and rounds.
pub(crate) const OVERHEAD: f64 = 1.03;

const SHORT_ROUND: Duration = Duration::from_millis(300);

/// What a run of short rounds depends on.
pub(in crate::plan) struct ShortRoundsFacts<'a> {
    pub(in crate::plan) contenders: &'a [Contender],
    pub(in crate::plan) accesses: &'a [ContenderAccess],
    pub(in crate::plan) primary: Metric,
    /// Comparisons of the largest family.
    pub(in crate::plan) comparisons: usize,
    pub(in crate::plan) alpha: f64,
}

/// Refuses a length that is given in two ways, or where no length can follow from anything.
///
/// # Errors
/// When that is so; the message names the remedy.
pub(in crate::plan) fn check(spec: &Spec) -> Result<(), Error> {
    let run = &spec.run;
    if run.see.is_some() && run.within.is_some() {
        return Err(Error::usage(
            "--see and --within both set the length of the run: leave one of them out (`tiebreak \
             plan` with --see says how long a run must be)",
        ));
    }
    let Some(flag) = run.first_flag(&["see", "within"]) else { return Ok(()) };
    if let Some(other) = run.first_flag(&["rounds", "launches", "until_decided"]) {
        return Err(Error::usage(format!(
            "{flag} finds out how many rounds or launches a run has, and {other} sets them: leave one \
             of them out"
        )));
    }
    if let Some(share) = run.see.filter(|share| !(0.0001..=0.5).contains(share)) {
        return Err(Error::usage(format!(
            "--see {}: must be from 0.01% to 50%, such as 2%",
            show_percent(share)
        )));
    }
    if let Some(time) = run.within.filter(|time| nanoseconds(*time) > LONGEST_RUN_NS) {
        return Err(Error::usage(format!(
            "--within {}: a run may take a day ({}) at most",
            show_ns(nanoseconds(time)),
            show_ns(LONGEST_RUN_NS)
        )));
    }
    Ok(())
}

/// Refuses these lengths for a sweep, whose load points have the same number of rounds.
///
/// # Errors
/// When one is given.
pub(in crate::plan) fn refuse_in_sweep(run: &RunSettings) -> Result<(), Error> {
    let Some(flag) = run.first_flag(&["see", "within"]) else { return Ok(()) };
    Err(Error::usage(format!(
        "{flag} is not supported with --sweep: every load point has the same number of rounds; leave \
         out {flag}, or use --rounds"
    )))
}

/// How the number of replicates is found.
pub(in crate::plan) fn of(spec: &Spec, facts: &ShortRoundsFacts<'_>) -> LengthRule {
    match (spec.run.see, spec.run.within) {
        _ if spec.units.is_some() => LengthRule::Part { case: spec.case.clone() },
        // Its time sets the length of its turns.
        _ if facts.primary == Metric::Capacity => LengthRule::Fixed,
        (None, None) if facts.primary == Metric::Cost && spec.run.rounds.is_none() => {
            LengthRule::Cases
        }
        (Some(share), _) => LengthRule::See(share),
        (_, Some(time)) => LengthRule::WithinNs(nanoseconds(time)),
        _ if !has_short_rounds(spec, facts) => LengthRule::Fixed,
        _ => {
            short_rounds::looks(facts.alpha, facts.comparisons).map_or(LengthRule::Fixed, |looks| {
                LengthRule::ShortRounds { round_ns: nanoseconds(SHORT_ROUND), looks }
            })
        }
    }
}

/// Whether a comparison has short rounds if the slices fit into them: between running servers in closed loop,
/// where nothing else was asked for.
fn has_short_rounds(spec: &Spec, facts: &ShortRoundsFacts<'_>) -> bool {
    let run = &spec.run;
    let set = ["rounds", "round", "slice", "launches", "until_decided", "rank"];
    let is_running = |access: &ContenderAccess| matches!(access, ContenderAccess::Attached { .. });
    spec.command == Command::Compare
        && run.first_given(&set).is_none()
        && spec.sweep.is_none()
        && spec.agents == 0
        && run.interleave != Some(Interleave::Turns)
        && facts.primary == Metric::Throughput
        && facts.contenders.iter().all(|contender| contender.groups.is_empty())
        && !local::any_program(facts.contenders)
        && facts.accesses.iter().all(is_running)
}

/// Refuses a time in which not even the fewest replicates fit that can decide. `least_ns` is how long those
/// take, without launches.
///
/// # Errors
/// When it is too short.
pub(in crate::plan) fn check_time(
    rule: &LengthRule,
    fewest: u32,
    least_ns: u64,
) -> Result<(), Error> {
    match rule.within_ns().filter(|within_ns| *within_ns < least_ns) {
        Some(within_ns) => Err(Error::usage(format!(
            "--within {}: at least {fewest} replicates are needed to decide anything, which take {} with \
             warm-up and pilot: give more time, or shorter rounds (--round)",
            show_ns(within_ns),
            show_whole_seconds(least_ns)
        ))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::example;

    fn rule_of(change: impl FnOnce(&mut Spec)) -> LengthRule {
        example::plan(change).question.length
    }

    #[test]
    fn running_servers_have_short_rounds_unless_a_length_is_given() {
        let LengthRule::ShortRounds { round_ns, looks } = rule_of(|_| {}) else {
            panic!("no short rounds")
        };
        let numbers: Vec<u32> = looks.iter().map(|look| look.replicates).collect();
        // p50 and p99 are judged beside throughput; the CPU time of the example's targets is not visible.
        assert_eq!((round_ns, numbers), (300_000_000, vec![9, 16, 32]));
        let fixed: [fn(&mut Spec); 8] = [
            |spec| spec.run.rounds = Some(10),
            |spec| spec.run.round = Some(Duration::from_millis(300)),
            |spec| spec.run.slice = Some(Duration::from_millis(50)),
            |spec| spec.run.interleave = Some(Interleave::Turns),
            |spec| spec.run.until_decided = true,
            |spec| spec.run.rank = true,
            |spec| spec.common.rate = Some(5000.0),
            |spec| spec.contenders = vec!["nginx".to_owned(), "node".to_owned()],
        ];
        for (at, change) in fixed.into_iter().enumerate() {
            assert_eq!(rule_of(change), LengthRule::Fixed, "{at}");
        }
        assert_eq!(rule_of(|spec| spec.agents = 2), LengthRule::Fixed);
    }

    #[test]
    fn a_length_is_given_in_one_way() {
        let refused = |change: &dyn Fn(&mut Spec)| {
            let mut spec = Spec::new(Command::Compare, Vec::new());
            spec.run.see = Some(0.02);
            change(&mut spec);
            check(&spec).expect_err("two lengths").text
        };
        let rounds = refused(&|spec| spec.run.rounds = Some(10));
        assert_eq!(
            rounds,
            "--see finds out how many rounds or launches a run has, and --rounds sets them: leave one of \
             them out"
        );
        assert!(refused(&|spec| spec.run.launches = Some(10)).contains("--launches sets them"));
        assert!(refused(&|spec| spec.run.until_decided = true).contains("--until-decided sets"));
        let within = |spec: &mut Spec| spec.run.within = Some(Duration::from_secs(60));
        assert!(refused(&within).contains("both set the length"));
        assert!(refused(&|spec| spec.run.see = Some(0.6)).contains("from 0.01% to 50%"));
    }

    #[test]
    fn a_time_is_a_day_at_most() {
        let checked = |time_s: u64| {
            let mut spec = Spec::new(Command::Compare, Vec::new());
            spec.run.within = Some(Duration::from_secs(time_s));
            check(&spec).map_err(|error| error.text)
        };
        assert_eq!(checked(86_400), Ok(()));
        let refused = checked(86_401).expect_err("too long");
        assert!(refused.contains("a run may take a day"), "{refused}");
    }

    #[test]
    fn a_difference_to_see_is_the_one_that_matters() {
        let question = example::plan(|spec| spec.run.see = Some(0.02)).question;
        assert_eq!((question.rounds, question.matters), (10, 0.02));
        let both = example::plan(|spec| {
            (spec.run.see, spec.run.matters) = (Some(0.02), Some(0.01));
        });
        assert_eq!(both.question.matters, 0.01);
    }
}

//! `--slo`: whether a plan seeks capacities or checks a rate, and what it cannot be combined with.

use crate::plan::contender::local;
use crate::plan::{Command, Spec};
use judge::capacity::{self, TURNS, length};
use judge::objectives::show;
use protocol::Error;
use record::{Contender, Objective, Plan};
use std::time::Duration;
use text::units::{nanoseconds, show_counted, show_ns, show_whole_seconds};

/// The shortest turn. Shorter ones count too few operations, since their beginnings are not counted.
const SHORTEST_TURN: Duration = Duration::from_millis(400);

/// Each turn begins with an empty queue, which must have time to grow: a turn lasts at least this many times the longest
/// response time that is allowed, and by default longer.
const LEAST_IN_LIMITS: u32 = 10;
const IN_LIMITS: u32 = 50;

/// Whether the plan seeks the highest rates that meet the objectives. Otherwise it has no objectives, or checks whether
/// its rate meets them.
pub(super) fn seeks_capacity(spec: &Spec, contenders: &[Contender]) -> bool {
    let is_asked = !spec.run.slo.is_empty() && is_of_run(spec);
    is_asked && contenders.iter().all(|contender| contender.intensity.arrivals.rate().is_none())
}

fn is_of_run(spec: &Spec) -> bool {
    matches!(spec.command, Command::Compare | Command::Run)
}

/// Refuses what has no meaning with objectives.
pub(super) fn check(spec: &Spec, contenders: &[Contender]) -> Result<(), Error> {
    if spec.run.slo.is_empty() || !is_of_run(spec) {
        return Ok(());
    }
    let seeks = seeks_capacity(spec, contenders);
    let refused = refused_always(spec, contenders, seeks);
    let refused = refused.or_else(|| refused_for_capacities(spec).filter(|_| seeks));
    match refused {
        Some(why) => Err(Error::usage(why)),
        None => check_limits(&spec.run.slo, contenders),
    }
}

fn refused_always(spec: &Spec, contenders: &[Contender], seeks: bool) -> Option<String> {
    let has_groups = contenders.iter().any(|contender| !contender.groups.is_empty());
    let why = if local::any_program(contenders) {
        "--slo drives a server at given rates, and a program (exec:) has none: leave it out"
    } else if has_groups {
        "--slo is about one workload, and each of several groups has a rate of its own: leave out --slo or the groups"
    } else if spec.agents > 0 {
        "--slo is not supported with agents yet: let this process drive alone (leave out --agents)"
    } else if !seeks && spec.command == Command::Compare {
        "--slo finds the rates of a comparison itself: leave out --rate; `tiebreak run URL --rate … --slo …` checks \
         one rate"
    } else {
        return None;
    };
    Some(why.to_owned())
}

/// The length of a run that seeks capacities is fixed by what was simulated.
fn refused_for_capacities(spec: &Spec) -> Option<String> {
    let run = &spec.run;
    let only_errors = run.slo.iter().all(|of| matches!(of, Objective::Errors { .. }));
    let given = [
        (run.rank || run.by.is_some(), "--rank and --by"),
        (run.rounds.is_some(), "--rounds"),
        (run.see.is_some(), "--see"),
        (run.round.is_some() && run.within.is_some(), "--round with --within"),
        (run.until_decided, "--until-decided"),
        (run.interleave.is_some(), "--interleave"),
        (run.slice.is_some(), "--slice"),
        (run.operations.is_some(), "a number of operations"),
        (spec.workload.by_request == Some(true), "by_request = true"),
    ];
    if only_errors {
        return Some(
            "--slo with errors alone gives no rate: errors come at once, not little by little, so nothing leads a search \
             to where they begin. Add an objective for response time, such as --slo 'p99 <= 50ms'; `tiebreak run` \
             with --rate checks that rate for errors alone"
                .to_owned(),
        );
    }
    if let Some((_, what)) = given.iter().find(|(is_given, _)| *is_given) {
        let length = if spec.command == Command::Run { "--duration" } else { "--within" };
        return Some(format!(
            "{what} cannot be combined with --slo, whose rounds and turns are fixed: leave it out; {length} sets how \
             long they take"
        ));
    }
    None
}

/// An operation must be able to be late.
fn check_limits(objectives: &[Objective], contenders: &[Contender]) -> Result<(), Error> {
    for objective in objectives {
        let Objective::ResponseTime { limit_ns, .. } = *objective else { continue };
        let shorter = contenders.iter().find(|contender| contender.timeout_ns <= limit_ns);
        if let Some(contender) = shorter {
            return Err(Error::usage(format!(
                "--slo '{}': `{}` is given up after {}, which must be longer than the objective: raise --timeout",
                show(*objective),
                contender.name,
                show_ns(contender.timeout_ns)
            )));
        }
    }
    Ok(())
}

/// How long each contender is driven in a round.
///
/// `before_ns` is the time of the warm-up and the pilot of one contender.
pub(super) fn round(spec: &Spec, contenders: usize, before_ns: u64) -> Result<Duration, Error> {
    let (turns, rounds) = (TURNS as u32, capacity::ROUNDS);
    if let Some(within) = spec.run.within {
        let searched_ns = before_ns.saturating_add(length::ABOUT_SEARCH_NS);
        let turn = turn_within(&spec.run.slo, within, contenders, searched_ns)?;
        return Ok(turn * turns);
    }
    let (flag, given) = match spec.command {
        Command::Run => ("--duration", spec.run.duration.map(|all| all / rounds.max(1))),
        _ => ("--round", spec.run.round),
    };
    let limit = longest_limit(&spec.run.slo);
    let turn = Duration::from_nanos(length::default_turn_ns(&spec.run.slo)).max(limit * IN_LIMITS);
    let round = given.unwrap_or(turn * turns);
    let shortest = SHORTEST_TURN.max(limit * LEAST_IN_LIMITS);
    if round < shortest * turns {
        let least = shortest * turns * if flag == "--duration" { rounds } else { 1 };
        return Err(Error::usage(format!(
            "{flag} is too short for {} of {turns} turns with --slo: it must be at least {}",
            show_counted(rounds.into(), "round"),
            show_ns(nanoseconds(least))
        )));
    }
    Ok(round)
}

/// The turns with which a run takes this long, if its targets are not launched anew.
fn turn_within(
    objectives: &[Objective],
    within: Duration,
    contenders: usize,
    searched_ns: u64,
) -> Result<Duration, Error> {
    let rounds = capacity::ROUNDS;
    let before = Duration::from_nanos(searched_ns.saturating_mul(contenders as u64));
    let left_ns = nanoseconds(within.saturating_sub(before));
    let shortest_ns = nanoseconds(longest_limit(objectives) * LEAST_IN_LIMITS);
    let turn_ns =
        length::turn_within_ns(left_ns, objectives, contenders, rounds).and_then(|turn_ns| {
            let least_ns = length::all_turns_ns(shortest_ns, contenders, rounds);
            if turn_ns < shortest_ns { Err(least_ns) } else { Ok(turn_ns) }
        });
    turn_ns.map(Duration::from_nanos).map_err(|least_ns| {
        let least_ns = least_ns.saturating_add(nanoseconds(before));
        Error::usage(format!(
            "--within {}: {} of {TURNS} turns for each contender, with the search before them, take at least {}",
            show_ns(nanoseconds(within)),
            show_counted(rounds.into(), "round"),
            show_whole_seconds(least_ns)
        ))
    })
}

/// Says that turns are short for the objectives.
pub(super) fn caution(plan: &Plan) -> Option<String> {
    let question = &plan.question;
    let turn = Duration::from_nanos(plan.round_ns / TURNS as u64);
    let limit = longest_limit(&question.objectives);
    (question.seeks_capacity() && turn < limit * IN_LIMITS).then(|| {
        format!(
            "turns of {} begin with an empty queue and are short for an objective of {}, so capacities read too high: \
             they should last {}",
            show_ns(nanoseconds(turn)),
            show_ns(nanoseconds(limit)),
            show_ns(nanoseconds(limit * IN_LIMITS))
        )
    })
}

/// The longest response time that an objective allows. 0 if there is none.
fn longest_limit(objectives: &[Objective]) -> Duration {
    let limit = |objective: &Objective| match *objective {
        Objective::ResponseTime { limit_ns, .. } => limit_ns,
        Objective::Errors { .. } => 0,
    };
    Duration::from_nanos(objectives.iter().map(limit).max().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::example;
    use record::{Interleave, LengthRule, Metric, Percentile, Plan};

    const P99: Objective =
        Objective::ResponseTime { percentile: Percentile::P99, limit_ns: 5_000_000 };

    fn plan(change: impl Fn(&mut Spec)) -> Plan {
        example::plan(|spec| {
            spec.run.slo = vec![P99];
            change(spec);
        })
    }

    fn run(spec: &mut Spec) {
        spec.command = Command::Run;
        spec.contenders.truncate(1);
    }

    #[test]
    fn a_comparison_has_ten_rounds_of_three_turns() {
        let plan = plan(|_| {});
        assert_eq!((plan.rounds, plan.round_ns), (10, 6_000_000_000));
        assert_eq!(plan.interleave, Interleave::Turns);
        let question = &plan.question;
        assert_eq!((question.primary, question.secondary.len()), (Metric::Capacity, 0));
        assert_eq!((question.restarts, question.objectives.clone()), (0, vec![P99]));
    }

    #[test]
    fn launched_targets_are_launched_in_every_round() {
        let launched = |spec: &mut Spec| {
            spec.contenders = vec!["nginx".to_owned(), "node".to_owned()];
        };
        let several = plan(launched);
        assert_eq!(
            (several.rounds, several.question.restarts, several.question.dear),
            (10, 10, None)
        );
        let one = plan(|spec| {
            launched(spec);
            spec.run.launches = Some(1);
        });
        assert_eq!((one.rounds, one.question.restarts), (10, 0));
    }

    #[test]
    fn a_run_seeks_a_capacity_or_checks_its_rate() {
        let capacity = plan(run);
        assert_eq!(capacity.question.primary, Metric::Capacity);
        assert_eq!((capacity.rounds, capacity.round_ns), (10, 6_000_000_000));
        let short = plan(|spec| {
            run(spec);
            spec.run.duration = Some(Duration::from_secs(30));
        });
        assert_eq!(short.round_ns, 3_000_000_000);
        let check = plan(|spec| {
            run(spec);
            spec.common.rate = Some(1000.0);
        });
        assert_eq!((check.question.primary, check.rounds), (Metric::ResponseP99, 1));
        assert_eq!(check.question.objectives, [P99]);
        let errors = Objective::Errors { fraction: 0.001 };
        let check = plan(|spec| {
            run(spec);
            spec.common.rate = Some(1000.0);
            spec.run.slo = vec![errors];
        });
        assert!(!check.question.seeks_capacity());
        assert_eq!(check.question.objectives, [errors]);
    }

    #[test]
    fn turns_are_long_enough_for_the_queue_to_grow() {
        let of = |limit_ms: u64, round: Option<u64>| {
            let limit_ns = limit_ms * 1_000_000;
            let slo = Objective::ResponseTime { percentile: Percentile::P99, limit_ns };
            example::settled(|spec| {
                spec.run.slo = vec![slo];
                spec.run.round = round.map(Duration::from_secs);
            })
        };
        let round = |limit_ms, round| of(limit_ms, round).map(|plan| plan.round_ns / 1_000_000_000);
        assert_eq!(round(40, None), Ok(6));
        assert_eq!(round(100, None), Ok(15));
        assert_eq!(caution(&of(100, None).expect("a plan")), None);
        let short = caution(&of(100, Some(3)).expect("a plan")).expect("a caution");
        assert!(short.contains("turns of 1 s") && short.contains("should last 5 s"), "{short}");
        let refused = round(101, Some(3)).expect_err("too short").text;
        assert!(refused.contains("it must be at least 3.03 s"), "{refused}");
    }

    #[test]
    fn a_time_sets_the_length_of_turns() {
        let plan = plan(|spec| spec.run.within = Some(Duration::from_secs(300)));
        assert_eq!((plan.rounds, plan.question.length.clone()), (10, LengthRule::Fixed));
        let searches_ns = 2 * length::ABOUT_SEARCH_NS;
        let all_ns = plan.least_ns() + searches_ns;
        assert!((299_900_000_000..=300_000_000_000).contains(&all_ns), "{all_ns}");
    }

    /// Why a spec is refused, which is otherwise fine.
    fn refusal(change: impl Fn(&mut Spec)) -> String {
        let refused = example::settled(|spec| {
            spec.run.slo = vec![P99];
            change(spec);
        });
        let error = refused.expect_err("it is refused");
        assert_eq!(error.exit, protocol::Exit::Usage, "{}", error.text);
        error.text
    }

    #[test]
    fn what_has_no_meaning_with_objectives_is_refused() {
        type Change = fn(&mut Spec);
        let table: [(Change, &str); 14] = [
            (|spec| spec.run.see = Some(0.02), "--see cannot be combined with --slo"),
            (
                |spec| spec.run.within = Some(Duration::from_secs(30)),
                "with the search before them, take at least",
            ),
            (|spec| spec.common.rate = Some(1000.0), "leave out --rate"),
            (|spec| spec.run.rounds = Some(12), "--rounds cannot be combined with --slo"),
            (|spec| spec.run.until_decided = true, "--until-decided cannot be combined"),
            (|spec| spec.run.rank = true, "--rank and --by cannot be combined"),
            (|spec| spec.run.interleave = Some(Interleave::Slices), "--interleave cannot be"),
            (|spec| spec.run.slice = Some(Duration::from_millis(50)), "--slice cannot be"),
            (|spec| spec.agents = 2, "not supported with agents yet"),
            (|spec| spec.contenders[1] = "b=exec:true".to_owned(), "a program (exec:) has none"),
            (|spec| spec.run.round = Some(Duration::from_millis(600)), "it must be at least 1.2 s"),
            (|spec| spec.common.timeout = Some(Duration::from_millis(5)), "raise --timeout"),
            (
                |spec| spec.run.slo = vec![Objective::Errors { fraction: 0.01 }],
                "with --rate checks that rate",
            ),
            (
                |spec| {
                    spec.contenders = vec!["nginx".to_owned(), "node".to_owned()];
                    spec.run.launches = Some(5);
                },
                "--launches 5",
            ),
        ];
        for (change, words) in table {
            let text = refusal(change);
            assert!(text.contains(words), "{words}: {text}");
        }
    }
}

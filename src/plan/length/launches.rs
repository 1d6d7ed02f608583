//! How often the targets are launched. A server settles differently at each start, so where tiebreak
//! launches all contenders, the launch is the replicate, and there are several. How many follows from what a
//! launch costs, never from a measured figure: a choice from the data decides less often (METHOD,
//! "Launches").

use super::rule::LONGEST_RUN_NS;
use crate::plan::contender::access::ContenderAccess;
use crate::plan::{Command, Spec};
use judge::stats::rounds;
use protocol::Error;
use record::{Address, Contender, DearLaunches, Launches, Plan, Question, RequestPlan};
use text::shown::shown;
use text::units::{show_counted, show_ns};

/// A launch with its warm-up that takes at most this long is cheap.
const CHEAP_NS: u64 = 1_500_000_000;
/// A launch with its warm-up and load that takes longer than this is too dear for several.
const TOO_DEAR_NS: u64 = 10_000_000_000;

/// Whether a comparison can have several launches: tiebreak launches every contender, or opens its files.
pub(in crate::plan) fn are_possible(spec: &Spec, accesses: &[ContenderAccess]) -> bool {
    let anew = |access: &ContenderAccess| {
        matches!(access, ContenderAccess::Launched { .. } | ContenderAccess::Files(_))
    };
    spec.command == Command::Compare && accesses.iter().all(anew)
}

/// Whether it has several unless something else is asked for.
pub(in crate::plan) fn are_several(spec: &Spec, accesses: &[ContenderAccess]) -> bool {
    let asked = spec.run.launches.is_some() || spec.run.rounds.is_some();
    !asked && are_possible(spec, accesses)
}

/// Refuses a requirement between programs that would rest on one launch of each.
pub(in crate::plan) fn refuse_requirements(spec: &Spec, question: &Question) -> Result<(), Error> {
    let Some(first) = spec.run.requirements.first() else { return Ok(()) };
    let remedy = if spec.run.slo.is_empty() {
        let (_, launches) = rounds::default_launches(question.compared(), question.alpha);
        format!("use --launches {launches}")
    } else {
        // The number of launches is fixed there.
        "leave out --launches 1".to_owned()
    };
    Err(Error::usage(format!(
        "--require {}: one launch of each shows how these launches differ, not the programs: {remedy}",
        shown(first)
    )))
}

/// Chooses the launches of a run from what the first launch of its dearest contender cost, in nanoseconds,
/// with its load and its warm-up. Also says why in a sentence. Returns None if the run has one
/// launch. Where each launch holds only some contenders, their number is fixed, or there is one.
pub fn chosen(plan: &Plan, cost_ns: u64) -> Option<(Launches, Option<String>)> {
    let each = plan.question.rounds_of_a_launch()?;
    let planned = Launches { launches: plan.question.restarts, rounds: each };
    let Some(dear) = plan.question.dear else { return Some((planned, None)) };
    let in_blocks = !plan.question.blocks.is_empty();
    let all_ns = (cost_ns.saturating_add(u64::from(each) * plan.driven_in_round_ns()))
        .saturating_mul(plan.question.turns() / u64::from(each));
    let chosen = if cost_ns > TOO_DEAR_NS || all_ns > LONGEST_RUN_NS {
        // Each block is then a round.
        let rounds = if in_blocks { planned.launches } else { dear.rounds_of_one };
        Launches { launches: 1, rounds }
    } else if in_blocks || cost_ns <= CHEAP_NS {
        planned
    } else {
        Launches { launches: dear.launches, rounds: each }
    };
    let cost = format!("one of the dearest contender took {} with its warm-up", show_ns(cost_ns));
    let why = match chosen.launches {
        1 if cost_ns <= TOO_DEAR_NS => {
            format!("one launch: {cost}, and all of them would take more than a day")
        }
        1 => format!("one launch: {cost}"),
        some => format!(
            "{}{}, with {}: {cost}",
            show_counted(some.into(), "launch"),
            if in_blocks { "" } else { " of each" },
            show_counted(each.into(), "round")
        ),
    };
    Some((chosen, Some(why)))
}

/// Says on what the number of launches depends, or why there is one. Returns None if there is nothing to
/// add to the plan.
pub fn in_words(plan: &Plan) -> Option<String> {
    let question = &plan.question;
    if let Some(dear) = question.dear {
        let (round, too_dear) = (show_ns(dear.round_of_one_ns), show_ns(TOO_DEAR_NS));
        return Some(if question.blocks.is_empty() {
            format!(
                "{} if one takes more than {} with its warm-up; one of {} of {round} if it takes more than {too_dear}",
                show_counted(dear.launches.into(), "launch"),
                show_ns(CHEAP_NS),
                show_counted(dear.rounds_of_one.into(), "round"),
            )
        } else {
            format!(
                "one launch of each, and these blocks as rounds of {round}, if one takes more than {too_dear} with its \
                 warm-up or all more than a day"
            )
        });
    }
    if question.restarts > 0 || question.is_suite || !plan.launches() {
        return None;
    }
    if plan.command == "run" {
        return Some("one launch, as in every `tiebreak run`".to_owned());
    }
    let starts_otherwise = |contender: &&Contender| {
        contender.launch.is_empty() && !matches!(contender.address, Address::Directory(_))
            || contender.asks == RequestPlan::Program
    };
    Some(match plan.contenders.iter().find(starts_otherwise) {
        Some(program) if program.asks == RequestPlan::Program => {
            format!(
                "one launch of each server: `{}` is a program, which starts in every turn",
                program.name
            )
        }
        Some(running) => format!("one launch of each: `{}` is already running", running.name),
        None => format!(
            "one launch of each, as requested: --launches {} compares the programs",
            rounds::default_rounds(question.compared(), question.alpha)
        ),
    })
}

/// The plan with these launches, whose rounds are longer where there is one launch.
#[must_use]
pub fn settled(plan: &Plan, chosen: Option<Launches>) -> Plan {
    let round_ns = match (plan.question.dear, chosen) {
        (Some(DearLaunches { round_of_one_ns, .. }), Some(Launches { launches: 1, .. })) => {
            round_of_one_ns
        }
        _ => plan.round_ns,
    };
    Plan { round_ns, ..plan.clone().with_launches(chosen) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::example;
    use record::{Metric, Objective, Percentile};

    /// Ten launches of two rounds, eight if they are dear.
    fn plan() -> Plan {
        let plan = example::plan(|spec| {
            spec.contenders = vec!["nginx".to_owned(), "node".to_owned()];
        });
        assert_eq!((plan.question.restarts, plan.rounds, plan.round_ns), (10, 20, 500_000_000));
        plan
    }

    #[test]
    fn the_cost_of_the_dearest_launch_decides() {
        let plan = plan();
        for (cost_ms, launches, rounds) in
            [(500, 10, 2), (1500, 10, 2), (1501, 8, 2), (10_000, 8, 2), (10_001, 1, 10)]
        {
            let chosen = chosen(&plan, cost_ms * 1_000_000).map(|(chosen, _)| chosen);
            assert_eq!(chosen, Some(Launches { launches, rounds }), "{cost_ms} ms");
        }
    }

    #[test]
    fn one_launch_has_the_rounds_of_one() {
        let plan = plan();
        let one = settled(&plan, chosen(&plan, 60_000_000_000).map(|(chosen, _)| chosen));
        assert_eq!((one.rounds, one.round_ns), (10, 1_000_000_000));
        assert_eq!((one.question.rounds, one.question.restarts), (10, 0));
        let eight = settled(&plan, Some(Launches { launches: 8, rounds: 2 }));
        assert_eq!((eight.rounds, eight.round_ns, eight.question.restarts), (16, 500_000_000, 8));
    }

    /// What is compared, and how many nanoseconds' replies are counted together.
    fn judged(launches: bool, rate: Option<f64>) -> (Metric, Vec<Metric>, u64) {
        let plan = example::plan(|spec| {
            spec.contenders = vec!["nginx".to_owned(), "node".to_owned()];
            spec.common.rate = rate;
            spec.run.rounds = (!launches).then_some(10);
        });
        let each = plan.question.rounds_of_a_launch();
        assert_eq!(each.is_some(), launches);
        let counted_ns = plan.round_ns * u64::from(each.unwrap_or(1));
        (plan.question.primary, plan.question.secondary, counted_ns)
    }

    #[test]
    fn launches_are_judged_by_what_rounds_are_judged_by() {
        for rate in [None, Some(1000.0), Some(2000.0), Some(5000.0)] {
            assert_eq!(judged(true, rate), judged(false, rate), "{rate:?}");
        }
    }

    #[test]
    fn one_launch_says_why() {
        let words = |contenders: [&str; 2], rounds: Option<u32>| {
            let plan = example::plan(|spec| {
                spec.contenders = contenders.map(str::to_owned).to_vec();
                spec.run.rounds = rounds;
            });
            in_words(&plan)
        };
        let running = "b=http://127.0.0.1:2/";
        assert_eq!(
            words(["nginx", running], None).as_deref(),
            Some("one launch of each: `b` is already running")
        );
        assert_eq!(
            words(["nginx", "b=exec:true"], None).as_deref(),
            Some("one launch of each server: `b` is a program, which starts in every turn")
        );
        assert_eq!(
            words(["nginx", "node"], Some(10)).as_deref(),
            Some("one launch of each, as requested: --launches 10 compares the programs")
        );
        assert_eq!(
            words(["nginx", "node"], None).as_deref(),
            Some(
                "8 launches if one takes more than 1.5 s with its warm-up; one of 10 rounds of 1 s \
                 if it takes more than 10 s"
            )
        );
        assert_eq!(words(["a=http://127.0.0.1:1/", running], None), None);
        let run = example::plan(|spec| {
            spec.command = Command::Run;
            spec.contenders = vec!["nginx".to_owned()];
        });
        assert_eq!(in_words(&run).as_deref(), Some("one launch, as in every `tiebreak run`"));
    }

    #[test]
    fn a_requirement_of_one_launch_names_the_way_to_several() {
        let refused = |change: fn(&mut Spec)| {
            let settled = example::settled(|spec| {
                spec.contenders = vec!["nginx".to_owned(), "node".to_owned()];
                spec.run.requirements = vec!["throughput >= 0.9".to_owned()];
                change(spec);
            });
            settled.expect_err("one launch").text
        };
        let once = refused(|spec| spec.run.launches = Some(1));
        assert!(once.ends_with("use --launches 8"), "{once}");
        let capacity = refused(|spec| {
            spec.run.launches = Some(1);
            let limit_ns = 5_000_000;
            spec.run.slo = vec![Objective::ResponseTime { percentile: Percentile::P99, limit_ns }];
            spec.run.requirements = vec!["capacity >= 0.9".to_owned()];
        });
        assert!(capacity.ends_with("leave out --launches 1"), "{capacity}");
        let blocks = refused(|spec| {
            (spec.run.rank, spec.run.launches) = (true, Some(1));
            spec.contenders = (0..17).map(|at| format!("c{at}=nginx")).collect();
        });
        assert!(blocks.ends_with("use --launches 15"), "{blocks}");
    }

    /// A ranking in blocks of launches.
    fn blocks(contenders: usize) -> Plan {
        example::plan(|spec| {
            spec.run.rank = true;
            spec.contenders = (1..=contenders).map(|at| format!("c{at}=nginx")).collect();
        })
    }

    #[test]
    fn a_block_is_a_launch_or_a_round_of_one_launch() {
        let plan = blocks(17);
        let (launches, blocks) = (plan.question.restarts, &plan.question.blocks);
        for cost_ms in [500, 10_000] {
            let chosen = chosen(&plan, cost_ms * 1_000_000).map(|(chosen, _)| chosen);
            assert_eq!(chosen, Some(Launches { launches, rounds: 2 }), "{cost_ms} ms");
        }
        let (one, why) = chosen(&plan, 10_001_000_000).expect("launched");
        assert_eq!(one, Launches { launches: 1, rounds: launches });
        assert!(why.is_some_and(|why| !why.contains("a day")));
        let settled = settled(&plan, Some(one));
        assert_eq!((settled.rounds, settled.round_ns), (launches, 1_000_000_000));
        assert_eq!((settled.question.restarts, &settled.question.blocks), (0, blocks));
        assert_eq!(settled.check_size(), Ok(()));
        let words = in_words(&plan).expect("words");
        assert!(words.starts_with("one launch of each, and these blocks as rounds of 1 s, if "));
    }

    #[test]
    fn launches_that_would_take_more_than_a_day_are_one() {
        // 64 contenders are launched more than 10 000 times.
        let plan = blocks(64);
        let several = chosen(&plan, 1_500_000_000).map(|(chosen, _)| chosen.launches);
        assert_eq!(several, Some(plan.question.restarts));
        let (one, why) = chosen(&plan, 9_000_000_000).expect("launched");
        assert_eq!(one.launches, 1);
        let wanted = "with its warm-up, and all of them would take more than a day";
        assert!(why.is_some_and(|why| why.ends_with(wanted)));
    }

    #[test]
    fn a_number_that_was_given_is_kept() {
        let fixed = example::plan(|spec| {
            spec.contenders = vec!["nginx".to_owned(), "node".to_owned()];
            spec.run.launches = Some(12);
        });
        let chosen = chosen(&fixed, 60_000_000_000);
        assert_eq!(chosen, Some((Launches { launches: 12, rounds: 2 }, None)));
        let rounds = example::plan(|spec| spec.run.rounds = Some(12));
        assert_eq!(super::chosen(&rounds, 0), None);
    }
}

//! Runs that seek capacities.

use super::*;
use crate::run::judging;
use judge::capacity::UNCOUNTED_NS;
use judge::verdict::{CapacityOutcome, Word};
use record::{Arrivals, Objective, Percentile};

const LIMIT_NS: u64 = 5_000_000;

/// What a contender that has this capacity answers in a turn at this rate: the share of its late operations follows a
/// logistic curve. Without an end to the capacity 1 % is late at every rate.
pub(super) fn at_rate(rate: f64, capacity: f64, length_ns: u64) -> Seen {
    let in_time = |ns: u64| (rate * ns as f64 / 1e9).round() as u64;
    let (all, sent) = (in_time(length_ns - UNCOUNTED_NS), in_time(length_ns));
    let rise = if capacity.is_finite() { (rate / capacity).powi(20) } else { 1.0 };
    let odds = 0.01 / 0.99 * rise;
    let late = (odds / (1.0 + odds) * all as f64).round() as u64;
    let mut seen = Seen { operations: sent, sent, ..Seen::default() };
    seen.burn_in_excluded = sent - all;
    for times in [&mut seen.response_time, &mut seen.service_time] {
        times.record_many(1_000_000, all - late);
        times.record_many(2 * LIMIT_NS, late);
    }
    seen.outcomes.ok = sent;
    seen.codes.insert(200, sent);
    let (sending_ns, took_ns) = (length_ns, length_ns);
    seen.slices.push(Slice { sending_ns, took_ns, operations: sent, ..Slice::default() });
    seen
}

fn plan(change: impl Fn(&mut crate::plan::Spec)) -> Plan {
    example::plan(|spec| {
        let percentile = Percentile::P99;
        spec.run.slo = vec![Objective::ResponseTime { percentile, limit_ns: LIMIT_NS }];
        change(spec);
    })
}

fn conducted(plan: &Plan, world: Script) -> SessionOutcome {
    conduct(plan, Script { capacities: [1e6, 1.1e6], ..world }, Disk::new(ROOMY))
}

/// The turns of the rounds: round, contender, rate and what draws its arrivals.
fn turns(orders: &[DriveOrder]) -> Vec<(u32, f64, u32)> {
    let turn = |order: &DriveOrder| {
        let lane = order.lanes.first()?;
        match lane.intensity.arrivals {
            Arrivals::Poisson(rate) => Some((order.first_round, rate, lane.arrivals_seed)),
            _ => None,
        }
    };
    orders.iter().filter(|order| order.round_ns == 2_000_000_000).filter_map(turn).collect()
}

#[test]
fn a_search_and_ten_rounds_of_three_turns_of_each() {
    let plan = plan(|_| {});
    let outcome = conducted(&plan, Script::default());
    assert_eq!(reason(&outcome), EndReason::Complete);
    let lines = journal_lines(&outcome.disk);
    let rounds = |round: u32| {
        lines.iter().filter(|line| line.starts_with(&format!("Round {round} of"))).count()
    };
    assert_eq!((1..=10).map(rounds).collect::<Vec<_>>(), [6; 10]);
    assert_eq!(rounds(11), 0);
    // The search comes after the pilot, one contender after the other, and before the rounds.
    let at = |wanted: &str| lines.iter().position(|line| line == wanted).expect("in the journal");
    assert!(at("pilot chose") < at("Round 1 of 0"));
    let searched = lines[at("pilot chose")..].iter().filter(|line| line.starts_with("Pilot 0"));
    assert!(searched.count() >= 6);
    // One sync for each round, two targets, the pilot's choice, one target that is down, and the end.
    assert_eq!(outcome.disk.syncs.get(), 15);
}

#[test]
fn both_contenders_have_the_same_arrivals_and_their_order_is_drawn() {
    let plan = plan(|_| {});
    let turns = turns(&conducted(&plan, Script::default()).orders);
    assert_eq!(turns.len(), 60);
    for round in 1..=10 {
        let of_round: Vec<_> = turns.iter().filter(|turn| turn.0 == round).collect();
        let mut drawn: Vec<u32> = of_round.iter().map(|turn| turn.2).collect();
        drawn.sort_unstable();
        assert_eq!((drawn[0], drawn[2], drawn[4]), (drawn[1], drawn[3], drawn[5]), "{round}");
        drawn.dedup();
        assert_eq!(drawn.len(), 3, "each level has arrivals of its own");
    }
    let seeds = |round: u32| turns.iter().filter(|turn| turn.0 == round).map(|turn| turn.2).min();
    assert_ne!(seeds(1), seeds(2), "and each round");
    let ascending = |round: u32| {
        let rates = turns.iter().filter(|turn| turn.0 == round).map(|turn| turn.1);
        rates.collect::<Vec<f64>>().is_sorted()
    };
    assert!((1..=10).any(|round| !ascending(round)));
}

#[test]
fn the_journal_gives_the_capacities_that_the_run_followed() {
    let plan = plan(|_| {});
    let outcome = conducted(&plan, Script::default());
    let directory = Scratch::new();
    let file = directory.path().join("journal.jsonl");
    std::fs::write(&file, outcome.disk.bytes.borrow().as_slice()).expect("written");
    let judged = judging::read(&file).expect("judged");
    let verdict = judged.verdict();
    assert_eq!((verdict.complete_rounds(), judged.driven), (10, 60));
    for (of, capacity) in verdict.contenders().iter().zip([1e6, 1.1e6]) {
        let found = of.capacity.as_ref().expect("sought");
        assert!((found.rate().expect("a rate") / capacity - 1.0).abs() < 0.005, "{found:?}");
    }
    let comparison = &verdict.comparisons()[0];
    assert_eq!(comparison.verdict, Word::Faster, "{comparison:?}");
    assert_eq!(judged.exit(), Exit::Sound);
}

#[test]
fn where_targets_are_launched_each_round_is_a_launch() {
    let plan = plan(|spec| {
        spec.contenders = vec!["nginx".to_owned(), "node".to_owned()];
    });
    let outcome = conducted(&plan, Script::default());
    assert_eq!(reason(&outcome), EndReason::Complete);
    let lines = all_lines(&outcome.disk);
    for launch in 2..=10 {
        let up = format!("1 is up in launch {launch}");
        let up = lines.iter().position(|line| *line == up).expect("it was launched");
        let first = format!("Round {launch} of");
        let round = lines.iter().position(|line| line.starts_with(&first)).expect("driven");
        let warm_up = lines[up..round].iter().any(|line| line == "WarmUp 0 of 1");
        assert!(up < round && warm_up, "{launch}");
    }
    assert!(!lines.contains(&"1 is up in launch 11".to_owned()));
}

#[test]
fn a_stopped_run_counts_complete_rounds() {
    let plan = plan(|_| {});
    let outcome = conducted(&plan, Script { stopped_in_turn: Some(4), ..Script::default() });
    assert_eq!(reason(&outcome), EndReason::Stopped);
    let directory = Scratch::new();
    let file = directory.path().join("journal.jsonl");
    std::fs::write(&file, outcome.disk.bytes.borrow().as_slice()).expect("written");
    let judged = judging::read(&file).expect("judged");
    assert_eq!(judged.verdict().complete_rounds(), 3);
    let found = judged.verdict().contenders()[0].capacity.as_ref().expect("sought");
    assert!(matches!(found.outcome, CapacityOutcome::At { .. }), "{found:?}");
}

#[test]
fn a_run_of_one_contender_that_misses_everywhere_has_no_rounds_and_an_answer() {
    let plan = plan(|spec| {
        spec.command = crate::plan::Command::Run;
        spec.contenders.truncate(1);
    });
    let world = Script { capacities: [10.0, 10.0], ..Script::default() };
    let outcome = conduct(&plan, world, Disk::new(ROOMY));
    assert!(turns(&outcome.orders).is_empty());
    let directory = Scratch::new();
    let file = directory.path().join("journal.jsonl");
    std::fs::write(&file, outcome.disk.bytes.borrow().as_slice()).expect("written");
    let judged = judging::read(&file).expect("judged");
    let found = judged.verdict().contenders()[0].capacity.as_ref().expect("sought");
    assert!(matches!(found.outcome, CapacityOutcome::Below(_)), "{found:?}");
    assert_eq!(judged.exit(), Exit::Sound);
}

/// The pilot of a target that sent only errors shows no throughput, so nothing is known of the rates that it sustains.
#[test]
fn a_pilot_without_throughput_is_no_answer() {
    let plan = plan(|spec| {
        spec.command = crate::plan::Command::Run;
        spec.contenders.truncate(1);
    });
    let world = Script { capacities: [10.0, 10.0], ..Script::default() };
    let outcome = conduct(&plan, world, Disk::new(ROOMY));
    let directory = Scratch::new();
    let file = directory.path().join("journal.jsonl");
    let mut journal = Writer::create(&file).expect("a journal");
    for mut event in outcome.disk.events() {
        if let Event::Pilot(choice) = &mut event {
            choice.saw[0].throughput = 0.0;
        }
        journal.write(&event).expect("room");
    }
    let judged = judging::read(&file).expect("judged");
    assert_eq!((judged.has_answer(), judged.exit()), (false, Exit::Void));
}

#[test]
fn a_run_ends_as_soon_as_it_is_sure_that_nothing_depends_on_the_rate() {
    let plan = plan(|_| {});
    let flat = Script { capacities: [f64::INFINITY; 2], ..Script::default() };
    let outcome = conduct(&plan, flat, Disk::new(ROOMY));
    assert_eq!(reason(&outcome), EndReason::Complete);
    let rounds = turns(&outcome.orders).iter().map(|turn| turn.0).max();
    assert_eq!(rounds, Some(3));
    // With a capacity of one of them all rounds are driven.
    let one = Script { capacities: [f64::INFINITY, 1e6], ..Script::default() };
    let outcome = conduct(&plan, one, Disk::new(ROOMY));
    assert_eq!(turns(&outcome.orders).iter().map(|turn| turn.0).max(), Some(10));
}

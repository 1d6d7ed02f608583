use super::*;
use crate::plan::{Spec, example};
use text::quantities;

const MS: u64 = 1_000_000;

/// `rate` is that of both contenders.
fn plan(rate: Option<f64>, change: impl FnOnce(&mut Spec)) -> Plan {
    example::plan(|spec| {
        spec.common.rate = rate;
        change(spec);
    })
}

/// A trial of the pilot: 98 % of its samples are `p50`, the rest `p99`.
fn trial(contender: u32, p50_ns: u64, p99_ns: u64, in_flight: &[u64]) -> TrialRecord {
    let mut seen = Seen::default();
    for n in 0..1000 {
        seen.response_time.record(if n < 980 { p50_ns } else { p99_ns });
    }
    // The first reply of a slice meets an empty queue.
    seen.response_time.record(20_000);
    for (index, in_flight) in in_flight.iter().enumerate() {
        seen.slices.push(Slice {
            index: index as u64,
            sending_ns: 50 * MS,
            took_ns: 50 * MS,
            operations: 100,
            in_flight_at_end: *in_flight,
            generator_cpu_ns: 20 * MS,
            ..Slice::default()
        });
    }
    example::trial(Phase::Pilot, contender, seen)
}

/// `b` has these quantiles, `a` is twice as fast.
fn chosen(plan: &Plan, p50_ns: u64, p99_ns: u64) -> PilotChoice {
    let flat = [3; 9];
    decide(plan, &[trial(0, p50_ns / 2, p99_ns / 2, &flat), trial(1, p50_ns, p99_ns, &flat)])
}

/// (p50, p99, interleave, slice, round, start of the reason); times in ms.
type Case = (f64, f64, Interleave, f64, f64, &'static str);

fn check(plan: &Plan, table: &[Case]) {
    for (p50, p99, interleave, slice, round, why) in table {
        let ns = |ms: f64| (ms * MS as f64) as u64;
        let choice = chosen(plan, ns(*p50), ns(*p99));
        assert_eq!(choice.interleave, *interleave, "{p50} {p99}: {choice:?}");
        // Histograms keep three digits.
        let near = |seen: u64, ms: f64| (seen as f64 / ns(ms) as f64 - 1.0).abs() < 0.002;
        assert!(near(choice.slice_ns, *slice), "{p50} {p99}: slice {}", choice.slice_ns);
        assert!(near(choice.round_ns, *round), "{p50} {p99}: round {}", choice.round_ns);
        assert!(choice.why[0].starts_with(why), "{p50} {p99}: {:?}", choice.why);
    }
}

/// Agents that start 200 µs apart, with clocks known within 60 µs: a tenth of 1 % of a slice.
#[test]
fn agents_that_start_apart_require_longer_slices_or_turns() {
    let plan = plan(None, |_| {});
    let chosen = |behind_ns: u64| {
        let mut trials =
            vec![trial(0, 1_000_000, 2_000_000, &[1]), trial(1, 1_000_000, 2_000_000, &[1])];
        for trial in &mut trials {
            let slices = trial.seen.slices.len() as u64;
            trial.agents = vec![record::AgentSeen {
                rank: 1,
                behind_ns: behind_ns * slices,
                bound_ns: 60_000,
                ..record::AgentSeen::default()
            }];
        }
        decide(&plan, &trials)
    };
    let longer = chosen(200_000);
    assert_eq!((longer.interleave, longer.slice_ns), (Interleave::Slices, 260_000_000));
    assert!(longer.why[0].contains("required by the agents, which start slices 200 µs apart"));
    assert_eq!(chosen(2_000_000).interleave, Interleave::Turns);
}

#[test]
fn closed_loop() {
    use Interleave::{Slices, Turns};
    check(
        &plan(None, |_| {}),
        &[
            (0.3, 1.2, Slices, 10.0, 1000.0, "slices of 10 ms: the shortest"),
            // 16 ms: 62 whole slices fill the round.
            (
                1.0,
                8.0,
                Slices,
                16.13,
                1000.0,
                "slices of 16.1 ms: required by the response times of `b`: 2 × its p99, 8 ms; \
                 throughput needs 10 ms",
            ),
            (
                20.0,
                22.0,
                Slices,
                83.33,
                1000.0,
                "slices of 83.3 ms: required by the response times of `b`: 4 × its p50, 20 ms",
            ),
            (
                1.0,
                125.0,
                Slices,
                250.0,
                1000.0,
                "slices of 250 ms: required by the response times of `b`",
            ),
            (
                1.0,
                200.0,
                Slices,
                400.0,
                1600.0,
                "slices of 400 ms: required by the response times of `b`",
            ),
            (
                1.0,
                624.0,
                Slices,
                1248.0,
                4992.0,
                "slices of 1.25 s: required by the response times of `b`",
            ),
            (
                1.0,
                630.0,
                Turns,
                2500.0,
                2500.0,
                "turns of 2.5 s: slices of 1.26 s are needed (required by the response times of \
                 `b`: 2 × its p99, 630 ms; throughput needs 10 ms), but four of them exceed 5 s, \
                 the longest that a round may become",
            ),
        ],
    );
    let grown = chosen(&plan(None, |_| {}), MS, 200 * MS);
    assert_eq!(
        grown.why[1],
        "rounds of 1.6 s in place of 1 s: a round has at least four slices of each contender"
    );
    let long = plan(None, |spec| spec.run.round = quantities::duration("8s").ok());
    check(
        &long,
        &[
            (
                1.0,
                900.0,
                Slices,
                2000.0,
                8000.0,
                "slices of 2 s: required by the response times of `b`",
            ),
            (1.0, 1300.0, Turns, 8000.0, 8000.0, "turns of 8 s: slices of 2.6 s"),
        ],
    );
}

#[test]
fn open_loop() {
    use Interleave::{Slices, Turns};
    check(
        &plan(Some(5000.0), |_| {}),
        &[
            (0.2, 2.0, Slices, 250.0, 1000.0, "slices of 250 ms: the shortest"),
            (
                0.2,
                4.0,
                Slices,
                500.0,
                1000.0,
                "slices of 500 ms: `b` is the slowest (100 × its p99, 4 ms)",
            ),
            (0.2, 9.9, Slices, 1000.0, 1000.0, "slices of 1 s: `b`"),
            (
                0.2,
                11.0,
                Turns,
                2500.0,
                2500.0,
                "turns of 2.5 s: slices of 1.1 s are longer than a round of 1 s: `b` is the slowest (100 × its p99, 11 ms)",
            ),
        ],
    );
    let short = plan(Some(5000.0), |spec| spec.run.round = quantities::duration("200ms").ok());
    check(
        &short,
        &[(
            0.2,
            1.0,
            Turns,
            2500.0,
            2500.0,
            "turns of 2.5 s: a round of 200 ms is shorter than the shortest slice, 250 ms",
        )],
    );
}

#[test]
fn queues_that_keep_growing_ask_for_turns() {
    let plan = plan(Some(5000.0), |_| {});
    let table: [(&[u64], bool); 6] = [
        (&[1, 2, 9, 11, 30, 28], true),
        (&[0, 0, 4, 4, 8, 8], true),
        (&[20, 20, 22, 22, 24, 24], false),
        (&[1, 1, 2, 2, 4, 4], false),
        (&[1, 30, 1, 30, 1, 30], false),
        (&[1, 10, 100], false),
    ];
    for (in_flight, turns) in table {
        let quick = |contender| trial(contender, MS / 10, MS, &[1; 6]);
        let mut growing = quick(1);
        growing.seen.slices = trial(1, MS, MS, in_flight).seen.slices;
        let choice = decide(&plan, &[quick(0), growing]);
        assert_eq!(
            choice.interleave == Interleave::Turns,
            turns,
            "{in_flight:?}: {:?}",
            choice.why
        );
    }
}

#[test]
fn what_was_requested_wins_and_the_reason_says_what_was_not_taken() {
    let sliced =
        |slice: &'static str| plan(None, |spec| spec.run.slice = quantities::duration(slice).ok());
    let same = chosen(&sliced("10ms"), MS, MS);
    assert_eq!(same.why[0], "slices of 10 ms, as requested, and as the pilot would have chosen");
    let short = chosen(&sliced("60ms"), MS, 200 * MS);
    assert_eq!((short.slice_ns, short.round_ns), (60 * MS, 1020 * MS));
    assert!(
        short.why[0].starts_with(
            "slices of 60 ms, as requested; the pilot would have chosen slices of 400 ms: \
             required by the response"
        ),
        "{:?}",
        short.why
    );
    assert_eq!(short.why[1], "rounds of 1.02 s in place of 1 s, so that they have whole slices");
    let turns = plan(None, |spec| spec.run.interleave = Some(Interleave::Turns));
    let turns = chosen(&turns, MS, MS);
    assert_eq!(
        (turns.interleave, turns.slice_ns, turns.round_ns),
        (Interleave::Turns, 2500 * MS, 2500 * MS)
    );
    assert!(
        turns.why[0].starts_with(
            "turns of 2.5 s, as requested; the pilot would have chosen slices of 10 ms"
        )
    );
    let slices = plan(None, |spec| spec.run.interleave = Some(Interleave::Slices));
    let forced = chosen(&slices, MS, 2000 * MS);
    assert_eq!((forced.slice_ns, forced.round_ns), (1250 * MS, 5000 * MS));
    assert!(forced.why[0].contains("would have chosen turns of 2.5 s"), "{:?}", forced.why);
    assert_eq!(chosen(&slices, MS, MS).slice_ns, 10 * MS);
}

#[test]
fn the_burn_in_follows_the_median_of_each_contender() {
    let plan = plan(None, |_| {});
    assert_eq!(chosen(&plan, MS * 9 / 10, MS).burn_in_ns, [2 * MS, 2 * MS]);
    let slow = chosen(&plan, 4 * MS, 4 * MS);
    assert_eq!(slow.burn_in_ns.len(), 2);
    assert!(slow.burn_in_ns[1] > 7_990_000 && slow.burn_in_ns[1] < 8_010_000, "{slow:?}");
    assert!(slow.why.last().is_some_and(|why| why.contains("8 ms for `b`")), "{:?}", slow.why);
    let stuck = chosen(&plan, 2000 * MS, 2000 * MS);
    assert_eq!(stuck.burn_in_ns, [1250 * MS; 2]);
    assert!(stuck.why.last().is_some_and(|why| why.contains("at most half")), "{:?}", stuck.why);
}

#[test]
fn what_the_pilot_saw() {
    let choice = chosen(&plan(None, |_| {}), MS, 10 * MS);
    let saw = &choice.saw[1];
    assert_eq!(saw.throughput, 2000.0);
    assert!((saw.generator_idle - 0.6).abs() < 1e-9, "{saw:?}");
    assert!(saw.p50_ns.abs_diff(MS) < 1000 && saw.p99_ns.abs_diff(10 * MS) < 10_000, "{saw:?}");
}

#[test]
fn a_pilot_without_a_reply_still_chooses() {
    let choice = decide(&plan(None, |_| {}), &[]);
    assert_eq!((choice.interleave, choice.slice_ns), (Interleave::Slices, 50 * MS));
    assert!(choice.why[0].contains("nothing was answered"), "{:?}", choice.why);
}

/// Each connection of a slow target has one reply in a slice, which is due at its start.
#[test]
fn a_target_whose_replies_are_all_in_the_burn_in_takes_turns() {
    let mut seen = Seen { operations: 8, ..Seen::default() };
    let slice = Slice { sending_ns: 5_000 * MS, took_ns: 5_500 * MS, ..Slice::default() };
    seen.slices = vec![Slice { operations: 8, ..slice }];
    let trials = [0, 1].map(|contender| example::trial(Phase::Pilot, contender, seen.clone()));
    let choice = decide(&plan(None, |_| {}), &trials);
    assert_eq!(choice.interleave, Interleave::Turns, "{:?}", choice.why);
    assert_eq!((choice.saw[0].p50_ns, choice.saw[1].p99_ns), (5_500 * MS, 5_500 * MS));
}

/// A pilot in which the target of `a` works for this many tenths of a millisecond in each slice of
/// `b`.
fn resting(plan: &Plan, ms: u64) -> PilotChoice {
    let mut trials = [trial(0, MS, 2 * MS, &[3; 9]), trial(1, MS, 2 * MS, &[3; 9])];
    for (driven, trial) in trials.iter_mut().enumerate() {
        for slice in &mut trial.seen.slices {
            let a = if driven == 0 { 40 * MS } else { ms * MS / 10 };
            slice.target_cpu_ns = vec![Some(a), Some(if driven == 1 { 40 * MS } else { 0 })];
        }
    }
    decide(plan, &trials)
}

#[test]
fn work_at_rest_takes_turns() {
    // In slices of 50 ms, these are 0.8 % and 1.2 %.
    let lean = resting(&plan(None, |_| {}), 4);
    assert_eq!((lean.interleave, lean.slice_ns), (Interleave::Slices, 83_333_334));
    assert!(lean.why[0].contains("the CPU time that `a` uses at rest"), "{:?}", lean.why);
    assert_eq!(lean.saw[0].cpu_at_rest, Some(0.008));
    let busy = resting(&plan(None, |_| {}), 6);
    assert_eq!((busy.interleave, busy.slice_ns), (Interleave::Turns, 2500 * MS));
    assert_eq!(
        busy.why[0],
        "turns of 2.5 s: `a` used 1.2 % of a core while it rested (more than 1 %): in slices its \
         work would be charged to the others"
    );
    let forced = resting(&plan(None, |spec| spec.run.interleave = Some(Interleave::Slices)), 6);
    assert_eq!(forced.interleave, Interleave::Slices);
    assert!(forced.why[0].contains("the pilot would have chosen turns"), "{:?}", forced.why);
    let mut shared = plan(None, |_| {});
    shared.question.sharing = vec![vec![0, 1]];
    assert_eq!(resting(&shared, 6).saw[0].cpu_at_rest, None);
}

/// A closed loop of 8 connections whose replies take so long, in slices of the pilot that suit it.
fn slow(plan: &Plan, reply_ms: u64) -> PilotChoice {
    let slow = |contender: u32| {
        let mut trial = trial(contender, reply_ms * MS, reply_ms * MS, &[8; 4]);
        for slice in &mut trial.seen.slices {
            (slice.operations, slice.took_ns) = (8, reply_ms * MS);
        }
        trial
    };
    decide(plan, &[slow(0), slow(1)])
}

#[test]
fn the_start_is_included_where_few_replies_would_remain() {
    let plan = plan(None, |_| {});
    let second = slow(&plan, 1000);
    assert_eq!((second.interleave, second.slice_ns), (Interleave::Turns, 2500 * MS));
    assert_eq!(second.burn_in_ns, [0, 0]);
    let says = "latencies include operations that are due at the start of a slice: without them a round \
                would have fewer than 20 replies of `a`";
    assert!(second.why.contains(&says.to_owned()), "{:?}", second.why);
    // 40 replies a second in rounds of 3.2 s.
    let fifth = slow(&plan, 200);
    assert_eq!(fifth.interleave, Interleave::Slices);
    assert!((3200..3300).contains(&(fifth.round_ns / MS)), "{}", fifth.round_ns);
    assert!(fifth.burn_in_ns.iter().all(|ns| *ns >= 400 * MS), "{:?}", fifth.burn_in_ns);
}

#[test]
fn what_a_slow_service_cannot_answer_is_said_with_what_it_would_take() {
    let plan = plan(None, |_| {});
    let about_p99 = |reply_ms| {
        let why = slow(&plan, reply_ms).why;
        why.into_iter().find(|why| why.contains("cannot be compared"))
    };
    // 8 replies in 5 s: 4 in a turn of 2.5 s. 1000 take 625 s, ten rounds of both 12 500 s.
    assert_eq!(
        about_p99(5000).as_deref(),
        Some(
            "response_time.p99 cannot be compared: about 4 replies in a round of `a`, and at least 1000 \
             are needed; --round 625s would be long enough, and takes about 208 min 20 s"
        )
    );
    assert!(about_p99(200).is_some_and(|why| why.contains("--round 25s")), "40/s");
    assert_eq!(about_p99(5), None, "1600/s");
    let launched = self::plan(None, |spec| {
        spec.contenders = vec!["nginx".to_owned(), "node".to_owned()];
    });
    let why = slow(&launched, 200).why.join("; ");
    assert!(why.contains("in a launch of `nginx`") && why.contains("--round 13s"), "{why}");
}

#[test]
fn the_plan_knows_from_which_response_time_on_rounds_become_longer() {
    let threshold = |change: &dyn Fn(&mut Plan)| {
        let mut plan = example::plan(|_| {});
        change(&mut plan);
        lengthens_above_ns(&plan)
    };
    assert_eq!(threshold(&|plan| plan.round_ns = 1_000_000_000), Some(62_500_000));
    let open = |plan: &mut Plan| {
        plan.round_ns = 1_000_000_000;
        plan.contenders[0].intensity.arrivals = record::Arrivals::Constant(100.0);
    };
    assert_eq!(threshold(&open), Some(10_000_000));
    assert_eq!(threshold(&|plan| plan.interleave = Interleave::Turns), None);
    assert_eq!(threshold(&|plan| plan.slice_ns = Some(50_000_000)), None);
}

/// Both contenders have 5,000 replies a second with these quantiles.
fn busy(p50_ns: u64, p99_ns: u64) -> [TrialRecord; 2] {
    [0, 1].map(|contender| {
        let mut trial = trial(contender, p50_ns, p99_ns, &[3; 9]);
        trial.seen.slices.iter_mut().for_each(|slice| slice.operations = 250);
        trial
    })
}

#[test]
fn rounds_are_short_if_they_hold_four_slices_and_enough_replies() {
    let plan = plan(None, |_| {});
    let of = |trials: &[TrialRecord]| {
        let choice = decide(&plan, trials);
        let looks: Vec<u32> = choice.looks.iter().map(|look| look.replicates).collect();
        (choice.round_ns / MS, choice.slice_ns / MS, looks)
    };
    // 300 ms of 5,000 replies a second, less 2 ms of each of four slices.
    let choice = decide(&plan, &busy(400_000, 900_000));
    assert!(choice.why[1].contains("rounds of 300 ms, looks after 9, 16 and 32"), "{choice:?}");
    let levels: Vec<f64> = choice.looks.iter().map(|look| look.level).collect();
    assert_eq!(levels, [0.2, 0.3, 0.7].map(|share| share * 0.05));
    assert_eq!(of(&busy(400_000, 900_000)), (300, 75, vec![9, 16, 32]));
    // With a p50 of 12 ms, 24 ms of each slice are left out: 1020 replies remain, too close to 1000.
    assert_eq!(of(&busy(12_000_000, 13_000_000)), (1000, 50, vec![]));
    assert_eq!(of(&busy(11_000_000, 13_000_000)), (300, 75, vec![9, 16, 32]));
    // Four slices of 80 ms do not fit.
    assert_eq!(of(&busy(4_000_000, 40_000_000)), (1000, 83, vec![]));
    let slow = [trial(0, 400_000, 900_000, &[3; 9]), trial(1, 400_000, 900_000, &[3; 9])];
    assert_eq!(of(&slow), (1000, 10, vec![]), "2,000 replies a second are too few for a p99");
}

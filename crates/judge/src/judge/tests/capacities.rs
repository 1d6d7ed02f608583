//! Runs that seek capacities, made from servers whose late operations follow a known curve.

use crate::Judge;
use crate::belief::{HeadlineStatus, belief};
use crate::capacity::{Found, Part, Step, UNCOUNTED_NS};
use crate::capacity_run::CapacityRun;
use crate::objectives;
use crate::verdict::{CapacityOutcome, Verdict, Word};
use record::{
    Address, Arrivals, End, EndReason, Failure, Interleave, LaneOrder, Metric, Objective,
    Percentile, Phase, PilotChoice, PilotSeen, Question, Seen, Slice, TrialRecord,
};

const LIMIT_NS: u64 = 5_000_000;
const P99: Objective = Objective::ResponseTime { percentile: Percentile::P99, limit_ns: LIMIT_NS };
const TURN_NS: u64 = 2_000_000_000;
const ROUNDS: u32 = 10;

/// A server of which 1 % of the operations are late at `capacity`.
#[derive(Clone, Copy)]
struct Server {
    capacity: f64,
    slope: f64,
    /// The generator is late at this rate and above.
    generator: f64,
    /// All operations fail at this rate and above.
    fails: f64,
}

impl Server {
    fn of(capacity: f64) -> Server {
        Server { capacity, slope: 20.0, generator: f64::INFINITY, fails: f64::INFINITY }
    }

    /// What a turn measures. `noise` moves the capacity.
    fn seen(&self, rate: f64, length_ns: u64, noise: f64) -> Seen {
        let z = (rate / (self.capacity * noise)).ln();
        let late = 1.0 / (1.0 + (-((0.01f64 / 0.99).ln() + self.slope * z)).exp());
        let in_time = |ns: u64| (rate * ns as f64 / 1e9).round() as u64;
        let (all, sent) = (in_time(length_ns - UNCOUNTED_NS), in_time(length_ns));
        let late = (late * all as f64).round() as u64;
        let mut seen = Seen { operations: sent, sent, ..Seen::default() };
        seen.burn_in_excluded = sent - all;
        let is_ours = rate >= self.generator;
        for times in [&mut seen.response_time, &mut seen.service_time] {
            times.record_many(1_000_000, all - late);
            times.record_many(2 * LIMIT_NS, late);
        }
        seen.own_lag.record_many(if is_ours { 800_000 } else { 1000 }, all);
        let slice = Slice {
            sending_ns: length_ns,
            took_ns: length_ns,
            operations: sent,
            ..Slice::default()
        };
        seen.slices.push(slice);
        if rate >= self.fails {
            seen.outcomes.failed.insert(Failure::Reset, sent);
        } else {
            seen.outcomes.ok = sent;
        }
        seen
    }
}

fn question(contenders: usize) -> Question {
    let names = &["a", "b"][..contenders];
    Question {
        primary: Metric::Capacity,
        secondary: Vec::new(),
        objectives: vec![P99],
        ..record::testing::question(names, ROUNDS)
    }
}

fn pilot(contenders: usize) -> PilotChoice {
    let saw = PilotSeen { throughput: 10_000.0, generator_idle: 0.5, ..PilotSeen::default() };
    PilotChoice {
        interleave: Interleave::Turns,
        burn_in_ns: vec![UNCOUNTED_NS; contenders],
        saw: vec![saw; contenders],
        ..record::testing::pilot(contenders, TURN_NS, 3 * TURN_NS)
    }
}

fn trial(phase: Phase, round: u32, contender: usize, rate: f64, mut seen: Seen) -> TrialRecord {
    // No two turns share a slice.
    seen.slices[0].index = (f64::from(round) * 1e6 + rate) as u64;
    let mut lane_order = LaneOrder::closed(Address::Unix(String::new()), 64);
    lane_order.intensity.arrivals = Arrivals::Poisson(rate);
    record::testing::trial(phase, round, contender as u32, lane_order, seen)
}

/// The trials of a run, as a session drives them.
fn driven(servers: &[Server], rounds: u32) -> (Vec<TrialRecord>, CapacityRun) {
    let mut run = CapacityRun::new(&question(servers.len()), &pilot(servers.len()));
    let mut trials = Vec::new();
    for (at, server) in servers.iter().enumerate() {
        while let Step::Drive { rate, length_ns } = run.step(at) {
            let seen = server.seen(rate, length_ns, 1.0);
            trials.push(trial(Phase::Pilot, 0, at, rate, seen));
            run.add(trials.last().expect("just pushed"));
        }
    }
    for round in 1..=rounds {
        let turns: Vec<(usize, f64)> = run
            .driven()
            .into_iter()
            .flat_map(|at| run.rates(at).into_iter().flatten().map(move |rate| (at, rate)))
            .collect();
        for (at, rate) in turns {
            // Both contenders meet the same machine, which differs from round to round.
            let noise =
                1.0 + 0.01 * f64::from(round % 3) + 0.002 * (at as f64) * f64::from(round % 2);
            let seen = servers[at].seen(rate, TURN_NS, noise);
            trials.push(trial(Phase::Round, round, at, rate, seen));
            run.add(trials.last().expect("just pushed"));
        }
    }
    (trials, run)
}

fn judged(contenders: usize, trials: &[TrialRecord]) -> Verdict {
    let mut judge = Judge::new(&question(contenders));
    judge.pilot(&pilot(contenders));
    trials.iter().for_each(|trial| judge.add(trial));
    judge.end(&End { reason: EndReason::Complete, detail: String::new() });
    judge.verdict()
}

fn outcomes(verdict: &Verdict) -> Vec<CapacityOutcome> {
    let of = |contender: &crate::verdict::ContenderSummary| {
        contender.capacity.as_ref().expect("it was sought").outcome.clone()
    };
    verdict.contenders().iter().map(of).collect()
}

#[test]
fn the_judge_finds_what_the_session_followed() {
    let servers = [Server::of(4000.0), Server::of(4400.0)];
    let (trials, run) = driven(&servers, ROUNDS);
    assert_eq!(trials.iter().filter(|of| of.phase == Phase::Round).count(), 60);
    let verdict = judged(2, &trials);
    assert_eq!((verdict.complete_rounds(), run.complete_rounds()), (ROUNDS, ROUNDS));
    for (server, outcome) in servers.iter().zip(outcomes(&verdict)) {
        let CapacityOutcome::At { rate, interval: Some((low, high)), part, .. } = outcome else {
            panic!("{outcome:?}");
        };
        assert!((rate / server.capacity / 1.01 - 1.0).abs() < 0.01, "{rate}");
        assert!(low < rate && rate < high && part == Part::Target, "{low} {high} {part:?}");
    }
    let [of_b] = verdict.comparisons() else { panic!("{:?}", verdict.comparisons()) };
    assert_eq!((of_b.metric, of_b.verdict, of_b.replicates), (Metric::Capacity, Word::Faster, 10));
    assert_eq!(of_b.rounds.len(), 10);
    let ratio = of_b.ratio.expect("a ratio");
    assert!((ratio / 1.1 - 1.0).abs() < 0.01, "{ratio}");
    assert!(!verdict.void(), "{:?}", verdict.findings());
    let limited_by = verdict.contenders()[0].capacity.as_ref().and_then(|of| of.objective);
    assert_eq!(limited_by.map(objectives::show).as_deref(), Some("p99 <= 5 ms"));
}

#[test]
fn the_rates_that_were_sought_are_no_settings_that_differ() {
    let (mut trials, _) = driven(&[Server::of(4000.0), Server::of(4400.0)], ROUNDS);
    let found = |trials: &[TrialRecord]| {
        let verdict = judged(2, trials);
        let named = verdict.findings().iter().filter(|of| of.rule == "different_settings");
        named.map(|of| of.evidence.clone()).collect::<Vec<String>>()
    };
    assert_eq!(found(&trials), [""; 0]);
    for trial in trials.iter_mut().filter(|trial| trial.contender == 1) {
        trial.lane_order.intensity.connections = 8;
    }
    assert_eq!(found(&trials), ["driven with other settings than a: connections"]);
}

#[test]
fn capacities_that_the_search_tells_stand_without_a_round() {
    let held = Server { generator: 3000.0, ..Server::of(3100.0) };
    let (trials, run) = driven(&[Server::of(10.0), held], ROUNDS);
    assert_eq!(run.driven(), [0; 0]);
    let verdict = judged(2, &trials);
    let (findings, comparisons) = (verdict.findings(), verdict.comparisons());
    assert_eq!((verdict.complete_rounds(), findings), (0, &[][..]));
    let status = belief(verdict.contenders(), comparisons, findings, 0, 0.01).status;
    assert_eq!(status, HeadlineStatus::Stands);
}

#[test]
fn a_generator_that_is_late_in_the_probes_gives_at_least_and_no_verdict() {
    let (mut trials, _) = driven(&[Server::of(4000.0), Server::of(4400.0)], ROUNDS);
    let late = |of: &&mut TrialRecord| {
        let beyond = of.lane_order.intensity.arrivals.rate().is_some_and(|rate| rate > 4500.0);
        of.phase == Phase::Round && of.contender == 1 && beyond
    };
    for trial in trials.iter_mut().filter(late) {
        let all = trial.seen.own_lag.len();
        trial.seen.own_lag = record::Histogram::new();
        trial.seen.own_lag.record_many(800_000, all);
    }
    let verdict = judged(2, &trials);
    assert!(matches!(outcomes(&verdict)[1], CapacityOutcome::AtLeast(Some(_))));
    let of_b = &verdict.comparisons()[0];
    assert_eq!((of_b.verdict, of_b.ratio), (Word::Undecided, None));
    assert_eq!(of_b.because, ["the generator limited a capacity"]);
}

#[test]
fn equal_servers_are_not_called_different() {
    let verdict = judged(2, &driven(&[Server::of(4000.0), Server::of(4000.0)], ROUNDS).0);
    assert_eq!(verdict.comparisons()[0].verdict, Word::Equivalent);
}

#[test]
fn probes_beyond_the_capacity_do_not_void_and_other_turns_do() {
    let beyond = Server { fails: 4010.0, ..Server::of(3900.0) };
    let (trials, _) = driven(&[beyond], ROUNDS);
    assert!(trials.iter().any(|of| of.phase == Phase::Round && of.seen.outcomes.ok == 0));
    let verdict = judged(1, &trials);
    assert!(!verdict.void(), "{:?}", verdict.findings());
    let below = Server { fails: 3700.0, ..Server::of(3900.0) };
    let verdict = judged(1, &driven(&[below], ROUNDS).0);
    let rules: Vec<&str> = verdict.findings().iter().map(|of| of.rule.as_str()).collect();
    assert!(verdict.void() && rules.contains(&"non_success"), "{rules:?}");
}

#[test]
fn what_was_sent_is_counted_with_its_probes_and_its_search() {
    let (trials, _) = driven(&[Server::of(4000.0)], 3);
    let of = |phase: Phase| -> u64 {
        trials.iter().filter(|of| of.phase == phase).map(|of| of.seen.sent).sum()
    };
    let verdict = judged(1, &trials);
    let sent = verdict.contenders()[0].sent;
    assert_eq!((sent.pilot, sent.operations), (of(Phase::Pilot), of(Phase::Round)));
}

#[test]
fn a_generator_that_is_the_limit_gives_at_least_and_no_verdict() {
    let held = Server { generator: 3000.0, ..Server::of(3100.0) };
    let (trials, run) = driven(&[Server::of(4000.0), held], ROUNDS);
    assert!(matches!(run.found(1), Some(Found::GeneratorLimited(Some(_)))), "{:?}", run.found(1));
    let verdict = judged(2, &trials);
    let outcomes = outcomes(&verdict);
    assert!(matches!(outcomes[0], CapacityOutcome::At { .. }), "{outcomes:?}");
    assert!(matches!(outcomes[1], CapacityOutcome::AtLeast(Some(rate)) if rate < 3100.0));
    let of_b = &verdict.comparisons()[0];
    assert_eq!((of_b.verdict, of_b.ratio), (Word::Undecided, None));
    assert!(of_b.because[0].starts_with("b: the generator was the limit: at least "), "{of_b:?}");
}

#[test]
fn an_objective_that_is_missed_at_the_lowest_rate_has_no_ratio() {
    let (trials, run) = driven(&[Server::of(4000.0), Server::of(10.0)], ROUNDS);
    assert_eq!(run.driven(), [0]);
    let verdict = judged(2, &trials);
    assert!(matches!(outcomes(&verdict)[1], CapacityOutcome::Below(rate) if rate < 100.0));
    assert_eq!(verdict.comparisons()[0].ratio, None);
    assert!(verdict.comparisons()[0].because[0].contains("the objectives are missed at "));
}

#[test]
fn an_interrupted_run_is_judged_as_far_as_it_goes() {
    let servers = [Server::of(4000.0), Server::of(4400.0)];
    let (mut trials, _) = driven(&servers, 8);
    trials.last_mut().expect("a trial").cut_short = true;
    let verdict = judged(2, &trials);
    assert_eq!(verdict.complete_rounds(), 7);
    assert_eq!(verdict.comparisons()[0].verdict, Word::Faster);
    let searched: Vec<TrialRecord> =
        trials.into_iter().filter(|of| of.phase == Phase::Pilot && of.contender == 0).collect();
    let verdict = judged(2, &searched);
    assert_eq!(outcomes(&verdict), [CapacityOutcome::NotReached, CapacityOutcome::NotReached]);
    assert_eq!(verdict.comparisons()[0].verdict, Word::Undecided);
}

#[test]
fn connections_are_the_limit_only_if_replies_stay_quick() {
    // All replies are as quick as before; operations were late before they were sent.
    let part = |service_ns: u64| {
        let (mut trials, _) = driven(&[Server::of(4000.0)], ROUNDS);
        for of in &mut trials {
            let (all, quick) =
                (of.seen.service_time.len(), of.lane_order.intensity.arrivals.rate());
            let waits = quick.is_some_and(|rate| rate > 3900.0);
            of.seen.service_time = record::Histogram::new();
            of.seen.service_time.record_many(if waits { service_ns } else { 1_000_000 }, all);
        }
        match outcomes(&judged(1, &trials))[0] {
            CapacityOutcome::At { part, .. } => part,
            ref other => panic!("{other:?}"),
        }
    };
    assert_eq!(part(1_100_000), Part::Connections);
    assert_eq!(part(2_500_000), Part::Target);
}

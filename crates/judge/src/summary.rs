//! The figures of one contender for the report.

use crate::{
    capacity::{Capacity, CapacityFound, Found, Part},
    evidence::{AgentDriven, DriveSummary, Evidence},
    stats::quantile::median,
    verdict::{
        AgentSummary, CapacityOutcome, CapacitySummary, ContenderSummary, GateSummary, KindSummary,
        PhaseTimes, Quantiles, RequestSummary, StoreSummary, TargetSummary, WatchSummary,
    },
};
use record::{Histogram, KindSeen, Metric};

/// Points that a percentile plot has at most.
const CURVE_POINTS: u32 = 100;

/// The figures of every contender, by number.
pub(crate) fn contenders(evidence: &Evidence) -> Vec<ContenderSummary> {
    let numbered = evidence.each().enumerate();
    numbered
        .map(|(number, (name, driven))| ContenderSummary {
            generator_idle: evidence.generator_idle(number),
            target: target(evidence, number),
            store: store(evidence, number),
            groups: groups(evidence, driven),
            requests: requests(evidence, driven),
            capacity: capacity(evidence, number),
            ..summary(name, driven)
        })
        .collect()
}

/// The capacity of a contender. None if none was sought.
fn capacity(evidence: &Evidence, number: usize) -> Option<CapacitySummary> {
    let run = evidence.capacities.as_ref()?;
    let objectives = &evidence.question.objectives;
    let rounds = run.rounds(number);
    let capacity = rounds.and_then(|rounds| rounds.capacity(evidence.question.alpha));
    let objective = capacity.as_ref().and_then(|of| objectives.get(of.objective)).copied();
    let outcome = match (capacity, run.found(number)) {
        (Some(capacity), Some(Found::Near(start))) => outcome(&capacity, start),
        // At a rate of 0 nothing was answered in the pilot.
        (_, Some(Found::Below(rate))) if rate > 0.0 => CapacityOutcome::Below(rate),
        (_, Some(Found::GeneratorLimited(met))) => CapacityOutcome::AtLeast(met),
        _ => CapacityOutcome::NotReached,
    };
    Some(CapacitySummary { outcome, objective, turns: run.turns(number).to_vec() })
}

/// `start` is the rate that the search found.
fn outcome(of: &Capacity, start: f64) -> CapacityOutcome {
    match of.found {
        CapacityFound::At { rate, .. } if of.part == Part::Generator => {
            CapacityOutcome::AtLeast(Some(rate))
        }
        // At the lower end of the range the objective is missed.
        CapacityFound::LeftRange { rate } if of.part == Part::Generator && rate > start => {
            CapacityOutcome::AtLeast(Some(rate))
        }
        CapacityFound::Between { met, .. } if of.part == Part::Generator => {
            CapacityOutcome::AtLeast(met)
        }
        CapacityFound::At { rate, interval, is_slope_small, .. } => {
            CapacityOutcome::At { rate, interval, part: of.part, is_slope_small }
        }
        CapacityFound::Between { met, missed } => CapacityOutcome::Between { met, missed },
        CapacityFound::HardlyDepends { .. } => CapacityOutcome::HardlyDepends,
        CapacityFound::LeftRange { rate } => CapacityOutcome::LeftRange(rate),
    }
}

fn groups(evidence: &Evidence, driven: &DriveSummary) -> Vec<ContenderSummary> {
    let named = evidence.question.groups.iter().zip(&driven.groups);
    let summary = |group: &str, driven: &DriveSummary| {
        let of = summary(group, driven);
        // One kind would repeat the group.
        let kinds = if of.kinds.len() > 1 { of.kinds } else { Vec::new() };
        ContenderSummary { generator_cpu_per_operation: None, kinds, ..of }
    };
    named.map(|(group, driven)| summary(&group.name, driven)).collect()
}

fn requests(evidence: &Evidence, driven: &DriveSummary) -> Vec<RequestSummary> {
    let named = evidence.question.requests.iter().zip(&driven.requests);
    let summary = |(name, driven): (&String, &DriveSummary)| RequestSummary {
        name: name.clone(),
        operations: driven.judged.operations,
        throughput: driven.throughput(),
    };
    named.map(summary).collect()
}

fn summary(name: &str, driven: &DriveSummary) -> ContenderSummary {
    let seen = &driven.judged;
    let operations = seen.operations as f64;
    let cpu = driven.generator_cpu_ns as f64 / 1e9;
    ContenderSummary {
        name: name.to_owned(),
        operations: seen.operations,
        sent: driven.sent,
        warm_ups: driven.warm_ups,
        unsent: seen.unsent,
        unsent_times: seen.unsent_times,
        burn_in_excluded: seen.burn_in_excluded,
        without_latency: seen.without_latency,
        read_at_rest: seen.waits.read_at_rest,
        throughput: driven.throughput(),
        response_time: Quantiles {
            at_least_from: driven.at_least_from(),
            ..quantiles(&seen.response_time)
        },
        service_time: quantiles(&seen.service_time),
        send_lag: quantiles(&seen.send_lag),
        connect_time: quantiles(&driven.connect_time),
        tls_time: quantiles(&driven.tls_time),
        first_byte_time: quantiles(&seen.first_byte_time),
        phases: PhaseTimes {
            acquire: quantiles(&seen.phases.acquire),
            log_in: quantiles(&driven.log_in_time),
            upgrade: quantiles(&driven.upgrade_time),
            prepare: quantiles(&driven.prepare_time),
            fetch: quantiles(&seen.phases.fetch),
            server: seen
                .phases
                .server
                .iter()
                .map(|(part, took)| (part.to_owned(), quantiles(took)))
                .collect(),
        },
        generator_cpu_per_operation: (operations > 0.0).then(|| cpu / operations),
        own_cpu_per_operation: driven.own_cost(),
        own_cost_age_s: driven.own_cost_age_s(),
        driven_alone: driven.driven_alone,
        kinds: seen.kinds.iter().map(kind).collect(),
        outcomes: seen.outcomes.clone(),
        codes: seen.codes.clone(),
        histogram: seen.response_time.clone(),
        latency_curve: latency_curve(&seen.response_time),
        connections: driven.connections.clone(),
        slices: driven.timeline.points(),
        rounds: rounds(driven),
        agents: agents(driven),
        ..ContenderSummary::default()
    }
}

fn agents(driven: &DriveSummary) -> Vec<AgentSummary> {
    let slices = driven.agents.slices.max(1) as f64;
    let seconds = |ns: u64| ns as f64 / 1e9;
    let of = |(&rank, agent): (&u32, &AgentDriven)| AgentSummary {
        rank,
        operations: agent.operations,
        connections: agent.connections,
        throughput: agent.throughput(),
        behind: seconds(agent.behind_ns) / slices,
        most_behind: seconds(agent.most_behind_ns),
        clock_bound: seconds(agent.bound_ns),
    };
    driven.agents.each.iter().map(of).collect()
}

/// The pauses between slices. None without agents, or if every round had one slice.
pub(crate) fn gate(evidence: &Evidence) -> Option<GateSummary> {
    let seconds = |ns: u64| ns as f64 / 1e9;
    let gate = evidence.gate;
    let driven_ns: u64 = evidence.contenders.iter().map(|driven| driven.took_ns).sum();
    (gate.pauses > 0).then(|| GateSummary {
        pauses: gate.pauses,
        pause: seconds(gate.paused_ns) / gate.pauses as f64,
        longest: seconds(gate.longest_ns),
        share: gate.paused_ns as f64 / (gate.paused_ns + driven_ns).max(1) as f64,
    })
}

fn kind(seen: &KindSeen) -> KindSummary {
    let half = |times: &Histogram| {
        let of = (times.len(), quantiles(times));
        Some(of).filter(|_| seen.kind.has_halves())
    };
    KindSummary {
        kind: seen.kind,
        operations: seen.operations,
        ok: seen.ok,
        miss: seen.miss,
        wrong: seen.wrong,
        response_time: quantiles(&seen.response_time),
        read: half(&seen.read_time),
        update: half(&seen.update_time),
    }
}

/// What the run recorded about the target, plus the figures of its CPU time.
fn target(evidence: &Evidence, contender: usize) -> TargetSummary {
    let driven = &evidence.contenders[contender];
    let costs = evidence.costs(contender);
    let operations = Some(driven.cost_operations as f64).filter(|n| *n > 0.0);
    TargetSummary {
        cpu_unavailable: evidence.why_not_visible(contender),
        cpu_per_operation: costs
            .and_then(|costs| Some(costs.own_cpu_ns() as f64 / 1e9 / operations?)),
        cpu_at_rest: evidence.cpu_at_rest(contender),
        busy: evidence.target_busy(contender),
        launches: launches(evidence, driven),
        middle_peak_memory: middle_peak_memory(evidence, contender),
        programs: driven.judged.programs.clone(),
        shares_process_with: evidence.names(&evidence.sharers(contender)),
        watch: driven
            .target
            .watch
            .clone()
            .map(|watch| WatchSummary { lost_from: evidence.sight_lost(contender), ..watch }),
        ..driven.target.clone()
    }
}

/// How often it was launched: where launches hold only some contenders, as often as it ended.
fn launches(evidence: &Evidence, driven: &DriveSummary) -> u32 {
    if evidence.question.blocks.is_empty() {
        return driven.target.launches;
    }
    driven.peaks.keys().filter(|launch| **launch > 0).count() as u32
}

/// In bytes. Where the round is the replicate, only a program starts anew in each. The first launch is also that of
/// the pilot, of contenders that its rounds do not hold.
fn middle_peak_memory(evidence: &Evidence, contender: usize) -> Option<f64> {
    let driven = &evidence.contenders[contender];
    let figures: Vec<f64> = if let Some(each) = evidence.rounds_of_a_launch() {
        let is_held = |launch: &u32| {
            let before = launch.saturating_sub(1).saturating_mul(each);
            evidence.question.holds(before.saturating_add(1), contender as u32)
        };
        let launches = driven.peaks.keys().filter(|launch| is_held(launch));
        launches.filter_map(|launch| driven.peak_memory(*launch)).collect()
    } else {
        driven.trials.iter().filter_map(|trial| trial.value(Metric::PeakMemory)).collect()
    };
    median(&figures)
}

/// What a store reported about itself. None if the contender has no store.
fn store(evidence: &Evidence, contender: usize) -> Option<StoreSummary> {
    let shared_with = evidence.names(&evidence.same_server(contender));
    evidence.contenders[contender].stored.summary(shared_with)
}

fn quantiles(histogram: &Histogram) -> Quantiles {
    let seconds = |ns: u64| ns as f64 / 1e9;
    let at = |q: f64| histogram.quantile(q).map(seconds);
    Quantiles {
        p50: at(0.5),
        p90: at(0.9),
        p99: at(0.99),
        p999: at(0.999),
        max: histogram.max().map(seconds),
        at_least_from: None,
    }
}

fn rounds(driven: &DriveSummary) -> Vec<(u32, f64, Option<f64>, Option<f64>)> {
    let trials = driven.trials.iter();
    trials
        .map(|trial| {
            let throughput = trial.value(Metric::Throughput).unwrap_or(0.0);
            let (p50, p99) = (Metric::ResponseP50, Metric::ResponseP99);
            (trial.round, throughput, trial.value(p50), trial.value(p99))
        })
        .collect()
}

/// (share of samples at or below, response time in seconds). The shares are evenly spaced in
/// −log₁₀(1 − share), where every further nine is as wide as the one before, and end at 1 − 1/n:
/// never at 1, which such an axis cannot show.
fn latency_curve(histogram: &Histogram) -> Vec<(f64, f64)> {
    let n = histogram.len();
    let mut wanted = ranks(n).into_iter().peekable();
    let mut curve = Vec::new();
    let mut below = 0;
    for (value, count) in histogram.buckets() {
        below += count;
        while let Some(rank) = wanted.next_if(|rank| *rank <= below) {
            curve.push(((rank - 1) as f64 / n as f64, value as f64 / 1e9));
        }
    }
    curve
}

/// Ranks (from 1) of the samples that the curve shows, ascending.
fn ranks(n: u64) -> Vec<u64> {
    if n == 0 {
        return Vec::new();
    }
    let end = (n as f64).log10();
    let rank = |i: u32| {
        let share = 1.0 - 10f64.powf(-end * f64::from(i) / f64::from(CURVE_POINTS));
        (share * n as f64) as u64 + 1
    };
    let mut ranks: Vec<u64> = (0..CURVE_POINTS).map(rank).chain([n]).collect();
    ranks.dedup();
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(n: u64) -> Vec<(f64, f64)> {
        let mut histogram = Histogram::new();
        (1..=n).for_each(|i| histogram.record(i * 1000));
        latency_curve(&histogram)
    }

    #[test]
    fn the_curve_goes_from_the_smallest_to_the_largest_sample() {
        assert_eq!(curve(0), []);
        assert_eq!(curve(1).len(), 1);
        for n in [2, 10, 1000, 100_000] {
            let curve = curve(n);
            let (first, last) = (curve[0], curve[curve.len() - 1]);
            assert!(
                curve.len() <= 101 && curve.len() >= n.min(50) as usize,
                "{n}: {}",
                curve.len()
            );
            assert_eq!(first.0, 0.0);
            assert!((last.0 - (1.0 - 1.0 / n as f64)).abs() < 1e-12, "{n}: {last:?}");
            assert!((last.1 / (n as f64 * 1e-6) - 1.0).abs() < 2e-3, "{n}: {last:?}");
            assert!(curve.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 <= two[1].1));
        }
    }

    #[test]
    fn what_the_generator_limits_is_a_lower_bound() {
        let of = |found, part| outcome(&Capacity { found, objective: 0, part }, 4000.0);
        let at_least = |rate| CapacityOutcome::AtLeast(rate);
        let between = CapacityFound::Between { met: Some(3900.0), missed: 4100.0 };
        assert_eq!(of(between.clone(), Part::Generator), at_least(Some(3900.0)));
        let unmet = CapacityFound::Between { met: None, missed: 4100.0 };
        assert_eq!(of(unmet, Part::Generator), at_least(None));
        let left = |rate| CapacityFound::LeftRange { rate };
        assert_eq!(of(left(5200.0), Part::Generator), at_least(Some(5200.0)));
        // No operation was in time at that rate.
        assert_eq!(of(left(2800.0), Part::Generator), CapacityOutcome::LeftRange(2800.0));
        let target = [of(between, Part::Target), of(left(5200.0), Part::Target)];
        let missed = CapacityOutcome::Between { met: Some(3900.0), missed: 4100.0 };
        assert_eq!(target, [missed, CapacityOutcome::LeftRange(5200.0)]);
    }

    #[test]
    fn every_nine_is_as_wide_as_the_one_before() {
        let curve = curve(100_000);
        let between = |low: f64, high: f64| {
            curve.iter().filter(|point| point.0 >= low && point.0 < high).count()
        };
        assert_eq!(between(0.0, 0.9), 20);
        assert_eq!(between(0.9, 0.99), 20);
        assert_eq!(between(0.99, 0.999), 20);
    }
}

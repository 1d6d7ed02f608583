//! Open loop: the generator's own delay is part of the latencies that it reports. Open and closed
//! loop: the throughput is near the generator's own maximum.

use super::{Evidence, Rule, remedies::has_more_cores};
use crate::{
    compare::{at_its_limit, generator_limited},
    evidence::{DriveSummary, Part},
    verdict::{Finding, Weight},
};
use record::Histogram;
use text::units;

/// Delays of the generator above this share of the median response time are too large.
const MOST: f64 = 0.2;
/// A throughput above this share of the generator's own maximum may be the generator's. At 80 %,
/// even an infinitely fast target would show as only 1 ÷ 0.8 = 1.25 times as fast, so differences
/// between targets are compressed.
const MOST_OF_OWN_RATE: f64 = 0.8;

/// The short text of the caution.
const NEAR_MAXIMUM: &str = "near the generator's maximum rate";

pub(super) const RULE: Rule = Rule {
    name: "generator_saturated",
    short: "the generator was late",
    hint: "give it more cores (--cores), or lower --rate",
    weight: Weight::Void,
    threshold: "With --rate: compares the delays that the generator itself adds with the median \
                response time that it reports. These are the median time during which an operation \
                was due and a connection free but nothing was sent, and the mean time that a reply \
                waits until a busy event loop reads it. More than 20 %: void. With and without \
                --rate: compares the throughput with the generator's own maximum rate, measured \
                before the pilot against the null server (loopback, without TLS), or by a run \
                in the last 24 hours; not checked if all of these measurements were disturbed. More \
                than 80 % of the maximum, unless the target was seen at its own limit: a caution, \
                or a note if the client's cost is part of what is compared (see \
                generator_bottleneck).",
    why: "Response time counts from the moment an operation is due. A late generator measures its \
          own delay and attributes it to the target. Its CPU load does not show this: a busy \
          generator can be on time, and an idle one late. A generator at four fifths of its \
          maximum leaves the target only one fifth in which to differ: even a target that took no \
          time at all would look only 1.25x as fast.",
    remedy: "Give the generator more or faster cores (--cores), request a lower --rate, or run the \
             generator on a separate machine.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let late: Vec<(usize, Finding)> =
        evidence.parts().iter().filter_map(|part| Some((part.contender, finding(part)?))).collect();
    let more_cores = has_more_cores(evidence);
    let fitted = |found: Finding| if more_cores { found } else { found.with_hint("lower --rate") };
    let each = (0u32..).zip(evidence.each());
    let on_time = each.filter(|(number, _)| late.iter().all(|(at, _)| at != &(*number as usize)));
    // The maximum applies to all groups together, because they share the generator.
    let near = on_time.filter_map(|(number, (name, _))| near_its_own_rate(evidence, number, name));
    let near: Vec<Finding> = near.collect();
    late.into_iter().map(|(_, found)| fitted(found)).chain(near).collect()
}

/// Returns None if the target was at its own limit, so that the throughput is the target's, and if
/// `generator_bottleneck` already reports a busy generator.
fn near_its_own_rate(evidence: &Evidence, number: u32, name: &str) -> Option<Finding> {
    let contender = number as usize;
    let throughput = evidence.contenders.get(contender)?.throughput()?;
    let most = evidence.own_rate(contender)?;
    let cleared =
        at_its_limit(evidence, contender) || generator_limited(evidence, number).is_some();
    if cleared || throughput <= MOST_OF_OWN_RATE * most {
        return None;
    }
    let seen = format!(
        "{} is {} of {}, the generator's own maximum rate (more than {}): the generator may have \
         limited the throughput",
        units::show_rate(throughput),
        units::show_percent(throughput / most),
        units::show_rate(most),
        units::show_percent(MOST_OF_OWN_RATE)
    );
    let counts = evidence.client_counts_for(number);
    let finding = RULE.about(name, if counts { Weight::Note } else { Weight::Caution }, seen);
    let has_rate = evidence.contenders.get(contender).is_some_and(|of| of.rate().is_some());
    let rate = if has_rate { "lower --rate" } else { "set a --rate" };
    let hint = if has_more_cores(evidence) {
        format!("use more --cores, or {rate}")
    } else {
        rate.to_owned()
    };
    Some(finding.with_short(NEAR_MAXIMUM, &hint))
}

fn finding(part: &Part<'_>) -> Option<Finding> {
    let driven = part.driven;
    driven.rate()?;
    let p50 = median(&driven.judged.response_time)?;
    let own_lag = median(&driven.judged.own_lag).unwrap_or(0.0);
    let wait = wait_for_the_loop(driven);
    if !is_ours(driven) && wait <= MOST * p50 {
        return None;
    }
    let evidence = format!(
        "of a median response time of {}, the generator's own delay is {} before the send while a \
         connection was free, and {} until its event loop reads the reply",
        units::show_seconds(p50),
        units::show_seconds(own_lag),
        units::show_seconds(wait)
    );
    Some(RULE.about_part(part, Weight::Void, evidence))
}

/// Whether the median lag while a connection was free is too large: then the generator was late,
/// not the target.
pub(super) fn is_ours(driven: &DriveSummary) -> bool {
    let own_lag = median(&driven.judged.own_lag).unwrap_or(0.0);
    median(&driven.judged.response_time).is_some_and(|p50| own_lag > MOST * p50)
}

/// The mean time that a reply which arrives at a random moment waits for the current turn of the
/// event loop: Σ turn² ÷ (2 × time driven), the residual life of renewal theory. The median turn
/// was rejected as a measure: a turn of 8 µs, one in 100 µs, delays a reply by 0.3 µs, but was
/// compared as a whole with a median of 30 µs.
fn wait_for_the_loop(driven: &DriveSummary) -> f64 {
    let turns = driven.judged.loop_time.buckets();
    let squares: f64 = turns.map(|(ns, count)| (ns as f64).powi(2) * count as f64).sum();
    match driven.took_ns {
        0 => 0.0,
        took_ns => squares / (2.0 * took_ns as f64) / 1e9,
    }
}

fn median(histogram: &Histogram) -> Option<f64> {
    histogram.quantile(0.5).map(|ns| ns as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, fill, weights};
    use record::{Arrivals, OwnCost};

    /// Response times of 1 ms, and a loop that is always in a turn.
    fn run(own_lag_us: u64, loop_us: u64) -> SampleRun {
        let mut run =
            SampleRun::compare(4).with_operations(1000).with_arrivals(Arrivals::Constant(5e3));
        run.each_seen("b", |_, seen| {
            let took_ns: u64 = seen.slices.iter().map(|slice| slice.took_ns).sum();
            fill(&mut seen.own_lag, own_lag_us * 1000, 1000);
            fill(&mut seen.loop_time, loop_us * 1000, took_ns / (loop_us * 1000));
        });
        run
    }

    #[test]
    fn a_fifth_of_the_median_is_the_limit() {
        assert_eq!(weights(&run(199, 10), RULE.name), []);
        assert_eq!(weights(&run(201, 10), RULE.name), [Weight::Void]);
        // A loop that is always in a turn makes a reply wait for half of one.
        assert_eq!(weights(&run(5, 390), RULE.name), []);
        assert_eq!(weights(&run(5, 410), RULE.name), [Weight::Void]);
        assert!(RULE.threshold.contains(&units::show_percent(MOST)));
    }

    #[test]
    fn short_turns_with_pauses_cause_no_delay() {
        let mut quick = run(5, 390);
        quick.each_seen("b", |_, seen| {
            fill(&mut seen.response_time, 30_000, 1000);
            fill(&mut seen.loop_time, 8_000, 1000);
        });
        assert_eq!(weights(&quick, RULE.name), []);
    }

    /// 800 operations in 1.004 s, each of which costs the generator this much against the null
    /// server; against the target it is busy for this share of its time.
    fn own(cost_ns: u64, busy: f64) -> SampleRun {
        SampleRun::compare(8).with_busy_generator("b", busy).with_own_cost("b", &[cost_ns])
    }

    #[test]
    fn four_fifths_of_its_own_rate_are_the_limit() {
        assert_eq!(weights(&own(1_003_000, 0.9), RULE.name), []);
        let near = own(1_005_000, 0.9);
        assert_eq!(weights(&near, RULE.name), [Weight::Caution]);
        assert_eq!(
            near.findings(RULE.name)[0].evidence,
            "797 /s is 80.1 % of 995 /s, the generator's own maximum rate (more than 80 %): the \
             generator may have limited the throughput"
        );
        assert_eq!(near.findings(RULE.name)[0].contender.as_deref(), Some("b"));
        assert!(RULE.threshold.contains(&units::show_percent(MOST_OF_OWN_RATE)));
        let open = near.with_arrivals(Arrivals::Constant(800.0));
        assert_eq!(weights(&open, RULE.name), [Weight::Caution]);
    }

    #[test]
    fn workers_manage_more_together() {
        let two = |cost_ns| {
            let mut run = own(cost_ns, 1.8);
            run.question.workers = 2;
            run
        };
        assert_eq!(weights(&two(2_007_000), RULE.name), []);
        assert_eq!(weights(&two(2_009_000), RULE.name), [Weight::Caution]);
    }

    #[test]
    fn the_cheapest_round_counts_if_it_is_valid() {
        let costs = |costs: &[u64]| {
            SampleRun::compare(8).with_busy_generator("b", 0.9).with_own_cost("b", costs)
        };
        assert_eq!(weights(&costs(&[1_004_500, 9_000_000, 1_003_000]), RULE.name), []);
        assert_eq!(
            weights(&costs(&[1_006_000, 9_000_000, 1_005_000]), RULE.name),
            [Weight::Caution]
        );
        let mut failing = costs(&[1_005_000]);
        let null = failing.records.iter_mut().find(|record| record.phase == record::Phase::Null);
        null.expect("one").seen.outcomes.ok -= 1;
        assert_eq!(weights(&failing, RULE.name), []);
        assert_eq!(failing.verdict().contenders()[1].own_cpu_per_operation, None);
    }

    #[test]
    fn it_is_unknown_if_every_measurement_was_disturbed() {
        let mut run = own(1_005_000, 0.9);
        let null = |run: &mut SampleRun, change: fn(&mut record::Slice)| {
            let mut of = run.records.iter_mut().filter(|of| of.phase == record::Phase::Null);
            change(&mut of.next().expect("one").seen.slices[0]);
        };
        null(&mut run, |slice| slice.waited_ns = slice.took_ns / 49);
        assert_eq!(weights(&run, RULE.name), []);
        null(&mut run, |slice| slice.waited_ns = slice.took_ns / 51);
        assert_eq!(weights(&run, RULE.name), [Weight::Caution]);
        null(&mut run, |slice| slice.steal_ns = 10_000_000);
        let verdict = run.verdict();
        let b = &verdict.contenders()[1];
        assert_eq!((b.own_cpu_per_operation, b.driven_alone), (None, true));
    }

    #[test]
    fn an_earlier_measurement_counts_if_this_run_has_none() {
        let mut run = SampleRun::compare(8).with_busy_generator("b", 0.9);
        let kept = |ns| OwnCost { contender: 1, cpu_per_operation_ns: ns, age_s: 60 };
        run.kept_costs = vec![kept(1_003_000.0)];
        assert_eq!(weights(&run, RULE.name), []);
        run.kept_costs = vec![kept(1_005_000.0)];
        assert_eq!(weights(&run, RULE.name), [Weight::Caution]);
        assert_eq!(run.verdict().contenders()[1].own_cost_age_s, Some(60));
        let measured = run.with_own_cost("b", &[1_003_000]);
        assert_eq!(weights(&measured, RULE.name), []);
        assert_eq!(measured.verdict().contenders()[1].own_cost_age_s, None);
    }

    #[test]
    fn the_cost_in_the_rounds_limits_its_own_cost() {
        // Expensive before the pilot, but idle for a fifth of the time in the rounds.
        assert_eq!(weights(&own(5_000_000, 0.79), RULE.name), []);
        assert_eq!(weights(&own(5_000_000, 0.81), RULE.name), [Weight::Caution]);
    }

    #[test]
    fn silent_if_the_target_is_at_its_limit_or_the_bottleneck_is_reported() {
        let target = |share: f64| {
            let run = own(1_100_000, 0.9);
            run.with_target_cpu(move |of, driven| if of == driven { share } else { 0.0 })
        };
        assert_eq!(weights(&target(0.951), RULE.name), []);
        assert_eq!(weights(&target(0.949), RULE.name), [Weight::Caution]);
        let run = own(1_100_000, 0.96);
        assert_eq!(weights(&run, RULE.name), []);
        assert_eq!(weights(&run, "generator_bottleneck"), [Weight::Caution]);
    }

    #[test]
    fn closed_loop_has_no_due_times_to_miss() {
        let closed = run(900, 900).with_arrivals(Arrivals::Closed);
        assert_eq!(weights(&closed, RULE.name), []);
    }

    #[test]
    fn cores_and_rates_are_proposed_where_they_help() {
        let hint = |mut run: SampleRun, allowed: &[u32]| {
            run.question.allowed_cores = allowed.to_vec();
            run.findings(RULE.name)[0].hint.clone()
        };
        let near = own(1_005_000, 0.9);
        let open = near.clone().with_arrivals(Arrivals::Constant(800.0));
        assert_eq!(hint(near.clone(), &[0, 1]), "use more --cores, or set a --rate");
        assert_eq!(hint(near, &[0]), "set a --rate");
        assert_eq!(hint(open.clone(), &[0, 1]), "use more --cores, or lower --rate");
        assert_eq!(hint(open, &[0]), "lower --rate");
        assert_eq!(hint(run(201, 10), &[0, 1]), RULE.hint);
        assert_eq!(hint(run(201, 10), &[0]), "lower --rate");
    }
}

//! Open loop: fewer operations per second than requested.

use super::{Evidence, Rule, generator_saturated::is_ours, remedies::has_more_cores};
use crate::{
    evidence::{DriveSummary, Part},
    verdict::{Finding, Weight},
};
use record::Arrivals;
use text::units;

/// From this share on, the requested rate counts as reached.
const LEAST: f64 = 0.99;
/// Poisson arrivals may fall short by chance, by up to this many standard errors.
const CHANCE: f64 = 4.0;

/// The hint if the generator was the cause.
const OURS: &str = "give the generator more cores (--cores)";

pub(super) const RULE: Rule = Rule {
    name: "rate_not_reached",
    short: "the rate was not reached",
    hint: "lower --rate, or allow more --connections",
    weight: Weight::Void,
    threshold: "With --rate: compares the operations that were driven with those requested. Less \
                than 99 % is a caution if the target could not keep up, and takes it out of a \
                ranking. It is void if the \
                generator was the cause: its schedule fell short, or it was late (by more than 20 \
                % of the median response time) while connections were free.",
    why: "Latencies at half the rate are those of another, easier test. Many generators deliver \
          less than requested and do not say so.",
    remedy: "If the target could not keep up, set a lower --rate, or allow more --connections if \
             all of them are waiting. If the generator was the cause, give it more cores (--cores) \
             or a separate machine.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let workers = f64::from(evidence.question.workers.max(1));
    let found = evidence.parts().into_iter().filter_map(|part| finding(&part, workers));
    let found =
        found.map(|found| if evidence.question.is_ranked { in_ranking(found) } else { found });
    let fitted = |found: Finding| {
        let unfit = found.hint == OURS && !has_more_cores(evidence);
        if unfit { found.with_hint("lower --rate") } else { found }
    };
    found.map(fitted).collect()
}

/// In a ranking, a contender that does not keep up with its rate is not ranked, since its response times are those of
/// another test. What the generator fell short of concerns all.
fn in_ranking(found: Finding) -> Finding {
    match &found.contender {
        Some(name) if found.weight == Weight::Void => {
            let evidence = format!("{name}: {}", found.evidence);
            Finding { contender: None, evidence, ..found }
        }
        _ => Finding { weight: Weight::Void, ..found },
    }
}

fn finding(part: &Part<'_>, workers: f64) -> Option<Finding> {
    let driven = part.driven;
    let lane_order = driven.lane_orders.first()?;
    let rate = lane_order.intensity.arrivals.rate()?;
    let sending = driven.sending_ns as f64 / 1e9;
    if sending <= 0.0 {
        return None;
    }
    let rate = if driven.requested > 0.0 { driven.requested / sending } else { rate };
    let scheduled = driven.operations_due();
    let expected = rate * sending;
    let slack = slack(lane_order.intensity.arrivals, expected, driven.slices as f64 * workers);
    // A limit on the number of operations ends the schedule early.
    if lane_order.operations.is_none() && scheduled + slack < LEAST * expected {
        let evidence = format!(
            "the generator scheduled {scheduled:.0} operations, but the requested rate of {} \
             requires {expected:.0}",
            units::show_rate(rate)
        );
        return Some(RULE.about_part(part, Weight::Void, evidence).with_hint(OURS));
    }
    let (due, achieved) = (scheduled / sending, driven.achieved_rate());
    if achieved >= LEAST * due {
        return None;
    }
    let (weight, cause, hint) = if is_ours(driven) {
        (Weight::Void, "the generator was late while connections were free", OURS)
    } else {
        (Weight::Caution, "the target did not keep up", RULE.hint)
    };
    let (due, achieved) = (units::show_rate(due), units::show_rate(achieved));
    let evidence = format!("{due} due, {achieved} driven: {cause}");
    let finding = RULE.about_part(part, weight, evidence);
    Some(finding.with_hint(hint).with_figure(format!("{achieved} of {due}")))
}

/// The number of operations that may be missing from a schedule: one at the end of each slice of
/// each worker, and a random number if the gaps are random.
fn slack(arrivals: Arrivals, expected: f64, ends: f64) -> f64 {
    match arrivals {
        Arrivals::Poisson(_) => ends + CHANCE * expected.sqrt(),
        _ => ends,
    }
}

impl DriveSummary {
    /// Operations that fell due in the judged rounds, sent or not.
    fn operations_due(&self) -> f64 {
        (self.judged.operations + self.judged.unfinished + self.judged.unsent) as f64
    }

    /// Operations sent ÷ the time that they took. A slice that drains for as long as one operation
    /// takes is not slow; what it drains beyond that is a backlog.
    fn achieved_rate(&self) -> f64 {
        let sent = (self.judged.operations + self.judged.unfinished) as f64;
        let one = self.judged.service_time.quantile(0.99).unwrap_or(0);
        let took = self.took_ns.saturating_sub(self.slices * one).max(self.sending_ns);
        sent * 1e9 / took as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, fill, ranked_run, weights};
    use record::Arrivals::{Constant, Poisson};

    /// 4 rounds of 1 s in 4 slices, 1 ms a reply, of which `driven` operations
    /// were asked for at 1000/s.
    fn driven(arrivals: Arrivals, driven: u64) -> SampleRun {
        SampleRun::compare(4).with_operations(driven).with_arrivals(arrivals)
    }

    #[test]
    fn a_schedule_that_falls_short_voids() {
        // Constant arrivals: one may be missing at the end of each of 4 slices.
        assert_eq!(weights(&driven(Constant(1000.0), 986), RULE.name), []);
        assert_eq!(weights(&driven(Constant(1000.0), 985), RULE.name), [Weight::Void; 2]);
        // Poisson: 4000 ± 4·63 in 4 rounds.
        assert_eq!(weights(&driven(Poisson(1000.0), 930), RULE.name), []);
        assert_eq!(weights(&driven(Poisson(1000.0), 920), RULE.name), [Weight::Void; 2]);
    }

    #[test]
    fn a_limit_on_operations_is_not_a_shortfall() {
        let mut run = driven(Constant(1000.0), 500);
        for name in ["a", "b"] {
            run.each_record(name, |record| record.lane_order.operations = Some(2000));
        }
        assert_eq!(weights(&run, RULE.name), []);
    }

    /// Of 1000 operations in each round, `unsent` were due but never sent.
    fn unsent(unsent: u64, own_lag_us: u64) -> SampleRun {
        let mut run = driven(Constant(1000.0), 1000 - unsent);
        for name in ["a", "b"] {
            run.each_seen(name, |_, seen| {
                seen.unsent = unsent;
                fill(&mut seen.own_lag, own_lag_us * 1000, 100);
            });
        }
        run
    }

    #[test]
    fn the_cause_decides_the_weight() {
        assert_eq!(weights(&unsent(10, 5), RULE.name), []);
        assert_eq!(weights(&unsent(11, 5), RULE.name), [Weight::Caution; 2]);
        assert_eq!(weights(&unsent(11, 500), RULE.name), [Weight::Void; 2]);
        assert!(RULE.threshold.contains(&units::show_percent(LEAST)));
    }

    #[test]
    fn one_that_does_not_keep_up_is_not_ranked() {
        let run = |own_lag_us: u64| {
            let mut run = ranked_run(&["a", "b", "c"], 12).with_operations(1000);
            run = run.with_arrivals(Constant(1000.0));
            run.each_seen("b", |_, seen| {
                (seen.unsent, seen.operations) = (11, 989);
                fill(&mut seen.own_lag, own_lag_us * 1000, 100);
            });
            run.verdict()
        };
        let verdict = run(5);
        assert!(!verdict.void(), "{:?}", verdict.findings());
        let not_ranked = &verdict.ranking().expect("it was asked for").not_ranked;
        assert_eq!((not_ranked[0].name.as_str(), not_ranked.len()), ("b", 1));
        assert!(run(500).void(), "the generator fell short");
    }

    #[test]
    fn a_backlog_shows_in_the_drain() {
        let drained = |beyond_ns: u64| {
            let mut run = driven(Constant(1000.0), 1000);
            run.each_seen("b", |_, seen| {
                seen.slices
                    .iter_mut()
                    .for_each(|slice| slice.took_ns = slice.sending_ns + beyond_ns);
            });
            run
        };
        // As long as one operation takes, 1 ms, and 2 ms more of 250 ms.
        assert_eq!(weights(&drained(3_000_000), RULE.name), []);
        assert_eq!(weights(&drained(5_000_000), RULE.name), [Weight::Caution]);
    }

    #[test]
    fn cores_are_proposed_where_there_are_some() {
        let hint = |own_lag_us, allowed: &[u32]| {
            let mut run = unsent(11, own_lag_us);
            run.question.allowed_cores = allowed.to_vec();
            run.findings(RULE.name)[0].hint.clone()
        };
        assert_eq!(hint(500, &[0, 1]), OURS);
        assert_eq!(hint(500, &[0]), "lower --rate");
        assert_eq!(hint(5, &[0]), RULE.hint);
    }
}

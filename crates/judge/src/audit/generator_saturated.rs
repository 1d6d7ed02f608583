//! Open loop: the generator's own delay in the latencies that it reports.

use super::{Evidence, Rule};
use crate::{
    evidence::Driven,
    say,
    verdict::{Finding, Weight},
};
use record::Histogram;

/// Delays of the generator above this share of the median response time are too
/// large.
const MOST: f64 = 0.2;

pub(super) const RULE: Rule = Rule {
    name: "generator_saturated",
    weight: Weight::Void,
    threshold: "With --rate: compares the median delay that the generator itself adds (an \
                operation due and a connection free, but not sent yet; and one turn of its event \
                loop) with the median response time that it reports. More than 20 %: void.",
    why: "Response time counts from when an operation was due. Where the generator is late, it \
          measures itself and blames the target. Its CPU load would not tell: a busy generator can \
          be on time, and an idle one late.",
    remedy: "Give the generator more or faster cores (--cores), ask for a lower --rate, or run it \
             on a machine of its own.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    evidence.each().filter_map(|(name, driven)| finding(name, driven)).collect()
}

fn finding(name: &str, driven: &Driven) -> Option<Finding> {
    driven.rate()?;
    let p50 = median(&driven.judged.response_time)?;
    let own_lag = median(&driven.judged.own_lag).unwrap_or(0.0);
    let loop_time = median(&driven.judged.loop_time).unwrap_or(0.0);
    if !is_ours(driven) && loop_time <= MOST * p50 {
        return None;
    }
    let evidence = format!(
        "of a median response time of {} the generator's own delay is {} while a connection was \
         free, and one turn of its event loop takes {}",
        say::seconds(p50),
        say::seconds(own_lag),
        say::seconds(loop_time)
    );
    Some(RULE.about(name, Weight::Void, evidence))
}

/// The median lag that passed while a connection was free is too large: the
/// generator was late, not the target.
pub(super) fn is_ours(driven: &Driven) -> bool {
    let own_lag = median(&driven.judged.own_lag).unwrap_or(0.0);
    median(&driven.judged.response_time).is_some_and(|p50| own_lag > MOST * p50)
}

fn median(histogram: &Histogram) -> Option<f64> {
    histogram.quantile(0.5).map(|ns| ns as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{Run, fill, weights};
    use record::Arrivals;

    /// Response times of 1 ms.
    fn run(own_lag_us: u64, loop_us: u64) -> Run {
        let mut run = Run::compare(4).with_operations(1000).with_arrivals(Arrivals::Constant(5e3));
        run.each_seen("b", |_, seen| {
            fill(&mut seen.own_lag, own_lag_us * 1000, 1000);
            fill(&mut seen.loop_time, loop_us * 1000, 1000);
        });
        run
    }

    #[test]
    fn a_fifth_of_the_median_is_the_limit() {
        assert_eq!(weights(&run(199, 10), RULE.name), []);
        assert_eq!(weights(&run(201, 10), RULE.name), [Weight::Void]);
        assert_eq!(weights(&run(5, 199), RULE.name), []);
        assert_eq!(weights(&run(5, 201), RULE.name), [Weight::Void]);
        assert!(RULE.threshold.contains(&say::percent(MOST)));
    }

    #[test]
    fn closed_loop_has_no_due_times_to_miss() {
        let closed = run(900, 900).with_arrivals(Arrivals::Closed);
        assert_eq!(weights(&closed, RULE.name), []);
    }
}

//! Rounds that depend on one another.

use super::{Evidence, Rule};
use crate::{
    compare::Draft,
    say,
    verdict::{Finding, Weight},
};
use record::Pair;

pub(super) const RULE: Rule = Rule {
    name: "autocorrelated_rounds",
    weight: Weight::Caution,
    threshold: "The lag-1 autocorrelation of ln(b/a) from round to round (with --restarts from \
                launch to launch), for every metric that is compared. Above −1/n + 1.67(n−2)/(n√(n−1)) (0.345 at 10 rounds, 0.295 at 20, 0.229 \
                at 40): a caution, and the interval is widened around its estimate by √((1+r)/(1−r)).",
    why: "The interval takes rounds as independent. At a correlation of 0.3 an interval that \
          should be wrong 5 % of the time is wrong 14 % of the time. Silence proves little: at 10 \
          rounds the alarm sees a correlation of 0.5 in one run of three.",
    remedy: "Look for what changes over minutes: a target that warms up or leaks, a neighbour on \
             the machine, a processor that gets hot. Warm up longer, or make rounds longer \
             (--round 5s).",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    evidence.question.pairs.iter().filter_map(|pair| finding(evidence, *pair)).collect()
}

fn finding(evidence: &Evidence, pair: Pair) -> Option<Finding> {
    let drafts = evidence.drafts.iter().filter(|draft| draft.pair == pair);
    let alarm = |draft: &Draft| {
        let weighed = draft.weighed.as_ref().filter(|weighed| weighed.interval.is_some());
        let lag_1 = weighed?.alarm?;
        Some(format!("{} ({lag_1:.2})", draft.comparison.metric.path()))
    };
    let metrics: Vec<String> = drafts.filter_map(alarm).collect();
    if metrics.is_empty() {
        return None;
    }
    let (a, b) = (evidence.name(pair.a), evidence.name(pair.b));
    let each = if evidence.rounds_of_a_launch().is_some() { "launch" } else { "round" };
    let seen = format!(
        "the ratio of {b} to {a} is correlated from {each} to {each} in {}",
        say::listed(&metrics)
    );
    Some(RULE.about(b, Weight::Caution, seen))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{Run, weights};
    use crate::verdict::Word;

    #[test]
    fn a_slow_wave_rings_and_a_zigzag_does_not() {
        let wave: Vec<f64> = (0..10).map(|i| 1.05 + 0.01 * f64::from(i / 3)).collect();
        let zigzag: Vec<f64> = (0..10).map(|i| 1.05 + 0.01 * f64::from(i % 2)).collect();
        assert_eq!(weights(&Run::with_ratios(&wave), RULE.name), [Weight::Caution]);
        assert_eq!(weights(&Run::with_ratios(&zigzag), RULE.name), []);
    }

    #[test]
    fn with_restarts_launches_are_looked_at() {
        // The rounds of a launch resemble each other, the launches do not.
        let ratio = |round: u32| 1.05 + 0.01 * f64::from((round / 5) % 2);
        let run = Run::with_ratios(&(0..50).map(ratio).collect::<Vec<_>>());
        assert_eq!(weights(&run, RULE.name), [Weight::Caution]);
        assert_eq!(weights(&run.with_restarts(10), RULE.name), []);
    }

    #[test]
    fn the_interval_is_widened() {
        let wave: Vec<f64> = (0..10).map(|i| 1.005 + 0.01 * f64::from(i / 3)).collect();
        let verdict = Run::with_ratios(&wave).verdict();
        let comparison = &verdict.comparisons()[0];
        // The exact interval leaves out 1, the judged one does not.
        assert!(comparison.p.is_some_and(|p| p < 0.01));
        assert_eq!(comparison.verdict, Word::Undecided);
        assert!(comparison.because[0].contains("widened"), "{:?}", comparison.because);
    }
}

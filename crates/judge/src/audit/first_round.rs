//! A first round that is unlike the others.

use super::{Evidence, Rule};
use crate::{
    compare::Draft,
    say,
    verdict::{Finding, Weight},
};

/// So many median absolute deviations from the median are far.
const DEVIATIONS: f64 = 5.0;
/// Other rounds that must be there to be unlike of.
const FEWEST_OTHERS: usize = 4;

pub(super) const RULE: Rule = Rule {
    name: "first_round",
    weight: Weight::Caution,
    threshold: "Compares the ratio of the primary metric in round 1 with the others: further from \
                their median than 5 median absolute deviations, and than the smallest difference \
                that matters: a caution.",
    why: "Caches, just-in-time compilers and connection pools settle at the start. A first round \
          that differs says that the warm-up was too short; the rounds after it may still have been \
          settling.",
    remedy: "Warm up longer: --warm-up 10s.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let primary = evidence.drafts.iter().filter(|draft| draft.comparison.primary);
    primary.filter_map(|draft| finding(draft, evidence.question.matters)).collect()
}

fn finding(draft: &Draft, matters: f64) -> Option<Finding> {
    let comparison = &draft.comparison;
    let ((1, first), others) = comparison.rounds.split_first()? else {
        return None;
    };
    if others.len() < FEWEST_OTHERS {
        return None;
    }
    let others: Vec<f64> = others.iter().map(|(_, ratio)| ratio.ln()).collect();
    let middle = median(&others);
    let away: Vec<f64> = others.iter().map(|d| (d - middle).abs()).collect();
    let distance = (first.ln() - middle).abs();
    if distance <= DEVIATIONS * median(&away) || distance <= matters.ln_1p() {
        return None;
    }
    let seen = format!(
        "{} of {} to {} is {} in round 1, and {} in the median of the others",
        comparison.metric.path(),
        comparison.b,
        comparison.a,
        say::ratio(*first),
        say::ratio(middle.exp())
    );
    Some(RULE.about(&comparison.b, Weight::Caution, seen))
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() % 2 {
        1 => sorted[middle],
        _ => (sorted[middle - 1] + sorted[middle]) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{Run, weights};

    /// Ratios of the rounds.
    fn run(ratios: &[f64]) -> Run {
        Run::with_ratios(ratios)
    }

    #[test]
    fn five_deviations_are_the_limit() {
        // The others: median 1, median absolute deviation of the logarithm 0.01.
        let others = [1.0, 0.01f64.exp(), (-0.01f64).exp(), 0.02f64.exp(), (-0.01f64).exp()];
        let with = |first: f64| run(&[&[first.exp()], &others[..]].concat());
        assert_eq!(weights(&with(0.045), RULE.name), []);
        assert_eq!(weights(&with(0.055), RULE.name), [Weight::Caution]);
        assert_eq!(weights(&with(-0.055), RULE.name), [Weight::Caution]);
        assert!(RULE.threshold.contains(&format!("{DEVIATIONS:.0} median absolute")));
    }

    #[test]
    fn a_difference_that_does_not_matter_is_let_pass() {
        assert_eq!(weights(&run(&[1.009, 1.0, 1.0, 1.0, 1.0, 1.0]), RULE.name), []);
        assert_eq!(weights(&run(&[1.012, 1.0, 1.0, 1.0, 1.0, 1.0]), RULE.name), [Weight::Caution]);
    }

    #[test]
    fn only_round_1_is_looked_at_and_four_others_are_needed() {
        assert_eq!(weights(&run(&[1.0, 1.5, 1.0, 1.0, 1.0, 1.0]), RULE.name), []);
        assert_eq!(weights(&run(&[1.5, 1.0, 1.0, 1.0]), RULE.name), []);
        let mut late = run(&[1.5, 1.5, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
        late.records.retain(|record| record.round > 1);
        assert_eq!(weights(&late, RULE.name), []);
    }
}

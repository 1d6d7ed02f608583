//! A first round that differs from the others.

use super::{Evidence, Rule, figure_name};
use crate::{
    draft::Draft,
    evidence::{FEWEST_ROUNDS, Operations},
    stats::quantile::median,
    verdict::{Finding, Weight},
};
use record::Metric;
use text::units;

/// A ratio that is more than this many median absolute deviations from the median is an outlier.
const DEVIATIONS: f64 = 5.0;
/// Parts of a launch with few rounds.
const PARTS: u32 = 4;
/// With fewer other rounds than this, the first is not compared with them.
const FEWEST_OTHERS: usize = 4;

pub(super) const RULE: Rule = Rule {
    name: "first_round",
    short: "the first round differs from the others",
    hint: "warm up longer (--warm-up 10s)",
    weight: Weight::Caution,
    threshold: "Compares the ratio of the primary metric in round 1 with the other rounds. It is a \
                caution if it is further from their median than 5 median absolute deviations and \
                than the smallest difference that matters. With several launches, the first round of \
                each launch is compared with the other rounds of its launch; in launches of fewer than \
                six rounds, the throughput of the first quarter of the slices with that of the others. Of a \
                suite the mean over all cases is compared.",
    why: "Caches, just-in-time compilers and connection pools settle at the start. A first round \
          that differs shows that the warm-up was too short; the rounds after it may still have \
          been settling.",
    remedy: "Warm up longer: --warm-up 10s.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let primary = evidence.overall().iter().filter(|draft| draft.comparison.primary);
    primary.filter_map(|draft| finding(draft, evidence)).collect()
}

fn finding(draft: &Draft, evidence: &Evidence) -> Option<Finding> {
    let comparison = &draft.comparison;
    let parts = parts_of_launches(draft, evidence);
    let launches = match &parts {
        Some(parts) => Launches::new(parts, Some(PARTS))?,
        None => Launches::new(&comparison.rounds, evidence.rounds_of_a_launch())?,
    };
    let distance = (launches.first - launches.others).abs();
    let matters = evidence.question.matters.ln_1p();
    if distance <= DEVIATIONS * launches.deviation || distance <= matters {
        return None;
    }
    let seen = format!(
        "{} of {} to {} is {} in {}; the median of the others is {}",
        figure_name(comparison),
        comparison.b,
        comparison.a,
        units::show_ratio(launches.first.exp()),
        match (&parts, launches.several) {
            (Some(_), _) => "the first quarters of the launches",
            (None, true) => "the first rounds of the launches",
            (None, false) => "round 1",
        },
        units::show_ratio(launches.others.exp())
    );
    let [first, others] = [launches.first, launches.others].map(|ln| units::show_ratio(ln.exp()));
    let figure = format!("{first}, then {others}");
    let found = RULE.about(&comparison.b, Weight::Caution, seen).with_figure(figure);
    let found = found.with_warm_up(evidence, 10);
    Some(found.about(vec![comparison.metric]).shifting(comparison.metric, distance))
}

/// b/a of throughput in the parts of each launch, numbered from 1 through all launches, in place of rounds.
/// Returns None where launches have enough rounds, or something else than throughput is compared.
fn parts_of_launches(draft: &Draft, evidence: &Evidence) -> Option<Vec<(u32, f64)>> {
    let few = evidence.rounds_of_a_launch().is_some_and(|each| each < FEWEST_ROUNDS);
    let side = |contender: u32| evidence.side(contender, Operations::All);
    let (a, b) = (side(draft.pair.a)?, side(draft.pair.b)?);
    if !few || a.launches.is_empty() || draft.comparison.metric != Metric::Throughput {
        return None;
    }
    let ratios = a.shared_launches(b).filter_map(|(a, b)| {
        let (a, b) = (a.parts(PARTS as usize)?, b.parts(PARTS as usize)?);
        let all = a.iter().chain(&b).all(|rate| *rate > 0.0);
        all.then(|| b.iter().zip(&a).map(|(b, a)| b / a).collect::<Vec<_>>())
    });
    Some((1..).zip(ratios.flatten()).collect())
}

/// First rounds against others, as ln(b/a).
struct Launches {
    first: f64,
    /// Median of the other rounds.
    others: f64,
    /// Median absolute deviation of the other rounds, each measured from the median of its launch.
    deviation: f64,
    several: bool,
}

impl Launches {
    /// `each` is the number of rounds per launch, or None if all rounds are of one launch. Returns
    /// None if there are too few rounds to compare.
    fn new(rounds: &[(u32, f64)], each: Option<u32>) -> Option<Self> {
        let of_launch = |round: u32| (round - 1) / each.unwrap_or(u32::MAX);
        let (mut steps, mut others, mut away) = (Vec::new(), Vec::new(), Vec::new());
        for launch in rounds.chunk_by(|one, next| of_launch(one.0) == of_launch(next.0)) {
            let ((number, first), rest) = launch.split_first()?;
            let begins = of_launch(*number) * each.unwrap_or(0) + 1;
            // With only two rounds there is no way to tell which one is unusual.
            if *number != begins || rest.len() < 2 {
                continue;
            }
            let rest: Vec<f64> = rest.iter().map(|(_, ratio)| ratio.ln()).collect();
            let middle = median(&rest)?;
            steps.push(first.ln() - middle);
            away.extend(rest.iter().map(|d| (d - middle).abs()));
            others.extend(rest);
        }
        if others.len() < FEWEST_OTHERS {
            return None;
        }
        let others = median(&others)?;
        let first = others + median(&steps)?;
        Some(Launches { first, others, deviation: median(&away)?, several: each.is_some() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, weights};

    /// Ratios of the rounds.
    fn run(ratios: &[f64]) -> SampleRun {
        SampleRun::with_ratios(ratios)
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
    fn a_difference_that_does_not_matter_is_ignored() {
        assert_eq!(weights(&run(&[1.009, 1.0, 1.0, 1.0, 1.0, 1.0]), RULE.name), []);
        assert_eq!(weights(&run(&[1.012, 1.0, 1.0, 1.0, 1.0, 1.0]), RULE.name), [Weight::Caution]);
    }

    #[test]
    fn only_round_1_is_examined_and_four_others_are_needed() {
        assert_eq!(weights(&run(&[1.0, 1.5, 1.0, 1.0, 1.0, 1.0]), RULE.name), []);
        assert_eq!(weights(&run(&[1.5, 1.0, 1.0, 1.0]), RULE.name), []);
        let mut late = run(&[1.5, 1.5, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
        late.records.retain(|record| record.round > 1);
        assert_eq!(weights(&late, RULE.name), []);
    }

    /// Launches of `each` rounds whose first round is `first` times the others;
    /// launches differ by 5 % from one another.
    fn launches(n: u32, each: u32, first: f64) -> SampleRun {
        let ratio = |round: u32| {
            let launch = 1.0 + 0.05 * f64::from(round / each);
            launch * if round.is_multiple_of(each) { first } else { 1.0 }
        };
        let mut run = run(&(0..n * each).map(ratio).collect::<Vec<_>>());
        run.question.restarts = n;
        run
    }

    #[test]
    fn every_launch_has_a_first_round() {
        assert_eq!(weights(&launches(6, 5, 1.009), RULE.name), []);
        assert_eq!(weights(&launches(6, 5, 1.012), RULE.name), [Weight::Caution]);
        let found = launches(6, 5, 1.1).findings(RULE.name);
        assert!(found[0].evidence.contains("in the first rounds of the launches"), "{found:?}");
        // Two rounds do not show which of them is unusual.
        assert_eq!(weights(&launches(6, 2, 1.1), RULE.name), []);
        assert_eq!(weights(&launches(6, 1, 1.1), RULE.name), []);
    }

    #[test]
    fn slices_show_the_start_of_a_launch_of_two_rounds() {
        // Two rounds have eight slices: the first two of each launch are its first quarter.
        let run = |slower| SampleRun::with_slow_starts(2, slower);
        assert_eq!(weights(&run(1.009), RULE.name), []);
        assert_eq!(weights(&run(1.05), RULE.name), [Weight::Caution]);
        let found = run(1.05).findings(RULE.name);
        assert!(found[0].evidence.contains("in the first quarters of the launches"), "{found:?}");
    }

    #[test]
    fn the_warm_up_becomes_longer_than_it_was() {
        let mut run = run(&[1.2, 1.0, 1.0, 1.0, 1.0, 1.0]);
        assert_eq!(run.findings(RULE.name)[0].hint, RULE.hint);
        run.warm_up("a", 12_000_000_000, Some(true));
        let found = &run.findings(RULE.name)[0];
        assert_eq!(found.hint, "warm up longer (--warm-up 24s)");
        assert_eq!(found.remedy, "Warm up longer: --warm-up 24s.");
    }
}

//! Tail percentiles that rest on few replies.

use super::{
    Evidence, Rule,
    remedies::{ROUND, longer},
};
use crate::{
    compare::Support,
    evidence::{DriveSummary, Part},
    stats::quantile::{LARGEST_ERROR, few_samples, fewest_samples},
    verdict::{Finding, Weight},
};
use record::Metric;

/// The remedy where rounds would have to be very long.
const P50: &str = "Compare the median instead, or set a much higher --rate.";

pub(super) const RULE: Rule = Rule {
    name: "p99_support",
    short: "few replies for a tail percentile",
    hint: "drive longer (--round 5s), or use the p50",
    weight: Weight::Caution,
    threshold: "For the p99 (and the p99.9) if it is compared: the replies, and the standard error of \
                its logarithm from the ranks around it. Fewer than 10 000 replies in all judged \
                rounds together (p99.9: 100 000), or an error of the median round ÷ √rounds above \
                the smallest difference that matters, is a caution. Fewer than 1000 (10 000) in the \
                median round, or an error above 10 % within it: no verdict on this metric. A single \
                run has a caution where a comparison would have no verdict.",
    why: "A p99 of 1000 replies rests on 10 of them. From sampling alone it scatters by several \
          percent from round to round, and by tens of percent if it lies at a step of the \
          distribution.",
    remedy: "Drive longer (--round 5s) or set a higher --rate; or compare the median instead.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let question = &evidence.question;
    if question.seeks_capacity() {
        // It counts the late operations of all turns together, and compares no percentile of a round.
        return Vec::new();
    }
    let compared = question.secondary.iter().chain([&question.primary]);
    let is_tail = |metric: &Metric| metric.quantile().is_some_and(|q| q > 0.5);
    let of_all: Vec<Metric> = compared.copied().filter(is_tail).collect();
    let tails = |part: &Part<'_>| match (evidence.single(), part.group) {
        (true, _) => vec![Metric::ResponseP99],
        (false, None) => of_all.clone(),
        (false, Some(name)) => {
            let groups = question.groups.iter().filter(|group| group.name == name);
            groups.flat_map(|group| &group.metrics).copied().filter(is_tail).collect()
        }
    };
    // With groups, metrics over all of them are compared as well.
    let wholes = evidence.wholes().filter(|whole| !whole.driven.groups.is_empty());
    let wholes = wholes.filter(|_| !evidence.single());
    wholes
        .chain(evidence.parts())
        .flat_map(|part| {
            let tails = tails(&part).into_iter();
            let weak =
                tails.filter_map(|metric| Some((metric, weakness(evidence, part.driven, metric)?)));
            let finding = |(metric, why)| {
                let finding = RULE.about_part(&part, Weight::Caution, why).about(vec![metric]);
                fitted(evidence, part.driven, metric, finding)
            };
            weak.map(finding).collect::<Vec<_>>()
        })
        .collect()
}

/// The finding with an option that is enough for this contender's figures.
fn fitted(evidence: &Evidence, driven: &DriveSummary, metric: Metric, finding: Finding) -> Finding {
    let Some((support, q)) = Support::new(driven, metric).zip(metric.quantile()) else {
        return finding;
    };
    if driven.at_least_from().is_some_and(|from| q > from) {
        return finding.with_remedy("lower --rate", "Set a --rate that the target can reach.");
    }
    let single = evidence.single();
    // An error shrinks with the square root of the number of replies.
    let times = |error: Option<f64>, bound: f64, samples: u64, fewest: u64| {
        let by_error = error.map_or(0.0, |now| (now / bound).powi(2));
        by_error.max(fewest as f64 / samples.max(1) as f64)
    };
    let of_a_round = times(support.error, LARGEST_ERROR, support.samples, fewest_samples(q));
    let (error, matters) = (support.error_together(), evidence.question.matters);
    let of_all = times(error, matters, support.together, few_samples(q));
    let times = if single { of_a_round } else { of_a_round.max(of_all) };
    match longer(evidence, times) {
        Some(option) if single => {
            let hint = format!("drive longer ({option})");
            finding.with_option(ROUND, &option).with_hint(&hint)
        }
        Some(option) => finding.with_option(ROUND, &option),
        None => finding.with_remedy("use the p50", P50),
    }
}

fn weakness(evidence: &Evidence, driven: &DriveSummary, metric: Metric) -> Option<String> {
    let support = Support::new(driven, metric)?;
    if evidence.single() { support.refusal() } else { support.weakness(evidence.question.matters) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, fill, weights};
    use crate::verdict::Word;

    fn p99_of(operations: u64) -> SampleRun {
        let mut run = SampleRun::compare(8).with_operations(operations);
        run.question.secondary = vec![Metric::ResponseP99];
        run
    }

    #[test]
    fn ten_thousand_replies_in_all_rounds_support_a_p99() {
        assert_eq!(weights(&p99_of(1_250), RULE.name), []);
        assert_eq!(weights(&p99_of(1_249), RULE.name), [Weight::Caution; 2]);
        let mut no_tail = p99_of(500);
        no_tail.question.secondary = vec![Metric::ResponseP50];
        assert_eq!(weights(&no_tail, RULE.name), []);
    }

    #[test]
    fn below_a_thousand_there_is_no_verdict_on_it() {
        let word = |operations| p99_of(operations).verdict().comparisons()[1].verdict;
        assert_ne!(word(1000), Word::Undecided);
        assert_eq!(word(999), Word::Undecided);
        let verdict = p99_of(999).verdict();
        let p99 = &verdict.comparisons()[1];
        assert!(p99.because.iter().any(|why| why.contains("at least 1000")), "{:?}", p99.because);
        assert!(p99.ratio.is_some() && p99.fresh_rounds.is_none());
    }

    #[test]
    fn one_round_with_few_replies_does_not_prevent_a_verdict() {
        let mut run = p99_of(1000);
        run.each_seen("b", |round, seen| {
            if round == 2 {
                fill(&mut seen.response_time, 1_000_000, 10);
            }
        });
        assert_ne!(run.verdict().comparisons()[1].verdict, Word::Undecided);
    }

    #[test]
    fn a_p99_at_a_step_is_refused() {
        let mut run = p99_of(10_000);
        run.each_seen("b", |_, seen| {
            seen.response_time = record::Histogram::new();
            (0..10_000u64).for_each(|i| {
                seen.response_time.record(if i % 100 == 0 { 10_000_000 } else { 1_000_000 });
            });
        });
        assert_eq!(weights(&run, RULE.name), [Weight::Caution]);
        assert_eq!(run.verdict().comparisons()[1].verdict, Word::Undecided);
    }

    #[test]
    fn a_single_run_needs_a_thousand() {
        assert_eq!(weights(&SampleRun::single().with_operations(1000), RULE.name), []);
        assert_eq!(
            weights(&SampleRun::single().with_operations(999), RULE.name),
            [Weight::Caution]
        );
    }

    #[test]
    fn rounds_become_long_enough_for_this_contender() {
        let hint = |run: SampleRun| run.findings(RULE.name)[0].hint.clone();
        assert_eq!(hint(p99_of(1200)), RULE.hint);
        // Eight rounds of 50 replies have 400 of 10,000.
        assert_eq!(hint(p99_of(50)), "drive longer (--round 25s), or use the p50");
        assert_eq!(hint(p99_of(5)), "use the p50");
        let single = SampleRun::single().with_operations(500);
        assert_eq!(hint(single), "drive longer (--duration 60s)");
    }

    #[test]
    fn a_lower_bound_needs_a_lower_rate() {
        let mut run = SampleRun::single().with_operations(900);
        run.each_seen("a", |_, seen| seen.unsent_times = 100);
        let found = run.findings(RULE.name);
        assert!(found[0].evidence.contains("lower bound"), "{found:?}");
        assert_eq!(found[0].hint, "lower --rate");
    }
}

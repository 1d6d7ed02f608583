//! Tail percentiles that rest on few replies.

use super::{Evidence, Rule, too_short::LONGER_RUN};
use crate::{
    compare::Support,
    evidence::{DriveSummary, Part},
    verdict::{Finding, Weight},
};
use record::Metric;

pub(super) const RULE: Rule = Rule {
    name: "p99_support",
    short: "few replies for a tail percentile",
    hint: "drive longer (--round 5s), or use the p50",
    weight: Weight::Caution,
    threshold: "For the p99 (and the p99.9) if it is compared: the replies in the median round, \
                and the standard error of its logarithm within a round, from the ranks around it. \
                Fewer than 10 000 replies (p99.9: 100 000), or an error above the smallest \
                difference that matters, is a caution. Fewer than 1000 (10 000), or an error \
                above 10 %: no verdict on this metric. A single run has a caution where a \
                comparison would have no verdict.",
    why: "A p99 of 1000 replies rests on 10 of them. From sampling alone it scatters by several \
          percent from round to round, and by tens of percent if it lies at a step of the \
          distribution.",
    remedy: "Drive longer (--round 5s; in a single run: --duration) or set a higher --rate; or \
             compare the median instead.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let question = &evidence.question;
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
                if evidence.single() { finding.with_hint(LONGER_RUN) } else { finding }
            };
            weak.map(finding).collect::<Vec<_>>()
        })
        .collect()
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
    fn ten_thousand_replies_support_a_p99() {
        assert_eq!(weights(&p99_of(10_000), RULE.name), []);
        assert_eq!(weights(&p99_of(9_999), RULE.name), [Weight::Caution; 2]);
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
}

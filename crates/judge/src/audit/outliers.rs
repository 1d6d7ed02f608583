//! Two intervals that lead to different verdicts.

use super::{Evidence, Rule, named_cases, remedies::more_replicates};
use crate::{
    draft::Draft,
    verdict::{Comparison, Finding, Weight, Word},
    weigh::word,
};
use record::Pair;
use text::lists;

pub(super) const RULE: Rule = Rule {
    name: "outliers",
    short: "single rounds weigh heavily",
    hint: "use more rounds (--rounds 20)",
    weight: Weight::Caution,
    threshold: "Derives a verdict from the paired t interval as well, at the same level. If it is \
                not the same word as that of the signed-rank interval, that is a caution for the \
                primary metric and a note for others. Of a suite it is a caution if a case is called \
                faster or slower by one of the two intervals alone, and a note for other words.",
    why: "The t interval follows means, which one extreme round can move; the signed-rank interval \
          follows ranks, which it moves far less. If the two lead to different words, single \
          rounds weigh heavily, or the result is close to the limit. The verdict is that of the \
          signed-rank interval.",
    remedy: "Look at the ratio round by round in the report. Run again with more rounds (--rounds \
             20) on a quiet machine.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    evidence.question.pairs.iter().filter_map(|pair| finding(evidence, *pair)).collect()
}

fn finding(evidence: &Evidence, pair: Pair) -> Option<Finding> {
    let drafts = || evidence.drafts.iter().filter(|draft| draft.is_about_all(pair));
    let both = drafts()
        .filter_map(|draft| Some((&draft.comparison, words(draft, evidence.question.matters)?)));
    let (comparisons, words): (Vec<&Comparison>, Vec<[Word; 2]>) =
        both.filter(|(_, [ranks, t])| ranks != t).unzip();
    let first = comparisons.first()?;
    let (seen, is_heavy) = if evidence.question.is_suite {
        let is_called = words.into_iter().flatten().any(Word::is_difference);
        (named_cases(&comparisons, drafts().count()), is_called)
    } else {
        let metrics: Vec<&str> = comparisons.iter().map(|of| of.metric.path()).collect();
        (lists::listed(&metrics), comparisons.iter().any(|comparison| comparison.primary))
    };
    let seen = format!(
        "for {} and {} the t interval gives another verdict than the signed-rank interval in {seen}",
        first.a, first.b,
    );
    let weight = if is_heavy { Weight::Caution } else { Weight::Note };
    let mut metrics: Vec<_> = comparisons.iter().map(|comparison| comparison.metric).collect();
    metrics.dedup();
    let found = RULE.about(&first.b, weight, seen).about(metrics);
    let option = more_replicates(evidence, 20);
    Some(if evidence.question.seeks_capacity() {
        found.with_remedy(
            &format!("use longer turns ({option})"),
            &format!(
                "Look at the ratio round by round in the report. Run again with longer turns ({option}) on a quiet \
                 machine."
            ),
        )
    } else if evidence.question.restarts > 0 {
        found.with_remedy(
            &format!("use more launches ({option})"),
            &format!(
                "Look at the ratio launch by launch in the report. Run again with more launches \
                 ({option}) on a quiet machine."
            ),
        )
    } else {
        found.with_option("--rounds 20", &option)
    })
}

/// The words of the signed-rank interval and of the t interval, at the same level. Returns None if there are not both.
fn words(draft: &Draft, matters: f64) -> Option<[Word; 2]> {
    let weighed = draft.weighed.as_ref()?;
    let direction = draft.comparison.metric.direction();
    let [ranks, t] = [weighed.interval?, weighed.t?].map(|of| word(of, matters, direction));
    Some([ranks, t])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, weights};

    #[test]
    fn one_extreme_round_gives_a_finding() {
        let mut ratios =
            [1.03, 1.02, 1.035, 1.025, 1.03, 1.04, 1.02, 1.03, 1.035, 1.03, 1.02, 1.03];
        assert_eq!(weights(&SampleRun::with_ratios(&ratios), RULE.name), []);
        ratios[4] = 0.6;
        assert_eq!(weights(&SampleRun::with_ratios(&ratios), RULE.name), [Weight::Caution]);
    }

    #[test]
    fn too_few_rounds_have_nothing_to_disagree_with() {
        assert_eq!(weights(&SampleRun::with_ratios(&[1.03, 1.02, 0.6, 1.03]), RULE.name), []);
    }

    #[test]
    fn more_rounds_or_launches_than_there_were_are_proposed() {
        let ratios = |n: usize| {
            let mut ratios: Vec<f64> = (0..n).map(|i| 1.03 + 0.005 * (i % 3) as f64).collect();
            ratios[4] = 0.6;
            SampleRun::with_ratios(&ratios)
        };
        let hint = |run: SampleRun| run.findings(RULE.name)[0].hint.clone();
        assert_eq!(hint(ratios(12)), "use more rounds (--rounds 24)");
        assert_eq!(hint(ratios(12).with_restarts(12)), "use more launches (--launches 24)");
    }
}

//! Two intervals that disagree.

use super::{Evidence, Rule};
use crate::{
    draft::Draft,
    verdict::{Finding, Weight},
    weigh::word,
};
use record::Pair;
use text::lists;

pub(super) const RULE: Rule = Rule {
    name: "outliers",
    short: "single rounds weigh heavily",
    hint: "use more rounds (--rounds 20)",
    weight: Weight::Caution,
    threshold: "Reads a verdict from the paired t interval as well, at the same level. Another \
                word than that of the signed-rank interval: a caution for the primary metric, a \
                note for others.",
    why: "The t interval follows means, which one wild round can move; the signed-rank interval \
          follows ranks, which it moves far less. Where the two say different things, single rounds weigh \
          heavily, or the result is at the edge of being one. The verdict is the signed-rank \
          interval's.",
    remedy: "Look at the ratio round by round in the report. Run again with more rounds (--rounds \
             20) and a quiet machine.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    evidence.question.pairs.iter().filter_map(|pair| finding(evidence, *pair)).collect()
}

fn finding(evidence: &Evidence, pair: Pair) -> Option<Finding> {
    let drafts = evidence.drafts.iter().filter(|draft| draft.pair == pair);
    let disagreeing = drafts.filter(|draft| disagrees(draft, evidence.question.matters));
    let comparisons: Vec<_> = disagreeing.map(|draft| &draft.comparison).collect();
    let metrics: Vec<String> = comparisons.iter().map(|c| c.metric.path().to_owned()).collect();
    let primary = comparisons.iter().any(|comparison| comparison.primary);
    let first = comparisons.first()?;
    let seen = format!(
        "for {} and {} the t interval gives another verdict than the signed-rank interval in {}",
        first.a,
        first.b,
        lists::listed(&metrics)
    );
    let weight = if primary { Weight::Caution } else { Weight::Note };
    Some(RULE.about(&first.b, weight, seen))
}

/// Whether the two intervals, at the same level, give different words.
fn disagrees(draft: &Draft, matters: f64) -> bool {
    let Some(weighed) = &draft.weighed else {
        return false;
    };
    let (Some(ranks), Some(t)) = (weighed.interval, weighed.t) else {
        return false;
    };
    let direction = draft.comparison.metric.direction();
    word(ranks, matters, direction) != word(t, matters, direction)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{Run, weights};

    #[test]
    fn one_wild_round_disagrees() {
        let mut ratios =
            [1.03, 1.02, 1.035, 1.025, 1.03, 1.04, 1.02, 1.03, 1.035, 1.03, 1.02, 1.03];
        assert_eq!(weights(&Run::with_ratios(&ratios), RULE.name), []);
        ratios[4] = 0.6;
        assert_eq!(weights(&Run::with_ratios(&ratios), RULE.name), [Weight::Caution]);
    }

    #[test]
    fn too_few_rounds_have_nothing_to_disagree_with() {
        assert_eq!(weights(&Run::with_ratios(&[1.03, 1.02, 0.6, 1.03]), RULE.name), []);
    }
}

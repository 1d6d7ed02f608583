//! Ranks of contenders, with ties: which ranks each one can have, given the differences that were shown.
//!
//! A contender is surely better than another one if the verdict on the pair says so. A rank is wrong only if such a
//! verdict is, and all verdicts of a family hold together at its level, so all ranks do (docs/METHOD.md, "Ranks"). A
//! pair without a difference separates nothing, which only makes ranks wider.

use crate::verdict::{
    Comparison, ContenderSummary, Finding, NotRanked, Ranked, Ranking, Weight, Word,
};
use record::{Direction, Metric};
use std::cmp::{Ordering, Reverse};

/// Rules about one contender: what it answers, or does not. A run is still about the others.
const OF_ONE_CONTENDER: [&str; 10] = [
    "withdrawn",
    "non_success",
    "misses",
    "wrong_values",
    "empty_reply",
    "unasked_bytes",
    // In a ranking it names who differs from most others.
    "differing_replies",
    "lost_nodes",
    "starved_connections",
    // In a ranking, what the generator fell short of names no contender.
    "rate_not_reached",
];

/// Returns the contenders that the audit refuses while at least two others remain. What it found of them no longer
/// refuses the run.
pub(crate) fn refused(findings: &mut [Finding], contenders: usize) -> Vec<NotRanked> {
    let is_of_one = |finding: &Finding| {
        finding.weight == Weight::Void && OF_ONE_CONTENDER.contains(&finding.rule.as_str())
    };
    let mut refused: Vec<NotRanked> = Vec::new();
    for finding in findings.iter().filter(|finding| is_of_one(finding)) {
        let Some(name) = &finding.contender else { continue };
        if refused.iter().all(|of| of.name != *name) {
            let (name, rule, why) = (name.clone(), finding.rule.clone(), finding.evidence.clone());
            refused.push(NotRanked { name, rule, why });
        }
    }
    if contenders < refused.len() + 2 {
        return Vec::new();
    }
    for finding in findings.iter_mut().filter(|finding| is_of_one(finding)) {
        if finding.contender.is_some() {
            finding.weight = Weight::Caution;
        }
    }
    findings.sort_by_key(|finding| Reverse(finding.weight));
    refused
}

/// Ranks contenders of which all pairs were compared, without these.
pub fn ranking(
    metric: Metric,
    contenders: &[ContenderSummary],
    comparisons: &[Comparison],
    not_ranked: Vec<NotRanked>,
) -> Ranking {
    let pairs: Vec<&Comparison> = comparisons.iter().filter(|it| it.primary).collect();
    let is_ranked = |of: &&ContenderSummary| not_ranked.iter().all(|other| other.name != of.name);
    let mut order: Vec<&ContenderSummary> = contenders.iter().filter(is_ranked).collect();
    order.sort_by(|one, other| best_first(metric, one.figure(metric), other.figure(metric)));
    let is_better: Vec<Vec<bool>> = order
        .iter()
        .map(|one| order.iter().map(|other| is_better(&pairs, &one.name, &other.name)).collect())
        .collect();
    let places = places(&is_better);
    let ranked = order.iter().zip(places).map(|(of, place)| {
        let to_first = pairs.iter().find_map(|pair| to_first(pair, &order[0].name, &of.name));
        let (ratio, bounds) = to_first.unwrap_or_default();
        Ranked {
            name: of.name.clone(),
            estimate: of.figure(metric),
            ratio,
            low: bounds.map(|bounds| bounds.0),
            high: bounds.map(|bounds| bounds.1),
            best: place.best,
            worst: place.worst,
            group: place.group,
        }
    });
    Ranking { metric, ranked: ranked.collect(), not_ranked }
}

/// The ranks that a contender can have, and its group, all from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) best: u32,
    pub(crate) worst: u32,
    pub(crate) group: u32,
}

/// The places of contenders in the order of their estimates. `is_better[i][j]` says whether contender i is surely
/// better than j.
pub(crate) fn places(is_better: &[Vec<bool>]) -> Vec<Place> {
    let count = is_better.len() as u32;
    let place = |(at, group): (usize, u32)| Place {
        best: 1 + is_better.iter().filter(|row| row[at]).count() as u32,
        worst: count - is_better[at].iter().filter(|better| **better).count() as u32,
        group,
    };
    groups(is_better).into_iter().enumerate().map(place).collect()
}

/// The best figure comes first, and one that is not known last.
fn best_first(metric: Metric, one: Option<f64>, other: Option<f64>) -> Ordering {
    match (one, other) {
        (Some(one), Some(other)) if metric.direction() == Direction::HigherIsBetter => {
            other.total_cmp(&one)
        }
        (Some(one), Some(other)) => one.total_cmp(&other),
        (one, other) => other.is_some().cmp(&one.is_some()),
    }
}

/// Whether a verdict says that one contender is better than the other.
fn is_better(pairs: &[&Comparison], one: &str, other: &str) -> bool {
    pairs.iter().any(|pair| match pair.verdict {
        Word::Faster => pair.b == one && pair.a == other,
        Word::Slower => pair.a == one && pair.b == other,
        Word::Equivalent | Word::Undecided | Word::Void => false,
    })
}

/// The number of each contender's group. A group ends where each contender so far is surely better than each later
/// one.
fn groups(is_better: &[Vec<bool>]) -> Vec<u32> {
    // The last contender that one of those so far is not surely better than.
    let mut reach = 0;
    let mut group = 0;
    let each = is_better.iter().enumerate().map(|(at, row)| {
        group += u32::from(at == 0 || reach < at);
        let last = row.iter().rposition(|better| !better).unwrap_or(at);
        reach = reach.max(last);
        group
    });
    each.collect()
}

/// The ratio of a contender to the first one, and its interval, if the pair is theirs.
#[expect(
    clippy::type_complexity,
    reason = "a ratio and its interval, each of which may be unknown"
)]
fn to_first(
    pair: &Comparison,
    first: &str,
    name: &str,
) -> Option<(Option<f64>, Option<(f64, f64)>)> {
    let bounds = pair.low.zip(pair.high);
    if pair.a == first && pair.b == name {
        return Some((pair.ratio, bounds));
    }
    let turned = |(low, high): (f64, f64)| (1.0 / high, 1.0 / low);
    (pair.a == name && pair.b == first)
        .then(|| (pair.ratio.map(|ratio| 1.0 / ratio), bounds.map(turned)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::RULES;
    use crate::builder::{SampleRun, ranked_run};

    #[test]
    fn rules_are_named_as_they_are() {
        let void = |name: &&str| {
            RULES.iter().any(|rule| rule.name == *name && rule.weight == Weight::Void)
        };
        assert!(OF_ONE_CONTENDER.iter().all(void));
    }

    /// A run of contenders with these relative throughputs, all pairs of which are compared.
    fn ranked(throughputs: &[(&str, f64)]) -> Vec<(String, u32, u32, u32)> {
        let names: Vec<&str> = throughputs.iter().map(|(name, _)| *name).collect();
        let mut run = ranked_run(&names, 12);
        for (name, factor) in throughputs {
            run.each_seen(name, |_, seen| {
                for slice in &mut seen.slices {
                    slice.operations = (slice.operations as f64 * factor * 100.0).round() as u64;
                }
            });
        }
        let verdict = run.verdict();
        let ranking = verdict.ranking().expect("it was asked for");
        let each = ranking.ranked.iter();
        each.map(|of| (of.name.clone(), of.best, of.worst, of.group)).collect()
    }

    fn wanted(of: &[(&str, u32, u32, u32)]) -> Vec<(String, u32, u32, u32)> {
        of.iter().map(|&(name, best, worst, group)| (name.to_owned(), best, worst, group)).collect()
    }

    #[test]
    fn contenders_that_differ_have_one_rank_each_and_equal_ones_share_theirs() {
        let found = ranked(&[("a", 0.5), ("b", 1.0), ("c", 1.0), ("d", 0.8)]);
        assert_eq!(
            found,
            wanted(&[("b", 1, 2, 1), ("c", 1, 2, 1), ("d", 3, 3, 2), ("a", 4, 4, 3)])
        );
    }

    #[test]
    fn one_bad_contender_does_not_void_the_rest() {
        let mut run = ranked_run(&["a", "b", "c"], 12).with_operations(1000);
        run.each_seen("b", |_, seen| seen.empty = 1000);
        let verdict = run.verdict();
        assert!(!verdict.void(), "{:?}", verdict.findings());
        let ranking = verdict.ranking().expect("it was asked for");
        let names: Vec<&str> = ranking.ranked.iter().map(|of| of.name.as_str()).collect();
        assert_eq!(names, ["a", "c"]);
        assert_eq!(ranking.not_ranked[0].name, "b");
        assert_eq!(ranking.not_ranked[0].rule, "empty_reply");
        let words: Vec<(&str, Word)> =
            verdict.comparisons().iter().map(|it| (it.b.as_str(), it.verdict)).collect();
        assert_eq!(words, [("b", Word::Void), ("c", Word::Equivalent), ("c", Word::Void)]);
        // With two bad ones nothing is left to compare.
        run.each_seen("c", |_, seen| seen.empty = 1000);
        assert!(run.verdict().void());
    }

    #[test]
    fn a_refused_comparison_sees_nothing_and_is_not_withheld_as_well() {
        let mut run = ranked_run(&["a", "b", "c"], 12).with_operations(10);
        run.question.primary = record::Metric::ResponseP99;
        run.question.length = record::LengthRule::WithinNs(1_000_000_000);
        run.each_seen("b", |_, seen| {
            crate::builder::fill(&mut seen.response_time, 2_000_000, 10);
        });
        let first = |run: &SampleRun| {
            let of = run.verdict().comparisons()[0].clone();
            (of.verdict, of.withheld.is_some(), of.sees.is_some())
        };
        assert_eq!(first(&run), (Word::Undecided, true, true));
        run.each_seen("b", |_, seen| seen.empty = 10);
        assert_eq!(first(&run), (Word::Void, false, false));
    }

    /// Blocks of two of three contenders: each pair is compared in the rounds that hold both.
    #[test]
    fn a_pair_is_compared_in_the_rounds_that_hold_both() {
        let mut run = ranked_run(&["a", "b", "c"], 27);
        let blocks = [[0, 1], [1, 2], [0, 2]];
        run.question.blocks = (0..27).map(|at| blocks[at % 3].to_vec()).collect();
        let question = run.question.clone();
        run.records.retain(|record| question.holds(record.round, record.contender));
        run.each_seen("c", |_, seen| {
            seen.slices.iter_mut().for_each(|slice| slice.took_ns *= 2);
        });
        let verdict = run.verdict();
        assert_eq!(verdict.complete_rounds(), 27);
        let each: Vec<(u32, Word, u32)> = (verdict.comparisons().iter())
            .map(|of| {
                (
                    of.replicates,
                    of.verdict,
                    of.rounds.iter().map(|round| round.0 % 3).max().unwrap_or(9),
                )
            })
            .collect();
        assert_eq!(each, [(9, Word::Equivalent, 1), (9, Word::Slower, 0), (9, Word::Slower, 2)]);
        let ranking = verdict.ranking().expect("it was asked for");
        let ranks: Vec<(u32, u32)> = ranking.ranked.iter().map(|of| (of.best, of.worst)).collect();
        assert_eq!(ranks, [(1, 2), (1, 2), (3, 3)]);
        // A round that lacks one of its contenders is not judged.
        run.records.retain(|record| (record.round, record.contender) != (4, 0));
        assert_eq!(run.verdict().complete_rounds(), 26);
    }

    #[test]
    fn one_that_differs_from_some_of_a_group_has_a_narrower_range() {
        // Only the ends of the chain are separated.
        let better = |a: usize, b: usize| a == 0 && b == 2;
        let matrix: Vec<Vec<bool>> =
            (0..3).map(|a| (0..3).map(|b| better(a, b)).collect()).collect();
        assert_eq!(groups(&matrix), [1, 1, 1]);
    }

    #[test]
    fn ratios_are_to_the_first_one_whichever_side_it_was_on() {
        let mut run = SampleRun::with_ratios(&[2.0; 8]);
        run.question.is_ranked = true;
        let verdict = run.verdict();
        let ranked = &verdict.ranking().expect("it was asked for").ranked;
        assert_eq!((ranked[0].name.as_str(), ranked[0].ratio), ("b", None));
        let (ratio, low) = (ranked[1].ratio.expect("a ratio"), ranked[1].low.expect("an interval"));
        assert!((ratio - 0.5).abs() < 1e-9 && low <= ratio, "{ratio} {low}");
    }
}

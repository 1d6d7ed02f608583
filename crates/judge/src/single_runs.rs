//! How often a single run of each contender would have misled.
//!
//! Published comparisons often rest on one run of each contender. What this method would have shown
//! on this machine follows from the rounds: one round of `a` and another round of `b` represent the
//! two runs, because they did not share the same state of the machine. If each contender was launched
//! several times, the two rounds are of different launches, as those of two single runs are. All such
//! pairs are counted, so the figure does not depend on chance.

use crate::verdict::{Comparison, ContenderSummary, Word};
use record::Question;

/// Pairs of single runs, and how many of them contradict the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SingleRuns {
    /// Pairs of a round of `a` and a round of `b` of another replicate: n·(n − 1) of n rounds.
    pub pairs: u64,
    /// Pairs that name the wrong contender. If the verdict is *equivalent*: pairs whose throughputs
    /// differ by more than the smallest difference that matters.
    pub wrong: u64,
}

impl SingleRuns {
    /// Share of the pairs that contradict the verdict, from 0 to 1.
    pub fn share(self) -> f64 {
        self.wrong as f64 / self.pairs as f64
    }
}

/// Counts the pairs of a comparison of throughput. `matters` is the smallest difference that
/// matters, as a share, and `each` the number of rounds per launch (1 if there is one launch).
///
/// Returns None if there is no verdict to compare them with, or fewer than two replicates.
pub fn single_runs(
    verdict: Word,
    a: &ContenderSummary,
    b: &ContenderSummary,
    matters: f64,
    each: u32,
) -> Option<SingleRuns> {
    let replicate = |round: u32| round.saturating_sub(1) / each.max(1);
    let is_wrong: &dyn Fn(f64) -> bool = match verdict {
        Word::Faster => &|ratio| ratio <= 1.0,
        Word::Slower => &|ratio| ratio >= 1.0,
        Word::Equivalent => &|ratio: f64| ratio.ln().abs() > matters.ln_1p(),
        Word::Undecided | Word::Void => return None,
    };
    let mut counted = SingleRuns { pairs: 0, wrong: 0 };
    for (round_of_a, of_a, ..) in a.rounds.iter().filter(|(_, rate, ..)| *rate > 0.0) {
        let other = |round: u32| replicate(round) != replicate(*round_of_a);
        for (_, of_b, ..) in b.rounds.iter().filter(|(round, ..)| other(*round)) {
            counted.pairs += 1;
            counted.wrong += u64::from(is_wrong(of_b / of_a));
        }
    }
    (counted.pairs > 0).then_some(counted)
}

/// Counts how often single runs of these contenders would have misled about their comparison.
///
/// Returns None if it does not compare throughput, or as [`single_runs`] does.
pub fn of_comparison(
    comparison: &Comparison,
    contenders: &[ContenderSummary],
    question: &Question,
) -> Option<SingleRuns> {
    if comparison.metric != record::Metric::Throughput || comparison.part().is_some() {
        return None;
    }
    let each = question.rounds_of_a_launch().unwrap_or(1);
    let named = |name: &str| contenders.iter().find(|of| of.name == name);
    single_runs(
        comparison.verdict,
        named(&comparison.a)?,
        named(&comparison.b)?,
        question.matters,
        each,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contender(rates: &[f64]) -> ContenderSummary {
        let rounds = (1..).zip(rates).map(|(round, rate)| (round, *rate, None, None)).collect();
        ContenderSummary { rounds, ..ContenderSummary::default() }
    }

    fn counted(verdict: Word, a: &[f64], b: &[f64]) -> Option<(u64, u64)> {
        let of = single_runs(verdict, &contender(a), &contender(b), 0.01, 1);
        of.map(|of| (of.pairs, of.wrong))
    }

    #[test]
    fn rounds_that_meet_the_same_machine_are_left_out() {
        // In each round b is 5 % faster, and the machine's speed differs by more.
        let (a, b) = ([100.0, 120.0, 90.0], [105.0, 126.0, 94.5]);
        // 105/120, 94.5/100, 94.5/120 are below 1.
        assert_eq!(counted(Word::Faster, &a, &b), Some((6, 3)));
        assert_eq!(counted(Word::Slower, &b, &a), Some((6, 3)));
    }

    #[test]
    fn rounds_of_one_launch_are_not_paired() {
        // Two launches of two rounds each: the launches differ, and b is faster in each.
        let (a, b) =
            (contender(&[100.0, 101.0, 120.0, 121.0]), contender(&[105.0, 106.0, 126.0, 127.0]));
        let of = single_runs(Word::Faster, &a, &b, 0.01, 2).expect("two launches");
        // Those of b's first launch are slower than those of a's second.
        assert_eq!((of.pairs, of.wrong), (8, 4));
        assert_eq!(single_runs(Word::Faster, &a, &b, 0.01, 4), None, "one launch");
    }

    #[test]
    fn equals_that_look_different_count() {
        let (a, b) = ([100.0, 100.5, 103.0], [100.0, 100.5, 103.0]);
        assert_eq!(counted(Word::Equivalent, &a, &b), Some((6, 4)));
    }

    #[test]
    fn what_has_no_verdict_or_one_round_tells_nothing() {
        assert_eq!(counted(Word::Undecided, &[1.0, 2.0], &[1.0, 2.0]), None);
        assert_eq!(counted(Word::Void, &[1.0, 2.0], &[1.0, 2.0]), None);
        assert_eq!(counted(Word::Faster, &[1.0], &[2.0]), None);
        assert_eq!(counted(Word::Faster, &[0.0, 0.0], &[2.0, 2.0]), None);
    }
}

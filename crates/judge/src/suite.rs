//! How the cases of a suite compare: the counts of each pair, and the cases without a verdict.

use crate::{
    draft::Draft,
    evidence::Evidence,
    verdict::{Comparison, Control, FailedCase, OnlyIn, Suite, SuitePair, Word},
};
use record::Pair;
use std::ops::Range;

/// How many of these comparisons of a pair, one for each case, have which verdict.
fn counted(evidence: &Evidence, pair: Pair, all: &[Comparison], at: Range<usize>) -> SuitePair {
    let failed: Vec<Option<FailedCase>> =
        (0..at.len()).map(|case| failed(evidence, pair, case)).collect();
    // Those that failed are counted apart, whatever their word.
    let with_figures = all[at.clone()].iter().zip(&failed).filter(|(_, failed)| failed.is_none());
    let words: Vec<Word> = with_figures.map(|(of, _)| of.verdict).collect();
    let count = |word: Word| words.iter().filter(|of| **of == word).count() as u32;
    SuitePair {
        a: evidence.name(pair.a).to_owned(),
        b: evidence.name(pair.b).to_owned(),
        slower: count(Word::Slower),
        faster: count(Word::Faster),
        equivalent: count(Word::Equivalent),
        undecided: count(Word::Undecided),
        void: count(Word::Void),
        failed: failed.into_iter().flatten().collect(),
        comparisons: at,
    }
}

/// The case as one that failed. None if both sides have a figure in every judged round.
fn failed(evidence: &Evidence, pair: Pair, case: usize) -> Option<FailedCase> {
    let (side, round, why) = evidence.cases.first_without(pair, case)?;
    Some(FailedCase {
        case: evidence.cases.compared()[case].name.clone(),
        contender: evidence.name(side).to_owned(),
        round,
        why: why.to_string(),
    })
}

/// The result of a suite, from its comparisons after the audit. Returns None for all other runs.
pub(crate) fn of(evidence: &Evidence, comparisons: &[Comparison]) -> Option<Suite> {
    let question = &evidence.question;
    if !question.is_suite {
        return None;
    }
    let cases = evidence.cases.compared();
    let pairs = question.pairs.iter().enumerate().map(|(number, pair)| {
        let at = number * cases.len()..(number + 1) * cases.len();
        counted(evidence, *pair, comparisons, at)
    });
    let listed = &evidence.cases.listed;
    let is_original = |contender: u32| question.control.is_none_or(|pair| pair.b != contender);
    let only_in = listed.only_in.iter().filter(|of| is_original(of.contender));
    Some(Suite {
        cases: cases.to_vec(),
        pairs: pairs.collect(),
        only_in: only_in
            .map(|of| OnlyIn {
                contender: evidence.name(of.contender).to_owned(),
                cases: of.cases.clone(),
            })
            .collect(),
        left_out: listed.left_out.clone(),
        control: question.control.map(|pair| control(evidence, pair)),
    })
}

fn control(evidence: &Evidence, pair: Pair) -> Control {
    let comparison = |draft: &Draft| draft.comparison.clone();
    let comparisons: Vec<Comparison> = evidence.control.iter().map(comparison).collect();
    let all = 0..comparisons.len();
    Control { pair: counted(evidence, pair, &comparisons, all), comparisons }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::SampleRun;

    /// Cases that failed are counted apart, whatever their words: here one is undecided and one void.
    #[test]
    fn cases_that_failed_are_not_counted_by_their_words() {
        let mut run =
            SampleRun::suite(&["old", "new"], (4, 14), |round, _, _| 1.0 + f64::from(round % 5));
        run.each_seen("new", |round, seen| {
            if round == 3 {
                seen.programs.figures.truncate(2);
            }
        });
        let evidence = run.judge().into_evidence();
        let of = run.verdict().comparisons()[0].clone();
        let words = [Word::Void, Word::Undecided, Word::Undecided, Word::Void];
        let all = words.map(|verdict| Comparison { verdict, ..of.clone() });
        let pair = counted(&evidence, Pair { a: 0, b: 1 }, &all, 0..4);
        assert_eq!((pair.void, pair.undecided, pair.failed.len()), (1, 1, 2));
    }
}

//! What the runs of two contenders show about which one is faster.

use crate::groups::{Measure, RunGroup, comparable, differences};
use crate::objection::{self, Objection};
use crate::run::PublishedRun;
use judge::ALPHA;
use judge::stats::quantile::median;
use judge::stats::rank_sum::chance_of_separation;
use judge::verdict::Weight;

/// The largest number of comparisons.
const MOST: usize = 100;

/// The possible conclusions about two contenders.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Word {
    /// A run of one of them is void, or the comparison is.
    Void,
    /// They ran under different loads.
    UnequalLoad,
    /// A figure is missing.
    NoFigure,
    /// One of them has only one run, so the variation between its runs is unknown.
    OneRun,
    /// Their runs overlap.
    Overlap,
    /// They do not overlap, but with so few runs this happens by chance with this probability.
    TooFew(f64),
    /// They do not overlap; in a random order of runs this happens by chance with this probability.
    Apart(f64),
}

/// Two contenders.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Index of the first group.
    pub a: usize,
    /// Index of the other.
    pub b: usize,
    /// The figure by which they are compared.
    pub measure: Measure,
    /// Median of the second's runs ÷ median of the first's.
    pub ratio: Option<f64>,
    /// The conclusion.
    pub word: Word,
}

/// Compares the first contender of each kind of work with each other one.
pub(crate) fn comparisons(
    runs: &[PublishedRun],
    groups: &[RunGroup],
    objections: &[Objection],
) -> Vec<Comparison> {
    let mut found = Vec::new();
    for (b, of_b) in groups.iter().enumerate() {
        let first = groups[..b]
            .iter()
            .position(|of_a| comparable(&runs[of_a.runs[0]], &runs[of_b.runs[0]]));
        if let Some(a) = first
            && found.len() < MOST
        {
            found.push(Pair { runs, groups, objections, a, b }.comparison());
        }
    }
    found
}

/// Two groups, and everything that is known about them.
struct Pair<'a> {
    runs: &'a [PublishedRun],
    groups: &'a [RunGroup],
    objections: &'a [Objection],
    a: usize,
    b: usize,
}

impl Pair<'_> {
    fn comparison(&self) -> Comparison {
        let (a, b) = (self.a, self.b);
        let measure = Measure::of(self.first_run(a));
        let of = |word, ratio: Option<f64>| Comparison {
            a,
            b,
            measure,
            ratio: ratio.filter(|ratio| ratio.is_finite()),
            word,
        };
        let (Some(first), Some(second)) = (self.figures(a, measure), self.figures(b, measure))
        else {
            return of(Word::NoFigure, None);
        };
        let unequal = !differences(self.first_run(a), self.first_run(b)).is_empty();
        let word = match (self.is_void(), unequal) {
            (true, _) => Word::Void,
            (_, true) => Word::UnequalLoad,
            _ => word(&first, &second),
        };
        let ratio = median(&second).zip(median(&first)).map(|(second, first)| second / first);
        of(word, ratio)
    }

    fn first_run(&self, group: usize) -> &PublishedRun {
        &self.runs[self.groups[group].runs[0]]
    }

    /// The figures of a group in ascending order. Returns None if a run does not show its figure.
    fn figures(&self, group: usize, measure: Measure) -> Option<Vec<f64>> {
        let of_runs = self.groups[group].runs.iter().map(|run| measure.figure(&self.runs[*run]));
        let mut figures = of_runs.map(|at| Some(at?.value)).collect::<Option<Vec<f64>>>()?;
        figures.sort_by(f64::total_cmp);
        Some(figures)
    }

    /// Whether a run of the two is void, or the comparison is.
    fn is_void(&self) -> bool {
        let of = [self.a, self.b].map(|group| &self.groups[group].runs);
        let is_of_both =
            |runs: &[usize]| of.iter().all(|all| all.iter().any(|run| runs.contains(run)));
        let is_void = |run: &usize| objection::weight(self.objections, *run) == Some(Weight::Void);
        of.iter().any(|runs| runs.iter().any(is_void))
            || self.objections.iter().any(|objection| {
                objection.weight == Weight::Void && !objection.alone && is_of_both(&objection.runs)
            })
    }
}

/// Compares figures in ascending order.
fn word(first: &[f64], second: &[f64]) -> Word {
    if first.len() < 2 || second.len() < 2 {
        return Word::OneRun;
    }
    let disjoint = first[first.len() - 1] < second[0] || second[second.len() - 1] < first[0];
    if !disjoint {
        return Word::Overlap;
    }
    let chance = chance_of_separation(first.len(), second.len());
    if chance > ALPHA { Word::TooFew(chance) } else { Word::Apart(chance) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_runs_each_can_be_apart_and_three_cannot() {
        assert_eq!(word(&[1.0], &[2.0, 3.0]), Word::OneRun);
        assert_eq!(word(&[1.0, 2.5], &[2.0, 3.0]), Word::Overlap);
        assert_eq!(word(&[1.0, 2.0], &[2.0, 3.0]), Word::Overlap);
        assert_eq!(word(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]), Word::TooFew(0.1));
        let Word::Apart(chance) = word(&[5.0, 6.0, 7.0, 8.0], &[1.0, 2.0, 3.0, 4.0]) else {
            panic!("apart")
        };
        assert!((chance - 2.0 / 70.0).abs() < 1e-12);
    }
}

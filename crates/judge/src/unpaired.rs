//! Ranks from runs that are not paired, as other people publish them: several figures of each contender, of which
//! nothing says which ones met the same machine.
//!
//! A pair is judged by the exact rank-sum interval of its logarithms at the level of the family of all pairs, and ranks
//! follow as in [`rank`](crate::rank). The level assumes that the runs were made in a random order.

use crate::rank::places;
use crate::stats::quantile::median;
use crate::stats::rank_sum::{CriticalRankSums, shift};
use crate::stats::rounds::level;
use crate::verdict::{Ranked, Word};
use crate::weigh::word;
use crate::{ALPHA, MATTERS};
use record::Direction;

/// A contender and its runs.
#[derive(Clone, Debug, PartialEq)]
pub struct RepeatedRuns {
    /// Its name.
    pub name: String,
    /// The figure of each run, above 0.
    pub figures: Vec<f64>,
}

/// Ranks that hold together with 95 %, if the runs were made in a random order.
#[derive(Clone, Debug, PartialEq)]
pub struct UnpairedRanking {
    /// The contenders, the best median first.
    pub ranked: Vec<Ranked>,
    /// The number of pairs.
    pub pairs: usize,
    /// The pairs of which one is surely better.
    pub separated: usize,
}

/// Ranks contenders whose medians were sorted, the best one first. The work grows with the square of the number of
/// figures.
///
/// Returns None if not even the two with the most runs could be separated at the level of the family.
pub fn ranked(sorted: &[RepeatedRuns], higher_is_better: bool) -> Option<UnpairedRanking> {
    let mut counts: Vec<usize> = sorted.iter().map(|of| of.figures.len()).collect();
    counts.sort_unstable_by(|one, other| other.cmp(one));
    let (most, second) = (*counts.first()?, *counts.get(1)?);
    let pairs = sorted.len() * (sorted.len() - 1) / 2;
    let critical = CriticalRankSums::new(most, level(ALPHA, pairs));
    critical.of(most, second)?;
    let logarithms: Vec<Vec<f64>> =
        sorted.iter().map(|of| of.figures.iter().map(|figure| figure.ln()).collect()).collect();
    let shift_of = |a: usize, b: usize| {
        let (a, b) = (&logarithms[a], &logarithms[b]);
        shift(a, b, critical.of(a.len(), b.len())?)
    };
    let direction =
        if higher_is_better { Direction::HigherIsBetter } else { Direction::LowerIsBetter };
    let mut is_better = vec![vec![false; sorted.len()]; sorted.len()];
    for (a, b) in (0..sorted.len()).flat_map(|b| (0..b).map(move |a| (a, b))) {
        match shift_of(a, b).map(|(_, interval)| word(interval, MATTERS, direction)) {
            Some(Word::Faster) => is_better[b][a] = true,
            Some(Word::Slower) => is_better[a][b] = true,
            _ => {}
        }
    }
    let separated = is_better.iter().flatten().filter(|better| **better).count();
    let each = sorted.iter().zip(places(&is_better)).enumerate().map(|(at, (of, place))| {
        let to_first = if at == 0 { None } else { shift_of(0, at) };
        Ranked {
            name: of.name.clone(),
            estimate: median(&of.figures),
            ratio: to_first.map(|(estimate, _)| estimate.exp()),
            low: to_first.map(|(_, (low, _))| low.exp()),
            high: to_first.map(|(_, (_, high))| high.exp()),
            best: place.best,
            worst: place.worst,
            group: place.group,
        }
    });
    Some(UnpairedRanking { ranked: each.collect(), pairs, separated })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Six runs around a figure, each list in an order of its own.
    fn around(name: &str, figure: f64, offset: usize) -> RepeatedRuns {
        let spread = [0.998, 1.001, 1.003, 0.999, 1.002, 0.997];
        let figures = (0..6).map(|at| figure * spread[(at + offset) % 6]).collect();
        RepeatedRuns { name: name.to_owned(), figures }
    }

    fn places_of(of: &UnpairedRanking) -> Vec<(&str, u32, u32, u32)> {
        of.ranked.iter().map(|it| (it.name.as_str(), it.best, it.worst, it.group)).collect()
    }

    #[test]
    fn those_that_cannot_be_told_apart_share_their_ranks() {
        let sorted = [around("a", 200.0, 0), around("b", 199.9, 2), around("c", 100.0, 1)];
        let ranking = ranked(&sorted, true).expect("enough runs");
        assert_eq!(places_of(&ranking), [("a", 1, 2, 1), ("b", 1, 2, 1), ("c", 3, 3, 2)]);
        assert_eq!((ranking.pairs, ranking.separated), (3, 2));
        let last = &ranking.ranked[2];
        let (low, ratio, high) = (last.low.unwrap(), last.ratio.unwrap(), last.high.unwrap());
        assert!(low < ratio && ratio < high && (ratio - 0.5).abs() < 0.002, "{last:?}");
        assert_eq!(ranking.ranked[0].ratio, None);
    }

    #[test]
    fn smaller_times_are_better() {
        let sorted = [around("c", 1.0, 1), around("b", 1.5, 2), around("a", 2.0, 0)];
        let ranking = ranked(&sorted, false).expect("enough runs");
        assert_eq!(places_of(&ranking), [("c", 1, 1, 1), ("b", 2, 2, 2), ("a", 3, 3, 3)]);
    }

    #[test]
    fn a_difference_below_what_matters_separates_nothing() {
        let runs = |name: &str, figure: f64| RepeatedRuns {
            name: name.to_owned(),
            figures: (0..8).map(|at| figure * (1.0 + f64::from(at) * 1e-6)).collect(),
        };
        let ranking = ranked(&[runs("a", 100.5), runs("b", 100.0)], true).expect("enough runs");
        assert_eq!(places_of(&ranking), [("a", 1, 2, 1), ("b", 1, 2, 1)]);
    }

    #[test]
    fn three_runs_of_each_are_too_few_and_one_run_only_widens() {
        let few = |of: RepeatedRuns| RepeatedRuns { figures: of.figures[..3].to_vec(), ..of };
        let three = [few(around("a", 2.0, 0)), few(around("b", 1.0, 1))];
        assert_eq!(ranked(&three, true), None);
        assert_eq!(ranked(&three[..1], true), None);
        let mut sorted = vec![around("a", 200.0, 0), around("b", 150.0, 1), around("c", 100.0, 2)];
        sorted[1].figures.truncate(1);
        let ranking = ranked(&sorted, true).expect("enough runs of two");
        assert_eq!(places_of(&ranking), [("a", 1, 2, 1), ("b", 1, 3, 1), ("c", 2, 3, 1)]);
    }

    /// Boards of four equal entries with eight runs each, in random order: any separation is an error, and at most 5 %
    /// of boards may have one. More than 24 of 200 have a probability below 1 in 10 000.
    #[test]
    fn equal_entries_are_rarely_separated() {
        let mut random = Random(7);
        let mut wrong = 0;
        for _ in 0..200 {
            let mut entry = |name: &str| RepeatedRuns {
                name: name.to_owned(),
                // The figures are far apart, so that no difference is too small to matter.
                figures: (0..8).map(|_| 100.0 + 50.0 * random.uniform()).collect(),
            };
            let mut sorted = ["a", "b", "c", "d"].map(&mut entry);
            sorted.sort_by(|one, other| {
                let [one, other] = [one, other].map(|of| median(&of.figures).expect("runs"));
                other.total_cmp(&one)
            });
            let ranking = ranked(&sorted, true).expect("enough runs");
            wrong += u32::from(ranking.separated > 0);
        }
        assert!((1..=24).contains(&wrong), "{wrong} of 200");
    }
}

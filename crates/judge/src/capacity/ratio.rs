//! The ratio of two capacities, from the differences of the rounds.

use super::adaptation::Crossing;
use super::fit::{Point, crossing_with};
use super::{Adaptation, CapacityFound, Part};
use crate::verdict::Word;
use crate::weigh::{Weighed, word};
use record::Direction;
use thiserror::Error;

/// A smaller difference than 1 % is never called, because the level of the interval is not exact: the rates of a round
/// follow from the rounds before.
const LEAST_CALLED: f64 = 0.01;

/// The steepest slope that turns a round's share into its crossing. The slopes of steep curves are found too large
/// (simulated: 54 in the mean where the true one is 34). Crossings would then stay near the rates that were driven, alike
/// in all rounds, and the interval would be too narrow: with 16 workers it covered 76 %.
const STEEPEST: f64 = 30.0;

/// The ratio of the capacities of two contenders, b/a.
#[derive(Clone, Debug, PartialEq)]
pub struct CapacityRatio {
    /// d = ln(b/a) of each round.
    pub differences: Vec<f64>,
    /// The ratio: the exponential of the Hodges-Lehmann estimate.
    pub ratio: f64,
    /// The exact signed-rank interval at the level asked for. None if there are too few rounds for it.
    pub interval: Option<(f64, f64)>,
    /// The p of the exact signed-rank test of equal capacities.
    pub p: f64,
    /// The paired t interval, which decides nothing.
    pub t: Option<(f64, f64)>,
    /// Faster or slower only if the whole interval lies beyond ± 1 % (or what matters, if that is more).
    pub word: Word,
}

/// Why two capacities have no ratio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoRatio {
    /// One of them is limited by the generator.
    #[error("the generator limited a capacity")]
    Generator,
    /// One of them is limited by errors, which are not interpolated.
    #[error("errors limited a capacity, and errors are judged at the rates on both sides")]
    Errors,
    /// One of them has no capacity: its percentile hardly depends on the rate, or its rate left the range of the
    /// search.
    #[error("a contender has no capacity")]
    NoCapacity,
    /// There are no rounds, or different numbers of them.
    #[error("there are no rounds of both")]
    Rounds,
}

/// The ratio of two contenders that were driven in the same rounds.
///
/// # Errors
/// Returns why there is no ratio.
pub fn ratio(
    a: &Adaptation,
    b: &Adaptation,
    level: f64,
    matters: f64,
) -> Result<CapacityRatio, NoRatio> {
    let limits = [limit(a, level)?, limit(b, level)?];
    if a.rounds.len() != b.rounds.len() {
        return Err(NoRatio::Rounds);
    }
    let [of_a, of_b] = crossings([a, b], limits);
    let differences: Vec<f64> = of_a.iter().zip(&of_b).map(|(a, b)| b - a).collect();
    let weighed = Weighed::new(&differences, level).ok_or(NoRatio::Rounds)?;
    Ok(CapacityRatio {
        ratio: weighed.estimate.exp(),
        interval: weighed.interval.map(|(low, high)| (low.exp(), high.exp())),
        p: weighed.p,
        t: weighed.t.map(|(low, high)| (low.exp(), high.exp())),
        word: weighed.interval.map_or(Word::Undecided, |interval| called(interval, matters)),
        differences,
    })
}

/// Where the limiting objective is crossed.
fn limit(of: &Adaptation, level: f64) -> Result<Crossing, NoRatio> {
    let capacity = of.capacity(level).ok_or(NoRatio::Rounds)?;
    if capacity.part == Part::Generator {
        return Err(NoRatio::Generator);
    }
    match capacity.found {
        CapacityFound::At { .. } => of.limit().ok_or(NoRatio::NoCapacity),
        CapacityFound::Between { .. } => Err(NoRatio::Errors),
        CapacityFound::HardlyDepends { .. } | CapacityFound::LeftRange { .. } => {
            Err(NoRatio::NoCapacity)
        }
    }
}

/// ln of the crossing of each round, for both. They share the geometric mean of their slopes, unless different
/// objectives limit them, whose slopes have nothing in common.
fn crossings(sides: [&Adaptation; 2], limits: [Crossing; 2]) -> [Vec<f64>; 2] {
    let [a, b] = limits;
    let shared = (a.slope * b.slope).sqrt();
    let is_shared = a.objective == b.objective;
    [(sides[0], a), (sides[1], b)].map(|(of, limit)| {
        let slope = if is_shared { shared } else { limit.slope }.min(STEEPEST);
        let may_miss = of.objectives[limit.objective].may_miss();
        let crossing = |round: &Vec<_>| {
            let points: Vec<Point> =
                round.iter().map(|turn| Point::new(turn, of.start, limit.objective)).collect();
            of.start.ln() + crossing_with(&points, slope, may_miss)
        };
        of.rounds.iter().map(crossing).collect()
    })
}

/// The word of an interval of ln(b/a): equivalent as always, faster or slower only beyond the least difference that
/// is called.
fn called(interval: (f64, f64), matters: f64) -> Word {
    let (low, high) = interval;
    let least = matters.max(LEAST_CALLED).ln_1p();
    match word(interval, matters, Direction::HigherIsBetter) {
        Word::Faster if low <= least => Word::Undecided,
        Word::Slower if high >= -least => Word::Undecided,
        word => word,
    }
}

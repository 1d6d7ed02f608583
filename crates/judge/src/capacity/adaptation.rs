//! The rounds of one contender: which rates the next one has, and the capacity that all of them show.

use super::fit::{Curve, Point, is_surely_below};
use super::{Part, TURNS, Turn, errors};
use crate::stats::{distributions::t_two_sided, paired_t::mean};
use record::{Objective, Percentile};

/// How far rates are from the start at most: ± 30 %.
const RANGE: (f64, f64) = (0.7, 1.3);
/// The distance of the outer rates from the middle one in the first round; then it is 1 ÷ slope, within these.
const FIRST_DISTANCE: f64 = 0.05;
const DISTANCES: (f64, f64) = (0.008, 0.08);
/// Below this slope a percentile hardly depends on the rate.
const LEAST_SLOPE: f64 = 4.0;
/// Below this slope a precise figure takes longer turns.
const SMALL_SLOPE: f64 = 10.0;
/// After fewer rounds the rates are not where they tell most about the slope.
const FEWEST_FOR_SLOPE: usize = 3;
/// Intervals by leaving a round out are too narrow, because rates follow from the rounds before; simulated.
const WIDENED: f64 = 1.2;
/// The generator limits a capacity if it was the slowest part in this share of the turns.
const GENERATOR_SHARE: f64 = 0.1;

/// The rounds of one contender.
#[derive(Clone, Debug)]
pub struct Adaptation {
    pub(super) objectives: Vec<Objective>,
    /// The rate that the search found.
    pub(super) start: f64,
    pub(super) rounds: Vec<Vec<Turn>>,
}

/// The capacity of a contender.
#[derive(Clone, Debug, PartialEq)]
pub struct Capacity {
    /// What was found.
    pub found: CapacityFound,
    /// The objective that limited it, by its position.
    pub objective: usize,
    /// The part that limited it. If it is the generator, the capacity is at least what was found.
    pub part: Part,
}

/// What the rounds show of a capacity. Rates are operations per second.
#[derive(Clone, Debug, PartialEq)]
pub enum CapacityFound {
    /// The objective is just met at a rate.
    At {
        /// The rate.
        rate: f64,
        /// Its interval, which is approximate. None for a p50, whose capacity is biased, and below two rounds.
        interval: Option<(f64, f64)>,
        /// How steeply the logit of the fraction missed rises with the logarithm of the rate.
        slope: f64,
        /// Whether the slope is so small that a precise figure takes longer turns (six minutes or more). Never of a p50.
        is_slope_small: bool,
    },
    /// An objective on errors is met at one rate and missed at the other. No rate in between is claimed.
    Between {
        /// The highest rate at which it is met. None if it is met at no rate that was driven.
        met: Option<f64>,
        /// The lowest rate at which it is missed.
        missed: f64,
    },
    /// The percentile hardly depends on the rate, so there is no capacity.
    HardlyDepends {
        /// The slope, which is too small.
        slope: f64,
    },
    /// The rate left the range of ± 30 % around what the search had found: the target has changed, or the search
    /// met an unusual moment.
    LeftRange {
        /// The end of the range that was reached.
        rate: f64,
    },
}

/// Where the objective that limits a contender is just met.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    /// The position of the objective.
    pub(super) objective: usize,
    /// ln(rate ÷ start), inside the range.
    pub(super) z: f64,
    pub(super) slope: f64,
    left_range: bool,
}

impl Adaptation {
    /// The rounds of a contender whose search found `start`, in operations per second.
    pub fn new(objectives: &[Objective], start: f64) -> Adaptation {
        Adaptation { objectives: objectives.to_vec(), start, rounds: Vec::new() }
    }

    /// The rates of the next round, in operations per second, ascending. They are driven in drawn order.
    pub fn rates(&self) -> [f64; TURNS] {
        let first = (0.0, FIRST_DISTANCE);
        let around = (0..self.objectives.len()).map(|objective| match self.objectives[objective] {
            _ if self.rounds.is_empty() => first,
            Objective::ResponseTime { .. } => {
                let crossing = self.crossing(objective, None);
                (crossing.z, 1.0 / crossing.slope)
            }
            Objective::Errors { fraction } => self.around_errors(objective, fraction),
        });
        let (z, distance) = around.min_by(|one, other| one.0.total_cmp(&other.0)).unwrap_or(first);
        let distance = distance.clamp(DISTANCES.0, DISTANCES.1);
        [-distance, 0.0, distance].map(|from_middle| self.start * (z + from_middle).exp())
    }

    /// The middle of the rates between which more operations fail than may, as ln(rate ÷ start), and the distance to
    /// them: the end of the range if there are no two such rates.
    fn around_errors(&self, objective: usize, fraction: f64) -> (f64, f64) {
        let (lowest, highest) = (RANGE.0.ln(), RANGE.1.ln());
        let (met, missed) = errors::bracket(self.points(objective, None), fraction);
        let (met, missed) = match (met, missed) {
            (Some(met), Some(missed)) => (met, missed),
            (None, Some(missed)) => (missed - 2.0 * FIRST_DISTANCE, missed),
            (_, None) => (highest, highest),
        };
        (met.midpoint(missed).clamp(lowest, highest), (missed - met) / 2.0)
    }

    /// Takes the turns of one complete round, in any order.
    pub fn add_round(&mut self, turns: Vec<Turn>) {
        self.rounds.push(turns);
    }

    /// The capacity that the rounds show, with an interval at `level` (0.05 for 95 %). None without rounds.
    pub fn capacity(&self, level: f64) -> Option<Capacity> {
        if self.rounds.is_empty() {
            return None;
        }
        let limit = self.limit();
        if let Some((objective, met, missed)) = self.limited_by_errors(limit) {
            let found = CapacityFound::Between { met, missed };
            return Some(Capacity { found, objective, part: self.part_from(missed) });
        }
        // Without a crossing there are only objectives on errors, and all of them are met everywhere.
        let Some(limit) = limit else {
            let rate = self.start * RANGE.1;
            let found = CapacityFound::LeftRange { rate };
            return Some(Capacity { found, objective: 0, part: self.part_from(rate) });
        };
        let rate = self.start * limit.z.exp();
        let found = if limit.slope < LEAST_SLOPE {
            CapacityFound::HardlyDepends { slope: limit.slope }
        } else if limit.left_range {
            CapacityFound::LeftRange { rate }
        } else {
            CapacityFound::At {
                rate,
                interval: self.interval(&limit, level),
                slope: limit.slope,
                is_slope_small: limit.slope < SMALL_SLOPE && !self.is_median(limit.objective),
            }
        };
        Some(Capacity { found, objective: limit.objective, part: self.part_from(rate) })
    }

    /// Whether it is already sure that the percentile hardly depends on the rate, so that further rounds find no
    /// capacity.
    pub fn surely_hardly_depends(&self) -> bool {
        self.has_surely_slope_below(LEAST_SLOPE)
    }

    /// Whether it is already sure that a precise figure takes longer turns. Never of a p50.
    pub fn is_surely_slow(&self) -> bool {
        let is_median = self.limit().is_some_and(|limit| self.is_median(limit.objective));
        !is_median && self.has_surely_slope_below(SMALL_SLOPE)
    }

    fn has_surely_slope_below(&self, slope: f64) -> bool {
        let Some(limit) = self.limit().filter(|_| self.rounds.len() >= FEWEST_FOR_SLOPE) else {
            return false;
        };
        limit.slope < slope && is_surely_below(&self.points(limit.objective, None), slope)
    }

    /// The percentile that is crossed at the lowest rate. None if there is no percentile.
    pub(super) fn limit(&self) -> Option<Crossing> {
        let is_percentile =
            |at: &usize| matches!(self.objectives[*at], Objective::ResponseTime { .. });
        let percentiles = (0..self.objectives.len()).filter(is_percentile);
        let crossings = percentiles.map(|objective| self.crossing(objective, None));
        crossings.min_by(|one, other| one.z.total_cmp(&other.z))
    }

    /// The crossing of one objective in all rounds, or in all but one.
    fn crossing(&self, objective: usize, left_out: Option<usize>) -> Crossing {
        let curve = Curve::fit(&self.points(objective, left_out));
        let free = curve.crossing(self.objectives[objective].may_miss());
        let z = free.clamp(RANGE.0.ln(), RANGE.1.ln());
        Crossing { objective, z, slope: curve.slope, left_range: z != free }
    }

    /// What the turns of all rounds, or of all but one, say about one objective.
    fn points(&self, objective: usize, left_out: Option<usize>) -> Vec<Point> {
        let kept = self.rounds.iter().enumerate().filter(|(at, _)| Some(*at) != left_out);
        let turns = kept.flat_map(|(_, turns)| turns);
        turns.map(|turn| Point::new(turn, self.start, objective)).collect()
    }

    /// The objective on errors that limits the capacity, with the highest rate at which it is met and the lowest at
    /// which it is missed: one that is missed below the crossing of all percentiles.
    fn limited_by_errors(&self, limit: Option<Crossing>) -> Option<(usize, Option<f64>, f64)> {
        let missed_below = limit.map_or(f64::INFINITY, |limit| limit.z);
        let rate = |z: f64| self.start * z.exp();
        let brackets = self.objectives.iter().enumerate().filter_map(|(at, objective)| {
            let Objective::Errors { fraction } = *objective else { return None };
            let (met, missed) = errors::bracket(self.points(at, None), fraction);
            let missed = missed.filter(|missed| *missed <= missed_below)?;
            Some((at, met.map(rate), rate(missed)))
        });
        brackets.min_by(|one, other| one.2.total_cmp(&other.2))
    }

    /// The interval of a crossing, by leaving one round out (jackknife), with Student's t. None for a p50 and below
    /// two rounds.
    fn interval(&self, limit: &Crossing, level: f64) -> Option<(f64, f64)> {
        let n = self.rounds.len();
        if self.is_median(limit.objective) || n < 2 {
            return None;
        }
        let left_out: Vec<f64> =
            (0..n).map(|round| self.crossing(limit.objective, Some(round)).z).collect();
        let middle = mean(&left_out)?;
        let squares: f64 = left_out.iter().map(|z| (z - middle).powi(2)).sum();
        let error = ((n - 1) as f64 / n as f64 * squares).sqrt();
        let half = WIDENED * t_two_sided(level, n - 1) * error;
        Some((self.start * (limit.z - half).exp(), self.start * (limit.z + half).exp()))
    }

    /// Whether an objective limits a p50: half of the operations miss it, which tells more about the rate than 1 % do.
    fn is_median(&self, objective: usize) -> bool {
        let Objective::ResponseTime { percentile, .. } = self.objectives[objective] else {
            return false;
        };
        percentile == Percentile::P50
    }

    /// The slowest part in turns at this rate and above.
    fn part_from(&self, rate: f64) -> Part {
        let share = |part: Part, turns: &[&Turn]| {
            turns.iter().filter(|turn| turn.part == part).count() as f64 / turns.len() as f64
        };
        let all: Vec<&Turn> = self.rounds.iter().flatten().collect();
        let above: Vec<&Turn> = all.iter().copied().filter(|turn| turn.rate >= rate).collect();
        if share(Part::Generator, &all) >= GENERATOR_SHARE {
            Part::Generator
        } else if share(Part::Connections, &above) > 0.5 {
            Part::Connections
        } else {
            Part::Target
        }
    }
}

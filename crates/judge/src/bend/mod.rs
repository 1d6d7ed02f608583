//! The load point of a sweep from which more load gains little.
//!
//! In a closed loop the load N (connections, depth) and the throughput T determine the response
//! time, R = N/T (Little's law). Kleinrock's *power* T/R = T²/N is then largest where d ln T/d ln N
//! = ½: beyond this point, a doubled load brings less than 1.41 times the throughput, and each
//! operation waits more than it gains. In an open loop power is rate/R. In an M/M/1 queue it is
//! largest at half of the server's capacity, where response times, and with them their p99, are
//! twice those of an idle server. (L. Kleinrock, *Power and deterministic rules of thumb for
//! probabilistic problems in computer communications*, ICC 1979.)
//!
//! All load points are driven in every round, so two of them are compared round by round (or launch by launch), as
//! contenders are: what the machine does to a round, it does to both.
//!
//! A knee derived from the shape of the curve, such as Kneedle's, was rejected: it finds a knee in
//! every curve, and the knee moves when a point is added at the end of the range.

use crate::load::Load;
use crate::stats::paired_t;
use record::Factor;

/// The elasticity d ln T/d ln N below which more load gains too little.
const ELASTICITY: f64 = 0.5;
/// The p99 relative to that of the lowest rate from which a curve counts as bent.
const TAIL: f64 = 2.0;
/// A target that is driven at less than this share of the rate fell behind. The time includes the
/// drains of slices, which take up to 1 %.
const KEPT: f64 = 0.95;
/// Where a contender's curve bends.
#[derive(Clone, Debug, PartialEq)]
pub enum Bend {
    /// It was shown to bend here.
    At {
        /// The factor's value.
        value: f64,
        /// What shows the bend.
        sign: Sign,
        /// Whether the generator may have been the slower part beyond it, so that the bend may be
        /// the generator's.
        generator_limited: bool,
        /// Whether a lower load point could not be ruled out.
        or_before: bool,
    },
    /// It was shown not to bend up to the highest load point.
    NotUpTo(f64),
    /// Neither was shown, because the intervals are too wide or figures are missing.
    Undetermined,
    /// A bend was not looked for: at a fixed rate the throughput is the rate, whatever else is
    /// swept.
    NotSought,
}

/// What shows a bend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sign {
    /// From here on throughput grows by less than the square root of the factor's growth: to the
    /// next load point throughput (for a value's size: bytes per second) grows `by`.
    Gain {
        /// The next load point.
        next: f64,
        /// Growth of the factor, a ratio.
        more: f64,
        /// Growth of throughput, a ratio.
        by: f64,
    },
    /// At this rate only `driven` operations per second were driven.
    Behind {
        /// Operations per second.
        driven: f64,
    },
    /// At this rate the p99 is `times` the p99 of the lowest rate.
    Tail {
        /// A ratio.
        times: f64,
        /// Operations per second.
        lowest: f64,
    },
}

/// Finds where the curve of a target bends. `loads` are its sound load points by ascending value, of `planned` ones.
/// `at_a_rate` says whether it was driven at a rate. `alpha` is the error of all statements about this curve together.
pub fn of(factor: Factor, at_a_rate: bool, loads: &[&Load], planned: usize, alpha: f64) -> Bend {
    match (factor, at_a_rate) {
        // Every load point has two intervals.
        (Factor::Rate, _) => of_rate(loads, alpha / (2 * planned.max(1)) as f64),
        (_, true) => Bend::NotSought,
        (_, false) => {
            let pairs = planned * planned.saturating_sub(1) / 2;
            of_gain(factor, loads, alpha / pairs.max(1) as f64)
        }
    }
}

/// Finds the first load point from which the gain to all higher ones is too small. Each two load points have one
/// interval at this level.
fn of_gain(factor: Factor, loads: &[&Load], level: f64) -> Bend {
    let Some(last) = loads.last().filter(|_| loads.len() > 1) else { return Bend::Undetermined };
    let mut shown_straight = true;
    for (at, from) in loads.iter().enumerate().take(loads.len() - 1) {
        // What was gained beyond the growth that is required, for each higher load point.
        let beyond: Vec<Option<(f64, f64)>> = loads[at + 1..]
            .iter()
            .map(|to| {
                let required = ELASTICITY * (to.value / from.value).ln();
                paired_t::interval(&from.gains_to(to, factor), level)
                    .map(|(low, high)| (low - required, high - required))
            })
            .collect();
        if beyond.iter().all(|of| of.is_some_and(|(_, high)| high < 0.0)) {
            let next = loads[at + 1];
            let by = paired_t::mean(&from.gains_to(next, factor)).unwrap_or(0.0).exp();
            let sign = Sign::Gain { next: next.value, more: next.value / from.value, by };
            let generator_limited = next.generator_limited;
            let or_before = !shown_straight;
            return Bend::At { value: from.value, sign, generator_limited, or_before };
        }
        shown_straight &= beyond.iter().any(|of| of.is_some_and(|(low, _)| low >= 0.0));
    }
    if shown_straight { Bend::NotUpTo(last.value) } else { Bend::Undetermined }
}

/// Finds the first rate that was not reached, or at which the tail has doubled.
fn of_rate(loads: &[&Load], level: f64) -> Bend {
    let (Some(lowest), Some(last)) = (loads.first(), loads.last().filter(|_| loads.len() > 1))
    else {
        return Bend::Undetermined;
    };
    let mut shown_straight = true;
    for load in loads {
        // In an open loop a late generator voids the load point, so it is not among those examined here.
        let bends = |sign| Bend::At {
            value: load.value,
            sign,
            generator_limited: false,
            or_before: !shown_straight,
        };
        let kept = (KEPT * load.value).ln();
        let rate = paired_t::interval(&load.throughput, level);
        if rate.is_some_and(|(_, high)| high < kept) {
            let driven = paired_t::mean(&load.throughput).unwrap_or(0.0).exp();
            return bends(Sign::Behind { driven });
        }
        let growth = lowest.p99_growth_to(load);
        let tail = paired_t::interval(&growth, level);
        let is_lowest = load.value == lowest.value;
        if !is_lowest && tail.is_some_and(|(low, _)| low > TAIL.ln()) {
            let times = paired_t::mean(&growth).unwrap_or(0.0).exp();
            return bends(Sign::Tail { times, lowest: lowest.value });
        }
        let short = tail.is_some_and(|(_, high)| is_lowest || high <= TAIL.ln());
        shown_straight &= short && rate.is_some_and(|(low, _)| low >= kept);
    }
    if shown_straight { Bend::NotUpTo(last.value) } else { Bend::Undetermined }
}

#[cfg(test)]
mod simulated;
#[cfg(test)]
mod tests;

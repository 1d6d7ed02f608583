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
//! A knee derived from the shape of the curve, such as Kneedle's, was rejected: it finds a knee in
//! every curve, and the knee moves when a point is added at the end of the range.

use crate::compare::{AT_ITS_LIMIT_FROM, GENERATOR_LIMITED_BELOW};
use crate::stats::paired_t;
use crate::verdict::ContenderSummary;
use record::Factor;

/// The elasticity d ln T/d ln N below which more load gains too little.
const ELASTICITY: f64 = 0.5;
/// The p99 relative to that of the lowest rate from which a curve counts as bent.
const TAIL: f64 = 2.0;
/// A target that is driven at less than this share of the rate fell behind. The time includes the
/// drains of slices, which take up to 1 %.
const KEPT: f64 = 0.95;
/// Load points are driven minutes apart, and the machine's speed drifts between them. Neither the
/// scatter of rounds nor that of rounds which resemble their neighbours contains this drift. So two
/// points must differ by this much more (in ln) before it counts. The value is a choice: five times
/// the standard deviation of 2 % between launches of one program.
const DRIFT: f64 = 0.1;

/// One contender at one load point.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// The factor's value: connections, depth, bytes, or operations per second.
    pub value: f64,
    /// ln of operations per second, of each replicate.
    throughput: Vec<f64>,
    /// ln of the p99 of response time in seconds, of each replicate. Empty if a replicate has none.
    p99: Vec<f64>,
    /// Whether the generator was hardly idle and the target not known to be at its limit.
    generator_limited: bool,
}

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

/// An estimate (a mean of ln) and half of its interval.
#[derive(Clone, Copy)]
struct Mean {
    at: f64,
    half: f64,
}

impl Load {
    /// The figures of a contender at this load point. `launch` is the number of rounds per launch
    /// if the launch is the replicate.
    pub fn new(value: f64, of: &ContenderSummary, launch: Option<u32>) -> Load {
        let launch = launch.unwrap_or(1).max(1);
        let number = |round: u32| round.saturating_sub(1) / launch;
        let launches: Vec<_> =
            of.rounds.chunk_by(|one, next| number(one.0) == number(next.0)).collect();
        let mean =
            |values: Vec<f64>| values.iter().map(|v| v.ln()).sum::<f64>() / values.len() as f64;
        let whole = || launches.iter().filter(|rounds| rounds.len() == launch as usize);
        let throughput = whole().map(|rounds| mean(rounds.iter().map(|round| round.1).collect()));
        let p99 = whole().map(|rounds| {
            let of_rounds: Option<Vec<f64>> = rounds.iter().map(|round| round.3).collect();
            of_rounds.map(mean)
        });
        Load {
            value,
            throughput: throughput.collect(),
            p99: p99.collect::<Option<Vec<f64>>>().unwrap_or_default(),
            generator_limited: generator_limited(of),
        }
    }

    /// In an open loop a late generator voids the point, so it is not among those examined here.
    fn bends(&self, sign: Sign, or_before: bool) -> Bend {
        Bend::At { value: self.value, sign, generator_limited: false, or_before }
    }
}

/// Whether the generator was hardly idle and the target not known to be at its limit.
pub(crate) fn generator_limited(of: &ContenderSummary) -> bool {
    of.generator_idle.is_some_and(|idle| idle < GENERATOR_LIMITED_BELOW)
        && of.target.busy.is_none_or(|busy| busy < AT_ITS_LIMIT_FROM)
}

/// The level of each point's interval, for an error of `alpha` over all statements about the bends
/// of a sweep: every point of every contender has two intervals.
pub fn level(alpha: f64, points: usize, contenders: usize) -> f64 {
    alpha / (2 * points.max(1) * contenders.max(1)) as f64
}

/// Finds where the curve of a contender bends. `loads` are its load points by ascending value,
/// `open` says whether it was driven at a rate, `level` is the result of [`level`].
pub fn of(factor: Factor, open: bool, loads: &[Load], level: f64) -> Bend {
    match (factor, open) {
        (Factor::Rate, _) => of_rate(loads, level),
        (_, true) => Bend::NotSought,
        (Factor::Value, false) => of_gain(loads, level, |load| load.value.ln()),
        (Factor::Connections | Factor::Depth, false) => of_gain(loads, level, |_| 0.0),
    }
}

/// Finds the first point from which the gain to all higher points is too small. `more` is added to
/// ln of throughput to convert operations to bytes.
fn of_gain(loads: &[Load], level: f64, more: impl Fn(&Load) -> f64) -> Bend {
    let gains: Option<Vec<Mean>> = loads
        .iter()
        .map(|load| {
            mean(&load.throughput, level).map(|gain| Mean { at: gain.at + more(load), ..gain })
        })
        .collect();
    let (Some(gains), Some(last)) = (gains, loads.last().filter(|_| loads.len() > 1)) else {
        return Bend::Undetermined;
    };
    let mut shown_straight = true;
    for from in 0..loads.len() - 1 {
        // The required growth from this point to each higher one.
        let beyond = || {
            (from + 1..loads.len())
                .map(move |to| (to, ELASTICITY * (loads[to].value / loads[from].value).ln()))
        };
        let grew = |to: usize| gains[to].minus(gains[from]);
        if beyond().all(|(to, least)| grew(to).at + grew(to).half < least) {
            let next = &loads[from + 1];
            let (value, generator_limited) = (loads[from].value, next.generator_limited);
            let (more, by) = (next.value / value, grew(from + 1).at.exp());
            let sign = Sign::Gain { next: next.value, more, by };
            return Bend::At { value, sign, generator_limited, or_before: !shown_straight };
        }
        shown_straight &= beyond().any(|(to, least)| grew(to).at - grew(to).half >= least);
    }
    if shown_straight { Bend::NotUpTo(last.value) } else { Bend::Undetermined }
}

/// Finds the first rate that was not reached, or at which the tail has doubled.
fn of_rate(loads: &[Load], level: f64) -> Bend {
    let (Some(last), Some(idle)) = (
        loads.last().filter(|_| loads.len() > 1),
        loads.first().and_then(|it| mean(&it.p99, level)),
    ) else {
        return Bend::Undetermined;
    };
    let mut shown_straight = true;
    for load in loads {
        let (Some(rate), Some(p99)) = (mean(&load.throughput, level), mean(&load.p99, level))
        else {
            shown_straight = false;
            continue;
        };
        let kept = (KEPT * load.value).ln();
        if rate.at + rate.half < kept {
            return load.bends(Sign::Behind { driven: rate.at.exp() }, !shown_straight);
        }
        let times = p99.minus(idle);
        if load.value > loads[0].value && times.at - times.half > TAIL.ln() {
            return load.bends(
                Sign::Tail { times: times.at.exp(), lowest: loads[0].value },
                !shown_straight,
            );
        }
        let short = load.value == loads[0].value || times.at + times.half <= TAIL.ln();
        shown_straight &= short && rate.at - rate.half >= kept;
    }
    if shown_straight { Bend::NotUpTo(last.value) } else { Bend::Undetermined }
}

impl Mean {
    /// The difference of two load points.
    fn minus(self, other: Mean) -> Mean {
        Mean { at: self.at - other.at, half: self.half + other.half + DRIFT }
    }
}

/// The mean and half the width of the paired t interval of one point. None below two replicates.
fn mean(replicates: &[f64], level: f64) -> Option<Mean> {
    let (low, high) = paired_t::interval(replicates, level)?;
    Some(Mean { at: (low + high) / 2.0, half: (high - low) / 2.0 })
}

#[cfg(test)]
mod tests;

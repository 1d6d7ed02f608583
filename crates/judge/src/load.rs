//! The figures of a target at one load point, by replicate.

use crate::compare::{AT_ITS_LIMIT_FROM, GENERATOR_LIMITED_BELOW};
use crate::stats::{paired_t, quantile::fewest_samples};
use crate::verdict::ContenderSummary;
use record::Factor;

/// The figures of a target at one load point: the natural logarithm of each replicate's. Empty if a replicate has
/// none.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// The factor's value.
    pub value: f64,
    /// Of operations per second.
    pub throughput: Vec<f64>,
    /// Of the median of response time in seconds.
    pub p50: Vec<f64>,
    /// Of the p99 of response time in seconds. Empty if it rests on so few replies that it has no verdict.
    pub p99: Vec<f64>,
    /// Whether the generator was hardly idle and the target not known to be at its limit.
    pub generator_limited: bool,
}

impl Load {
    /// The figures of a contender at this load point. `replicate` is how many rounds are judged together: those of a
    /// launch, or 1.
    pub fn new(value: f64, of: &ContenderSummary, replicate: u32) -> Load {
        let number = |round: u32| round.saturating_sub(1) / replicate.max(1);
        let replicates: Vec<&[Round]> = of
            .rounds
            .chunk_by(|one, next| number(one.0) == number(next.0))
            .filter(|rounds| rounds.len() == replicate.max(1) as usize)
            .collect();
        let logs = |figure: Figure| {
            let log = |round: &Round| figure(round).filter(|of| *of > 0.0).map(f64::ln);
            let mean = |rounds: &&[Round]| {
                paired_t::mean(&rounds.iter().map(log).collect::<Option<Vec<f64>>>()?)
            };
            replicates.iter().map(mean).collect::<Option<Vec<f64>>>().unwrap_or_default()
        };
        let replies = of.histogram.len() / (replicates.len() as u64).max(1);
        let is_supported = replies >= fewest_samples(0.99);
        Load {
            value,
            throughput: logs(|round| Some(round.1)),
            p50: logs(|round| round.2),
            p99: if is_supported { logs(|round| round.3) } else { Vec::new() },
            generator_limited: of.generator_idle.is_some_and(|idle| idle < GENERATOR_LIMITED_BELOW)
                && of.target.busy.is_none_or(|busy| busy < AT_ITS_LIMIT_FROM),
        }
    }

    /// ln of the growth of throughput to another load point, in each replicate. With larger values, the same number
    /// of operations makes more bytes, which count.
    pub fn gains_to(&self, other: &Load, factor: Factor) -> Vec<f64> {
        let more = if factor == Factor::Value { (other.value / self.value).ln() } else { 0.0 };
        differences(&self.throughput, &other.throughput).map(|gain| gain + more).collect()
    }

    /// ln of the growth of the p99 to another load point, in each replicate.
    pub fn p99_growth_to(&self, other: &Load) -> Vec<f64> {
        differences(&self.p99, &other.p99).collect()
    }
}

/// Round, operations per second, p50 and p99 in seconds.
type Round = (u32, f64, Option<f64>, Option<f64>);
type Figure = fn(&Round) -> Option<f64>;

/// Every complete round has all load points, so the replicates of two of them are the same ones.
fn differences(from: &[f64], to: &[f64]) -> impl Iterator<Item = f64> {
    from.iter().zip(to).map(|(from, to)| to - from)
}

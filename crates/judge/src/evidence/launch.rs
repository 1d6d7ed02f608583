//! One judged launch: what its rounds have together.

use super::timeline;
use crate::stats::{paired_t::mean, quantile::standard_error_of_ln};
use record::{Histogram, Metric, Seen};

/// Launches with fewer rounds show by their slices whether a contender was steady.
pub(crate) const FEWEST_ROUNDS: u32 = 6;

/// The rounds of one contender in one launch.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    /// Its number, counted from 1.
    pub(crate) number: u32,
    /// Judged rounds.
    pub(crate) rounds: u32,
    /// Operations that ended.
    pub(crate) operations: u64,
    response_time: Histogram,
    /// Operations per second of its slices (in turns: of their windows), in order.
    rates: Vec<f64>,
}

impl Launch {
    /// Adds a round to the launch of this number, which is the last one or a new one.
    pub(crate) fn add(launches: &mut Vec<Launch>, number: u32, seen: &Seen) {
        if launches.last().is_none_or(|last| last.number != number) {
            let (response_time, rates) = (Histogram::new(), Vec::new());
            launches.push(Launch { number, rounds: 0, operations: 0, response_time, rates });
        }
        let Some(launch) = launches.last_mut() else { return };
        launch.rounds += 1;
        launch.operations += seen.operations;
        launch.response_time.merge(&seen.response_time);
        let points = seen.slices.iter().flat_map(timeline::points);
        launch.rates.extend(points.map(|(_, rate)| rate));
    }

    /// Mean throughput in each of this many consecutive parts of the launch. Returns None if it has too few
    /// slices.
    pub(crate) fn parts(&self, parts: usize) -> Option<Vec<f64>> {
        let bound = |part: usize| self.rates.len() * part / parts;
        (0..parts).map(|part| mean(&self.rates[bound(part)..bound(part + 1)])).collect()
    }

    /// Operations that have a response time.
    pub(crate) fn samples(&self) -> u64 {
        self.response_time.len()
    }

    /// The metric's value in seconds, if it is a quantile above 0.
    pub(crate) fn value(&self, metric: Metric) -> Option<f64> {
        let ns = self.response_time.quantile(metric.quantile()?)?;
        (ns > 0).then(|| ns as f64 / 1e9)
    }

    /// Standard error of ln of the metric inside this launch; quantiles only.
    pub(crate) fn standard_error(&self, metric: Metric) -> Option<f64> {
        standard_error_of_ln(&self.response_time, metric.quantile()?)
    }
}

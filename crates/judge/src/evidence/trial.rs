//! One judged trial as the few figures that comparisons need.

use crate::stats::quantile::standard_error_of_ln;
use record::{Histogram, Metric, Seen};

/// The quantile metrics whose figures every trial keeps.
const QUANTILES: [Metric; 3] = [Metric::ResponseP50, Metric::ResponseP99, Metric::ResponseP999];

/// One contender in one judged round.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Trial {
    pub(crate) round: u32,
    /// Operations that ended.
    pub(crate) operations: u64,
    /// Operations that have a response time.
    pub(crate) samples: u64,
    /// Operations per second.
    throughput: Option<f64>,
    quantiles: [Quantile; QUANTILES.len()],
}

/// A quantile of response time in seconds, and the standard error of its ln.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Quantile {
    value: Option<f64>,
    standard_error: Option<f64>,
}

impl Trial {
    pub(crate) fn new(round: u32, seen: &Seen) -> Self {
        Trial {
            round,
            operations: seen.operations,
            samples: seen.response_time.len(),
            throughput: seen.throughput(),
            quantiles: QUANTILES.map(|metric| Quantile::new(&seen.response_time, metric)),
        }
    }

    /// The metric's value where it can enter a ratio: finite and above 0.
    pub(crate) fn value(&self, metric: Metric) -> Option<f64> {
        let value = match self.quantile(metric) {
            None => self.throughput,
            Some(quantile) => quantile.value,
        };
        value.filter(|value| value.is_finite() && *value > 0.0)
    }

    /// Standard error of ln of the metric inside this trial; quantiles only.
    pub(crate) fn standard_error(&self, metric: Metric) -> Option<f64> {
        self.quantile(metric)?.standard_error
    }

    fn quantile(&self, metric: Metric) -> Option<&Quantile> {
        let at = QUANTILES.iter().position(|kept| *kept == metric)?;
        self.quantiles.get(at)
    }
}

impl Quantile {
    fn new(histogram: &Histogram, metric: Metric) -> Self {
        let q = metric.quantile().unwrap_or(0.5);
        Quantile {
            value: histogram.quantile(q).map(|ns| ns as f64 / 1e9),
            standard_error: standard_error_of_ln(histogram, q),
        }
    }
}

//! One judged trial as the few figures that comparisons need.

use crate::{cost::Cost, stats::quantile::standard_error_of_ln};
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
    /// Operations per second of charged time.
    charged: Option<f64>,
    /// Seconds of its target's CPU for each operation.
    target_cpu: Option<f64>,
    /// Seconds of the generator's CPU for each operation.
    generator_cpu: Option<f64>,
    /// The peak memory of its program in bytes, if it is one.
    peak_memory: Option<f64>,
    quantiles: [Quantile; QUANTILES.len()],
}

/// A quantile of response time in seconds, and the standard error of its ln.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Quantile {
    value: Option<f64>,
    standard_error: Option<f64>,
}

/// The cost of a trial's target, and how it is computed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Costs {
    pub(crate) cost: Cost,
    /// How many cores the target may use, if that is known.
    pub(crate) cores: Option<usize>,
    /// Whether it shares a process with another contender.
    pub(crate) shared: bool,
}

impl Costs {
    /// The contender's own CPU time: including that at rest, unless that may have been another
    /// contender's work.
    pub(crate) fn own_cpu_ns(&self) -> u64 {
        let at_rest = if self.shared { 0 } else { self.cost.rest_cpu_ns };
        self.cost.driven_cpu_ns + at_rest
    }
}

impl Trial {
    /// `costs` is None if the target's CPU time is not visible.
    pub(crate) fn new(round: u32, seen: &Seen, costs: Option<Costs>) -> Self {
        let throughput = seen.throughput();
        let charged = costs.and_then(|costs| {
            let charged_ns = costs.cost.charged_ns(costs.cores)?;
            Some(throughput? * costs.cost.driven_ns as f64 / charged_ns)
        });
        let operations = Some(seen.operations as f64).filter(|operations| *operations > 0.0);
        let generator_ns: u64 = seen.slices.iter().map(|slice| slice.generator_cpu_ns).sum();
        let each = |costs: Costs| Some(costs.own_cpu_ns() as f64 / 1e9 / operations?);
        Trial {
            round,
            operations: seen.operations,
            samples: seen.response_time.len(),
            throughput,
            charged,
            target_cpu: costs.and_then(each),
            generator_cpu: operations.map(|operations| generator_ns as f64 / 1e9 / operations),
            peak_memory: Some(seen.programs.peak_memory_bytes as f64),
            quantiles: QUANTILES.map(|metric| Quantile::new(&seen.response_time, metric)),
        }
    }

    /// The metric's value if it can be part of a ratio: finite and above 0.
    pub(crate) fn value(&self, metric: Metric) -> Option<f64> {
        let value = match metric {
            Metric::Throughput => self.throughput,
            Metric::TargetCpu => self.target_cpu,
            Metric::PeakMemory => self.peak_memory,
            Metric::Capacity | Metric::Cost => None,
            _ => self.quantile(metric)?.value,
        };
        ratable(value)
    }

    /// Throughput with CPU time at rest charged to its owner, if it can be part of a ratio.
    pub(crate) fn charged(&self) -> Option<f64> {
        ratable(self.charged)
    }

    /// Seconds of the generator's CPU per operation, if they can be part of a ratio.
    pub(crate) fn generator_cpu(&self) -> Option<f64> {
        ratable(self.generator_cpu)
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

fn ratable(value: Option<f64>) -> Option<f64> {
    value.filter(|value| value.is_finite() && *value > 0.0)
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

//! Whether a quantile is supported by enough samples to be compared.

use crate::{
    evidence::DriveSummary,
    stats::quantile::{LARGEST_ERROR, few_samples, fewest_samples},
};
use record::Metric;
use text::units;

/// Samples and standard error of one contender's quantile in the median round, or the median launch where
/// launches are judged as a whole. The median is used because one unusual round neither makes nor breaks a
/// verdict that rests on ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Support {
    metric: Metric,
    q: f64,
    /// What has a quantile: a round or a launch.
    of: &'static str,
    /// Its samples.
    pub(crate) samples: u64,
    /// Standard error of ln of the quantile within it.
    pub(crate) error: Option<f64>,
    /// How many of them are judged, and the samples of all together.
    replicates: usize,
    pub(crate) together: u64,
    /// Quantiles above this one are lower bounds.
    at_least_from: Option<f64>,
}

impl Support {
    /// Returns None for metrics that are not quantiles, and without a judged round.
    pub(crate) fn new(driven: &DriveSummary, metric: Metric) -> Option<Self> {
        let q = metric.quantile()?;
        let trials =
            driven.trials.iter().map(|trial| (trial.samples, trial.standard_error(metric)));
        let launches = driven.launches.iter().map(|at| (at.samples(), at.standard_error(metric)));
        let (of, replicates): (_, Vec<(u64, Option<f64>)>) = if driven.launches.is_empty() {
            ("round", trials.collect())
        } else {
            ("launch", launches.collect())
        };
        Some(Support {
            metric,
            q,
            of,
            samples: median(replicates.iter().map(|(samples, _)| *samples as f64))? as u64,
            error: median(replicates.iter().filter_map(|(_, error)| *error)),
            replicates: replicates.len(),
            together: replicates.iter().map(|(samples, _)| samples).sum(),
            at_least_from: driven.at_least_from(),
        })
    }

    /// Standard error of the logarithm of the quantile in all judged replicates together.
    pub(crate) fn error_together(&self) -> Option<f64> {
        Some(self.error? / (self.replicates.max(1) as f64).sqrt())
    }

    /// Returns why there is no verdict on this quantile, or None if there may be one.
    pub(crate) fn refusal(&self) -> Option<String> {
        if let Some(from) = self.lower_bound_from() {
            return Some(format!(
                "{} is a lower bound: the rate was not reached, and {} of the operations were due and never \
                 sent",
                self.metric.path(),
                units::show_percent(1.0 - from)
            ));
        }
        let fewest = fewest_samples(self.q);
        if self.samples < fewest {
            return Some(format!(
                "{} rests on {} replies per {}; at least {} are needed",
                self.metric.path(),
                units::show_whole(self.samples),
                self.of,
                units::show_whole(fewest)
            ));
        }
        let error = self.error.filter(|error| *error > LARGEST_ERROR)?;
        Some(format!(
            "the standard error of {} within a {} is {}, more than {}",
            self.metric.path(),
            self.of,
            units::show_percent(error),
            units::show_percent(LARGEST_ERROR)
        ))
    }

    /// The quantile above which response times are lower bounds, if this one is.
    fn lower_bound_from(&self) -> Option<f64> {
        self.at_least_from.filter(|from| self.q > *from)
    }

    /// Returns what weakens a verdict on this quantile, or None if it is well supported.
    pub(crate) fn weakness(&self, matters: f64) -> Option<String> {
        if self.lower_bound_from().is_some() {
            // The rule about the rate says it.
            return None;
        }
        if let Some(refusal) = self.refusal() {
            return Some(refusal);
        }
        let few = few_samples(self.q);
        let all = units::show_counted(self.replicates as u64, self.of);
        if self.together < few {
            return Some(format!(
                "{} rests on {} replies in {all}; {} are needed for a stable estimate",
                self.metric.path(),
                units::show_whole(self.together),
                units::show_whole(few)
            ));
        }
        let error = self.error_together().filter(|error| *error > matters)?;
        Some(format!(
            "the standard error of {} from the replies of {all} is {}, more than the {} that matters",
            self.metric.path(),
            units::show_percent(error),
            units::show_level(matters)
        ))
    }
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A p99 of ten rounds.
    fn p99(samples: u64, error: f64) -> Support {
        let (metric, error, together) = (Metric::ResponseP99, Some(error), 10 * samples);
        let (q, of, replicates, at_least_from) = (0.99, "round", 10, None);
        Support { metric, q, of, samples, error, replicates, together, at_least_from }
    }

    #[test]
    fn a_quantile_that_reaches_into_operations_that_were_never_sent_has_no_verdict() {
        let from = |at_least_from| Support { at_least_from, ..p99(100_000, 0.001) };
        assert_eq!(from(Some(0.995)).refusal(), None);
        let why = from(Some(0.98)).refusal().expect("it is a lower bound");
        assert!(why.contains("the rate was not reached, and 2 % of the operations"), "{why}");
        assert_eq!(from(Some(0.98)).weakness(0.01), None);
    }

    #[test]
    fn a_p99_is_refused_below_1000_samples_or_above_10_percent() {
        assert!(p99(999, 0.01).refusal().is_some_and(|why| why.contains("at least 1000")));
        assert_eq!(p99(1000, 0.1).refusal(), None);
        assert!(p99(1000, 0.101).refusal().is_some_and(|why| why.contains("10 %")));
    }

    #[test]
    fn a_p99_is_weak_below_10_000_samples_in_all_rounds_or_above_delta() {
        let few = Support { together: 9999, ..p99(1000, 0.001) };
        assert!(few.weakness(0.01).is_some_and(|why| why.contains("9999 replies in 10 rounds")));
        assert_eq!(p99(1000, 0.01).weakness(0.01), None);
        // The error of ten rounds together is smaller by √10.
        assert_eq!(p99(1000, 0.0316).weakness(0.01), None);
        assert!(p99(1000, 0.0348).weakness(0.01).is_some_and(|why| why.contains("1.1 %")));
        assert_eq!(p99(999, 0.01).weakness(0.01), p99(999, 0.01).refusal());
    }
}

//! How well the samples of one trial support a quantile.

use record::Histogram;

/// Samples beyond the quantile below which there is no verdict on it: 1000
/// samples for a p99.
const FEWEST_BEYOND: f64 = 10.0;
/// Samples beyond the quantile below which there is a caution: 10 000 samples
/// for a p99.
const FEW_BEYOND: f64 = 100.0;
/// A quantile whose standard error exceeds this has no verdict: 10 %.
pub const LARGEST_ERROR: f64 = 0.1;

/// With fewer samples there is no verdict on quantile `q`.
pub fn fewest_samples(q: f64) -> u64 {
    (FEWEST_BEYOND / (1.0 - q)).round() as u64
}

/// With fewer samples a verdict on quantile `q` has a caution.
pub fn few_samples(q: f64) -> u64 {
    (FEW_BEYOND / (1.0 - q)).round() as u64
}

/// Standard error of ln of quantile `q`, from the ranks of one trial's histogram: (ln v(k + h) − ln
/// v(k − h)) / 3.92 with h = 1.96·√(q(1 − q)N) and k = ⌈qN⌉. None if the histogram is empty.
/// Samples inside a trial are correlated, above all in bursts: see [`slices_reached`].
pub fn standard_error_of_ln(histogram: &Histogram, q: f64) -> Option<f64> {
    let n = histogram.len() as f64;
    let k = (q * n).ceil();
    let h = 1.96 * (q * (1.0 - q) * n).sqrt();
    let low = histogram.at_rank((k - h).round().max(1.0) as u64)?;
    let high = histogram.at_rank((k + h).round() as u64)?;
    Some(((high.max(1) as f64).ln() - (low.max(1) as f64).ln()) / 3.92)
}

/// The expected number of slices, out of `slices`, that `events` events reach if each falls in any
/// slice with the same probability.
pub fn slices_reached(slices: u64, events: u64) -> f64 {
    if slices == 0 {
        return 0.0;
    }
    let slices = slices as f64;
    slices * (1.0 - (1.0 - 1.0 / slices).powf(events as f64))
}

/// The median: of an even number of values, the mean of the two in the middle. None if there are none.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some((sorted[middle - 1] + sorted[middle]) / 2.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(values: impl Iterator<Item = u64>) -> Histogram {
        let mut histogram = Histogram::new();
        values.for_each(|value| histogram.record(value));
        histogram
    }

    #[test]
    fn a_p99_needs_1000_samples_and_wants_10_000() {
        assert_eq!((fewest_samples(0.99), few_samples(0.99)), (1000, 10_000));
        assert_eq!((fewest_samples(0.999), few_samples(0.999)), (10_000, 100_000));
        assert_eq!((fewest_samples(0.5), few_samples(0.5)), (20, 200));
    }

    #[test]
    fn the_error_of_a_ramp_is_that_of_its_ranks() {
        // v(r) = 1000·r, N = 10 000: k = 9900, h = 1.96·√99 = 19.5.
        let ramp = histogram((1..=10_000).map(|rank| rank * 1000));
        let error = standard_error_of_ln(&ramp, 0.99).expect("samples");
        let wanted = ((9920.0f64 / 9880.0).ln()) / 3.92;
        // The histogram keeps 3 digits.
        assert!((error - wanted).abs() < 3e-4, "{error} and not {wanted}");
        assert_eq!(standard_error_of_ln(&Histogram::new(), 0.99), None);
    }

    #[test]
    fn a_p99_on_the_knee_has_a_large_error() {
        // Exactly 1 % of the replies are 10 times as slow.
        let knee =
            histogram((0..10_000).map(|i| if i % 100 == 0 { 10_000_000 } else { 1_000_000 }));
        let plain = histogram((0..10_000).map(|i| 1_000_000 + i));
        let error = |of: &Histogram| standard_error_of_ln(of, 0.99).expect("samples");
        assert!(error(&knee) > 0.5, "{}", error(&knee));
        assert!(error(&plain) < 0.002, "{}", error(&plain));
    }

    #[test]
    fn few_events_reach_few_slices_and_many_all() {
        assert_eq!(slices_reached(0, 5), 0.0);
        assert!((slices_reached(20, 1) - 1.0).abs() < 1e-12);
        assert!((slices_reached(20, 1000) - 20.0).abs() < 1e-12);
        assert!((slices_reached(2, 2) - 1.5).abs() < 1e-12);
    }
}

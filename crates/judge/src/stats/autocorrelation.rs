//! Are rounds independent? An alarm that proves something when it rings and
//! little when it does not: at a correlation of 0.5 it rings in 33, 63 and 92 %
//! of runs of 10, 20 and 40 rounds.

use super::paired_t::mean;

/// The interval is never widened as if the correlation were above this.
const HIGHEST: f64 = 0.9;
/// Relative differences up to this are the computer's, not the server's.
const ROUNDING: f64 = 1e-12;

/// Lag-1 autocorrelation of `d`; none below three values, or where all are
/// the same.
pub fn lag_1(d: &[f64]) -> Option<f64> {
    let mean = mean(d).filter(|_| d.len() >= 3)?;
    let away: Vec<f64> = d.iter().map(|x| x - mean).collect();
    // Equal values are not always equal to their computed mean, and what is left
    // by rounding would be correlated perfectly.
    if away.iter().all(|x| x.abs() <= ROUNDING * (1.0 + mean.abs())) {
        return None;
    }
    let squares: f64 = away.iter().map(|x| x * x).sum();
    let products: f64 = away.windows(2).map(|two| two[0] * two[1]).sum();
    Some(products / squares)
}

/// The alarm rings above this lag-1 autocorrelation of `n` rounds: 0.345 at
/// 10, 0.295 at 20, 0.229 at 40.
pub fn threshold(n: usize) -> f64 {
    let n = n as f64;
    -1.0 / n + 1.67 * (n - 2.0) / (n * (n - 1.0).sqrt())
}

/// The lag-1 autocorrelation of `d` where the alarm rings, else none.
pub fn alarm(d: &[f64]) -> Option<f64> {
    lag_1(d).filter(|r| *r > threshold(d.len()))
}

/// By how much the interval is widened around the estimate: √((1 + r)/(1 − r)),
/// with r corrected for its bias in few rounds.
pub fn widening(lag_1: f64, n: usize) -> f64 {
    let unbiased = lag_1 + (1.0 + 4.0 * lag_1.max(0.0)) / n as f64;
    let r = unbiased.clamp(0.0, HIGHEST);
    ((1.0 + r) / (1.0 - r)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thresholds_are_those_of_the_procedure() {
        for (n, wanted) in [(10, 0.345), (20, 0.295), (40, 0.229)] {
            assert!((threshold(n) - wanted).abs() < 5e-4, "n = {n}: {}", threshold(n));
        }
    }

    #[test]
    fn slow_waves_ring_and_zigzags_do_not() {
        let slow: Vec<f64> = (0..12).map(|i| f64::from(i) / 10.0).collect();
        let zigzag: Vec<f64> = (0..12).map(|i| f64::from(i % 2)).collect();
        assert!(alarm(&slow).is_some_and(|r| (r - 0.75).abs() < 0.01), "{:?}", lag_1(&slow));
        assert_eq!(alarm(&zigzag), None);
        assert!(lag_1(&zigzag).is_some_and(|r| r < -0.9));
        assert_eq!(lag_1(&[1.1f64.ln(); 8]), None);
        assert_eq!(lag_1(&[1.0, 2.0]), None);
    }

    #[test]
    fn widening_grows_with_the_correlation_and_ends_at_09() {
        assert_eq!(widening(-0.5, 10), 1.0);
        // r = 0.4 + (1 + 1.6)/10 = 0.66: √(1.66/0.34).
        assert!((widening(0.4, 10) - (1.66f64 / 0.34).sqrt()).abs() < 1e-12);
        assert!((widening(0.99, 10) - 19f64.sqrt()).abs() < 1e-12);
    }
}

//! Zipf's law, exactly and in constant time.

use crate::random::Random;

/// Draws rank *r*, from 0, in proportion to 1 ÷ (*r* + 1)^θ.
///
/// Rejection-inversion: W. Hörmann and G. Derflinger, "Rejection-inversion to generate variates
/// from monotone discrete distributions", ACM TOMACS 6 (1996). A table of cumulated weights is
/// exact too, but it is as long as the key space and misses the cache at every draw. The formula
/// of Gray (1994) that YCSB uses is inexact, and undefined from θ = 1 on.
#[derive(Clone, Debug)]
pub(super) struct Zipf {
    theta: f64,
    /// 1 ÷ (1 − θ).
    exponent: f64,
    count: u64,
    /// The area up to the last rank, and the area up to the first without its weight.
    most: f64,
    least: f64,
    /// A rank this near above its point is accepted without computing its weight.
    near: f64,
}

impl Zipf {
    pub(super) fn new(theta: f64, count: u64) -> Zipf {
        let most = area(theta, count as f64 + 0.5);
        let least = area(theta, 1.5) - 1.0;
        let exponent = 1.0 / (1.0 - theta);
        let mut zipf = Zipf { theta, exponent, count, most, least, near: 0.0 };
        zipf.near = 2.0 - zipf.point(area(theta, 2.5) - weight(theta, 2.0));
        zipf
    }

    /// Draws a rank. The first try is nearly always accepted.
    pub(super) fn rank(&self, random: &mut Random) -> u64 {
        loop {
            let drawn = self.most + random.unit() * (self.least - self.most);
            let x = self.point(drawn);
            let number = ((x + 0.5) as u64).clamp(1, self.count);
            let rank = number as f64;
            let taken = rank - x <= self.near
                || drawn >= area(self.theta, rank + 0.5) - weight(self.theta, rank);
            if taken {
                return number - 1;
            }
        }
    }

    /// Returns the point up to which the area is `area`: the inverse of [`area`].
    fn point(&self, area: f64) -> f64 {
        // Rounding can exceed −1, where the curve ends for θ above 1.
        let t = (area * (1.0 - self.theta)).max(-1.0);
        let log =
            if t.abs() > NEAR_ONE { t.ln_1p() * self.exponent } else { (1.0 - t / 2.0) * area };
        log.exp()
    }
}

/// Below this a quotient of two small numbers loses digits, and two terms of its series are used
/// instead.
const NEAR_ONE: f64 = 1e-8;

/// Returns Σ 1 ÷ *i*^θ for *i* from 1 to `count`. After the first terms the area below the curve
/// is used: the error is less than one part in 10⁹.
pub(super) fn sum(theta: f64, count: u64) -> f64 {
    let few = count.min(10_000);
    let first: f64 = (1..=few).map(|i| weight(theta, i as f64)).sum();
    first + (area(theta, count as f64 + 0.5) - area(theta, few as f64 + 0.5))
}

fn weight(theta: f64, x: f64) -> f64 {
    (-theta * x.ln()).exp()
}

/// Returns the area below 1 ÷ *x*^θ from 1 to *x*: (x^(1−θ) − 1) ÷ (1 − θ), written so that θ
/// near 1, where it is ln *x*, loses no digits.
fn area(theta: f64, x: f64) -> f64 {
    let log = x.ln();
    let t = (1.0 - theta) * log;
    if t.abs() > NEAR_ONE { t.exp_m1() / t * log } else { (1.0 + t / 2.0) * log }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns χ² of `draws` over the ranks, and its degrees of freedom.
    fn chi_square(theta: f64, count: u64, draws: u64) -> (f64, f64) {
        let zipf = Zipf::new(theta, count);
        let mut random = Random::new(11, 0);
        let mut seen = vec![0u64; count as usize];
        for _ in 0..draws {
            seen[zipf.rank(&mut random) as usize] += 1;
        }
        let all: f64 = (1..=count).map(|i| (i as f64).powf(-theta)).sum();
        let squares = seen.iter().enumerate().map(|(rank, &n)| {
            let expected = draws as f64 * (rank as f64 + 1.0).powf(-theta) / all;
            (n as f64 - expected).powi(2) / expected
        });
        (squares.sum(), count as f64 - 1.0)
    }

    #[test]
    fn ranks_have_the_frequencies_of_the_law() {
        for (theta, count) in [
            (0.01, 10),
            (0.5, 300),
            (0.99, 2),
            (0.99, 300),
            (1.0, 300),
            (1.0 + 1e-12, 50),
            (2.5, 8),
        ] {
            let (squares, freedom) = chi_square(theta, count, 400_000);
            let allowed = freedom + 4.0 * (2.0 * freedom).sqrt();
            assert!(squares < allowed, "θ {theta}, {count} ranks: {squares} of {allowed}");
        }
    }

    #[test]
    fn every_rank_is_within_the_count() {
        for (theta, count) in [(0.99, 1), (10.0, 1_000_000), (1e-3, 100_000_000_000), (1.5, 3)] {
            let zipf = Zipf::new(theta, count);
            let mut random = Random::new(3, 9);
            assert!(
                (0..20_000).all(|_| zipf.rank(&mut random) < count),
                "θ {theta}, {count} ranks"
            );
        }
    }

    #[test]
    fn the_sum_is_that_of_its_terms() {
        for (theta, count) in [(0.99, 1), (0.99, 1_000_000), (0.3, 200_000), (1.0, 300_000)] {
            let terms: f64 = (1..=count).map(|i| (i as f64).powf(-theta)).sum();
            assert!((sum(theta, count) / terms - 1.0).abs() < 1e-9, "θ {theta}, {count} terms");
        }
    }
}

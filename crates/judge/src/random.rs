//! Random numbers from a seed (splitmix64): for the coins of a search, and for tests that simulate.

/// A generator of random numbers.
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// 64 uniform bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Uniform from 0 (included) to 1 (excluded).
    pub(crate) fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
impl Random {
    /// Roughly normal, with mean 0 and standard deviation 1.
    pub(crate) fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }

    /// Roughly normal; every tenth is six times as far out.
    pub(crate) fn contaminated(&mut self) -> f64 {
        let far = if self.uniform() < 0.1 { 6.0 } else { 1.0 };
        far * self.normal()
    }

    /// So many roughly normal differences around `truth`.
    pub(crate) fn differences(&mut self, n: usize, truth: f64, deviation: f64) -> Vec<f64> {
        (0..n).map(|_| truth + deviation * self.normal()).collect()
    }

    /// Exponential, with mean 1.
    pub(crate) fn exponential(&mut self) -> f64 {
        -(1.0 - self.uniform()).ln()
    }

    /// A seed for another generator.
    pub(crate) fn fork(&mut self) -> Random {
        Random((self.uniform() * (1u64 << 53) as f64) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::paired_t::mean;

    #[test]
    fn the_random_numbers_are_normal() {
        let mut random = Random(7);
        let numbers: Vec<f64> = (0..100_000).map(|_| random.normal()).collect();
        let squares: Vec<f64> = numbers.iter().map(|x| x * x).collect();
        assert!(mean(&numbers).is_some_and(|mean| mean.abs() < 0.015));
        assert!(mean(&squares).is_some_and(|mean| (mean - 1.0).abs() < 0.02));
    }
}

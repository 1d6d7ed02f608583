//! Random numbers from a seed, the same on every machine and in every version.

use wire::SplitMix64;

/// One of many streams of the generator [`SplitMix64`].
#[derive(Clone, Debug)]
pub struct Random(SplitMix64);

impl Random {
    /// Creates the stream that belongs to `seed` and `stream`.
    pub fn new(seed: u64, stream: u64) -> Random {
        let mut mixed = Random(SplitMix64(seed ^ stream.wrapping_mul(0xD1B5_4A32_D192_ED03)));
        mixed.next();
        mixed
    }

    /// Returns 64 uniform bits.
    #[allow(clippy::should_implement_trait, reason = "an endless stream, not an Iterator")]
    pub fn next(&mut self) -> u64 {
        self.0.next()
    }

    /// Returns a uniform number in (0, 1]. It is never 0, so its logarithm is finite.
    pub fn unit(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// Returns a uniform number in 0..`below`, by multiplication (Lemire 2019). The bias is
    /// below 2⁻³² for the ranges used here.
    pub fn below(&mut self, below: usize) -> usize {
        ((u128::from(self.next()) * below as u128) >> 64) as usize
    }

    /// Shuffles by Fisher-Yates.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn a_shuffle_reaches_every_order_about_equally() {
        let mut seen = std::collections::BTreeMap::new();
        let mut random = Random::new(7, 0);
        for _ in 0..6000 {
            let mut items = [0, 1, 2];
            random.shuffle(&mut items);
            *seen.entry(items).or_insert(0) += 1;
        }
        assert_eq!(seen.len(), 6);
        assert!(seen.values().all(|n| (850..1150).contains(n)), "{seen:?}");
    }
}

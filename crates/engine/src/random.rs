//! Random numbers from a seed, the same on every machine and in every version.

/// SplitMix64 (Steele, Lea, Flood 2014): 64 bits of state, passes BigCrush. It is implemented
/// here and not taken from a crate because a crate may change its generator between versions,
/// and the same seed must give the same operations.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Creates the stream that belongs to `seed` and `stream`.
    pub fn new(seed: u64, stream: u64) -> Random {
        let mut mixed = Random(seed ^ stream.wrapping_mul(0xD1B5_4A32_D192_ED03));
        mixed.next();
        mixed
    }

    /// Returns 64 uniform bits.
    #[allow(clippy::should_implement_trait, reason = "an endless stream, not an Iterator")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
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
    fn the_stream_of_a_seed_never_changes() {
        let mut random = Random(0);
        // Published outputs of SplitMix64 from state 0.
        assert_eq!(random.next(), 0xE220_A839_7B1D_CDAF);
        assert_eq!(random.next(), 0x6E78_9E6A_A1B9_65F4);
    }

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

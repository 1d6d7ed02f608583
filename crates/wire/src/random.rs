//! Random numbers from a seed, the same on every machine and in every version.

/// SplitMix64 (Steele, Lea, Flood 2014): 64 bits of state, passes BigCrush. It is implemented
/// here and not taken from a crate because a crate may change its generator between versions,
/// and the same seed must give the same operations.
#[derive(Clone, Copy, Debug)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// Returns 64 uniform bits.
    #[allow(clippy::should_implement_trait, reason = "an endless stream, not an Iterator")]
    #[inline]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::SplitMix64;

    #[test]
    fn the_stream_of_a_seed_never_changes() {
        let mut random = SplitMix64(0);
        // The published outputs from state 0.
        assert_eq!(random.next(), 0xE220_A839_7B1D_CDAF);
        assert_eq!(random.next(), 0x6E78_9E6A_A1B9_65F4);
    }
}

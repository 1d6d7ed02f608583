//! Scatters ranks over the keys.

use crate::random::Random;

/// A permutation of 0..`count` in constant space.
///
/// A mixing function that is a bijection of the next power of two, repeated until the result is
/// below `count` (cycle walking: Black and Rogaway 2002); this takes fewer than two steps on
/// average, as the power of two is less than twice the count. A balanced Feistel network was
/// rejected: it needs an even number of bits, and so up to four steps.
#[derive(Clone, Debug)]
pub(super) struct Permutation {
    count: u64,
    mask: u64,
    shift: u32,
    /// The odd factor and the addend of each round.
    rounds: [(u64, u64); 3],
}

impl Permutation {
    /// Creates a permutation; `count` is at least 1 and at most 2⁶³.
    pub(super) fn new(count: u64, seed: u64) -> Permutation {
        let mut random = Random::new(seed, 0x5CA7_7E12);
        let rounds = std::array::from_fn(|_| (random.next() | 1, random.next()));
        let mask = count.next_power_of_two() - 1;
        Permutation { count, mask, shift: (mask.count_ones() / 2).max(1), rounds }
    }

    /// Returns the key of `rank`, which is below the count.
    pub(super) fn apply(&self, rank: u64) -> u64 {
        let mut position = rank;
        loop {
            for (factor, addend) in self.rounds {
                position = position.wrapping_mul(factor).wrapping_add(addend) & self.mask;
                position ^= position >> self.shift;
            }
            if position < self.count {
                return position;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_bijection() {
        for count in (1..=130).chain([1000, 1023, 1024, 1025]) {
            for seed in 0..5 {
                let permutation = Permutation::new(count, seed);
                let mut keys: Vec<u64> = (0..count).map(|i| permutation.apply(i)).collect();
                keys.sort_unstable();
                assert!(keys.into_iter().eq(0..count), "{count} keys, seed {seed}");
            }
        }
    }

    #[test]
    fn the_first_ranks_are_spread_over_all_keys() {
        for (count, seed) in [(100_000, 1), (65_536, 2), (1_000_003, 3)] {
            let permutation = Permutation::new(count, seed);
            let mut tenths = [0u32; 10];
            for rank in 0..1000 {
                tenths[(permutation.apply(rank) * 10 / count) as usize] += 1;
            }
            assert!(tenths.iter().all(|n| (60..=140).contains(n)), "{count} keys: {tenths:?}");
        }
    }

    #[test]
    fn seeds_scatter_differently() {
        let keys = |seed| {
            let permutation = Permutation::new(1000, seed);
            (0..20).map(|rank| permutation.apply(rank)).collect::<Vec<_>>()
        };
        assert_ne!(keys(1), keys(2));
        assert_eq!(keys(1), keys(1));
    }
}

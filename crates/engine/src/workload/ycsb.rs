//! YCSB's scrambled generator, bit for bit.
//!
//! From a uniform number it computes the key that YCSB's `ScrambledZipfianGenerator` does,
//! including its peculiarities: the law is that of 10¹⁰ + 1 items with a ζ written into the
//! source, whatever the number of keys, and a hash distributes these items over the keys. So it
//! is flatter than the zipf(0.99) of its name. The uniform numbers are ours.

use crate::random::Random;

const ITEMS: f64 = 10_000_000_001.0;
const THETA: f64 = 0.99;
/// ζ of the items at θ, from YCSB's source.
const ZETA: f64 = 26.469_028_201_783_02;

/// Draws keys as a YCSB workload without inserts does.
#[derive(Clone, Debug)]
pub(super) struct ScrambledZipfian {
    keys: u64,
    /// ⌈2¹²⁸ ÷ (keys + 1)⌉.
    reciprocal: u128,
    alpha: f64,
    eta: f64,
    /// Below this, u·ζ selects item 1: 1 + ½^θ.
    second: f64,
}

impl ScrambledZipfian {
    pub(super) fn new(keys: u64) -> ScrambledZipfian {
        let second = 1.0 + 0.5f64.powf(THETA);
        let eta = (1.0 - (2.0 / ITEMS).powf(1.0 - THETA)) / (1.0 - second / ZETA);
        let reciprocal = u128::MAX / u128::from(keys + 1) + 1;
        ScrambledZipfian { keys, reciprocal, alpha: 1.0 / (1.0 - THETA), eta, second }
    }

    pub(super) fn key(&self, random: &mut Random) -> u64 {
        loop {
            // YCSB draws from [0, 1).
            if let Some(key) = self.key_at(1.0 - random.unit()) {
                return key;
            }
        }
    }

    /// Returns the key for a uniform number in [0, 1), or None if it must be drawn again.
    fn key_at(&self, u: f64) -> Option<u64> {
        self.key_of_item(self.item(u))
    }

    /// Gray et al. 1994, "Quickly generating billion-record synthetic databases".
    fn item(&self, u: f64) -> u64 {
        let scaled = u * ZETA;
        if scaled < 1.0 {
            0
        } else if scaled < self.second {
            1
        } else {
            (ITEMS * (self.eta * u - self.eta + 1.0).powf(self.alpha)) as u64
        }
    }

    /// YCSB includes both ends of its range, and so has one key too many; it draws again if that
    /// one is selected.
    pub(super) fn key_of_item(&self, item: u64) -> Option<u64> {
        let key = self.remainder(fnvhash64(item));
        (key < self.keys).then_some(key)
    }

    /// Returns `hash` modulo keys + 1 by multiplication (Lemire, Kaser, Kurz 2019, "Faster
    /// remainder by direct computation"): a division of 64 bits takes a fifth of the whole draw.
    fn remainder(&self, hash: u64) -> u64 {
        let part = self.reciprocal.wrapping_mul(u128::from(hash));
        let keys = u128::from(self.keys + 1);
        let low = (u128::from(part as u64) * keys) >> 64;
        (((part >> 64) * keys + low) >> 64) as u64
    }

    /// Returns the part of the draws that select an item below `item`: the inverse of the
    /// formula above.
    pub(super) fn part_below(&self, item: u64) -> f64 {
        match item {
            0 => 0.0,
            1 => 1.0 / ZETA,
            _ => ((item as f64 / ITEMS).powf(1.0 - THETA) - 1.0 + self.eta) / self.eta,
        }
    }
}

/// YCSB's `fnvhash64`: FNV-1a over the eight bytes, the lowest first, without
/// the sign.
fn fnvhash64(value: u64) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325u64;
    for byte in value.to_le_bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3);
    }
    hash.cast_signed().unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_that_of_ycsb() {
        for (value, hash) in [
            (0, 6_284_781_860_667_377_211),
            (1, 8_517_097_267_634_966_620),
            (2, 1_820_151_046_732_198_393),
            (3, 4_052_466_453_699_787_802),
        ] {
            assert_eq!(fnvhash64(value), hash);
        }
    }

    #[test]
    fn uniform_numbers_become_the_items_of_the_formula() {
        let ycsb = ScrambledZipfian::new(1000);
        assert_eq!([0.0, 0.037, 0.038, 0.056, 0.057].map(|u| ycsb.item(u)), [0, 0, 1, 1, 2]);
        assert!(ycsb.item(1.0 - f64::EPSILON / 2.0) <= 10_000_000_001);
    }

    /// (u, item, key of 1 000, key of 100 000), computed by another program from
    /// the formulas in YCSB's source.
    #[test]
    fn uniform_numbers_become_the_keys_of_ycsb() {
        for (u, item, of_few, of_many) in [
            (0.0, 0, 144, 42_439),
            (0.04, 1, 610, 91_481),
            (0.1, 6, 942, 29_960),
            (0.25, 296, 809, 20_917),
            (0.5, 134_552, 367, 14_271),
            (0.75, 42_924_421, 767, 42_248),
            (0.9, 1_170_869_537, 991, 25_774),
            (0.999, 9_790_013_524, 483, 76_372),
        ] {
            let [few, many] = [1_000, 100_000].map(ScrambledZipfian::new);
            assert_eq!(few.item(u), item, "{u}");
            assert_eq!((few.key_at(u), many.key_at(u)), (Some(of_few), Some(of_many)), "{u}");
        }
    }

    #[test]
    fn remainders_are_those_of_a_division() {
        let mut random = Random::new(1, 2);
        for keys in [1, 2, 3, 999, 1023, 1024, 100_000, 99_999_999_999] {
            let ycsb = ScrambledZipfian::new(keys);
            let some = (0..1000).map(|_| random.next());
            for hash in some.chain([0, keys, keys + 1, u64::MAX, u64::MAX / 2]) {
                assert_eq!(ycsb.remainder(hash), hash % (keys + 1), "{hash}, {keys} keys");
            }
        }
    }

    #[test]
    fn the_part_below_an_item_is_where_the_formula_changes() {
        let ycsb = ScrambledZipfian::new(1000);
        for item in [1, 2, 3, 10, 1000, 123_456, 9_999_999_999] {
            let u = ycsb.part_below(item);
            assert!(ycsb.item(u - 1e-13) < item && ycsb.item(u + 1e-13) >= item, "item {item}");
        }
    }

    /// Share of the draws on the hottest key, the top 1 % and the top 10 %.
    fn realised(keys: u64, draws: u32) -> [f64; 3] {
        let ycsb = ScrambledZipfian::new(keys);
        let mut random = Random::new(5, 0);
        let mut seen = vec![0u32; keys as usize];
        for _ in 0..draws {
            seen[ycsb.key(&mut random) as usize] += 1;
        }
        seen.sort_unstable_by(|a, b| b.cmp(a));
        [1, keys / 100, keys / 10].map(|top| {
            let sum: u32 = seen[..top as usize].iter().sum();
            f64::from(sum) / f64::from(draws)
        })
    }

    #[test]
    fn the_skew_is_what_ycsb_was_measured_to_have() {
        // 100 M draws of YCSB itself. There are so many of ours that the top keys of the sample
        // are the top keys: with fewer at 100 000 keys, the sample overestimates the top.
        for (keys, draws, wanted, off) in [
            (1_000, 2_000_000, [0.0386, 0.126, 0.290], 0.002),
            (100_000, 8_000_000, [0.0378, 0.304, 0.449], 0.004),
        ] {
            let seen = realised(keys, draws);
            for (seen, wanted) in seen.into_iter().zip(wanted) {
                assert!((seen - wanted).abs() < off, "{keys} keys: {seen}, not {wanted}");
            }
        }
    }
}

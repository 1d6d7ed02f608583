//! The content of values, which is a function of key and version.
//!
//! The first 16 bytes are key and version, little endian; the rest follows from both. It does
//! not depend on the seed, so that a store that was loaded once serves every run.
//!
//! Alternatively a value is the CRC-32 of its key's number, whatever the version.

use super::hashed::{self, Decimal};
use super::mix::cumulated;
use crate::random::Random;
use record::{ValueBytes, ValuesAs, Workload};

/// Bytes that hold key and version.
pub(super) const HEAD: usize = 16;

/// Number of the word after them.
const FIRST_WORD: u64 = 2;

/// The values of a workload.
#[derive(Clone, Debug)]
pub struct Values {
    lengths: Lengths,
    compressible: bool,
    made_as: ValuesAs,
}

/// The lengths of values.
#[derive(Clone, Debug)]
enum Lengths {
    Fixed(usize),
    /// The shortest length, and how many different lengths there are.
    Uniform(usize, usize),
    /// The highest uniform number that selects each length.
    Steps(Vec<(u64, usize)>),
}

impl Lengths {
    fn new(bytes: &ValueBytes) -> Lengths {
        match bytes {
            ValueBytes::Fixed(bytes) => Lengths::Fixed(*bytes as usize),
            ValueBytes::Uniform(from, to) => {
                Lengths::Uniform(*from as usize, (to - from) as usize + 1)
            }
            ValueBytes::Steps(steps) => {
                let weights: Vec<f64> = steps.iter().map(|step| step.weight).collect();
                let bytes = steps.iter().map(|step| step.bytes as usize);
                Lengths::Steps(cumulated(&weights).into_iter().zip(bytes).collect())
            }
        }
    }
}

impl Values {
    /// Creates the values of this workload.
    pub fn new(workload: &Workload) -> Values {
        let lengths = Lengths::new(&workload.value);
        Values { lengths, compressible: workload.compressible, made_as: workload.values_as }
    }

    /// Returns true if values contain their key and their version.
    #[inline]
    pub fn have_versions(&self) -> bool {
        self.made_as == ValuesAs::Version
    }

    /// Returns the only value that a key can have, or None if values have versions.
    #[inline]
    pub(super) fn only(&self, key: u64) -> Option<Decimal> {
        (self.made_as == ValuesAs::Crc32).then(|| hashed::crc32(key))
    }

    /// Returns the length in bytes of the value of `key` at `version`.
    pub(super) fn length(&self, key: u64, version: u64) -> usize {
        let random = || Random::new(key ^ 0x1E46_7B2D, version);
        match &self.lengths {
            Lengths::Fixed(bytes) => *bytes,
            Lengths::Uniform(from, lengths) => from + random().below(*lengths),
            Lengths::Steps(steps) => {
                let uniform = random().next();
                let step = steps.iter().find(|step| uniform <= step.0);
                step.expect("the last goes up to the highest number").1
            }
        }
    }

    /// Appends the value; allocates only if `out` is too small. A value of fewer than 16 bytes
    /// is the beginning of the key's number.
    pub fn write(&self, key: u64, version: u64, out: &mut Vec<u8>) {
        if let Some(only) = self.only(key) {
            out.extend_from_slice(only.as_bytes());
            return;
        }
        let length = self.length(key, version);
        let rest = self.rest(key, version, length);
        let start = out.len();
        out.resize(start + length, 0);
        let (head, words) = out[start..].split_at_mut(length.min(HEAD));
        let both = u128::from(version) << 64 | u128::from(key);
        head.copy_from_slice(&both.to_le_bytes()[..head.len()]);
        let mut words = words.chunks_exact_mut(8);
        let mut number = FIRST_WORD;
        for word in &mut words {
            word.copy_from_slice(&rest.word(number).to_le_bytes());
            number += 1;
        }
        let last = words.into_remainder();
        last.copy_from_slice(&rest.word(number).to_le_bytes()[..last.len()]);
    }

    /// Returns what follows the first 16 bytes of a value of this length.
    pub(super) fn rest(&self, key: u64, version: u64, length: usize) -> Rest {
        let half = (length / 16) as u64;
        Rest {
            stream: Random::new(key, version).next(),
            repeats_from: if self.compressible { half } else { u64::MAX },
        }
    }
}

/// The bytes of a value after its first 16, in words of 8.
///
/// A word is computed from its number, and not from the word before it, because pieces of a
/// reply end anywhere. In compressible values, one word is repeated through the second half: a
/// match that every compressor finds, down to values of some tens of bytes. Text-like letters
/// were rejected, because the fast compressors that stores use do not shrink them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rest {
    stream: u64,
    /// Number of the first word that is repeated.
    repeats_from: u64,
}

/// Constants of wyrand (Wang Yi 2019), a generator that needs one multiplication where
/// SplitMix64 needs two, which halves the time of a write of 1000 bytes.
const STEP: u64 = 0xA076_1D64_78BD_642F;
const TWIST: u64 = 0xE703_7ED1_A0B4_28DB;

impl Rest {
    pub(super) fn word(&self, number: u64) -> u64 {
        let state = self.stream.wrapping_add(number.min(self.repeats_from).wrapping_mul(STEP));
        let product = u128::from(state) * u128::from(state ^ TWIST);
        (product >> 64) as u64 ^ product as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::presets::preset;

    fn values(value: ValueBytes, compressible: bool) -> Values {
        Values::new(&Workload { value, compressible, ..preset("kv").expect("a preset") })
    }

    fn written(values: &Values, key: u64, version: u64) -> Vec<u8> {
        let mut out = b"before".to_vec();
        values.write(key, version, &mut out);
        assert_eq!(&out[..6], b"before");
        out.split_off(6)
    }

    #[test]
    fn a_value_begins_with_key_and_version() {
        let value = written(&values(ValueBytes::Fixed(21), false), 0x0102, 0xA1B2);
        assert_eq!(value.len(), 21);
        assert_eq!(value[..16], [2, 1, 0, 0, 0, 0, 0, 0, 0xB2, 0xA1, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn the_value_of_a_key_and_version_never_changes() {
        let value = written(&values(ValueBytes::Fixed(32), false), 1, 2);
        assert_eq!(
            value[16..],
            [63, 166, 72, 164, 65, 196, 31, 132, 25, 57, 178, 22, 195, 171, 192, 147]
        );
    }

    #[test]
    fn short_values_are_the_beginning() {
        for length in 0..16 {
            let value = written(&values(ValueBytes::Fixed(length), true), 0x0102, 3);
            assert_eq!(
                value[..],
                written(&values(ValueBytes::Fixed(16), true), 0x0102, 3)[..length as usize]
            );
        }
    }

    #[test]
    fn keys_and_versions_differ_in_the_rest_too() {
        let values = values(ValueBytes::Fixed(64), false);
        let rest = |key, version| written(&values, key, version).split_off(HEAD);
        assert_ne!(rest(1, 0), rest(2, 0));
        assert_ne!(rest(1, 0), rest(1, 1));
        assert_ne!(rest(1, 2), rest(2, 1));
    }

    #[test]
    fn lengths_are_uniform_from_the_first_to_the_second() {
        let values = values(ValueBytes::Uniform(20, 29), false);
        let mut seen = [0u32; 10];
        for key in 0..1000 {
            for version in 0..100 {
                seen[values.length(key, version) - 20] += 1;
            }
        }
        let squares: f64 = seen.iter().map(|&n| (f64::from(n) - 1e4).powi(2) / 1e4).sum();
        assert!(squares < 9.0 + 4.0 * 18f64.sqrt(), "{seen:?}");
    }

    #[test]
    fn steps_come_as_often_as_they_weigh_and_are_what_they_were() {
        let steps = [(32, 70.0), (1000, 25.0), (64_000, 5.0)];
        let step = |(bytes, weight)| record::Step { bytes, weight };
        let values = values(ValueBytes::Steps(steps.map(step).to_vec()), false);
        let mut seen = [0u32; 3];
        for key in 0..1000 {
            for version in 0..100 {
                let length = values.length(key, version);
                assert_eq!(length, values.length(key, version));
                let at = steps.iter().position(|step| step.0 as usize == length);
                seen[at.expect("one of the lengths")] += 1;
            }
        }
        for (seen, (_, weight)) in seen.into_iter().zip(steps) {
            let wanted = weight * 1000.0;
            assert!((f64::from(seen) - wanted).abs() < 4.0 * wanted.sqrt(), "{seen}, not {wanted}");
        }
    }

    /// Returns bytes after deflate ÷ bytes before, over many values in one stream.
    fn compressed(length: u32, compressible: bool) -> f64 {
        let values = values(ValueBytes::Fixed(length), compressible);
        let mut all = Vec::new();
        for key in 0..200_000 / u64::from(length) {
            values.write(key, 0, &mut all);
        }
        miniz_oxide::deflate::compress_to_vec(&all, 6).len() as f64 / all.len() as f64
    }

    #[test]
    fn compressible_values_shrink_to_about_half() {
        for length in [200, 1000, 5000] {
            let ratio = compressed(length, true);
            assert!((0.44..0.56).contains(&ratio), "{length} bytes: {ratio}");
        }
        let ratio = compressed(1000, false);
        assert!(ratio > 0.97, "{ratio}");
    }
}

//! Checks a value while it is received, without buffering it.

use super::values::{HEAD, Rest, Values};

/// A value that is being read. It is fed the pieces in which the value arrives, which may be cut
/// anywhere.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    all: bool,
    /// Bytes seen.
    at: u64,
    head: [u8; HEAD],
    /// Known once the head was received.
    expected: Option<Expected>,
    /// No byte was wrong so far.
    right: bool,
}

#[derive(Clone, Copy, Debug)]
struct Expected {
    length: u64,
    rest: Rest,
}

/// The result of checking a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The key in it; for a value without a version, the key that it was compared with.
    pub key: u64,
    /// The version in it; 0 if it has none.
    pub version: u64,
    /// Its length is the one that follows from that key and version.
    pub length_right: bool,
    /// The bytes that were checked are those of that key and version.
    pub bytes_right: bool,
}

impl Check {
    /// Starts the check of a value; with `all` every byte is checked.
    pub fn new(all: bool) -> Check {
        Check { all, at: 0, head: [0; HEAD], expected: None, right: true }
    }

    /// Takes the next piece of one of these values. `values` is shared and not stored: every
    /// operation in flight has a check.
    pub fn piece(&mut self, values: &Values, piece: &[u8]) {
        let rest = self.head(values, piece);
        if let Some(expected) = &self.expected
            && self.all
            && self.right
        {
            self.right = same(&expected.rest, self.at, rest);
        }
        self.at += rest.len() as u64;
    }

    /// Returns the result after the last piece, or None if the value was shorter than key and
    /// version. `key` is the key whose value it must be.
    pub fn end(&self, values: &Values, key: u64) -> Option<Checked> {
        if let Some(only) = values.only(key) {
            return Some(self.compared(key, only.as_bytes()));
        }
        let expected = self.expected?;
        let (key, version) = self.key_and_version();
        let length_right = self.at == expected.length;
        Some(Checked { key, version, length_right, bytes_right: self.right })
    }

    /// Returns the result for a value without a version, which must be the only one that the key
    /// can have.
    fn compared(&self, key: u64, only: &[u8]) -> Checked {
        let length_right = self.at == only.len() as u64;
        let bytes_right = length_right && self.head[..only.len()] == *only;
        Checked { key, version: 0, length_right, bytes_right }
    }

    /// Takes from the piece what belongs to the head, and returns the rest.
    fn head<'a>(&mut self, values: &Values, piece: &'a [u8]) -> &'a [u8] {
        let at = self.at.min(HEAD as u64) as usize;
        let (head, rest) = piece.split_at(piece.len().min(HEAD - at));
        self.head[at..at + head.len()].copy_from_slice(head);
        self.at += head.len() as u64;
        if values.have_versions() && at < HEAD && at + head.len() == HEAD {
            let (key, version) = self.key_and_version();
            let length = values.length(key, version);
            let rest = values.rest(key, version, length);
            self.expected = Some(Expected { length: length as u64, rest });
        }
        rest
    }

    fn key_and_version(&self) -> (u64, u64) {
        let head = u128::from_le_bytes(self.head);
        (head as u64, (head >> 64) as u64)
    }
}

/// Returns true if these are the bytes from place `at` on.
fn same(rest: &Rest, at: u64, bytes: &[u8]) -> bool {
    let into_word = (at % 8) as usize;
    let (first, whole) = bytes.split_at(bytes.len().min((8 - into_word) % 8));
    let number = at / 8;
    let begun = rest.word(number).to_le_bytes();
    if first != &begun[into_word..into_word + first.len()] {
        return false;
    }
    let next = number + u64::from(into_word > 0);
    whole.chunks(8).zip(next..).all(|(bytes, number)| {
        let word = rest.word(number);
        match bytes.try_into() {
            Ok(bytes) => u64::from_le_bytes(bytes) == word,
            Err(_) => bytes == &word.to_le_bytes()[..bytes.len()],
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::presets::preset;
    use proptest::prelude::*;
    use record::{ValueBytes, ValuesAs, Workload};

    fn values(from: u32, compressible: bool) -> Values {
        let value = ValueBytes::Uniform(from, 300);
        Values::new(&Workload { value, compressible, ..preset("kv").expect("a preset") })
    }

    /// Returns the result for the value cut at these places.
    fn fed(values: &Values, all: bool, value: &[u8], cuts: &[usize]) -> Option<Checked> {
        let mut check = Check::new(all);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (value.len() + 1)).collect();
        cuts.sort_unstable();
        let mut from = 0;
        for to in cuts.into_iter().chain([value.len()]) {
            check.piece(values, &value[from..to]);
            from = to;
        }
        check.end(values, 0)
    }

    proptest! {
        #[test]
        fn a_value_is_right_however_it_is_cut(
            key: u64,
            version: u64,
            compressible: bool,
            all: bool,
            cuts in prop::collection::vec(0usize..400, 0..20),
        ) {
            let values = values(16, compressible);
            let mut value = Vec::new();
            values.write(key, version, &mut value);
            let right = Checked { key, version, length_right: true, bytes_right: true };
            prop_assert_eq!(fed(&values, all, &value, &cuts), Some(right));
        }

        #[test]
        fn every_cutting_of_any_bytes_has_the_same_answer(
            value in prop::collection::vec(any::<u8>(), 0..60),
            all: bool,
            cuts in prop::collection::vec(0usize..60, 0..20),
        ) {
            let values = values(16, false);
            let whole = fed(&values, all, &value, &[]);
            prop_assert_eq!(fed(&values, all, &value, &cuts), whole);
        }

        #[test]
        fn a_flipped_bit_is_found(
            key in 0u64..1000,
            version in 0u64..1000,
            compressible: bool,
            index: prop::sample::Index,
            bit in 0u8..8,
            cuts in prop::collection::vec(0usize..400, 0..20),
        ) {
            let values = values(16, compressible);
            let mut value = Vec::new();
            values.write(key, version, &mut value);
            let index = index.index(value.len());
            value[index] ^= 1 << bit;
            let seen = fed(&values, true, &value, &cuts).expect("16 bytes at least");
            // A change in the head makes it another key or version, and then nearly always
            // another length and other bytes.
            let is_reported = (seen.key, seen.version) != (key, version) || !seen.bytes_right;
            prop_assert!(is_reported, "byte {} of {}", index, value.len());
        }
    }

    #[test]
    fn a_value_that_is_cut_short_or_goes_on_has_the_wrong_length() {
        let values = values(20, false);
        let mut value = Vec::new();
        values.write(5, 6, &mut value);
        for all in [false, true] {
            let short = fed(&values, all, &value[..value.len() - 1], &[3]);
            let right = Checked { key: 5, version: 6, length_right: false, bytes_right: true };
            assert_eq!(short, Some(right));
            let long: Vec<u8> = value.iter().copied().chain([0]).collect();
            let long = fed(&values, all, &long, &[3]).expect("16 bytes at least");
            assert!(!long.length_right && long.bytes_right != all);
        }
    }

    #[test]
    fn a_sample_looks_at_the_head_alone() {
        let values = values(20, false);
        let mut value = Vec::new();
        values.write(5, 6, &mut value);
        value[17] ^= 1;
        assert!(fed(&values, false, &value, &[]).expect("16 bytes at least").bytes_right);
    }

    #[test]
    fn fewer_than_16_bytes_are_no_value() {
        for length in 0..16 {
            assert_eq!(fed(&values(16, false), true, &[0; 16][..length], &[1]), None);
        }
    }

    /// A value without a version is compared with the only one that the key can have.
    #[test]
    fn a_crc32_is_right_for_its_key_alone_however_it_is_cut() {
        let kv = preset("kv").expect("a preset");
        let values = Values::new(&Workload { values_as: ValuesAs::Crc32, ..kv });
        let seen = |value: &[u8], key: u64, all: bool, cut: usize| {
            let mut check = Check::new(all);
            check.piece(&values, &value[..cut]);
            check.piece(&values, &value[cut..]);
            let seen = check.end(&values, key).expect("as long as it may be");
            assert_eq!((seen.key, seen.version), (key, 0));
            (seen.length_right, seen.bytes_right)
        };
        for all in [false, true] {
            for cut in 0..10 {
                assert_eq!(seen(b"4108050209", 0, all, cut), (true, true), "{cut}");
            }
            assert_eq!(seen(b"4108050209", 1, all, 4), (true, false), "another key's");
            assert_eq!(seen(b"4108050208", 0, all, 4), (true, false), "another digit");
            for other in [&b""[..], b"410805020", b"41080502099", b"4108050209 and much more"] {
                assert_eq!(seen(other, 0, all, other.len() / 2), (false, false), "{other:?}");
            }
        }
    }
}

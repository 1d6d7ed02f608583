//! The name of the file with the value of a key, and its directory.

use std::ffi::CStr;

/// Offset basis and prime of FNV-1a with 128 bits (Fowler, Noll, Vo).
const FNV: (u128, u128) =
    (0x6C62_272E_07BB_0142_62B8_2175_6295_C58D, 0x0000_0000_0100_0000_0000_0000_0000_013B);

/// Digits of a name.
pub(super) const DIGITS: usize = 32;
/// Directories of the second level.
pub(super) const DIRECTORIES: usize = 256;

/// Where the value of one key is stored.
///
/// Cache_Lite uses MD5, so its names have 32 digits too. FNV-1a is the hash that the engine
/// digests bodies with, at twice the width: with 64 bits, two of 100 million keys would collide
/// once in 3700 runs, and the store would be blamed for a foreign value. Nobody can choose keys
/// here to make them collide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Name {
    /// Hexadecimal digits and the 0 byte that ends a name for the system.
    text: [u8; DIGITS + 1],
    /// The number of the directory of the second level.
    pub(super) directory: usize,
}

impl Name {
    #[inline]
    pub(super) fn of(key: &[u8]) -> Name {
        let hash =
            key.iter().fold(FNV.0, |hash, &byte| (hash ^ u128::from(byte)).wrapping_mul(FNV.1));
        let mut text = [0; DIGITS + 1];
        for (at, digit) in text[..DIGITS].iter_mut().enumerate() {
            *digit = digit_of((hash >> (4 * (DIGITS - 1 - at))) as usize);
        }
        // Multiplied by the golden ratio, after which the upper bits depend on all bits: the end
        // bits of FNV-1a are those of the last bytes alone.
        let folded = ((hash >> 64) as u64 ^ hash as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        Name { text, directory: (folded >> 56) as usize }
    }

    /// Returns the name in the form of the system.
    pub(super) fn text(&self) -> &CStr {
        as_c_str(&self.text)
    }

    pub(super) fn digits(&self) -> &[u8] {
        &self.text[..DIGITS]
    }
}

/// Returns a text that ends with a 0, in the form of the system.
pub(super) fn as_c_str(text: &[u8]) -> &CStr {
    CStr::from_bytes_until_nul(text).unwrap_or_default()
}

/// Returns the lowest four bits as a hexadecimal digit.
#[inline]
pub(super) fn digit_of(bits: usize) -> u8 {
    b"0123456789abcdef"[bits & 15]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_published_hashes() {
        let table = [
            ("", "6c62272e07bb014262b821756295c58d"),
            ("a", "d228cb696f1a8caf78912b704e4a8964"),
            ("ab", "08809544bbab1be95aa0733055b69a62"),
            ("abc", "a68d622cec8b5822836dbc7977af7f3b"),
        ];
        for (key, name) in table {
            assert_eq!(Name::of(key.as_bytes()).digits(), name.as_bytes(), "{key}");
        }
    }

    #[test]
    fn directories_fill_alike() {
        let mut files = [0u32; DIRECTORIES];
        for n in 0..100_000 {
            files[Name::of(format!("one:{n:012}").as_bytes()).directory] += 1;
        }
        // The mean is 391, the standard deviation 20 if drawn at random.
        assert!(files.iter().all(|n| (290..490).contains(n)), "{files:?}");
    }
}

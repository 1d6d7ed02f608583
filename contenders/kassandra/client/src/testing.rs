//! What the tests of both codecs share.

use crate::error::{Error, Kind};

/// The class of an error that must be there.
pub(crate) fn kind<T: std::fmt::Debug>(result: Result<T, Error>) -> Kind {
    result.expect_err("an error").kind
}

/// Reads these valid bytes cut off at each place, which must be an error.
pub(crate) fn cut_off<T: std::fmt::Debug>(valid: &[u8], read: impl Fn(&[u8]) -> Result<T, Error>) {
    read(valid).expect("valid bytes");
    for end in 0..valid.len() {
        read(&valid[..end]).expect_err(&format!("cut off at {end}"));
    }
}

/// Reads these bytes cut off, with each byte changed, and with random bytes after each place:
/// none of that may panic.
pub(crate) fn hostile<T>(valid: &[u8], read: impl Fn(&[u8]) -> Result<T, Error>) {
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    for at in 0..valid.len() {
        let _ = read(&valid[..at]);
        for byte in [0, 1, 2, 0x0b, 0x0f, 0x20, 0x7f, 0x80, 0xfe, 0xff] {
            let mut bytes = valid.to_vec();
            bytes[at] = byte;
            let _ = read(&bytes);
        }
        for _ in 0..20 {
            let mut bytes = valid[..at].to_vec();
            for _ in 0..valid.len() - at + 8 {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                bytes.push(random.to_le_bytes()[3]);
            }
            let _ = read(&bytes);
        }
    }
}

//! `Server-Timing`: how long a server says that parts of its work took.

use super::grammar::is_token;
use crate::bytes::{self, split_once};

/// The longest name that is read, in bytes.
const LONGEST_NAME: usize = 32;
/// The longest time that is read: an hour, in nanoseconds.
const LONGEST_NS: u64 = 3_600_000_000_000;

/// The parts that the value of a header reports, and how long each took, in nanoseconds:
/// `db;dur=53.2, app;dur=47` (W3C, Server Timing). A part without a time, or with a time that is
/// not a number of milliseconds, is left out.
pub(super) fn parts(value: &[u8]) -> impl Iterator<Item = (&[u8], u64)> {
    split(value, b',').filter_map(part)
}

fn part(text: &[u8]) -> Option<(&[u8], u64)> {
    let mut words = split(text, b';');
    let name = words.next()?.trim_ascii();
    if name.is_empty() || name.len() > LONGEST_NAME || !name.iter().all(|byte| is_token(*byte)) {
        return None;
    }
    let took = words.find_map(|word| {
        let (key, value) = split_once(word, b'=')?;
        key.trim_ascii().eq_ignore_ascii_case(b"dur").then(|| nanoseconds(value.trim_ascii()))
    });
    Some((name, took??))
}

/// Pieces between separators outside of quoted texts.
fn split(text: &[u8], separator: u8) -> impl Iterator<Item = &[u8]> {
    let (mut quoted, mut escaped) = (false, false);
    text.split(move |byte| {
        if escaped {
            escaped = false;
        } else if *byte == b'"' {
            quoted = !quoted;
        } else {
            escaped = quoted && *byte == b'\\';
        }
        !quoted && *byte == separator
    })
}

/// A decimal number of milliseconds, in quotes or not. Digits beyond nanoseconds are truncated.
fn nanoseconds(text: &[u8]) -> Option<u64> {
    let text = text.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\"")).unwrap_or(text);
    let (whole, rest) = split_once(text, b'.').unwrap_or((text, b""));
    if !rest.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let millionths = (0..6).fold(0, |sum, place| {
        sum * 10 + rest.get(place).map_or(0, |digit| u64::from(digit - b'0'))
    });
    let nanoseconds = bytes::decimal(whole)?.checked_mul(1_000_000)?.checked_add(millionths)?;
    Some(nanoseconds).filter(|nanoseconds| *nanoseconds <= LONGEST_NS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::vec::Vec;

    fn read(value: &str) -> Vec<(&str, u64)> {
        let name = |(name, took)| (core::str::from_utf8(name).expect("a token"), took);
        parts(value.as_bytes()).map(name).collect()
    }

    #[test]
    fn parts_with_a_time_are_read() {
        assert_eq!(read("db;dur=53.2, app;dur=47"), [("db", 53_200_000), ("app", 47_000_000)]);
        assert_eq!(read("a;desc=\"x, y;dur=1\";dur=2"), [("a", 2_000_000)]);
        assert_eq!(read("a;desc=\"\\\", b;dur=9\";DUR=\"0.000001\""), [("a", 1)]);
        assert_eq!(read(" a ; dur = 0.1234567 "), [("a", 123_456)]);
        assert_eq!(read("a;dur=3600000"), [("a", 3_600_000_000_000)]);
    }

    #[test]
    fn what_is_no_time_is_left_out() {
        for value in [
            "",
            "miss",
            "a;dur=",
            "a;dur=-1",
            "a;dur=1e3",
            "a;dur=.5",
            "a;dur=1.x",
            ";dur=1",
            "a b;dur=1",
            "a;dur=3600000.1",
            "a;dur=99999999999999999999",
            "a;desc=\"dur=1",
        ] {
            assert_eq!(read(value), [], "{value}");
        }
        let long = "n".repeat(33);
        assert_eq!(read(&format!("{long};dur=1, b;dur=1")), [("b", 1_000_000)]);
    }
}

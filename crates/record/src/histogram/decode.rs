//! Decodes what [`super::Histogram::encode`] wrote. A journal can come from anywhere: every length
//! in the text is checked against what tiebreak's histograms can have, and memory grows only with
//! the buckets that have samples.

use super::buckets::{self, Buckets};
use super::{HIGHEST, HistogramError};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use flate2::read::ZlibDecoder;
use std::io::Read;

/// HdrHistogram's cookies for version 2, compressed and uncompressed.
const COMPRESSED: u32 = 0x1c84_9314;
const PLAIN: u32 = 0x1c84_9313;
/// Length of the header, in bytes.
const HEADER: usize = 40;
/// Maximum length of one count, in bytes.
const LONGEST_COUNT: usize = 9;
/// Significant digits of all histograms of tiebreak.
const DIGITS: u32 = 3;

/// Returns the buckets with samples, and the number of samples.
pub(super) fn decode(text: &str) -> Result<(Buckets, u64), HistogramError> {
    let packed = BASE64_STANDARD.decode(text)?;
    read(&packed).ok_or(HistogramError::Form)
}

fn read(packed: &[u8]) -> Option<(Buckets, u64)> {
    let (cookie, rest) = number(packed)?;
    let (packed_bytes, rest) = number(rest)?;
    if cookie != COMPRESSED || packed_bytes as usize != rest.len() {
        return None;
    }
    let buckets_in_all = buckets::count_up_to(HIGHEST);
    let mut plain = Vec::new();
    // One byte more than the maximum is read, to notice that the text is too long.
    let most = HEADER + buckets_in_all * LONGEST_COUNT + 1;
    ZlibDecoder::new(rest).take(most as u64).read_to_end(&mut plain).ok()?;
    let counts = counts(&plain)?;
    read_counts(counts, buckets_in_all)
}

/// The text after the header. Returns None unless the header is that of tiebreak's histograms.
fn counts(plain: &[u8]) -> Option<&[u8]> {
    let (cookie, rest) = number(plain)?;
    let (counts_bytes, rest) = number(rest)?;
    let (offset, rest) = number(rest)?;
    let (digits, rest) = number(rest)?;
    let (lowest, rest) = rest.split_first_chunk()?;
    let (highest, rest) = rest.split_first_chunk()?;
    let (ratio, rest) = rest.split_first_chunk()?;
    let ours = (cookie, offset, digits) == (PLAIN, 0, DIGITS)
        && (u64::from_be_bytes(*lowest), u64::from_be_bytes(*highest)) == (1, HIGHEST)
        && f64::from_be_bytes(*ratio) == 1.0
        && counts_bytes as usize == rest.len();
    ours.then_some(rest)
}

fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (number, rest) = bytes.split_first_chunk()?;
    Some((u32::from_be_bytes(*number), rest))
}

/// One number for each bucket in turn; a negative number means that many empty buckets.
fn read_counts(mut bytes: &[u8], buckets_in_all: usize) -> Option<(Buckets, u64)> {
    let (mut found, mut total, mut bucket) = (Buckets::new(), 0u64, 0usize);
    while !bytes.is_empty() {
        let (count, rest) = zig_zag(bytes)?;
        bytes = rest;
        match u64::try_from(count) {
            Err(_) => bucket = bucket.checked_add(usize::try_from(count.unsigned_abs()).ok()?)?,
            Ok(_) if bucket >= buckets_in_all => return None,
            Ok(0) => bucket += 1,
            Ok(count) => {
                found.push((buckets::highest_at(bucket), count));
                total = total.checked_add(count)?;
                bucket += 1;
            }
        }
    }
    found.shrink_to_fit();
    Some((found, total))
}

/// A number of 1 to 9 bytes, 7 bits in each but the ninth, which has 8; the lowest
/// bit of the whole is its sign.
fn zig_zag(bytes: &[u8]) -> Option<(i64, &[u8])> {
    let mut number = 0u64;
    for (at, byte) in bytes.iter().enumerate().take(LONGEST_COUNT) {
        let last = at == LONGEST_COUNT - 1;
        let bits = if last { u64::from(*byte) } else { u64::from(byte & 0x7f) };
        number |= bits << (7 * at);
        if last || byte & 0x80 == 0 {
            return Some(((number >> 1) as i64 ^ -((number & 1) as i64), &bytes[at + 1..]));
        }
    }
    None
}

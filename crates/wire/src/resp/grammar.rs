//! The grammar of numbers, lengths and nulls.

use super::{faults, token::Token};
use crate::{Fault, bytes};

/// A complete string with its line end, the common case, as one token.
pub(super) fn whole(input: &[u8], len: usize) -> Option<&[u8]> {
    let (text, rest) = input.split_at_checked(len)?;
    rest.starts_with(b"\r\n").then_some(text)
}

pub(super) fn integer(text: &[u8]) -> Result<&[u8], Fault> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    };
    let most = i64::MAX as u64 + u64::from(negative);
    match bytes::decimal(digits) {
        Some(number) if number <= most => Ok(text),
        _ => Err(faults::INTEGER),
    }
}

/// Checks the text of a double, a big number or a boolean, whose type the first byte says. Returns
/// the text after that byte.
pub(super) fn number(line: &[u8]) -> Result<&[u8], Fault> {
    let (sign, text) = (line[0], &line[1..]);
    let unsigned = match text {
        [b'-' | b'+', rest @ ..] | rest => rest,
    };
    let sound = match sign {
        b'#' => matches!(text, b"t" | b"f"),
        b'(' => !unsigned.is_empty() && unsigned.iter().all(u8::is_ascii_digit),
        _ => {
            let part = |byte: &u8| byte.is_ascii_digit() || b".eE+-".contains(byte);
            let digits = unsigned.first().is_some_and(u8::is_ascii_digit);
            matches!(unsigned, b"inf" | b"nan") || (digits && unsigned.iter().all(part))
        }
    };
    if sound { Ok(text) } else { Err(faults::NUMBER) }
}

pub(super) fn null<'a>(text: &[u8]) -> Result<Token<'a>, Fault> {
    if text.is_empty() { Ok(Token::Null) } else { Err(faults::NUMBER) }
}

/// The number of elements.
pub(super) fn count(text: &[u8]) -> Result<u64, Fault> {
    bytes::decimal(text).ok_or(faults::LENGTH)
}

/// The number of keys and values in this many pairs.
pub(super) fn pairs(text: &[u8]) -> Result<u64, Fault> {
    count(text)?.checked_mul(2).ok_or(faults::LENGTH)
}

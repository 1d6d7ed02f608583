//! Helpers of all codecs: steps, lines, numbers, pieces.

use crate::Fault;
use alloc::vec::Vec;

/// Takes steps through an input until one needs more bytes (returns None). Returns how many were
/// consumed.
#[inline]
pub(crate) fn in_steps(
    input: &[u8],
    mut step: impl FnMut(&[u8]) -> Result<Option<usize>, Fault>,
) -> Result<usize, Fault> {
    let mut consumed = 0;
    while consumed < input.len() {
        match step(&input[consumed..])? {
            None => break,
            Some(taken) => consumed += taken,
        }
    }
    Ok(consumed)
}

/// The line that an input starts with.
pub(crate) enum InputLine<'a> {
    /// It is complete: its bytes without CR LF.
    Whole(&'a [u8]),
    /// It is incomplete.
    Partial,
    /// CR or LF without the other: two readers would find two different lines.
    Bare,
}

/// Looks for the line's end. The first `looked` bytes were searched before and contain no line end:
/// they are not searched again.
pub(crate) fn line(input: &[u8], looked: usize) -> InputLine<'_> {
    let ends = |byte: &u8| matches!(byte, b'\r' | b'\n');
    let Some(at) = input[looked..].iter().position(ends) else { return InputLine::Partial };
    let at = looked + at;
    match input[at..] {
        [b'\r', b'\n', ..] => InputLine::Whole(&input[..at]),
        [b'\r'] => InputLine::Partial,
        _ => InputLine::Bare,
    }
}

/// How much of an input without a line's end need not be searched again.
pub(crate) fn looked(input: &[u8]) -> usize {
    input.len() - usize::from(input.ends_with(b"\r"))
}

/// Whether an input starts with CR LF. Returns None while that is not known.
pub(crate) fn starts_with_line_end(input: &[u8]) -> Option<bool> {
    match input {
        [] | [b'\r'] => None,
        [b'\r', b'\n', ..] => Some(true),
        _ => Some(false),
    }
}

/// Parses digits only. Returns None for other bytes and on overflow. `str::parse` would also accept
/// a plus sign.
pub(crate) fn decimal(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u64, |number, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    })
}

/// Appends a number in digits; formatting would cost more than the rest of a
/// small request.
pub fn push_decimal(to: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    to.extend_from_slice(&digits[at..]);
}

/// The elements of a comma-separated value.
pub(crate) fn list(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii)
}

/// Removes the first bytes of `input`, at most `left`, and returns them.
pub(crate) fn up_to<'a>(left: &mut u64, input: &'a [u8]) -> &'a [u8] {
    let len = usize::try_from(*left).unwrap_or(usize::MAX).min(input.len());
    *left -= len as u64;
    &input[..len]
}

/// The parts before and after the first separator. Returns None if there is none.
pub(crate) fn split_once(text: &[u8], separator: u8) -> Option<(&[u8], &[u8])> {
    let at = text.iter().position(|byte| *byte == separator)?;
    Some((&text[..at], &text[at + 1..]))
}

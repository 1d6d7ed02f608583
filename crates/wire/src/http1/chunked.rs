//! Chunked bodies (RFC 9112, 7.1).
//!
//! Framing is read byte by byte and never held back, so it does not matter how the bytes are split,
//! and no line is searched twice. Lines must end with CR LF here: a reader that accepts a bare LF
//! finds other chunks than one that does not.

use super::{faults, grammar};
use crate::{Fault, bytes::up_to};

/// The progress of a body with the given bytes.
pub(super) struct Consumed {
    /// Bytes that belong to it, framing included.
    pub(super) consumed: usize,
    /// Whether the body is complete.
    pub(super) complete: bool,
}

/// The longest size line, extensions and line end included.
const SIZE_LINE_BYTES: usize = 1024;

/// The position in a chunked body.
#[derive(Debug)]
pub(super) struct Chunked {
    expects: Expects,
    /// Bytes of the chunk that are still to come; while its size is read, the
    /// size so far.
    left: u64,
    /// Bytes of the size line so far; of the trailers, once they began.
    line: usize,
}

/// What the next byte is part of.
#[derive(Clone, Copy, Debug)]
enum Expects {
    FirstDigit,
    Digit,
    Padding,
    Extension,
    SizeLf,
    Data,
    DataCr,
    DataLf,
    Trailer,
    TrailerName,
    TrailerValue,
    TrailerLf,
    LastLf,
    Nothing,
}

use Expects::*;

impl Chunked {
    pub(super) fn new() -> Chunked {
        Chunked { expects: FirstDigit, left: 0, line: 0 }
    }

    /// See [`Body::take`](super::body::Body::take).
    pub(super) fn take(
        &mut self,
        input: &[u8],
        trailer_bytes: usize,
        mut piece: impl FnMut(&[u8]),
    ) -> Result<Consumed, Fault> {
        let mut at = 0;
        while at < input.len() && !matches!(self.expects, Nothing) {
            if matches!(self.expects, Data) {
                let taken = up_to(&mut self.left, &input[at..]);
                piece(taken);
                at += taken.len();
                if self.left == 0 {
                    self.expects = DataCr;
                }
            } else {
                self.expects = self.next(input[at], trailer_bytes)?;
                at += 1;
            }
        }
        Ok(Consumed { consumed: at, complete: matches!(self.expects, Nothing) })
    }

    /// What follows this byte of framing.
    fn next(&mut self, byte: u8, trailer_bytes: usize) -> Result<Expects, Fault> {
        match (self.expects, byte) {
            (FirstDigit | Digit | Padding | Extension | SizeLf, _) => self.size_line(byte),
            (DataCr, b'\r') => Ok(DataLf),
            (DataLf, b'\n') => Ok(FirstDigit),
            (Trailer | TrailerName | TrailerValue | TrailerLf | LastLf, _) => {
                self.trailers(byte, trailer_bytes)
            }
            (Data | DataCr | DataLf | Nothing, _) => Err(faults::CHUNK),
        }
    }

    fn size_line(&mut self, byte: u8) -> Result<Expects, Fault> {
        self.line += 1;
        if self.line > SIZE_LINE_BYTES {
            return Err(faults::CHUNK_LINE_TOO_LONG);
        }
        match (self.expects, byte) {
            (FirstDigit | Digit, _) if byte.is_ascii_hexdigit() => self.digit(byte),
            // Some servers pad the size with blanks to a fixed width.
            (Digit | Padding, b' ' | b'\t') => Ok(Padding),
            (Digit | Padding, b';') => Ok(Extension),
            (Digit | Padding | Extension, b'\r') => Ok(SizeLf),
            (Extension, _) if grammar::is_value(byte) => Ok(Extension),
            (SizeLf, b'\n') => {
                self.line = 0;
                Ok(if self.left == 0 { Trailer } else { Data })
            }
            _ => Err(faults::CHUNK),
        }
    }

    fn digit(&mut self, byte: u8) -> Result<Expects, Fault> {
        let digit = char::from(byte).to_digit(16).ok_or(faults::CHUNK)?;
        let shifted = self.left.checked_mul(16).ok_or(faults::CHUNK_TOO_LARGE)?;
        self.left = shifted | u64::from(digit);
        Ok(Digit)
    }

    fn trailers(&mut self, byte: u8, limit: usize) -> Result<Expects, Fault> {
        self.line += 1;
        if self.line > limit {
            return Err(faults::TRAILERS_TOO_LONG);
        }
        match (self.expects, byte) {
            (Trailer, b'\r') => Ok(LastLf),
            (LastLf, b'\n') => Ok(Nothing),
            (Trailer | TrailerName, _) if grammar::is_token(byte) => Ok(TrailerName),
            (TrailerName, b':') => Ok(TrailerValue),
            (TrailerValue, b'\r') => Ok(TrailerLf),
            (TrailerValue, _) if grammar::is_value(byte) => Ok(TrailerValue),
            (TrailerLf, b'\n') => Ok(Trailer),
            _ => Err(faults::TRAILER),
        }
    }
}

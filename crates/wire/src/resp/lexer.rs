//! Splits bytes into tokens: one value's type, length and text, without regard to its surroundings.
//! Nothing is collected: at most one short line is held back.

use super::token::{Aggregate, Scalar, Token};
use super::{Limits, MOST_LINE_BYTES, codes, faults, grammar};
use crate::Fault;
use crate::bytes::{self, InputLine};

/// The result of a step: consumed bytes, and their token. No bytes and no token mean that more
/// bytes are needed.
pub(super) struct LexerStep<'a> {
    pub(super) consumed: usize,
    pub(super) token: Option<Token<'a>>,
}

const MORE: LexerStep<'_> = LexerStep { consumed: 0, token: None };

/// What the next byte is part of.
#[derive(Clone, Copy, Debug)]
enum Expects {
    /// A value; `looked` bytes of its first line contain no line end.
    Value { looked: usize },
    /// A text that ends with its line.
    Text,
    /// A string of which `left` bytes are to come.
    Bulk { left: u64 },
    /// The first bytes of an error's text.
    BulkError { left: u64 },
    /// The format of a verbatim string.
    Verbatim { left: u64 },
}

/// Maximum digits of a length that [`Lexer::whole_string`] accepts, so that nothing overflows.
const MOST_DIGITS: usize = 10;

const NEXT_VALUE: Expects = Expects::Value { looked: 0 };

/// The position in the stream.
#[derive(Debug)]
pub(super) struct Lexer {
    expects: Expects,
    limits: Limits,
}

impl Lexer {
    pub(super) fn new(limits: Limits) -> Lexer {
        Lexer { expects: NEXT_VALUE, limits }
    }

    /// Whether nothing was begun or held back.
    pub(super) fn is_between(&self) -> bool {
        matches!(self.expects, Expects::Value { looked: 0 })
    }

    pub(super) fn reset(&mut self) {
        self.expects = NEXT_VALUE;
    }

    /// The text of a complete string at the start of the input, and the number of its bytes.
    /// Returns None for anything else and for invalid input, which [`Lexer::next`] handles.
    #[inline]
    pub(super) fn whole_string<'a>(&self, input: &'a [u8]) -> Option<(&'a [u8], usize)> {
        if !self.is_between() || input[0] != b'$' {
            return None;
        }
        let digits = input[1..].iter().take(MOST_DIGITS).take_while(|byte| byte.is_ascii_digit());
        let (mut len, mut at) = (0, 1);
        for digit in digits {
            len = len * 10 + u64::from(digit - b'0');
            at += 1;
        }
        if at == 1 || len > self.limits.bulk_bytes || !input[at..].starts_with(b"\r\n") {
            return None;
        }
        let text = grammar::whole(&input[at + 2..], usize::try_from(len).ok()?)?;
        Some((text, at + 2 + text.len() + 2))
    }

    /// Reads one token of an input that is not empty.
    ///
    /// # Errors
    /// When the bytes are not RESP, or exceed a limit.
    pub(super) fn next<'a>(&mut self, input: &'a [u8]) -> Result<LexerStep<'a>, Fault> {
        match self.expects {
            Expects::Value { looked } => self.first_line(input, looked),
            Expects::Text => self.text(input),
            Expects::Bulk { left } => self.bulk(input, left),
            Expects::BulkError { left } => Ok(self.bulk_error(input, left)),
            Expects::Verbatim { left } => self.verbatim(input, left),
        }
    }

    fn first_line<'a>(&mut self, input: &'a [u8], looked: usize) -> Result<LexerStep<'a>, Fault> {
        if !b"+-:$*_#,(!=%~>|".contains(&input[0]) {
            return Err(faults::NOT_RESP);
        }
        let window = &input[..input.len().min(MOST_LINE_BYTES)];
        match bytes::line(window, looked) {
            InputLine::Whole(line) => self.value(input, line),
            InputLine::Bare => Err(faults::LINE_END),
            InputLine::Partial if window.len() == MOST_LINE_BYTES => self.long_text(window),
            InputLine::Partial => {
                self.expects = Expects::Value { looked: bytes::looked(window) };
                Ok(MORE)
            }
        }
    }

    /// Streams a text that does not fit on a short line.
    fn long_text<'a>(&mut self, window: &[u8]) -> Result<LexerStep<'a>, Fault> {
        let scalar = match window[0] {
            b'+' => Scalar::Simple,
            b'-' => Scalar::Error(codes::of(&window[1..])),
            _ => return Err(faults::LINE_TOO_LONG),
        };
        self.expects = Expects::Text;
        Ok(LexerStep { consumed: 1, token: Some(Token::Begin(scalar)) })
    }

    /// Reads a value whose first line is complete.
    fn value<'a>(&mut self, input: &'a [u8], line: &'a [u8]) -> Result<LexerStep<'a>, Fault> {
        self.expects = NEXT_VALUE;
        let text = &line[1..];
        let token = match line[0] {
            b'+' => Token::Whole(Scalar::Simple, text),
            b'-' => Token::Whole(Scalar::Error(codes::of(text)), text),
            b':' => Token::Whole(Scalar::Integer, grammar::integer(text)?),
            b',' | b'(' | b'#' => Token::Whole(Scalar::Number, grammar::number(line)?),
            b'$' if text == b"-1" => Token::Null,
            b'*' if text == b"-1" => Token::Null,
            b'_' => grammar::null(text)?,
            b'$' | b'!' | b'=' => return self.string(input, line),
            b'*' => Token::Open(Aggregate::Array, grammar::count(text)?),
            b'~' => Token::Open(Aggregate::Set, grammar::count(text)?),
            b'%' => Token::Open(Aggregate::Map, grammar::pairs(text)?),
            b'|' => Token::Open(Aggregate::Attribute, grammar::pairs(text)?),
            b'>' => Token::Open(Aggregate::Push, grammar::count(text)?),
            _ => return Err(faults::NOT_RESP),
        };
        Ok(LexerStep { consumed: line.len() + 2, token: Some(token) })
    }

    /// Reads a string whose length is on the first line.
    fn string<'a>(&mut self, input: &'a [u8], line: &[u8]) -> Result<LexerStep<'a>, Fault> {
        let begin = line.len() + 2;
        let left = bytes::decimal(&line[1..]).ok_or(faults::LENGTH)?;
        if left > self.limits.bulk_bytes {
            return Err(faults::BULK_TOO_LONG);
        }
        let token = match line[0] {
            b'!' => {
                self.expects = Expects::BulkError { left };
                return Ok(LexerStep { consumed: begin, token: None });
            }
            b'=' if left < 4 => return Err(faults::VERBATIM),
            b'=' => {
                self.expects = Expects::Verbatim { left };
                return Ok(LexerStep { consumed: begin, token: None });
            }
            _ => usize::try_from(left).ok().and_then(|len| grammar::whole(&input[begin..], len)),
        };
        let (consumed, token) = match token {
            Some(text) => (begin + text.len() + 2, Token::Whole(Scalar::Bulk, text)),
            None => {
                self.expects = Expects::Bulk { left };
                (begin, Token::Begin(Scalar::Bulk))
            }
        };
        Ok(LexerStep { consumed, token: Some(token) })
    }

    fn text<'a>(&mut self, input: &'a [u8]) -> Result<LexerStep<'a>, Fault> {
        let ends = |byte: &u8| matches!(byte, b'\r' | b'\n');
        match input.iter().position(ends).unwrap_or(input.len()) {
            0 => self.end(input),
            len => Ok(LexerStep { consumed: len, token: Some(Token::Piece(&input[..len])) }),
        }
    }

    fn bulk<'a>(&mut self, input: &'a [u8], mut left: u64) -> Result<LexerStep<'a>, Fault> {
        if left == 0 {
            return self.end(input);
        }
        let piece = bytes::up_to(&mut left, input);
        self.expects = Expects::Bulk { left };
        Ok(LexerStep { consumed: piece.len(), token: Some(Token::Piece(piece)) })
    }

    /// Reads the CR LF after a string or a text.
    fn end<'a>(&mut self, input: &[u8]) -> Result<LexerStep<'a>, Fault> {
        match bytes::starts_with_line_end(input) {
            None => Ok(MORE),
            Some(false) => Err(faults::LINE_END),
            Some(true) => {
                self.expects = NEXT_VALUE;
                Ok(LexerStep { consumed: 2, token: Some(Token::End) })
            }
        }
    }

    fn bulk_error<'a>(&mut self, input: &[u8], left: u64) -> LexerStep<'a> {
        let error_text =
            usize::try_from(left).map_or(codes::CODE_BYTES, |left| left.min(codes::CODE_BYTES));
        let Some(text) = input.get(..error_text) else { return MORE };
        self.expects = Expects::Bulk { left };
        LexerStep { consumed: 0, token: Some(Token::Begin(Scalar::Error(codes::of(text)))) }
    }

    /// Skips the format of a verbatim string: three letters and a colon, which are framing.
    fn verbatim<'a>(&mut self, input: &[u8], left: u64) -> Result<LexerStep<'a>, Fault> {
        match input {
            [_, _, _, b':', ..] => {
                self.expects = Expects::Bulk { left: left - 4 };
                Ok(LexerStep { consumed: 4, token: Some(Token::Begin(Scalar::Bulk)) })
            }
            [_, _, _, _, ..] => Err(faults::VERBATIM),
            _ => Ok(MORE),
        }
    }
}

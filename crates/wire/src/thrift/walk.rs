//! Reads a value of any shape without holding it; the containers around it are on a short stack.

use super::faults;
use super::limits::MOST_DEEP;
use super::message::types;
use crate::Fault;

/// A step from a value to one inside it: the number of a field, or one of these.
pub(super) mod steps {
    /// A field with a number that Cassandra's structs do not have.
    pub(crate) const OTHER_FIELD: u8 = 252;
    /// A value of a map.
    pub(crate) const VALUE: u8 = 253;
    /// A key of a map.
    pub(crate) const KEY: u8 = 254;
    /// An element of a list or a set.
    pub(crate) const ELEMENT: u8 = 255;
}

/// What is around the next value.
#[derive(Clone, Copy)]
enum Level {
    Struct { field: u8 },
    List { of: u8, left: u32 },
    Map { key: u8, value: u8, left: u32, at_value: bool },
}

/// What was read. Its position: see [`Walker::is_at`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// Nothing to report.
    Other,
    /// A struct, a list, a set or a map begins.
    Open,
    /// A piece of a text, perhaps an empty one.
    Text {
        /// The bytes.
        piece: &'a [u8],
        /// The text ends with it.
        last: bool,
    },
    /// The message is complete.
    Done,
}

/// Walks through the struct of a message.
pub(super) struct Walker {
    levels: [Level; MOST_DEEP],
    depth: usize,
    /// The type of the next value. None if the head of a field comes next.
    pending: Option<u8>,
    /// Bytes of the text that was begun.
    text_left: u32,
    /// The value that was read last is complete.
    is_complete: bool,
}

impl Walker {
    pub(super) fn new() -> Walker {
        Walker {
            levels: [Level::Struct { field: 0 }; MOST_DEEP],
            depth: 0,
            pending: None,
            text_left: 0,
            is_complete: false,
        }
    }

    /// Begins the struct of the next message.
    pub(super) fn start(&mut self) {
        *self = Walker::new();
        self.depth = 1;
    }

    /// Whether what was read last is at this position: `first` and then `rest` are the steps from
    /// the message's struct.
    pub(super) fn is_at(&self, token: Token<'_>, first: &[u8], rest: &[u8]) -> bool {
        let depth = self.depth - usize::from(token == Token::Open);
        let steps = self.levels[..depth].iter().map(|level| match *level {
            Level::Struct { field } => field,
            Level::List { .. } => steps::ELEMENT,
            Level::Map { at_value: true, .. } => steps::VALUE,
            Level::Map { at_value: false, .. } => steps::KEY,
        });
        depth == first.len() + rest.len() && steps.eq(first.iter().chain(rest).copied())
    }

    /// Reads on. Returns how many bytes were read and what they say, or None if more bytes
    /// are needed.
    pub(super) fn next<'a>(
        &mut self,
        input: &'a [u8],
    ) -> Result<Option<(usize, Token<'a>)>, Fault> {
        if self.is_complete {
            self.is_complete = false;
            self.settle();
        }
        if self.text_left > 0 {
            return Ok((!input.is_empty()).then(|| self.piece(input, 0)));
        }
        match self.pending {
            Some(of) => self.value(of, input),
            None => self.field(input),
        }
    }

    /// Determines what comes after a complete value.
    fn settle(&mut self) {
        self.pending = None;
        while self.depth > 0 {
            match &mut self.levels[self.depth - 1] {
                Level::Struct { .. } => return,
                Level::List { of, left } if *left > 0 => {
                    *left -= 1;
                    self.pending = Some(*of);
                    return;
                }
                Level::Map { value, at_value: at_value @ false, .. } => {
                    *at_value = true;
                    self.pending = Some(*value);
                    return;
                }
                Level::Map { key, left, at_value, .. } if *left > 0 => {
                    *left -= 1;
                    *at_value = false;
                    self.pending = Some(*key);
                    return;
                }
                Level::List { .. } | Level::Map { .. } => self.depth -= 1,
            }
        }
    }

    /// Reads the head of a field, or the end of the struct.
    fn field<'a>(&mut self, input: &[u8]) -> Result<Option<(usize, Token<'a>)>, Fault> {
        let Some(&of) = input.first() else { return Ok(None) };
        if of == types::STOP {
            self.depth -= 1;
            self.is_complete = self.depth > 0;
            return Ok(Some((1, if self.depth > 0 { Token::Other } else { Token::Done })));
        }
        let Some(id) = input.get(1..3) else { return Ok(None) };
        let id = i16::from_be_bytes([id[0], id[1]]);
        let field = u8::try_from(id).unwrap_or(steps::OTHER_FIELD).min(steps::OTHER_FIELD);
        self.levels[self.depth - 1] = Level::Struct { field };
        self.pending = Some(known(of)?);
        Ok(Some((3, Token::Other)))
    }

    fn value<'a>(&mut self, of: u8, input: &'a [u8]) -> Result<Option<(usize, Token<'a>)>, Fault> {
        match of {
            types::BOOL | types::BYTE => Ok(self.plain(1, input)),
            types::I16 => Ok(self.plain(2, input)),
            types::I32 => Ok(self.plain(4, input)),
            types::I64 | types::DOUBLE => Ok(self.plain(8, input)),
            types::STRING => {
                let Some(length) = input.first_chunk() else { return Ok(None) };
                self.text_left = count(length)?;
                Ok(Some(self.piece(&input[4..], 4)))
            }
            types::STRUCT => {
                self.open(Level::Struct { field: steps::OTHER_FIELD })?;
                Ok(Some((0, Token::Open)))
            }
            types::MAP => {
                let Some([key, value, length @ ..]) = input.first_chunk::<6>() else {
                    return Ok(None);
                };
                let left = count(length)?;
                if left > 0 {
                    known(*key)?;
                    known(*value)?;
                }
                self.open(Level::Map { key: *key, value: *value, left, at_value: true })?;
                self.is_complete = true;
                Ok(Some((6, Token::Open)))
            }
            types::SET | types::LIST => {
                let Some([of, length @ ..]) = input.first_chunk::<5>() else { return Ok(None) };
                let left = count(length)?;
                if left > 0 {
                    known(*of)?;
                }
                self.open(Level::List { of: *of, left })?;
                self.is_complete = true;
                Ok(Some((5, Token::Open)))
            }
            _ => Err(faults::TYPE),
        }
    }

    /// Reads a value of this many bytes.
    fn plain<'a>(&mut self, bytes: usize, input: &[u8]) -> Option<(usize, Token<'a>)> {
        self.is_complete = input.len() >= bytes;
        self.is_complete.then_some((bytes, Token::Other))
    }

    /// Reads as much of a text as is available; `before` is the number of bytes that were read
    /// before it.
    fn piece<'a>(&mut self, input: &'a [u8], before: usize) -> (usize, Token<'a>) {
        let length = input.len().min(self.text_left as usize);
        self.text_left -= length as u32;
        self.is_complete = self.text_left == 0;
        let piece = &input[..length];
        (before + length, Token::Text { piece, last: self.is_complete })
    }

    fn open(&mut self, level: Level) -> Result<(), Fault> {
        let free = self.levels.get_mut(self.depth).ok_or(faults::TOO_DEEP)?;
        *free = level;
        self.depth += 1;
        self.pending = None;
        Ok(())
    }
}

/// Reads a length or a count.
fn count(bytes: &[u8; 4]) -> Result<u32, Fault> {
    let count = i32::from_be_bytes(*bytes);
    u32::try_from(count).map_err(|_| faults::LENGTH)
}

/// Checks that a type exists.
fn known(of: u8) -> Result<u8, Fault> {
    match of {
        types::BOOL..=types::DOUBLE
        | types::I16
        | types::I32
        | types::I64
        | types::STRING
        | types::STRUCT
        | types::MAP
        | types::SET
        | types::LIST => Ok(of),
        _ => Err(faults::TYPE),
    }
}

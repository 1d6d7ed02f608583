//! Frames (RFC 6455, 5.2).

use super::faults;
use crate::Fault;
use alloc::vec::Vec;

/// The kind of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// UTF-8.
    #[default]
    Text,
    /// Any bytes.
    Binary,
}

/// The kind of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opcode {
    Continuation,
    Message(Kind),
    Close,
    Ping,
    Pong,
}

/// The head of a frame from the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) opcode: Opcode,
    /// It is the last frame of its message.
    pub(super) is_last: bool,
    /// Bytes of payload.
    pub(super) payload: u64,
    /// Length of the head, in bytes.
    pub(super) len: usize,
}

/// Payload of a control frame, at most.
pub(super) const MOST_CONTROL: usize = 125;
const FIN: u8 = 0x80;
const RESERVED: u8 = 0x70;
const MASK: u8 = 0x80;
/// Lengths up to this one are one byte.
const SHORT: u64 = 125;

impl Opcode {
    fn of(byte: u8) -> Option<Opcode> {
        Some(match byte & 0x0F {
            0 => Opcode::Continuation,
            1 => Opcode::Message(Kind::Text),
            2 => Opcode::Message(Kind::Binary),
            8 => Opcode::Close,
            9 => Opcode::Ping,
            10 => Opcode::Pong,
            _ => return None,
        })
    }

    fn byte(self) -> u8 {
        match self {
            Opcode::Continuation => 0,
            Opcode::Message(Kind::Text) => 1,
            Opcode::Message(Kind::Binary) => 2,
            Opcode::Close => 8,
            Opcode::Ping => 9,
            Opcode::Pong => 10,
        }
    }

    pub(super) fn is_control(self) -> bool {
        matches!(self, Opcode::Close | Opcode::Ping | Opcode::Pong)
    }
}

impl Head {
    /// Reads the head that the input, which is not empty, begins with. Returns None while it
    /// is not complete.
    ///
    /// # Errors
    /// When one of the available bytes is wrong: they are checked in order, so that it does not
    /// matter how many came at once.
    pub(super) fn read(input: &[u8]) -> Result<Option<Head>, Fault> {
        let first = input[0];
        if first & RESERVED != 0 {
            return Err(faults::RESERVED_BIT);
        }
        let opcode = Opcode::of(first).ok_or(faults::OPCODE)?;
        let is_last = first & FIN != 0;
        if opcode.is_control() && !is_last {
            return Err(faults::CUT_CONTROL);
        }
        let Some(second) = input.get(1) else { return Ok(None) };
        if second & MASK != 0 {
            return Err(faults::MASKED);
        }
        if opcode.is_control() && usize::from(*second) > MOST_CONTROL {
            return Err(faults::LONG_CONTROL);
        }
        let Some((payload, len)) = length(*second, &input[2..])? else { return Ok(None) };
        Ok(Some(Head { opcode, is_last, payload, len }))
    }
}

/// Bytes of payload, and of the whole head.
fn length(short: u8, behind: &[u8]) -> Result<Option<(u64, usize)>, Fault> {
    match short {
        126 => {
            let Some(bytes) = behind.first_chunk() else { return Ok(None) };
            let length = u64::from(u16::from_be_bytes(*bytes));
            if length <= SHORT { Err(faults::LONG_LENGTH) } else { Ok(Some((length, 4))) }
        }
        127 => {
            let Some(bytes) = behind.first_chunk() else { return Ok(None) };
            match u64::from_be_bytes(*bytes) {
                0..=0xFFFF => Err(faults::LONG_LENGTH),
                length if length >> 63 != 0 => Err(faults::HUGE_LENGTH),
                length => Ok(Some((length, 10))),
            }
        }
        _ => Ok(Some((short.into(), 2))),
    }
}

/// Appends a whole message or control frame, masked with this key. Its payload is both parts, one
/// after the other.
pub(super) fn write(to: &mut Vec<u8>, opcode: Opcode, parts: [&[u8]; 2], key: [u8; 4]) {
    to.push(FIN | opcode.byte());
    match (parts[0].len() + parts[1].len()) as u64 {
        short @ 0..=SHORT => to.push(MASK | short as u8),
        length @ ..=0xFFFF => {
            to.push(MASK | 126);
            to.extend_from_slice(&(length as u16).to_be_bytes());
        }
        length => {
            to.push(MASK | 127);
            to.extend_from_slice(&length.to_be_bytes());
        }
    }
    to.extend_from_slice(&key);
    let from = to.len();
    parts.iter().for_each(|part| to.extend_from_slice(part));
    mask(&mut to[from..], key);
}

/// Masks a payload. Masking it again unmasks it.
pub fn mask(payload: &mut [u8], key: [u8; 4]) {
    let [a, b, c, d] = key;
    let twice = u64::from_ne_bytes([a, b, c, d, a, b, c, d]);
    let (eights, rest) = payload.as_chunks_mut::<8>();
    for eight in eights {
        *eight = (u64::from_ne_bytes(*eight) ^ twice).to_ne_bytes();
    }
    rest.iter_mut().zip(key.into_iter().cycle()).for_each(|(byte, key)| *byte ^= key);
}

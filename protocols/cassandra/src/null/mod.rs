//! What a null Cassandra answers in CQL: every login is accepted, and every query returns one row.
//! Pure.
//!
//! Frames: the native protocol in its version 4,
//! <https://github.com/apache/cassandra/blob/trunk/doc/native_protocol_v4.spec>.

mod columns;
mod result;
mod statement;

use statement::Statement;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use testserver::null::{Consumed, NullService};

/// First byte of requests, and of replies.
const REQUEST: u8 = 4;
const REPLY: u8 = 0x84;
/// Bytes before the body of a frame: version, flags, stream, operation, length.
const HEAD: usize = 9;
/// The longest body that is read. A lane's requests are shorter.
const MOST_BODY: usize = 1 << 20;

/// Operations of requests.
const STARTUP: u8 = 0x01;
const OPTIONS: u8 = 0x05;
const QUERY: u8 = 0x07;
const PREPARE: u8 = 0x09;
const EXECUTE: u8 = 0x0a;
const REGISTER: u8 = 0x0b;
const BATCH: u8 = 0x0d;
/// Operations of replies.
const ERROR: u8 = 0x00;
const READY: u8 = 0x02;
const SUPPORTED: u8 = 0x06;
const RESULT: u8 = 0x08;

/// A version of CQL, and no compression.
const OPTIONS_THERE: &[u8] = b"\0\x02\0\x0bCQL_VERSION\0\x01\0\x053.4.5\0\x0bCOMPRESSION\0\0";
/// The error of a statement that is not known, with its message.
const UNPREPARED: &[u8] = b"\0\0\x25\0\0\x0cnot prepared";

/// The length of a prepared statement's ID, as in Cassandra.
const ID: usize = 16;
/// Maximum number of prepared statements that are kept. When there are more, all are dropped, and
/// clients prepare those that they need again.
const MOST_PREPARED: usize = 1000;

/// The prepared statements of one listening socket, each with its result, which is built once.
#[derive(Default)]
pub(crate) struct Cql {
    prepared: HashMap<[u8; ID], Vec<u8>>,
}

impl NullService for Cql {
    fn answer(&mut self, input: &[u8], out: &mut Vec<u8>) -> Consumed {
        if input[0] != REQUEST {
            return Consumed::Unknown;
        }
        let Some((head, rest)) = input.split_first_chunk::<HEAD>() else { return Consumed::NotAll };
        let &[_, flags, high, low, operation, a, b, c, d] = head;
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        // Flags request compression, tracing and other features that no lane uses.
        if flags != 0 || length > MOST_BODY {
            return Consumed::Unknown;
        }
        let Some(body) = rest.get(..length) else { return Consumed::NotAll };
        let at = out.len();
        out.extend_from_slice(&[REPLY, 0, high, low, ERROR, 0, 0, 0, 0]);
        let Some(operation) = self.reply(operation, body, out) else {
            out.truncate(at);
            return Consumed::Unknown;
        };
        let replied = (out.len() - at - HEAD) as u32;
        out[at + 4] = operation;
        out[at + 5..at + HEAD].copy_from_slice(&replied.to_be_bytes());
        Consumed::Bytes(HEAD + length)
    }
}

impl Cql {
    /// Appends the body of the reply. Returns its operation, or None if the request is
    /// malformed or not known.
    fn reply(&mut self, operation: u8, body: &[u8], out: &mut Vec<u8>) -> Option<u8> {
        match operation {
            STARTUP | REGISTER => return Some(READY),
            OPTIONS => {
                out.extend_from_slice(OPTIONS_THERE);
                return Some(SUPPORTED);
            }
            QUERY => result::of(&Statement::read(text(body)?), out),
            PREPARE => self.prepare(text(body)?, out),
            EXECUTE => return self.execute(body, out),
            BATCH => out.extend_from_slice(result::VOID),
            _ => return None,
        }
        Some(RESULT)
    }

    fn prepare(&mut self, text: &str, out: &mut Vec<u8>) {
        let (id, statement) = (id(text), Statement::read(text));
        result::prepared(&id, &statement, out);
        if self.prepared.len() >= MOST_PREPARED {
            self.prepared.clear();
        }
        let mut effect = Vec::new();
        result::of(&statement, &mut effect);
        self.prepared.insert(id, effect);
    }

    fn execute(&self, body: &[u8], out: &mut Vec<u8>) -> Option<u8> {
        let (length, rest) = body.split_first_chunk()?;
        let id = rest.get(..u16::from_be_bytes(*length).into())?;
        let known = id.try_into().ok().and_then(|id: &[u8; ID]| self.prepared.get(id));
        if let Some(effect) = known {
            out.extend_from_slice(effect);
            return Some(RESULT);
        }
        out.extend_from_slice(UNPREPARED);
        out.extend_from_slice(length);
        out.extend_from_slice(id);
        Some(ERROR)
    }
}

/// The statement that a body begins with: a long string.
fn text(body: &[u8]) -> Option<&str> {
    let (length, rest) = body.split_first_chunk()?;
    let text = rest.get(..u32::from_be_bytes(*length) as usize)?;
    std::str::from_utf8(text).ok()
}

/// The same text has the same ID: clients rely on that.
fn id(text: &str) -> [u8; ID] {
    let half = |number: u8| {
        let mut hasher = DefaultHasher::new();
        (number, text).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    (half(0) << 64 | half(1)).to_be_bytes()
}

#[cfg(test)]
mod tests;

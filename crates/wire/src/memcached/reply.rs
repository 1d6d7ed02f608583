//! Parses lines of replies.

use super::{Dialect, codes, faults, in_flight::RequestKind};
use crate::bytes::{decimal, split_once};
use crate::{Class, Fault};

/// The class and code of a reply that is only a word. Returns None if the word is not a reply to
/// this kind of command. A meta line may have flags after it.
pub(super) fn outcome(kind: RequestKind, dialect: Dialect, line: &[u8]) -> Option<(Class, u16)> {
    let word = match dialect {
        Dialect::Text => line,
        Dialect::Meta => first_word(line).0,
    };
    let stored = Some((Class::Ok, 0));
    let error = |code| Some((Class::Error(code), code));
    let missing = Some((Class::Miss, codes::NOT_FOUND));
    match (dialect, kind, word) {
        (_, RequestKind::Stats, b"RESET" | b"OK") => stored,
        (Dialect::Text, RequestKind::Store, b"STORED") => stored,
        (Dialect::Text, RequestKind::Store, b"NOT_STORED") => error(codes::NOT_STORED),
        (Dialect::Text, RequestKind::Store, b"EXISTS") => error(codes::EXISTS),
        (Dialect::Text, RequestKind::Delete, b"DELETED") => stored,
        (Dialect::Text, RequestKind::Touch, b"TOUCHED") => stored,
        (
            Dialect::Text,
            RequestKind::Store | RequestKind::Delete | RequestKind::Count | RequestKind::Touch,
            b"NOT_FOUND",
        ) => missing,
        // Servers before 1.6.10 say OK for HD.
        (
            Dialect::Meta,
            RequestKind::Store | RequestKind::Delete | RequestKind::Touch,
            b"HD" | b"OK",
        ) => stored,
        (Dialect::Meta, RequestKind::Store | RequestKind::Count, b"NS") => error(codes::NOT_STORED),
        (Dialect::Meta, RequestKind::Store | RequestKind::Delete | RequestKind::Count, b"EX") => {
            error(codes::EXISTS)
        }
        (Dialect::Meta, RequestKind::Store | RequestKind::Delete | RequestKind::Count, b"NF") => {
            missing
        }
        (Dialect::Meta, RequestKind::Touch, b"EN") => missing,
        (Dialect::Meta, RequestKind::MetaGet, b"EN") => Some((Class::Miss, 0)),
        _ => None,
    }
}

/// The code of an error line. Returns None if it is another line.
pub(super) fn error(line: &[u8]) -> Option<u16> {
    let (word, text) = first_word(line);
    match word {
        b"ERROR" if text.starts_with(b"Too many open connections") => {
            Some(codes::TOO_MANY_CONNECTIONS)
        }
        b"ERROR" | b"ERROR:" => Some(codes::ERROR),
        b"CLIENT_ERROR" => Some(client_error(text)),
        b"SERVER_ERROR" => Some(server_error(text)),
        b"BUSY" => Some(codes::BUSY),
        _ => None,
    }
}

fn client_error(text: &[u8]) -> u16 {
    match text {
        _ if text.starts_with(b"bad data chunk") => codes::BAD_DATA_CHUNK,
        _ if text.starts_with(b"bad command line format") => codes::BAD_COMMAND,
        _ if text.starts_with(b"cannot increment or decrement") => codes::NON_NUMERIC,
        b"unauthenticated" | b"authentication failure" => codes::UNAUTHENTICATED,
        _ => codes::CLIENT_ERROR,
    }
}

fn server_error(text: &[u8]) -> u16 {
    match text {
        _ if text.starts_with(b"out of memory") => codes::OUT_OF_MEMORY,
        _ if text.starts_with(b"object too large") => codes::TOO_LARGE,
        _ => codes::SERVER_ERROR,
    }
}

/// Whether a server that refuses a write with this code has read its value. One that does not know
/// the command, or does not accept its form, reads the value as the next command.
pub(super) fn reads_the_value(code: u16) -> bool {
    let in_step = [codes::SERVER_ERROR, codes::OUT_OF_MEMORY, codes::TOO_LARGE, codes::BUSY];
    in_step.contains(&code) || code == codes::NON_NUMERIC || code == codes::TOO_MANY_CONNECTIONS
}

/// A line that announces a value.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Announced<'a> {
    /// The key, which only the text dialect repeats.
    pub(super) key: &'a [u8],
    pub(super) length: u64,
    pub(super) unique: Option<u64>,
    /// The number of a command of a meta multi-get.
    pub(super) opaque: Option<u64>,
}

/// `VALUE <key> <flags> <bytes> [<unique>]`. Returns None if it is another line.
///
/// # Errors
/// When the rest of such a line cannot be read.
pub(super) fn value(line: &[u8]) -> Result<Option<Announced<'_>>, Fault> {
    let Some(rest) = line.strip_prefix(b"VALUE ") else { return Ok(None) };
    let mut words = rest.split(|byte| *byte == b' ');
    let key = words.next().unwrap_or_default();
    let flags = words.next().and_then(decimal);
    let length = words.next().ok_or(faults::VALUE_LINE)?;
    let length = decimal(length).ok_or(faults::LENGTH)?;
    let unique = words.next().map(|word| decimal(word).ok_or(faults::VALUE_LINE)).transpose()?;
    if key.is_empty() || flags.is_none() || words.next().is_some() {
        Err(faults::VALUE_LINE)
    } else {
        Ok(Some(Announced { key, length, unique, opaque: None }))
    }
}

/// `VA <bytes> <flag>*`. Returns None if it is another line.
///
/// # Errors
/// When the rest of such a line cannot be read.
pub(super) fn meta_value(line: &[u8]) -> Result<Option<Announced<'_>>, Fault> {
    let Some(rest) = line.strip_prefix(b"VA ") else { return Ok(None) };
    let mut words = rest.split(|byte| *byte == b' ');
    let length = words.next().and_then(decimal).ok_or(faults::LENGTH)?;
    let mut announced = Announced { key: b"", length, unique: None, opaque: None };
    for word in words {
        match word {
            [b'c', number @ ..] => {
                announced.unique = Some(decimal(number).ok_or(faults::VALUE_LINE)?);
            }
            [b'O', number @ ..] => {
                announced.opaque = Some(decimal(number).ok_or(faults::VALUE_LINE)?);
            }
            _ => {}
        }
    }
    Ok(Some(announced))
}

/// The value of one counter in a line of `stats` (name, blank, value, as
/// [`Events::body`](crate::Events::body) got it); None if the line is that of another counter, or
/// its value is not a number.
pub fn stat(line: &[u8], name: &str) -> Option<u64> {
    decimal(line.strip_prefix(name.as_bytes())?.strip_prefix(b" ")?)
}

/// The parts before and after the first blank.
fn first_word(line: &[u8]) -> (&[u8], &[u8]) {
    split_once(line, b' ').unwrap_or((line, b""))
}

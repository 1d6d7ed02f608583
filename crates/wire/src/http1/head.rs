//! The head of a reply: its end, and what it says about the body.

use super::{body::Body, faults};
use crate::{Fault, bytes};
use core::mem::MaybeUninit;
use core::ops::Range;
use httparse::{Error, Header, ParserConfig, Response, Status};

const SERVER_TIMING: &str = "server-timing";

/// A parsed head.
pub(super) struct Head {
    /// Its bytes, blank line included.
    pub(super) len: usize,
    /// The status, 100 to 999.
    pub(super) status: u16,
    /// Where in its bytes the value of the last `Server-Timing` header is.
    pub(super) timing: Option<Range<usize>>,
    framing: Framing,
}

/// What the headers say about the end of the reply, and of the connection.
#[derive(Default)]
struct Framing {
    http10: bool,
    length: Option<u64>,
    chunked: bool,
    close: bool,
    keep_alive: bool,
}

/// What the first bytes of a reply show.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FirstBytes {
    /// Too few to tell.
    Unknown,
    /// A 1xx: another head follows.
    Informational,
    /// The final reply.
    Final,
}

/// Reads the first bytes, so that a peer with another protocol is detected at once, not after the
/// head's limit or the timeout.
///
/// # Errors
/// When they are not the start of an HTTP/1 reply.
pub(crate) fn start(bytes: &[u8]) -> Result<FirstBytes, Fault> {
    // Missing bytes are assumed to be correct.
    let mut first = *b"HTTP/1.1 1";
    let known = bytes.len().min(first.len());
    first[..known].copy_from_slice(&bytes[..known]);
    match first {
        [b'H', b'T', b'T', b'P', b'/', b'1', b'.', b'0' | b'1', b' ', b'1'..=b'9'] => {}
        _ => return Err(faults::NOT_HTTP1),
    }
    Ok(match bytes.get(9) {
        None => FirstBytes::Unknown,
        Some(b'1') => FirstBytes::Informational,
        Some(_) => FirstBytes::Final,
    })
}

/// Whether bytes that answer no request end an idle connection, as many servers do with a 408. False while they
/// are too few to tell.
///
/// # Errors
/// When they are anything else.
pub(super) fn ends_idle_connection(bytes: &[u8]) -> Result<bool, Fault> {
    let known = bytes.len().min(b"HTTP/1.1 408".len());
    let starts = |head: &[u8; 12]| bytes[..known] == head[..known];
    if starts(b"HTTP/1.1 408") || starts(b"HTTP/1.0 408") {
        Ok(known == b"HTTP/1.1 408".len())
    } else {
        Err(faults::ANSWERS_NOTHING)
    }
}

/// The head at the start of `bytes`. Returns None if it is not complete. The first `looked` bytes
/// were searched before and contain no end of a head: they are not searched again, so that a head
/// that comes byte by byte costs no more than its length, and the parser sees each head at most
/// twice.
///
/// # Errors
/// When a complete head is malformed. An incomplete one is accepted until its end, whatever it
/// contains, so that the outcome does not depend on how the bytes were split.
pub(super) fn look(bytes: &[u8], looked: usize, headers: usize) -> Result<Option<Head>, Fault> {
    if looked == 0
        && let Ok(Some(head)) = parse(bytes, headers)
    {
        return Ok(Some(head));
    }
    match end(bytes, looked) {
        Some(end) => parse(&bytes[..end], headers),
        None => Ok(None),
    }
}

/// The end of the first blank line that is not completely in the first `looked` bytes. A line ends
/// with LF, with or without CR (RFC 9112, 2.2).
pub(crate) fn end(bytes: &[u8], looked: usize) -> Option<usize> {
    let from = looked.saturating_sub(2);
    let newlines = bytes.iter().enumerate().skip(from).filter(|(_, byte)| **byte == b'\n');
    newlines.map(|(at, _)| at + 1).find_map(|next| match bytes[next..] {
        [b'\n', ..] => Some(next + 1),
        [b'\r', b'\n', ..] => Some(next + 2),
        _ => None,
    })
}

fn parse(bytes: &[u8], headers: usize) -> Result<Option<Head>, Fault> {
    let mut room = [const { MaybeUninit::<Header<'_>>::uninit() }; super::MOST_HEADERS];
    let room = &mut room[..headers.min(super::MOST_HEADERS)];
    let mut reply = Response::new(&mut []);
    let len =
        match ParserConfig::default().parse_response_with_uninit_headers(&mut reply, bytes, room) {
            Ok(Status::Complete(len)) => len,
            Ok(Status::Partial) => return Ok(None),
            Err(error) => return Err(fault(error)),
        };
    let status = reply.code.unwrap_or_default();
    let mut framing = Framing { http10: reply.version == Some(0), ..Framing::default() };
    let mut timing = None;
    // A 1xx has no body, and its headers say nothing about the final reply.
    if status >= 200 {
        for header in reply.headers.iter() {
            framing.header(header)?;
            if header.name.len() == SERVER_TIMING.len()
                && header.name.eq_ignore_ascii_case(SERVER_TIMING)
            {
                timing = Some(header.value);
            }
        }
        framing.check()?;
    }
    let timing = timing.map(|value| {
        let from = value.as_ptr().addr() - bytes.as_ptr().addr();
        from..from + value.len()
    });
    Ok(Some(Head { len, status, timing, framing }))
}

/// What the parser objects to.
pub(crate) fn fault(error: Error) -> Fault {
    match error {
        Error::HeaderName | Error::HeaderValue | Error::NewLine => faults::HEADER,
        Error::TooManyHeaders => faults::TOO_MANY_HEADERS,
        Error::Status | Error::Token | Error::Version => faults::STATUS_LINE,
    }
}

impl Framing {
    /// Records one header. Lengths are compared first: few names have the length of a relevant one,
    /// so most headers cost one comparison.
    fn header(&mut self, header: &Header<'_>) -> Result<(), Fault> {
        let is = |name: &str| header.name.eq_ignore_ascii_case(name);
        match header.name.len() {
            10 if is("connection") => self.connection(header.value),
            14 if is("content-length") => self.content_length(header.value)?,
            17 if is("transfer-encoding") => self.transfer_encoding(header.value)?,
            _ => {}
        }
        Ok(())
    }

    fn connection(&mut self, value: &[u8]) {
        for option in bytes::list(value) {
            self.close |= option.eq_ignore_ascii_case(b"close");
            self.keep_alive |= option.eq_ignore_ascii_case(b"keep-alive");
        }
    }

    /// A repeated number is harmless if it is equal (RFC 9110, 8.6).
    fn content_length(&mut self, value: &[u8]) -> Result<(), Fault> {
        for number in bytes::list(value) {
            let number = bytes::decimal(number).ok_or(faults::CONTENT_LENGTH)?;
            if self.length.is_some_and(|before| before != number) {
                return Err(faults::CONTENT_LENGTHS);
            }
            self.length = Some(number);
        }
        Ok(())
    }

    fn transfer_encoding(&mut self, value: &[u8]) -> Result<(), Fault> {
        let again = core::mem::replace(&mut self.chunked, true);
        if !again && value.eq_ignore_ascii_case(b"chunked") { Ok(()) } else { Err(faults::CODING) }
    }

    fn check(&self) -> Result<(), Fault> {
        match self.chunked {
            true if self.length.is_some() => Err(faults::LENGTH_AND_CODING),
            true if self.http10 => Err(faults::CODING_IN_HTTP10),
            _ => Ok(()),
        }
    }
}

impl Head {
    /// How the body ends (RFC 9112, 6.3). Returns None if there is no body.
    pub(super) fn body(&self, head_only: bool) -> Option<Body> {
        if head_only || matches!(self.status, 204 | 304) {
            return None;
        }
        match self.framing.length {
            _ if self.framing.chunked => Some(Body::chunked()),
            Some(0) => None,
            Some(length) => Some(Body::Length(length)),
            None => Some(Body::UntilClose),
        }
    }

    /// Whether the server will close after this reply (RFC 9112, 9.3).
    pub(super) fn closes(&self) -> bool {
        self.framing.close || (self.framing.http10 && !self.framing.keep_alive)
    }
}

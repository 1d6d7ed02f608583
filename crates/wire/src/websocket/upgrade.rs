//! The upgrade from HTTP/1.1 (RFC 6455, 4.1).

use super::{codes, faults};
use crate::http1::{self, FirstBytes, Request};
use crate::{Fault, bytes};
use alloc::{borrow::ToOwned, string::String, sync::Arc, vec::Vec};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use core::mem::MaybeUninit;
use httparse::{Header, ParserConfig, Response, Status};
use sha1::{Digest, Sha1};

/// Bytes of a key: 16 bytes in base64.
pub(super) const KEY_BYTES: usize = 24;
/// Bytes of the value that accepts it: 20 bytes in base64.
const ACCEPT_BYTES: usize = 28;
/// What is appended to the key (RFC 6455, 1.3).
const GUID: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// Bytes of a room's name.
pub const ROOM_BYTES: usize = 32;
/// The field of the query that names the room.
const ROOM: &str = "room=";

const KEY: &str = "Sec-WebSocket-Key";
const PROTOCOL: &str = "Sec-WebSocket-Protocol";
const EXTENSIONS: &str = "Sec-WebSocket-Extensions";
/// Headers that are ours alone.
const OWN: [&str; 5] =
    ["Upgrade", "Connection", KEY, "Sec-WebSocket-Version", "Sec-WebSocket-Accept"];

/// The request for an upgrade, encoded in advance. No `Debug`: its head can hold secrets.
#[derive(Clone)]
pub struct Upgrade {
    head: Arc<[u8]>,
    /// The position of the key in it.
    key_at: usize,
    /// The position of the name of the room in it. None if no room is entered.
    room_at: Option<usize>,
    /// The subprotocols that are offered.
    offered: Arc<[Vec<u8>]>,
}

/// The result of reading the server's answer.
pub(super) enum Answer {
    /// It is incomplete.
    NotAll,
    /// A 1xx of this many bytes; another head follows.
    Informational(usize),
    /// The connection is upgraded; the answer had this many bytes.
    Upgraded(usize),
    /// The connection is not upgraded: the number by which that is counted, and the fault.
    Refused(u16, Fault),
}

impl Upgrade {
    /// A GET of this path and query. `host` and `headers` are as in [`Request`]; a header
    /// `Sec-WebSocket-Protocol` offers subprotocols.
    ///
    /// # Errors
    /// If an argument cannot be written, or is written by the codec itself.
    pub fn new(path: &str, host: &str, headers: &[(String, Vec<u8>)]) -> Result<Upgrade, Fault> {
        let given = |name: &str| headers.iter().any(|of| of.0.eq_ignore_ascii_case(name));
        if OWN.into_iter().any(given) {
            return Err(faults::OWN_HEADER);
        }
        if given(EXTENSIONS) {
            return Err(faults::ASKED_EXTENSION);
        }
        let own = [
            ("Upgrade", b"websocket".as_slice()),
            ("Connection", b"Upgrade"),
            ("Sec-WebSocket-Version", b"13"),
            // The last one, so that its place is known.
            (KEY, &[b'='; KEY_BYTES]),
        ];
        let own = own.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let headers: Vec<_> = headers.iter().cloned().chain(own).collect();
        let head = Request { method: "GET", path, host, headers: &headers, body_len: None };
        let head = head.encode()?;
        let offers = headers.iter().filter(|of| of.0.eq_ignore_ascii_case(PROTOCOL));
        let offered = offers.flat_map(|of| list(&of.1)).map(<[u8]>::to_vec).collect();
        let key_at = head.len() - b"\r\n\r\n".len() - KEY_BYTES;
        Ok(Upgrade { head: head.into(), key_at, room_at: None, offered })
    }

    /// Returns the request for a connection that enters a room: the query ends with `room=` and the
    /// room's name, which each connection gives anew.
    ///
    /// # Errors
    /// If an argument cannot be written, is written by the codec itself, or names a room.
    pub fn to_room(
        path: &str,
        host: &str,
        headers: &[(String, Vec<u8>)],
    ) -> Result<Upgrade, Fault> {
        let (resource, query) = path.split_once('?').map_or((path, None), |(a, b)| (a, Some(b)));
        if query.is_some_and(|query| query.split('&').any(|field| field.starts_with(ROOM))) {
            return Err(faults::OWN_ROOM);
        }
        let query = query.filter(|query| !query.is_empty());
        let before = query.map_or_else(String::new, |query| alloc::format!("{query}&"));
        let name = "0".repeat(ROOM_BYTES);
        let upgrade =
            Upgrade::new(&alloc::format!("{resource}?{before}{ROOM}{name}"), host, headers)?;
        let room_at = "GET ?".len() + resource.len() + before.len() + ROOM.len();
        Ok(Upgrade { room_at: Some(room_at), ..upgrade })
    }

    /// Appends the request with this key, to this room if it enters one.
    pub(super) fn write(&self, key: &[u8; KEY_BYTES], room: &[u8; ROOM_BYTES], to: &mut Vec<u8>) {
        let from = to.len();
        to.extend_from_slice(&self.head);
        to[from + self.key_at..][..KEY_BYTES].copy_from_slice(key);
        if let Some(room_at) = self.room_at {
            to[from + room_at..][..ROOM_BYTES].copy_from_slice(room);
        }
    }

    /// Reads the answer to the request with this key. The first `looked` bytes were shown before
    /// and do not contain its end.
    ///
    /// # Errors
    /// When it is not a head of HTTP/1, or is malformed.
    pub(super) fn answer(
        &self,
        input: &[u8],
        looked: usize,
        key: &[u8; KEY_BYTES],
        limits: &http1::Limits,
    ) -> Result<Answer, Fault> {
        let window = &input[..input.len().min(limits.head_bytes)];
        // Anything other than HTTP is detected at its first byte.
        let _: FirstBytes = http1::start(window)?;
        let Some(end) = http1::end(window, looked) else {
            let is_full = window.len() == limits.head_bytes;
            return if is_full { Err(http1::faults::HEAD_TOO_LONG) } else { Ok(Answer::NotAll) };
        };
        let mut room = [const { MaybeUninit::<Header<'_>>::uninit() }; http1::MOST_HEADERS];
        let room = &mut room[..limits.headers.min(http1::MOST_HEADERS)];
        let mut reply = Response::new(&mut []);
        let parser = ParserConfig::default();
        let read = parser.parse_response_with_uninit_headers(&mut reply, &window[..end], room);
        match read.map_err(http1::fault)? {
            Status::Complete(_) => {}
            Status::Partial => return Err(http1::faults::STATUS_LINE),
        }
        Ok(match reply.code.unwrap_or_default() {
            101 => match self.objection(reply.headers, key) {
                Some((code, fault)) => Answer::Refused(code, fault),
                None => Answer::Upgraded(end),
            },
            100..=199 => Answer::Informational(end),
            status => Answer::Refused(status, faults::NOT_UPGRADED),
        })
    }

    /// What is wrong with the headers of a 101. Returns None if they are valid.
    fn objection(&self, headers: &[Header<'_>], key: &[u8; KEY_BYTES]) -> Option<(u16, Fault)> {
        let upgrade = values(headers, "Upgrade").any(|of| of.eq_ignore_ascii_case(b"websocket"));
        let connection =
            values(headers, "Connection").any(|of| of.eq_ignore_ascii_case(b"upgrade"));
        if !upgrade || !connection {
            return Some((codes::OTHER_UPGRADE, faults::OTHER_UPGRADE));
        }
        let mut accepts = whole(headers, "Sec-WebSocket-Accept");
        let is_right = accepts.next() == Some(&accept(key));
        if !is_right || accepts.next().is_some() {
            return Some((codes::ACCEPT, faults::ACCEPT));
        }
        if let Some(extension) = values(headers, EXTENSIONS).next() {
            let name = extension.split(|byte| *byte == b';').next().unwrap_or_default();
            return Some(if name.trim_ascii().eq_ignore_ascii_case(b"permessage-deflate") {
                (codes::DEFLATE, faults::DEFLATE)
            } else {
                (codes::EXTENSION, faults::EXTENSION)
            });
        }
        let mut chosen = whole(headers, PROTOCOL);
        let is_offered = match (chosen.next(), chosen.next()) {
            (None, _) => self.offered.is_empty(),
            (Some(one), None) => self.offered.iter().any(|offered| offered == one),
            (Some(_), Some(_)) => false,
        };
        (!is_offered).then_some((codes::SUBPROTOCOL, faults::SUBPROTOCOL))
    }
}

/// A key, from its 16 bytes.
pub(super) fn key(nonce: [u8; 16]) -> [u8; KEY_BYTES] {
    let mut key = [0; KEY_BYTES];
    let written = BASE64_STANDARD.encode_slice(nonce, &mut key);
    debug_assert_eq!(written, Ok(KEY_BYTES));
    key
}

/// What a server answers in `Sec-WebSocket-Accept` to this key.
pub fn accept(key: &[u8]) -> [u8; 28] {
    let digest = Sha1::new().chain_update(key).chain_update(GUID).finalize();
    let mut accept = [0; ACCEPT_BYTES];
    let written = BASE64_STANDARD.encode_slice(digest, &mut accept);
    debug_assert_eq!(written, Ok(ACCEPT_BYTES));
    accept
}

/// The values of the headers of this name, each as a whole.
fn whole<'h>(headers: &'h [Header<'h>], name: &'h str) -> impl Iterator<Item = &'h [u8]> {
    let named = headers.iter().filter(move |header| header.name.eq_ignore_ascii_case(name));
    named.map(|header| header.value.trim_ascii())
}

/// The elements of the headers of this name.
fn values<'h>(headers: &'h [Header<'h>], name: &'h str) -> impl Iterator<Item = &'h [u8]> {
    whole(headers, name).flat_map(list)
}

/// The elements of a list that are not empty.
fn list(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes::list(value).filter(|element| !element.is_empty())
}

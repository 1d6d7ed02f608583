//! What can be said to a server, and the bytes that say it.
//!
//! Codecs here are sans-IO: they turn operations into bytes and bytes into
//! events, and never see a socket, a clock or a thread. The engine owns those;
//! it stamps, counts, digests and verifies what a codec reports.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

use alloc::{sync::Arc, vec::Vec};

mod bytes;
pub mod http1;
mod list;
pub mod memcached;
mod pipeline;
pub mod resp;
mod value;

pub use bytes::push_decimal;
pub use list::List;
pub use value::Value;

/// Bodies of up to so many bytes are copied behind what announces them, so
/// that the request is one piece; longer ones are lent.
pub const COPIED_BODY_BYTES: usize = 16 * 1024;

/// One operation in flight on one connection (for protocols with stream ids:
/// the id; for the others a running number, modulo the codec's window).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag(pub u32);

/// What kind of reply it was, in the protocol's own terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The server did what it was asked (HTTP: 2xx).
    Ok,
    /// The server answered that it holds nothing under this key (caches).
    Miss,
    /// The server refused or failed, with the protocol's code (HTTP: status).
    Error(u16),
}

/// A complete reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The operation that it answers.
    pub tag: Tag,
    /// What kind of reply it was.
    pub class: Class,
    /// The protocol's code, also of a success (HTTP: the status), 0 where the
    /// protocol has none. Needed to see 200 against 204, which are both `Ok`.
    pub code: u16,
    /// Bytes of body, framing left out.
    pub body_len: u64,
    /// How many items the reply held (keys of a multi-get, rows); HTTP: 1.
    pub items: u32,
}

/// What may be done with the connection now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Greeting, log-in or upgrade are not over: no operation may be written.
    Opening,
    /// Operations may be written.
    Ready,
    /// Finish what is in flight, then do not reuse.
    Closing,
}

/// How far a codec came with the bytes that it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes of the input that need not be shown again.
    pub consumed: usize,
    /// What may be done with the connection now.
    pub state: State,
}

/// Why bytes, or an operation, could not be understood or said. The text is a
/// constant, never the server's: it is safe to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault(pub &'static str);

/// What the bytes said, in order.
pub trait Events {
    /// The first byte of the final reply to `tag` was seen (a 1xx is not it).
    fn began(&mut self, tag: Tag);
    /// A piece of body, borrowed and never gathered. `item` is which key of a
    /// multi-get it belongs to (HTTP: 0).
    fn body(&mut self, tag: Tag, item: u32, piece: &[u8]);
    /// The version that the server gave to an item, told before its body (the
    /// unique number of memcached's `gets`, for a later `cas`).
    fn unique(&mut self, _tag: Tag, _item: u32, _unique: u64) {}
    /// The reply is complete.
    fn done(&mut self, reply: Reply);
    /// Bytes that answer no operation: chat, Redis push, CQL event.
    fn pushed(&mut self, _piece: &[u8], _last: bool) {}
}

/// Bytes to send. `lent` are big bodies, which are never copied: each is
/// inserted before the byte of `bytes` at its offset.
#[derive(Default, Debug)]
pub struct Out {
    /// Bytes that the codec wrote.
    pub bytes: Vec<u8>,
    /// (offset into `bytes`, what is sent before that offset), in order.
    pub lent: Vec<(usize, Arc<[u8]>)>,
}

impl Out {
    /// Nothing left to send.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty() && self.lent.is_empty()
    }

    /// Appends a body: copied where it is short, else lent.
    pub fn body(&mut self, body: &Arc<[u8]>) {
        match body.len() > COPIED_BODY_BYTES {
            true => self.lent.push((self.bytes.len(), Arc::clone(body))),
            false => self.bytes.extend_from_slice(body),
        }
    }

    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.lent.clear();
    }
}

/// One protocol on one connection.
pub trait Codec {
    /// How an operation of this protocol is given; the engine maps one to it
    /// once per mix entry.
    type Op<'a>;

    /// Starts the connection: greeting, AUTH, SELECT, upgrade.
    fn open(&mut self, out: &mut Out) -> State;

    /// Appends one operation to `out`.
    ///
    /// # Errors
    /// When it cannot be said here; then nothing was appended.
    fn write(&mut self, op: &Self::Op<'_>, out: &mut Out) -> Result<Tag, Fault>;

    /// Reads what the server said. The caller shows again what was not
    /// consumed, with more behind it. May answer into `out`.
    ///
    /// # Errors
    /// When the bytes break the protocol or its limits; the connection is
    /// unusable from then on.
    fn read(
        &mut self,
        input: &[u8],
        out: &mut Out,
        seen: &mut impl Events,
    ) -> Result<Progress, Fault>;

    /// The peer closed. A reply that ends with the connection is completed.
    ///
    /// # Errors
    /// When a reply was cut in its middle, or an operation was unanswered.
    fn end(&mut self, seen: &mut impl Events) -> Result<(), Fault>;

    /// How many operations may be in flight at once, now.
    fn window(&self) -> u32;

    /// The code with which the server refused this connection (a wrong
    /// password, too many clients), in the codec's own table. Told once `read`
    /// failed with the [`Fault`] that says the same in words.
    fn refused(&self) -> Option<u16> {
        None
    }
}

//! The protocols: operations of servers, and their encoding as bytes.
//!
//! Codecs here are sans-IO: they turn operations into bytes and bytes into
//! events, and never see a socket, a clock or a thread. The engine owns those;
//! it stamps, counts, digests and verifies what a codec reports.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

use alloc::{sync::Arc, vec::Vec};

mod bytes;
mod code_table;
mod faults;
pub mod http1;
mod in_order;
mod list;
pub mod memcached;
mod pipeline;
mod random;
pub mod remote;
pub mod resp;
pub mod thrift;
mod value;
pub mod websocket;

pub use bytes::push_decimal;
pub use list::List;
pub use random::SplitMix64;
pub use value::Value;

/// Bodies of up to this many bytes are copied after their head, so that the request is one piece;
/// longer ones are lent.
pub const COPIED_BODY_BYTES: usize = 16 * 1024;

/// One operation in flight on one connection: no other one in flight has the same tag. Tags are
/// small numbers that are reused, see [`Codec::tags`]. If replies come in order, they wrap around.
/// If requests and replies have ids, the tag can be the id if the protocol reuses ids (CQL), and is
/// an index into the open streams if ids only increase (HTTP/2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag(pub u32);

/// The kind of a reply, in the protocol's own terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The server executed the operation (HTTP: 2xx).
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
pub enum ConnectionState {
    /// Greeting, login or upgrade are not complete: no operation may be written.
    Opening,
    /// Operations may be written.
    Ready,
    /// Replies to what is in flight may still come; no operation may be written any more.
    /// The caller closes the connection when nothing is in flight.
    Closing,
}

/// The progress of a codec with the given bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes of the input that need not be shown again.
    pub consumed: usize,
    /// What may be done with the connection now.
    pub state: ConnectionState,
}

/// Why bytes could not be decoded, or an operation could not be encoded. The text is a constant,
/// never the server's: it is safe to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault(pub &'static str);

/// Receives the decoded events, in order. Replies to several operations may come in any order and
/// be interleaved in pieces: each event names its operation by the tag.
pub trait Events {
    /// The first byte of the final reply to `tag` was seen (a 1xx is not it).
    fn began(&mut self, tag: Tag);
    /// A piece of body, borrowed and never gathered. `item` is the index of the key of a multi-get
    /// that it belongs to (HTTP: 0).
    fn body(&mut self, tag: Tag, item: u32, piece: &[u8]);
    /// The reply is complete.
    fn done(&mut self, reply: Reply);
    /// The server reports in its reply to `tag` how long a part of its work took, in nanoseconds.
    fn timed(&mut self, _tag: Tag, _part: &[u8], _took_ns: u64) {}
    /// The words of the server with which it refuses an operation or the connection. They may contain
    /// anything.
    fn said(&mut self, _words: &[u8]) {}
    /// The first piece of the body of a reply with this code, which is no success unless the user says so.
    fn error_page(&mut self, _code: u16, _piece: &[u8]) {}
    /// A piece of a message that answers no operation: chat, Redis push, CQL event. It can
    /// come at any time, also while nothing is in flight. `last`: the message is complete.
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
    /// Whether nothing is left to send.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty() && self.lent.is_empty()
    }

    /// Appends a body: copied if it is short, otherwise lent.
    pub fn body(&mut self, body: &Arc<[u8]>) {
        if body.len() > COPIED_BODY_BYTES {
            self.lent.push((self.bytes.len(), Arc::clone(body)))
        } else {
            self.bytes.extend_from_slice(body)
        }
    }

    /// Removes everything, but keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.lent.clear();
    }
}

/// One protocol on one connection.
pub trait Codec {
    /// The type of an operation of this protocol; the engine creates one per entry of the mix.
    type Op<'a>;

    /// Resets all state, including a fault, for a new connection, without allocating.
    fn reset(&mut self);

    /// Starts the connection: greeting, AUTH, SELECT, upgrade.
    fn open(&mut self, out: &mut Out) -> ConnectionState;

    /// Appends one operation to `out`.
    ///
    /// # Errors
    /// If it cannot be encoded; then nothing was appended.
    fn write(&mut self, op: &Self::Op<'_>, out: &mut Out) -> Result<Tag, Fault>;

    /// Reads bytes of the server. The caller passes unconsumed bytes again, followed by more. It
    /// may write an answer into `out`.
    ///
    /// # Errors
    /// If the bytes violate the protocol or its limits; the connection is unusable from
    /// then on. The contents of `out` are the last to be sent.
    fn read(
        &mut self,
        input: &[u8],
        out: &mut Out,
        seen: &mut impl Events,
    ) -> Result<Progress, Fault>;

    /// Ends the stream because the peer closed. A reply that ends with the connection is completed.
    ///
    /// # Errors
    /// If a reply was truncated, or an operation was unanswered.
    fn end(&mut self, seen: &mut impl Events) -> Result<(), Fault>;

    /// How many operations may be in flight at once, now; the caller writes none while that many
    /// are. It may change with every [`Codec::read`] and [`Codec::give_up`].
    fn window(&self) -> u32;

    /// All tags are below this number, which never changes. The caller has a table of this
    /// size for each connection.
    fn tags(&self) -> u32;

    /// Gives up the operation of this tag, for which the caller does not wait any longer. Returns
    /// true if the connection can continue without its reply: then no event names this operation
    /// any more, and the codec may tell the server in `out`. Its tag is given to another operation
    /// only when no byte of the late reply can be taken for the other's. Returns false if the
    /// connection cannot continue, for example because replies come in order; the caller then
    /// closes it.
    fn give_up(&mut self, _tag: Tag, _out: &mut Out) -> bool {
        false
    }

    /// What is sent before the caller closes a connection on which nothing is in flight, such as
    /// the close frame of WebSocket. The caller does not wait for an answer.
    fn farewell(&self) -> &'static [u8] {
        &[]
    }

    /// The code with which the server refused this connection (a wrong password, too many clients),
    /// in the codec's own table. It is set once `read` failed with the [`Fault`] that describes it.
    fn refused(&self) -> Option<u16> {
        None
    }

    /// Whether a [`Fault`] of `read` lies in a reply that has just ended. With nothing in flight, all
    /// others are found in bytes that belong to no request.
    fn is_of_ended_reply(_fault: Fault) -> bool {
        false
    }
}

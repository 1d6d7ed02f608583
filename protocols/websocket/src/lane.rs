//! A lane for WebSocket. Each operation sends a message and takes the next message from the
//! server for its echo, or sends a message to a room and waits until all members have it.

use crate::chat;
use crate::messages::Messages;
use engine::codec_lane::{Dialogue, codec_lanes};
use engine::{MakeLane, Numbers, Seat, TlsAccess};
use record::{DriveOrder, Moments, Outcome, Recorder};
use std::cell::Cell;
use wire::websocket::{Kind, Limits, Op, Upgrade, WebSocket};
use wire::{Class, Reply};

/// How to reach a WebSocket server, with secrets, therefore neither `Debug` nor `Serialize`.
#[derive(Clone)]
pub struct WebSocketAccess {
    /// The request for the upgrade.
    pub upgrade: Upgrade,
    /// The kind of the messages.
    pub kind: Kind,
    /// Bytes of a message, at least [`crate::SHORTEST_MESSAGE`].
    pub message_bytes: u32,
    /// Members of a room, at least 2, who all get each message. None means that every message
    /// comes back to its sender alone.
    pub members: Option<u32>,
    /// TLS settings. None means plain TCP.
    pub tls: Option<TlsAccess>,
    /// The number of the next operation, kept from one call of the engine to the next.
    pub numbers: Numbers,
}

/// Sends messages and checks whether they come back.
struct Echo {
    access: WebSocketAccess,
    messages: Messages,
    index: usize,
    /// The keys and masks of the next codec are derived from this.
    seed: Cell<u64>,
}

/// The part of an echo that has been received.
#[derive(Clone, Copy, Debug, Default)]
struct PartialEcho {
    bytes: usize,
    is_wrong: bool,
}

impl Dialogue for Echo {
    type Codec = WebSocket;
    type Memo = PartialEcho;

    const UPGRADES: bool = true;

    fn codec(&self, depth: u32) -> WebSocket {
        let seed = self.seed.replace(self.seed.get().wrapping_add(1 << 32));
        // An echo is as long as its message; a longer one is recognised as wrong before this
        // limit is reached.
        WebSocket::new(self.access.upgrade.clone(), Limits::default(), depth, seed)
    }

    fn first(&self, _seat: &Seat) -> u64 {
        self.access.numbers.next(self.index)
    }

    fn step(&self, seat: &Seat) -> u64 {
        seat.count() as u64
    }

    fn closes(&mut self, next: u64) {
        self.access.numbers.keep(self.index, next);
    }

    #[inline]
    fn operation(
        &mut self,
        _codec: &WebSocket,
        number: u64,
        _received: &mut PartialEcho,
    ) -> Op<'_> {
        self.messages.say(number)
    }

    #[inline]
    fn piece(&self, number: u64, received: &mut PartialEcho, _item: u32, piece: &[u8]) {
        received.is_wrong |= !self.messages.has(number, received.bytes, piece);
        received.bytes += piece.len();
    }

    #[inline]
    fn outcome(
        &mut self,
        _number: u64,
        _at: &Moments,
        received: &mut PartialEcho,
        reply: &Reply,
        _seen: &mut Recorder,
    ) -> Option<Outcome> {
        let is_whole = received.bytes == self.messages.bytes();
        Some(match reply.class {
            _ if received.is_wrong || !is_whole => Outcome::Wrong,
            Class::Ok => Outcome::Ok,
            Class::Miss | Class::Error(_) => Outcome::Unexpected,
        })
    }
}

/// Returns the lanes of one contender of the order, one for each worker.
///
/// # Panics
/// Panics if the order has no such contender.
pub fn websocket_lanes(
    order: &DriveOrder,
    contender: usize,
    access: &WebSocketAccess,
) -> Vec<MakeLane> {
    if let Some(members) = access.members {
        return chat::lanes(order, contender, access, members);
    }
    let (access, seed, tls) = (access.clone(), order.seed, access.tls.as_ref());
    codec_lanes(order, contender, tls, move |seat| {
        let index = seat.index();
        Ok(Echo {
            access: access.clone(),
            messages: Messages::new(access.kind, access.message_bytes, seed),
            index,
            seed: Cell::new(seed ^ index as u64),
        })
    })
}

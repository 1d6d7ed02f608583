//! Rooms: a message that one member sends is sent to all members.

use crate::WebSocketAccess;
use crate::copies::Copies;
use crate::messages::{Messages, NUMBER, digits};
use engine::codec_lane::{Broadcast, Dialogue, Push, codec_lanes};
use engine::{MakeLane, Seat};
use record::{DriveOrder, Moments, Outcome, Recorder};
use std::cell::Cell;
use std::hash::{BuildHasher, RandomState};
use wire::Reply;
use wire::websocket::{Limits, Op, ROOM_BYTES, WebSocket};

struct Chat {
    access: WebSocketAccess,
    messages: Messages,
    copies: Copies,
    members: u32,
    index: usize,
    /// The prefix of the names of this lane's rooms.
    name: [u8; NUMBER],
    /// The keys and masks of the next codec are derived from this.
    seed: Cell<u64>,
}

impl Dialogue for Chat {
    type Codec = WebSocket;
    type Memo = ();

    const UPGRADES: bool = true;
    const ROOMS: bool = true;

    fn codec(&self, _depth: u32) -> WebSocket {
        let seed = self.seed.replace(self.seed.get().wrapping_add(1 << 32));
        let WebSocketAccess { upgrade, kind, .. } = &self.access;
        WebSocket::member(upgrade.clone(), Limits::default(), *kind, seed)
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

    fn members(&self) -> u32 {
        self.members
    }

    fn enters(&mut self, codec: &mut WebSocket, connection: u32, opening: u64) {
        let mut room = [0; ROOM_BYTES];
        room[..NUMBER].copy_from_slice(&self.name);
        room[NUMBER..].copy_from_slice(&digits(opening));
        codec.enter(room);
        self.copies.forget(connection);
    }

    #[inline]
    fn sender(&self, number: u64) -> u32 {
        // The numbers of a lane increase in steps, which must not select the same members every
        // time.
        (number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u32 % self.members
    }

    #[inline]
    fn begins(&mut self, room: u32, number: u64) {
        self.copies.begin(room, number);
    }

    #[inline]
    fn broadcast(&mut self, room: u32) -> Broadcast {
        self.copies.outcome(room)
    }

    #[inline]
    fn operation(&mut self, _codec: &WebSocket, number: u64, _memo: &mut ()) -> Op<'_> {
        self.messages.say(number)
    }

    fn piece(&self, _number: u64, _memo: &mut (), _item: u32, _piece: &[u8]) {
        unreachable!("no message answers another in a room");
    }

    #[inline]
    fn pushed(&mut self, connection: u32, piece: &[u8], last: bool) -> Push {
        self.copies.take(connection, piece, last, &self.messages)
    }

    fn outcome(
        &mut self,
        _number: u64,
        _at: &Moments,
        _memo: &mut (),
        _reply: &Reply,
        _seen: &mut Recorder,
    ) -> Option<Outcome> {
        unreachable!("no message answers another in a room");
    }
}

/// Returns the lanes of one contender of the order, whose connections form rooms of `members`
/// members.
pub(super) fn lanes(
    order: &DriveOrder,
    contender: usize,
    access: &WebSocketAccess,
    members: u32,
) -> Vec<MakeLane> {
    let (access, seed, tls) = (access.clone(), order.seed, access.tls.as_ref());
    let rooms = order.lanes[contender].intensity.connections / members;
    codec_lanes(order, contender, tls, move |seat| {
        let index = seat.index();
        Ok(Chat {
            access: access.clone(),
            messages: Messages::new(access.kind, access.message_bytes, seed),
            copies: Copies::new(seat.share(u64::from(rooms)) as usize, members),
            members,
            index,
            // The prefix is unique among all lanes of all runs, because a server may still hold
            // the connections of the previous run.
            name: digits(RandomState::new().hash_one(index)),
            seed: Cell::new(seed ^ index as u64),
        })
    })
}

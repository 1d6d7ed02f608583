//! What a lane of the event loop says: the protocol's codec, and the operations in the
//! codec's terms.

use crate::Seat;
use record::{Moments, Outcome, Recorder};
use wire::{Codec, Reply};

/// What a piece of a pushed message is for the broadcast of its room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Push {
    /// No more than the pieces before it.
    More,
    /// The beginning of the first copy.
    First,
    /// The end of the last copy: the broadcast is complete.
    Last,
}

/// How a complete broadcast ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broadcast {
    /// The number by which an unexpected message is counted, else 0.
    pub code: u16,
    /// What the copies say.
    pub outcome: Outcome,
    /// Bytes of all copies.
    pub bytes: u64,
}

/// Binds a codec to a lane: it makes codecs and operations, and says what replies mean. The
/// loop is compiled for each of them, so none of its calls is virtual.
pub trait Dialogue {
    /// What speaks the protocol on one connection.
    type Codec: Codec;

    /// What it remembers of an operation until that is answered.
    type Memo: Copy + Default;

    /// Connections are upgraded to the protocol, and how long that takes is recorded apart.
    const UPGRADES: bool = false;

    /// Clients are rooms, each with a connection for every member. An operation is asked on
    /// the connection of one member and has no reply: it ends when [`Dialogue::pushed`] says
    /// that all members have their copies. The codec has one tag.
    const ROOMS: bool = false;

    /// A codec for one connection after the other, with up to `depth` operations
    /// in flight.
    fn codec(&self, depth: u32) -> Self::Codec;

    /// Makes a codec ready for a new connection, without allocating.
    fn renew(&self, codec: &mut Self::Codec);

    /// The number of this worker's first operation.
    fn first(&self, seat: &Seat) -> u64 {
        seat.worker as u64
    }

    /// From there to its next one. Where all operations are one request groups
    /// need not be told apart by their numbers.
    fn step(&self, seat: &Seat) -> u64 {
        seat.workers as u64
    }

    /// The lane closes; `next` would have been its next operation.
    fn closes(&mut self, _next: u64) {}

    /// How many servers a client has a connection to. Each operation goes to one of them.
    fn servers(&self) -> u32 {
        1
    }

    /// Which of several servers operation `number` goes to. `is_down` tells whether the
    /// client could not reach a server and waits before it tries again.
    fn server_of(&mut self, _number: u64, _is_down: impl Fn(u32) -> bool) -> u32 {
        0
    }

    /// How many members each room has.
    fn members(&self) -> u32 {
        1
    }

    /// The connection of this number is about to be opened, in the opening of its room with
    /// this number. No other opening of any room of the lane has the same number.
    fn enters(&mut self, _codec: &mut Self::Codec, _connection: u32, _opening: u64) {}

    /// Which member of its room sends operation `number`.
    fn sender(&self, _number: u64) -> u32 {
        0
    }

    /// Operation `number` is about to be asked in this room, all members of which are
    /// connected.
    fn begins(&mut self, _room: u32, _number: u64) {}

    /// How the broadcast of this room ended, of which all copies have come.
    fn broadcast(&mut self, _room: u32) -> Broadcast {
        Broadcast { code: 0, outcome: Outcome::Ok, bytes: 0 }
    }

    /// The next request of operation `number`, which is about to be asked on the
    /// connection of `codec`: what an earlier reply told there can be part of it.
    fn operation(
        &mut self,
        codec: &Self::Codec,
        number: u64,
        memo: &mut Self::Memo,
    ) -> <Self::Codec as Codec>::Op<'_>;

    /// A piece of the reply's body.
    fn piece(&self, number: u64, memo: &mut Self::Memo, item: u32, piece: &[u8]);

    /// A piece of a message that answers no operation, on the connection of this number
    /// among those of the lane; `last`: the message is complete. The lane counts them. What
    /// is returned has a meaning only where clients are rooms.
    fn pushed(&mut self, _connection: u32, _piece: &[u8], _last: bool) -> Push {
        Push::More
    }

    /// What the complete reply says. Returns None if the operation goes on, and its next
    /// request is to be asked.
    fn outcome(
        &mut self,
        number: u64,
        at: &Moments,
        memo: &mut Self::Memo,
        reply: &Reply,
        seen: &mut Recorder,
    ) -> Option<Outcome>;

    /// Operation `number` ended without a reply, asked or not. `at`: after its
    /// timeout.
    fn lost(&self, _number: u64, _memo: &Self::Memo, _at: Option<&Moments>, _seen: &mut Recorder) {}
}

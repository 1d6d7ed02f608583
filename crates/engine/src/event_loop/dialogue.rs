//! The protocol side of a lane of the event loop: the protocol's codec, and the operations in
//! the codec's terms.

use crate::Seat;
use record::{Moments, Outcome, Recorder};
use wire::{Codec, Reply};

/// What a piece of a pushed message means for the broadcast of its room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Push {
    /// Neither the beginning nor the end.
    More,
    /// The beginning of the first copy.
    First,
    /// The end of the last copy: the broadcast is complete.
    Last,
}

/// How a complete broadcast ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broadcast {
    /// The code by which an unexpected message is counted, or 0.
    pub code: u16,
    /// The outcome that follows from the copies.
    pub outcome: Outcome,
    /// Bytes of all copies.
    pub bytes: u64,
}

/// Binds a codec to a lane: it creates codecs and operations and interprets replies. The loop is
/// compiled for each implementation, so none of its calls is virtual.
pub trait Dialogue {
    /// The implementation of the protocol on one connection.
    type Codec: Codec;

    /// What it remembers of an operation until that is answered.
    type Memo: Copy + Default;

    /// Connections are upgraded to the protocol, and the duration of that is recorded
    /// separately.
    const UPGRADES: bool = false;

    /// Clients are rooms, each with a connection for every member. An operation is sent on the
    /// connection of one member and has no reply: it ends when [`Dialogue::pushed`] reports that
    /// all members have their copies. The codec has one tag.
    const ROOMS: bool = false;

    /// Creates a codec that is used for one connection after the other, with up to `depth`
    /// operations in flight.
    fn codec(&self, depth: u32) -> Self::Codec;

    /// Returns the number of this worker's first operation.
    fn first(&self, seat: &Seat) -> u64 {
        seat.worker as u64
    }

    /// Returns the distance to the worker's next operation. If all operations are the same
    /// request, groups need not be distinguished by their numbers.
    fn step(&self, seat: &Seat) -> u64 {
        seat.workers as u64
    }

    /// Called when the lane closes; `next` would have been its next operation.
    fn closes(&mut self, _next: u64) {}

    /// Returns how many servers a client is connected to. Each operation goes to one of them.
    fn servers(&self) -> u32 {
        1
    }

    /// Returns which of several servers operation `number` goes to. `is_down` tells whether the
    /// client could not reach a server and waits before it tries again.
    fn server_of(&mut self, _number: u64, _is_down: impl Fn(u32) -> bool) -> u32 {
        0
    }

    /// Returns how many members each room has.
    fn members(&self) -> u32 {
        1
    }

    /// Called when the connection with this number is about to be opened, in the opening of its
    /// room with this number. No other opening of any room of the lane has the same number.
    fn enters(&mut self, _codec: &mut Self::Codec, _connection: u32, _opening: u64) {}

    /// Returns which member of its room sends operation `number`.
    fn sender(&self, _number: u64) -> u32 {
        0
    }

    /// Called when operation `number` is about to be sent in this room, all members of which are
    /// connected.
    fn begins(&mut self, _room: u32, _number: u64) {}

    /// Returns how the broadcast of this room ended, all copies of which have arrived.
    fn broadcast(&mut self, _room: u32) -> Broadcast {
        Broadcast { code: 0, outcome: Outcome::Ok, bytes: 0 }
    }

    /// Returns the next request of operation `number`, which is about to be sent on the
    /// connection of `codec`: it can depend on an earlier reply to that codec.
    fn operation(
        &mut self,
        codec: &Self::Codec,
        number: u64,
        memo: &mut Self::Memo,
    ) -> <Self::Codec as Codec>::Op<'_>;

    /// Receives a piece of the reply's body.
    fn piece(&self, number: u64, memo: &mut Self::Memo, item: u32, piece: &[u8]);

    /// Whether a reply with this code, which is no success in its protocol, is none here either.
    fn is_failure(&self, _code: u16) -> bool {
        true
    }

    /// Receives a piece of a message that answers no operation, on the connection with this
    /// number among those of the lane; `last` means that the message is complete. The lane
    /// counts them. The returned value matters only if clients are rooms.
    fn pushed(&mut self, _connection: u32, _piece: &[u8], _last: bool) -> Push {
        Push::More
    }

    /// Returns the outcome of the complete reply, or None if the operation goes on and its next
    /// request must be sent.
    fn outcome(
        &mut self,
        number: u64,
        at: &Moments,
        memo: &mut Self::Memo,
        reply: &Reply,
        seen: &mut Recorder,
    ) -> Option<Outcome>;

    /// Called when operation `number` ended without a reply, whether it was sent or not. `at` is
    /// given if it timed out.
    fn lost(&self, _number: u64, _memo: &Self::Memo, _at: Option<&Moments>, _seen: &mut Recorder) {}
}

//! What a lane of the event loop says: the protocol's codec, and the operations in the
//! codec's terms.

use crate::Seat;
use record::{Moments, Recorder, Told};
use wire::{Codec, Reply};

/// Binds a codec to a lane: it makes codecs and operations, and says what replies mean. The
/// loop is compiled for each of them, so none of its calls is virtual.
pub trait Speech {
    /// What speaks the protocol on one connection.
    type Codec: Codec;

    /// What it remembers of an operation until that is answered.
    type Memo: Copy + Default;

    /// Connections are upgraded to the protocol, and how long that takes is recorded apart.
    const UPGRADES: bool = false;

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
    /// among those of the lane; `last`: the message is complete. The lane counts them.
    fn pushed(&mut self, _connection: u32, _piece: &[u8], _last: bool) {}

    /// What the complete reply says. Returns None if the operation goes on, and its next
    /// request is to be asked.
    fn told(
        &mut self,
        number: u64,
        at: &Moments,
        memo: &mut Self::Memo,
        reply: &Reply,
        seen: &mut Recorder,
    ) -> Option<Told>;

    /// Operation `number` ended without a reply, asked or not. `at`: after its
    /// timeout.
    fn lost(&self, _number: u64, _memo: &Self::Memo, _at: Option<&Moments>, _seen: &mut Recorder) {}
}

//! A connection that is a member of a room. The operation of a room is in flight on the
//! connection of the sending member, and what arrives on all connections ends it.

use super::{Common, Connection, EventResult, Phase};
use crate::event_loop::dialogue::{Broadcast, Dialogue};
use record::{Failure, Recorder};
use wire::{Codec, Tag};

/// The tag of the one operation of a room.
const TAG: Tag = Tag(0);

/// Why a member lost its connection.
#[derive(Clone, Copy, Debug)]
pub(in crate::event_loop) struct Loss {
    failure: Failure,
    /// The code with which the server refused the connection or closed it.
    code: Option<u16>,
    /// The connection must not be dialled before this time.
    pub(in crate::event_loop) not_before: u64,
}

impl<S: Dialogue> Connection<S> {
    pub(in crate::event_loop) fn is_closed(&self) -> bool {
        self.phase == Phase::Closed
    }

    /// Notes that the next connection here belongs to this opening of its room.
    pub(in crate::event_loop) fn enter(&mut self, common: &mut Common<S>, opening: u64) {
        // Even if dialling fails, nothing of the last connection may be reported again.
        self.codec.reset();
        common.dialogue.enters(&mut self.codec, self.slot, opening);
    }

    /// Notes that the first copy of the broadcast that was sent here began to arrive.
    #[inline]
    pub(in crate::event_loop) fn broadcast_began(&mut self, now: u64) {
        if let Some(operation) = self.in_flight.tagged(TAG) {
            operation.at.began = now;
        }
    }

    /// Ends the broadcast that was sent here if the last of its copies has arrived.
    #[inline]
    pub(in crate::event_loop) fn end_broadcast(
        &mut self,
        common: &mut Common<S>,
        seen: &mut Recorder,
    ) -> EventResult {
        let done = common.copies.done;
        let Some(operation) = self.in_flight.tagged(TAG).filter(|_| done > 0) else {
            return EventResult::Wait;
        };
        if common.copies.began > 0 {
            operation.at.began = common.copies.began;
        }
        operation.at.done = done;
        let room = self.slot / common.dialogue.members();
        let Broadcast { code, outcome, bytes } = common.dialogue.broadcast(room);
        seen.replied(&operation.at, code, outcome, bytes);
        self.in_flight.end(TAG);
        common.copies.done = 0;
        EventResult::free(done, 1)
    }

    /// Returns why this connection is closed.
    pub(in crate::event_loop) fn loss(&self) -> Loss {
        let (failure, code) = (self.last_failure, self.codec.refused());
        Loss { failure, code, not_before: self.not_before }
    }

    /// Closes this connection because another member of the room lost its own. Operations that
    /// were taken up here end as those of the other connection would have.
    pub(in crate::event_loop) fn lose_with(
        &mut self,
        loss: Loss,
        common: &Common<S>,
        seen: &mut Recorder,
    ) -> EventResult {
        self.lose(loss.failure, loss.code, common, seen)
    }
}

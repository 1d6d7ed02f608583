//! Rooms: an operation is a message that one member sends, and ends when all members have it.
//!
//! The connections of a room are opened and closed together. If one of them ends, all are
//! closed, and the next operation reopens the room under another name, so that no message that
//! the server still holds for the old connections can reach the new ones.

use super::{Dialogue, EventLane};
use crate::event_loop::codec_events::Copies;
use crate::event_loop::connection::EventResult;
use crate::event_loop::in_flight::Operation;
use crate::event_loop::policy::may_reuse;
use crate::{EngineError, clock};
use record::{LaneOrder, Recorder};

/// Returns how many rooms the connections of a lane form, on all workers.
///
/// # Errors
/// Returns an error if the connections cannot be divided into rooms, or if a room would have
/// more than one operation in flight.
pub(super) fn count(asked: &LaneOrder, members: u32) -> Result<u32, EngineError> {
    let connections = asked.intensity.connections;
    if members > 1 && asked.intensity.depth > 1 {
        let why = "a room can have only one message in flight; leave out depth";
        return Err(EngineError::order(why));
    }
    if !connections.is_multiple_of(members) {
        return Err(EngineError::order(format!(
            "{connections} connections cannot be divided into rooms of {members} members"
        )));
    }
    Ok(connections / members)
}

/// The rooms of a lane.
pub(super) struct Rooms {
    each: Vec<Room>,
    /// How many times rooms were opened.
    openings: u64,
}

#[derive(Clone, Copy, Default)]
struct Room {
    /// How many members are connected.
    open: u32,
    /// The connection on which the operation is in flight or waits to be sent.
    sender: Option<u32>,
    /// The number of that operation.
    number: u64,
    /// The number of its opening.
    opening: u64,
    /// Operations since it was opened.
    served: u32,
}

impl Rooms {
    pub(super) fn new(many: usize) -> Rooms {
        Rooms { each: vec![Room::default(); many], openings: 0 }
    }

    /// Returns the numbers of the rooms.
    pub(super) fn each(&self) -> std::ops::Range<u32> {
        0..self.each.len() as u32
    }

    /// Notes that the connections of this client were closed without an operation. Does nothing if clients
    /// are not rooms.
    pub(super) fn closed(&mut self, client: u32) {
        if let Some(room) = self.each.get_mut(client as usize) {
            *room = Room::default();
        }
    }
}

impl<S: Dialogue> EventLane<S> {
    /// Returns the connections of a room.
    fn members(&self, room: u32) -> std::ops::Range<u32> {
        room * self.per_client..(room + 1) * self.per_client
    }

    fn room(&mut self, room: u32) -> &mut Room {
        &mut self.rooms.each[room as usize]
    }

    /// Makes the room of the connection `first` take up the next operation, due and possible since
    /// `due` and `could`.
    pub(super) fn begin_in_room(
        &mut self,
        first: u32,
        (due, could): (u64, u64),
        seen: &mut Recorder,
    ) {
        let (now, room) = (clock::now(), first / self.per_client);
        if self.begin_in_slice(1, now, seen) == 0 {
            self.free.push_back(first);
            return;
        }
        let number = self.drive.next_number();
        let sender = first + self.common.dialogue.sender(number);
        self.slots[sender as usize].take(Operation::new(number, due, could, now));
        let of = self.room(room);
        (of.sender, of.number) = (Some(sender), number);
        if let EventResult::Free(since, many) = self.start_in_room(room, now, seen) {
            // The operation failed at once: the room waits for the next turn.
            self.ended(first, many, since);
            self.back_off(first, many, since);
        }
    }

    /// Sends the operation that was taken up if all members are connected; otherwise connects
    /// them.
    fn start_in_room(&mut self, room: u32, now: u64, seen: &mut Recorder) -> EventResult {
        let Room { open, sender: Some(sender), number, .. } = *self.room(room) else {
            return EventResult::Wait;
        };
        if open == self.per_client {
            self.common.dialogue.begins(room, number);
            let sender = &mut self.slots[sender as usize];
            let result = sender.start(now, &mut self.common, seen);
            let is_lost = sender.is_closed();
            if is_lost {
                self.close_room(room);
            }
            return result;
        }
        let is_closed = |slot| self.slots[slot as usize].is_closed();
        if self.members(room).any(is_closed) {
            self.open_room(room, seen)
        } else {
            EventResult::Wait
        }
    }

    /// Reopens all connections of a room.
    fn open_room(&mut self, room: u32, seen: &mut Recorder) -> EventResult {
        self.hang_up(room);
        for slot in self.members(room) {
            self.enter(slot);
            let connection = &mut self.slots[slot as usize];
            let result = connection.dial(&mut self.common, seen);
            if connection.is_closed() {
                return result.and(self.lose_room(slot, seen));
            }
        }
        EventResult::Wait
    }

    /// Called when the connection is about to be dialled. The first one of a room starts a new
    /// opening.
    pub(super) fn enter(&mut self, slot: u32) {
        let Rooms { each, openings } = &mut self.rooms;
        let room = &mut each[(slot / self.per_client) as usize];
        if slot.is_multiple_of(self.per_client) {
            *openings += 1;
            room.opening = *openings;
        }
        let opening = room.opening;
        self.slots[slot as usize].enter(&mut self.common, opening);
    }

    /// Handles the result of an event on a member's connection.
    #[inline]
    pub(super) fn reacted_in_room(
        &mut self,
        slot: u32,
        was_open: bool,
        mut result: EventResult,
        seen: &mut Recorder,
    ) {
        let room = slot / self.per_client;
        result = result.and(self.handle_copies(room, seen));
        let connection = &self.slots[slot as usize];
        if connection.is_closed() {
            result = result.and(self.lose_room(slot, seen));
        } else if !was_open && connection.is_open() {
            self.room(room).open += 1;
            if self.room(room).open == self.per_client {
                result = result.and(self.start_in_room(room, clock::now(), seen));
            }
        }
        if let EventResult::Free(since, many) = result {
            self.freed_in_room(room, many, since, seen);
        }
    }

    /// Ends the operation of the room if the current event brought its last copy.
    #[inline]
    fn handle_copies(&mut self, room: u32, seen: &mut Recorder) -> EventResult {
        let Some(sender) = self.room(room).sender else {
            self.common.copies = Copies::default();
            return EventResult::Wait;
        };
        let sender = &mut self.slots[sender as usize];
        if self.common.copies.began > 0 {
            sender.broadcast_began(self.common.copies.began);
        }
        let result = sender.end_broadcast(&mut self.common, seen);
        self.common.copies = Copies::default();
        result
    }

    /// Notes that the operation of a room has ended, with or without success.
    #[inline]
    fn freed_in_room(&mut self, room: u32, many: u32, since: u64, seen: &mut Recorder) {
        let reuse = self.asked.reuse;
        let of = self.room(room);
        of.sender = None;
        of.served += many;
        if !may_reuse(reuse, of.served) {
            self.close_room(room);
        }
        let first = room * self.per_client;
        if self.is_late(first) {
            return self.late_ended(room, since, seen);
        }
        self.ended(first, many, since);
        self.use_slots(first, many, since, seen);
    }

    /// Closes the room of a connection that was lost: the operation in flight ends as if its own
    /// connection had been lost.
    fn lose_room(&mut self, slot: u32, seen: &mut Recorder) -> EventResult {
        let room = slot / self.per_client;
        let loss = self.slots[slot as usize].loss();
        let result = match self.room(room).sender {
            Some(sender) if sender != slot => {
                self.slots[sender as usize].lose_with(loss, &self.common, seen)
            }
            _ => EventResult::Wait,
        };
        self.close_room(room);
        self.slots[(room * self.per_client) as usize].not_before = loss.not_before;
        result
    }

    /// Gives up a room's operation that has timed out, and closes the room: copies that still
    /// arrive must not be taken for those of the next operation.
    pub(super) fn timed_out_in_room(
        &mut self,
        slot: u32,
        result: EventResult,
        seen: &mut Recorder,
    ) {
        if let EventResult::Free(since, many) = result {
            let room = slot / self.per_client;
            self.close_room(room);
            self.freed_in_room(room, many, since, seen);
        }
    }

    /// Handles the result of an event while the lane rests and the room waits for the copies of its message.
    pub(super) fn late_reacted_in_room(
        &mut self,
        slot: u32,
        result: EventResult,
        seen: &mut Recorder,
    ) -> EventResult {
        let room = slot / self.per_client;
        let mut result = result.and(self.handle_copies(room, seen));
        if self.slots[slot as usize].is_closed() {
            result = result.and(self.lose_room(slot, seen));
        }
        if result != EventResult::Wait {
            self.room(room).sender = None;
        }
        result
    }

    /// Handles the result of an event while the lane rests: a room that lost a member is
    /// reopened.
    pub(super) fn rested_in_room(&mut self, slot: u32, was_open: bool, seen: &mut Recorder) {
        self.common.copies = Copies::default();
        let (room, connection) = (slot / self.per_client, &self.slots[slot as usize]);
        if connection.is_closed() {
            self.close_room(room);
            if was_open {
                self.members(room).for_each(|_| seen.reopened_at_rest());
                self.open_room(room, seen);
            }
        } else if !was_open && connection.is_open() {
            self.room(room).open += 1;
        }
    }

    /// Called when the slice has ended, and the room's operation with it if there was one.
    pub(super) fn close_abandoned(&mut self, room: u32) {
        if self.room(room).sender.is_some() {
            self.close_room(room);
        }
    }

    /// Closes all connections of a room without operations.
    fn close_room(&mut self, room: u32) {
        self.hang_up(room);
        self.room(room).sender = None;
    }

    /// Closes all connections of a room, and keeps the operation that was not sent yet.
    fn hang_up(&mut self, room: u32) {
        for slot in self.members(room) {
            self.slots[slot as usize].hang_up();
        }
        let of = self.room(room);
        (of.open, of.served) = (0, 0);
    }
}

//! Clients that a slice left waiting, as `crate::lane_schedule` describes.

use super::{Dialogue, EventLane};
use crate::clock;
use crate::event_loop::connection::EventResult;
use record::Recorder;

impl<S: Dialogue> EventLane<S> {
    pub(super) fn clients(&self) -> std::ops::Range<u32> {
        0..self.slots.len() as u32 / self.per_client
    }

    /// Returns the range of a client's connections.
    pub(super) fn slots_of(&self, client: u32) -> std::ops::Range<usize> {
        let first = (client * self.per_client) as usize;
        first..first + self.per_client as usize
    }

    fn waits_since(&self, client: u32) -> Option<u64> {
        self.slots[self.slots_of(client)].iter().filter_map(|slot| slot.waits_since()).min()
    }

    /// Leaves the clients waiting whose operations have not ended.
    pub(super) fn leave(&mut self, seen: &mut Recorder) {
        for client in self.clients() {
            if let Some(began) = self.waits_since(client) {
                self.drive.leave(client as usize, began, seen);
            }
        }
    }

    /// Notes that an operation of a late client ended, during a slice or at rest.
    #[cold]
    pub(super) fn late_ended(&mut self, client: u32, since: u64, seen: &mut Recorder) {
        if self.waits_since(client).is_none() {
            self.drive.late_ended(client as usize, since, seen);
        }
    }

    /// Handles the result of an event on a connection of a late client while the lane rests.
    pub(super) fn late_reacted(
        &mut self,
        slot: u32,
        was_open: bool,
        mut result: EventResult,
        seen: &mut Recorder,
    ) {
        let client = slot / self.per_client;
        if S::ROOMS {
            result = self.late_reacted_in_room(slot, result, seen);
        }
        if let EventResult::Free(since, _) = result {
            self.late_ended(client, since, seen);
        } else if was_open && !S::ROOMS && !self.slots[slot as usize].is_open() {
            // Another connection of the client, without an operation.
            seen.reopened_at_rest();
            self.slots[slot as usize].dial(&mut self.common, seen);
        }
    }

    /// Lets the clients take part again that have been out for as long as they waited.
    pub(super) fn rejoin(&mut self, now: u64, seen: &mut Recorder) {
        let depth = self.asked.intensity.depth.max(1);
        for client in self.clients() {
            if self.drive.rejoin(client as usize, now) {
                let slot = client * self.per_client;
                let now = clock::now();
                self.slots[slot as usize].free_since = now;
                let many = self.slots[slot as usize].usable(depth);
                self.use_slots(slot, many, now, seen);
            }
        }
    }
}

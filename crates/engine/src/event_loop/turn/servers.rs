//! Clients of several servers: each has a connection to every server and one operation in
//! flight, which goes to the server that holds its key.

use super::{Dialogue, EventLane};
use crate::clock;
use crate::event_loop::connection::EventResult;
use crate::event_loop::in_flight::Operation;
use record::Recorder;

/// How many operations of a client may fail at once before other clients get their turn.
const FAILURES: u32 = 64;

impl<S: Dialogue> EventLane<S> {
    /// Returns the number of the client that a connection belongs to.
    #[inline]
    pub(super) fn client_of(&self, slot: u32) -> usize {
        // Most lanes do not need the division.
        (if self.per_client == 1 { slot } else { slot / self.per_client }) as usize
    }

    /// Returns the connection that represents the client of this one.
    #[inline]
    pub(super) fn first_of_client(&self, slot: u32) -> u32 {
        if self.per_client == 1 { slot } else { slot - slot % self.per_client }
    }

    /// Returns true if the connection may not dial yet. A client of several servers never waits
    /// as a whole: operations for a server that is down fail at once, as with the clients that
    /// applications use.
    #[inline]
    pub(super) fn has_to_wait(&self, slot: u32, now: u64) -> bool {
        (S::ROOMS || self.per_client == 1) && self.slots[slot as usize].not_before > now
    }

    /// Makes a client take up the next operation, due and possible since `due` and `could`. In
    /// closed loop it continues while operations fail at once.
    pub(super) fn begin_of_client(
        &mut self,
        client: u32,
        (mut due, mut could): (u64, u64),
        seen: &mut Recorder,
    ) {
        for _ in 0..FAILURES {
            let now = clock::now();
            if self.begin_in_slice(1, now, seen) == 0 {
                self.free.push_back(client);
                return;
            }
            let result = self.begin_at_server(client, (due, could), now, seen);
            let EventResult::Free(since, many) = result else { return };
            self.ended(client, many, since);
            if self.drive.is_open_loop() || !self.drive.sends(since) {
                self.free.push_back(client);
                return;
            }
            (due, could) = (since, since);
        }
        self.back_off(client, 1, clock::now());
    }

    /// Sends the next operation on the connection to its server.
    fn begin_at_server(
        &mut self,
        client: u32,
        (due, could): (u64, u64),
        now: u64,
        seen: &mut Recorder,
    ) -> EventResult {
        let connections = &self.slots[client as usize..][..self.per_client as usize];
        let is_down = |server: u32| connections[server as usize].not_before > now;
        let number = self.drive.next_number();
        let server = self.common.dialogue.server_of(number, is_down);
        let connection = &mut self.slots[(client + server) as usize];
        connection.take(Operation::new(number, due, could, now));
        if connection.not_before > now {
            connection.fail_unasked(now, &self.common, seen)
        } else {
            connection.start(now, &mut self.common, seen)
        }
    }
}

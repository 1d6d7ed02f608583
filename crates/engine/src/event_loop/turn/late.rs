//! Clients that a slice left waiting. A late client keeps its operation, and takes up no other one while the
//! slices of its lane continue without it. Its reply may come while other lanes are driven. The client would
//! then lose less time than if its lane was driven alone, and slow replies would cost less than they do. So
//! it stays out until its lane was driven for as long as it waited.

use super::{Dialogue, Drive, EventLane};
use crate::clock;
use crate::event_loop::connection::EventResult;
use record::waits::first_waited_through;
use record::{Recorder, Waited};

/// The late clients of a lane.
pub(super) struct Late {
    /// By client.
    each: Vec<Option<LateClient>>,
    /// How many there are.
    many: usize,
    /// How long the lane was driven in the slices before this one.
    driven_ns: u64,
}

#[derive(Clone, Copy)]
struct LateClient {
    /// When its operation began.
    began: u64,
    /// How long the lane had been driven by then.
    driven_ns: u64,
    /// The index of the first slice that it waited through.
    since: u64,
    /// How long the lane must have been driven before it takes part again. None while it waits.
    rejoins_ns: Option<u64>,
}

impl Late {
    pub(super) fn new(clients: usize) -> Late {
        Late { each: vec![None; clients], many: 0, driven_ns: 0 }
    }

    /// Returns true if the client takes up no operation.
    #[inline]
    pub(super) fn is(&self, client: u32) -> bool {
        self.many > 0 && self.each[client as usize].is_some()
    }

    /// Returns true if it waits for a reply.
    pub(super) fn waits(&self, client: u32) -> bool {
        self.many > 0 && self.each[client as usize].is_some_and(|late| late.rejoins_ns.is_none())
    }

    /// Notes how long a slice took, which has ended.
    pub(super) fn driven(&mut self, took_ns: u64) {
        self.driven_ns += took_ns;
    }

    /// Notes that nobody waits any more, because the run was stopped.
    pub(super) fn forget(&mut self) {
        self.each.fill(None);
        self.many = 0;
    }

    /// Records who waits at the end of a trial.
    pub(super) fn note(&self, now: u64, units: u32, seen: &mut Recorder) {
        let waiting = self.each.iter().flatten().filter(|late| late.rejoins_ns.is_none());
        for late in waiting {
            seen.waited(now - late.began, Waited::StillWaits { since: late.since, units });
        }
    }
}

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
    pub(super) fn leave(&mut self, drive: &Drive, seen: &mut Recorder) {
        for client in self.clients() {
            if self.late.is(client) {
                continue;
            }
            let Some(began) = self.waits_since(client) else { continue };
            let after_ns = began.saturating_sub(drive.starts);
            let driven_ns = self.late.driven_ns + after_ns;
            let since = first_waited_through(seen.slice_mut(), after_ns);
            let late = LateClient { began, driven_ns, since, rejoins_ns: None };
            self.late.each[client as usize] = Some(late);
            self.late.many += 1;
            seen.left_waiting();
        }
    }

    /// Notes that an operation of a late client ended during a slice.
    #[cold]
    pub(super) fn late_ended(
        &mut self,
        client: u32,
        since: u64,
        drive: &mut Drive,
        seen: &mut Recorder,
    ) {
        if self.stays_until(client, since, Waited::Ended, seen) {
            drive.rejoins = 0;
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
            self.stays_until(client, since, Waited::EndedAtRest, seen);
        } else if was_open && !S::ROOMS && !self.slots[slot as usize].is_open() {
            // Another connection of the client, without an operation.
            seen.reopened_at_rest();
            self.slots[slot as usize].dial(&mut self.common, seen);
        }
    }

    /// If no operation of the client is in flight any more, decides when it takes part again. Returns true
    /// if so.
    fn stays_until(
        &mut self,
        client: u32,
        since: u64,
        waited: Waited,
        seen: &mut Recorder,
    ) -> bool {
        if self.waits_since(client).is_some() {
            return false;
        }
        let Some(late) = self.late.each[client as usize].as_mut() else { return false };
        let waited_ns = since.saturating_sub(late.began);
        late.rejoins_ns = Some(late.driven_ns + waited_ns);
        seen.waited(waited_ns, waited);
        true
    }

    /// Lets the clients take part again that have been out for as long as they waited. Sets when the next
    /// one does.
    pub(super) fn rejoin(&mut self, now: u64, drive: &mut Drive, seen: &mut Recorder) {
        drive.rejoins = u64::MAX;
        if self.late.many == 0 {
            return;
        }
        let depth = self.asked.intensity.depth.max(1);
        for client in self.clients() {
            let late = self.late.each[client as usize];
            let Some(rejoins_ns) = late.and_then(|late| late.rejoins_ns) else { continue };
            let at = drive.starts + rejoins_ns.saturating_sub(self.late.driven_ns);
            if at > now {
                drive.drain.stay_out();
                drive.rejoins = drive.rejoins.min(at);
                continue;
            }
            self.late.each[client as usize] = None;
            self.late.many -= 1;
            let slot = client * self.per_client;
            let now = clock::now();
            self.slots[slot as usize].free_since = now;
            let many = self.slots[slot as usize].usable(depth);
            self.use_slots(slot, many, now, drive, seen);
        }
    }
}

//! The loop that drives one lane for one slice.

mod late;
mod rooms;
mod servers;
mod steps;

use super::allowance::Allowance;
use super::codec_events::Copies;
use super::connection::{Common, Connection, EventResult};
use super::dialogue::Dialogue;
use super::in_flight::Operation;
use super::policy::{Destinations, Sources};
use crate::lane::InSteps;
use crate::lane_schedule::{DIALLING, Drive, OPENING_NS, SPIN_NS, check_interval};
use crate::{EngineError, Lane, Opened, Seat, SliceEnd, TlsAccess, Turn, clock};
use record::{LaneOrder, Recorder, Reuse};
use rooms::Rooms;
use std::collections::VecDeque;
use sys::{Epoll, ReadyEvent};

/// The key of the stop signal among the events.
const STOP: u64 = u64::MAX;
/// How often connections are checked that wait before they dial again or that are being opened.
const BACKING_OFF_NS: u64 = 10_000_000;

/// Maximum number of events taken in one call.
const BATCH: usize = 512;
/// Maximum bytes of one read.
const INPUT_BYTES: usize = 64 * 1024;

/// One contender on one core, over sockets.
pub(crate) struct EventLane<S: Dialogue> {
    asked: LaneOrder,
    slots: Vec<Connection<S>>,
    /// How many connections each client has: one to each server, or one for each member of a
    /// room. They follow one another in `slots`, and the first one represents the client in
    /// `free` and in `backing_off`.
    per_client: u32,
    /// Used if clients are rooms.
    rooms: Rooms,
    common: Common<S>,
    /// Connections with room for an operation, once for each operation that they have room for.
    /// The one that has been free longest is first, so that in open loop all take their turn.
    free: VecDeque<u32>,
    /// Connections that wait before they dial again, listed in the same way.
    backing_off: Vec<u32>,
    /// When operations are due, and when a slice is over. Its units are the clients.
    drive: Drive,
    /// When timeouts are checked next.
    housekeeping: u64,
    /// When the last wait ended, and whether anything was done since.
    woke: u64,
    worked: bool,
    /// All slots before this one were dialled since the lane had no connections.
    dialled: usize,
    /// The remaining time in which all of them must open.
    opening_left_ns: u64,
    seat: Seat,
}

impl<S: Dialogue> EventLane<S> {
    pub(crate) fn new(
        dialogue: S,
        tls: Option<TlsAccess>,
        asked: LaneOrder,
        seed: u64,
        seat: &Seat,
    ) -> Result<EventLane<S>, EngineError> {
        if let Reuse::Pool(_) = asked.reuse {
            let why = "only databases, which are driven through a client library, have a pool; \
                       leave out pool, or set reuse";
            return Err(EngineError::order(why));
        }
        let members = if S::ROOMS { dialogue.members() } else { 1 };
        let rooms = rooms::count(&asked, members)?;
        let clients = seat.share(u64::from(rooms)) as usize;
        let depth = asked.intensity.depth.max(1);
        let servers = dialogue.servers();
        if servers > 1 && depth > 1 {
            let why = "a client of several servers has one operation in flight; leave out depth";
            return Err(EngineError::order(why));
        }
        let per_client = servers.max(members);
        let connections = clients * per_client as usize;
        let common = Common {
            dialogue,
            destinations: Destinations::new(&asked.address, servers, seat.worker)?,
            sources: Sources::new(&asked.address, asked.reuse, seat.worker),
            tls,
            reuse: asked.reuse,
            poll: Epoll::new(BATCH)
                .map_err(|error| EngineError::system("cannot create a poller", error))?,
            input: vec![0; INPUT_BYTES],
            out: wire::Out::default(),
            allowance: Allowance::driven(),
            copies: Copies::default(),
            unread: VecDeque::with_capacity(connections),
        };
        let broken = |error| EngineError::system("cannot watch the stop signal", error);
        common.poll.add_level(&seat.stop, STOP).map_err(broken)?;
        let (first, step) = (common.dialogue.first(seat), common.dialogue.step(seat));
        Ok(EventLane {
            slots: (0..connections as u32)
                .map(|slot| Connection::new(&common.dialogue, depth, slot))
                .collect(),
            drive: Drive::new(&asked, rooms, (first, step), seed, seat).leaving(seat),
            housekeeping: 0,
            woke: 0,
            worked: false,
            common,
            free: all_free(connections, per_client, depth).collect(),
            per_client,
            rooms: Rooms::new(if S::ROOMS { clients } else { 0 }),
            backing_off: Vec::with_capacity(connections * depth as usize),
            opening_left_ns: opening_ns(&asked),
            asked,
            dialled: 0,
            seat: seat.clone(),
        })
    }

    /// Waits for events and handles them, as far as the allowance of a turn goes. Once the end
    /// of a run is seen, the slice is cut short.
    #[inline]
    fn turn(&mut self, wait_ns: u64, seen: &mut Recorder) -> Result<(), EngineError> {
        self.common.allowance = Allowance::driven();
        if !self.common.poll.has_more() {
            self.wait(wait_ns)?;
            if self.drive.is_open_loop() {
                self.woke = clock::now();
                self.worked = self.is_behind();
            }
        }
        while let Some(ready) = self.next() {
            if ready.key == STOP {
                self.drive.cut(clock::now());
                continue;
            }
            let slot = ready.key as u32;
            let connection = &mut self.slots[slot as usize];
            if connection.generation() != (ready.key >> 32) as u32 {
                continue;
            }
            let was_open = connection.is_open();
            let result = connection.react(&ready, &mut self.common, seen);
            if S::ROOMS {
                self.reacted_in_room(slot, was_open, result, seen);
            } else if let EventResult::Free(since, many) = result {
                self.freed(slot, many, since, seen);
            } else if connection.was_closed_idle(was_open) {
                // It is dialled when an operation needs it.
                seen.reopened_at_rest();
            } else if connection.withholds() && !self.is_late(slot) {
                self.regain(slot, seen);
            }
        }
        // The stop signal is an event, too, and is not waited for while other events are left.
        if self.common.poll.has_more() && self.seat.stop.raised() {
            self.drive.cut(clock::now());
        }
        Ok(())
    }

    /// Returns the next event of this turn.
    #[inline]
    fn next(&mut self) -> Option<ReadyEvent> {
        if self.common.allowance.is_used_up() {
            return None;
        }
        self.common.poll.next().or_else(|| self.next_unread())
    }

    /// Returns a connection whose socket was not drained in the previous turn.
    #[inline]
    fn next_unread(&mut self) -> Option<ReadyEvent> {
        let key = self.common.unread.pop_front()?;
        self.slots[key as u32 as usize].leaves_unread();
        Some(ReadyEvent::unread(key))
    }

    /// Returns true if there is an event to handle without waiting.
    #[inline]
    fn is_behind(&self) -> bool {
        self.common.poll.has_more() || !self.common.unread.is_empty()
    }

    /// Takes up operations that are due and gives up overdue ones at `now`. Returns true if the
    /// slice is over.
    #[inline]
    fn look(&mut self, now: u64, seen: &mut Recorder) -> bool {
        if self.drive.is_open_loop() {
            self.take_due(now, seen);
        }
        self.drive.note_drain(now, seen);
        if now >= self.housekeeping {
            self.expire_timeouts(now, seen);
        }
        if self.drive.may_rejoin(now) {
            self.rejoin(now, seen);
        }
        self.drive.is_over(now) || self.drive.leaves(now)
    }

    /// Starts a slice. In closed loop every connection takes up as many operations as it has room for.
    fn begin_all(&mut self, now: u64, turn: &Turn, seen: &mut Recorder) {
        self.drive.start(turn);
        (self.housekeeping, self.woke, self.worked) = (turn.starts, turn.starts, false);
        if self.drive.is_open_loop() {
            return;
        }
        self.free.clear();
        for slot in (0..self.slots.len() as u32).step_by(self.per_client as usize) {
            if self.drive.sends(now) && !self.is_late(slot) {
                let many = self.slots[slot as usize].usable(self.asked.intensity.depth.max(1));
                self.begin(slot, many, (now, now), seen);
            }
        }
    }

    /// Waits for events, or only polls while sockets are left to be read.
    fn wait(&mut self, wait_ns: u64) -> Result<(), EngineError> {
        let wait_ns = if self.common.unread.is_empty() { wait_ns } else { 0 };
        self.common
            .poll
            .wait(Some(wait_ns))
            .map_err(|error| EngineError::system("cannot wait", error))
    }

    /// Notes that a connection has room for `many` more operations: in closed loop it takes them
    /// up.
    #[inline]
    fn freed(&mut self, slot: u32, many: u32, since: u64, seen: &mut Recorder) {
        if self.is_late(slot) {
            return self.late_ended(slot / self.per_client, since, seen);
        }
        self.ended(slot, many, since);
        let many = self.slots[slot as usize].usable(many);
        self.use_slots(self.first_of_client(slot), many, since, seen);
    }

    /// Checks a connection that withheld slots and may have a wider window now.
    fn regain(&mut self, slot: u32, seen: &mut Recorder) {
        let connection = &mut self.slots[slot as usize];
        let many = connection.usable(0);
        if many > 0 {
            let now = clock::now();
            connection.free_since = now;
            self.use_slots(slot, many, now, seen);
        }
    }

    /// Adds slots of a connection that are free since `since` and may be used.
    #[inline]
    fn use_slots(&mut self, slot: u32, many: u32, since: u64, seen: &mut Recorder) {
        if self.has_to_wait(slot, since) {
            self.back_off(slot, many, since);
        } else if !self.drive.is_open_loop() && self.drive.sends(since) {
            self.begin(slot, many, (since, since), seen);
        } else {
            self.free.extend(std::iter::repeat_n(slot, many as usize));
        }
    }

    /// Makes a connection take up the next `many` operations, due and possible since `due` and
    /// `could`, and send them in one piece.
    #[inline]
    fn begin(&mut self, slot: u32, many: u32, (due, could): (u64, u64), seen: &mut Recorder) {
        if many == 0 {
            return;
        }
        if S::ROOMS {
            return self.begin_in_room(slot, (due, could), seen);
        }
        if self.per_client > 1 {
            return self.begin_of_client(slot, (due, could), seen);
        }
        let now = clock::now();
        let taken = self.begin_in_slice(many, now, seen);
        let connection = &mut self.slots[slot as usize];
        for _ in 0..taken {
            connection.take(Operation::new(self.drive.next_number(), due, could, now));
        }
        if taken < many {
            self.free.extend(std::iter::repeat_n(slot, (many - taken) as usize));
        }
        let result = connection.start(now, &mut self.common, seen);
        if let EventResult::Free(since, many) = result {
            // The operations failed at once. `freed` is not called, because it would begin the
            // next ones here without end: the slot waits for the next turn.
            self.ended(slot, many, since);
            self.back_off(slot, many, since);
        }
    }

    /// Begins at most `most` operations. Returns how many the slice still allows.
    #[inline]
    fn begin_in_slice(&mut self, most: u32, now: u64, seen: &mut Recorder) -> u32 {
        let taken = self.drive.begin(most, now, seen);
        self.worked |= taken > 0;
        taken
    }

    /// Returns true if the connection's client takes up no operation, because a slice left it waiting.
    #[inline]
    fn is_late(&self, slot: u32) -> bool {
        self.drive.is_late(self.client_of(slot))
    }

    /// Notes that `many` operations of a connection ended, with or without a reply.
    #[inline]
    fn ended(&mut self, slot: u32, many: u32, since: u64) {
        self.drive.ended(self.client_of(slot), many, since);
        let first = self.first_of_client(slot) as usize;
        self.slots[first].free_since = since;
    }

    fn back_off(&mut self, slot: u32, many: u32, now: u64) {
        self.backing_off.extend(std::iter::repeat_n(slot, many as usize));
        self.housekeeping = self.housekeeping.min(now + BACKING_OFF_NS);
    }

    /// Takes up operations of open loop that are due by `now`, as far as connections are free.
    #[inline]
    fn take_due(&mut self, now: u64, seen: &mut Recorder) {
        while self.drive.next_due().is_some_and(|due| due <= now) {
            let Some(&slot) = self.free.front() else { return };
            if self.slots[slot as usize].withholds_one_more() {
                self.free.pop_front();
                continue;
            }
            let Some(due) = self.drive.take_due(now, seen) else { return };
            self.free.pop_front();
            let could = due.max(self.slots[slot as usize].free_since);
            self.begin(slot, 1, (due, could), seen);
        }
    }

    /// Returns how long to wait for events.
    #[inline]
    fn wait_ns(&self, now: u64) -> u64 {
        let until = self.housekeeping.min(self.drive.look_at(now));
        let next = self.drive.next_due().filter(|_| !self.free.is_empty());
        match next {
            Some(due) if due < until => due.saturating_sub(now).saturating_sub(SPIN_NS),
            _ => until.saturating_sub(now),
        }
    }

    /// Handles timeouts and connections that may dial again.
    fn expire_timeouts(&mut self, now: u64, seen: &mut Recorder) {
        let often = check_interval(self.asked.timeout_ns);
        let backing_off = if self.backing_off.is_empty() { u64::MAX } else { BACKING_OFF_NS };
        self.housekeeping = now + often.min(backing_off);
        for slot in 0..self.slots.len() {
            let timeout_ns = self.asked.timeout_ns;
            let result = self.slots[slot].time_out(now, timeout_ns, &mut self.common, seen);
            if S::ROOMS {
                self.timed_out_in_room(slot as u32, result, seen);
            } else if let EventResult::Free(since, many) = result {
                self.freed(slot as u32, many, since, seen);
            }
        }
        let mut at = 0;
        while let Some(&slot) = self.backing_off.get(at) {
            if self.has_to_wait(slot, now) {
                at += 1;
                continue;
            }
            self.backing_off.swap_remove(at);
            if !self.slots[slot as usize].withholds_one_more() {
                self.use_slots(slot, 1, now, seen);
            }
        }
    }

    /// Opens the connections of the slots before `until` that were not dialled yet.
    fn dial_slots(&mut self, until: usize, seen: &mut Recorder) -> Result<(), EngineError> {
        let gives_up = clock::now() + self.opening_left_ns;
        // With a new connection for each operation there is nothing to keep open.
        while self.asked.reuse != Reuse::Never
            && clock::now() < gives_up
            && !self.seat.stop.raised()
        {
            let dialling = self.count_dialling();
            for _ in dialling..DIALLING.min(dialling + until - self.dialled) {
                let slot = self.dialled;
                self.dialled += 1;
                if self.drive.waits(slot / self.per_client as usize) {
                    continue;
                }
                if S::ROOMS {
                    self.enter(slot as u32);
                }
                self.slots[slot].dial(&mut self.common, seen);
            }
            if self.dialled == until && self.count_dialling() == 0 {
                break;
            }
            self.rest(clock::now() + BACKING_OFF_NS, seen)?;
        }
        // Connections that are not open by now are dialled when an operation needs them.
        self.dialled = until;
        self.opening_left_ns = gives_up.saturating_sub(clock::now());
        Ok(())
    }

    /// How many connections are being opened, except for those of late clients.
    fn count_dialling(&self) -> usize {
        let clients = self.clients().filter(|client| !self.drive.waits(*client as usize));
        let slots = clients.flat_map(|client| self.slots_of(client));
        let tried = slots.filter(|slot| *slot < self.dialled);
        tried.filter(|slot| self.slots[*slot].is_dialling()).count()
    }

    fn count_open(&self) -> Opened {
        let requested = self.slots.len() as u64;
        let open = self.slots.iter().filter(|slot| slot.is_open()).count() as u64;
        let established = if self.asked.reuse == Reuse::Never { requested } else { open };
        Opened { requested, established }
    }

    /// Ends the slice on the lane's side. Clients whose operation has not ended are left waiting; if the run
    /// is stopped, their operations have no outcome. Returns when the last replies were received.
    fn end_slice(&mut self, seen: &mut Recorder) -> SliceEnd {
        let now = clock::now();
        if self.drive.has_left() {
            self.leave(seen);
        } else if self.drive.is_waiting() {
            self.slots.iter_mut().for_each(|slot| slot.abandon(seen));
            self.rooms.each().for_each(|room| self.close_abandoned(room));
            self.drive.forget_late();
        }
        self.slots.iter_mut().for_each(Connection::withhold_none);
        self.free.clear();
        let depth = self.asked.intensity.depth.max(1);
        for slot in all_free(self.slots.len(), self.per_client, depth) {
            if !self.is_late(slot) {
                self.free.push_back(slot);
            }
        }
        self.backing_off.clear();
        self.drive.end(now, seen)
    }
}

fn opening_ns(asked: &LaneOrder) -> u64 {
    OPENING_NS.min(asked.timeout_ns)
}

/// Returns the first connection of every client as often as the client has room for operations
/// when none is in flight: each once, then each again, so that all share the load.
fn all_free(connections: usize, servers: u32, depth: u32) -> impl Iterator<Item = u32> {
    (0..depth).flat_map(move |_| (0..connections as u32).step_by(servers as usize))
}

impl<S: Dialogue> Lane for EventLane<S> {
    fn open(&mut self, seen: &mut Recorder) -> Result<Opened, EngineError> {
        self.dial_slots(self.slots.len(), seen)?;
        Ok(self.count_open())
    }

    fn open_some(
        &mut self,
        most: usize,
        seen: &mut Recorder,
    ) -> Result<Option<Opened>, EngineError> {
        let until = self.slots.len().min(self.dialled.saturating_add(most));
        self.dial_slots(until, seen)?;
        Ok((self.dialled == self.slots.len()).then(|| self.count_open()))
    }

    fn slice(&mut self, turn: &Turn, seen: &mut Recorder) -> Result<SliceEnd, EngineError> {
        let mut now = clock::now();
        while now < turn.starts {
            // This takes some microseconds at most: a sleep would overshoot by more.
            std::hint::spin_loop();
            now = clock::now();
        }
        self.begin_all(now, turn, seen);
        while !self.look(now, seen) {
            if self.drive.is_open_loop() {
                now = clock::now();
                // A turn that the allowance interrupted continues.
                if self.worked && !self.common.poll.has_more() {
                    seen.looped(now - self.woke);
                }
            }
            self.turn(self.wait_ns(now), seen)?;
            now = clock::now();
        }
        Ok(self.end_slice(seen))
    }

    fn rest(&mut self, until: u64, seen: &mut Recorder) -> Result<(), EngineError> {
        let opening = self.slots.iter().any(Connection::is_dialling);
        let wait = if opening { until.saturating_sub(clock::now()) } else { 0 };
        self.common.allowance = Allowance::resting();
        if !self.common.poll.has_more() {
            self.wait(wait)?;
        }
        while let Some(ready) = self.next() {
            if ready.key == STOP {
                continue;
            }
            let client = ready.key as u32 / self.per_client;
            let slot = &mut self.slots[ready.key as u32 as usize];
            if slot.generation() != (ready.key >> 32) as u32 {
                continue;
            }
            let was_open = slot.is_open();
            let result = slot.react(&ready, &mut self.common, seen);
            if self.drive.waits(client as usize) {
                self.late_reacted(ready.key as u32, was_open, result, seen);
            } else if S::ROOMS {
                self.rested_in_room(ready.key as u32, was_open, seen);
            } else if was_open && !slot.is_open() {
                seen.reopened_at_rest();
                if slot.not_before <= clock::now() {
                    slot.dial(&mut self.common, seen);
                }
            }
        }
        Ok(())
    }

    fn waiting(&self) -> u32 {
        self.drive.waiting()
    }

    fn latest_waiting(&self) -> Option<u64> {
        self.drive.latest_waiting()
    }

    fn end_connections(&mut self, waiting: u32) -> bool {
        // A server with few workers would take up the requests of connections that wait in place of those that
        // are closed, and would then serve clients that stay out.
        let few_wait = waiting <= self.seat.ending.spared(&self.seat, self.drive.units());
        let lasting = self.asked.reuse == Reuse::Always && few_wait;
        if lasting {
            for client in self.clients().filter(|client| !self.drive.waits(*client as usize)) {
                let slots = self.slots_of(client);
                self.slots[slots].iter_mut().for_each(Connection::close);
                self.rooms.closed(client);
            }
            self.dialled = 0;
            self.opening_left_ns = opening_ns(&self.asked);
        }
        lasting
    }

    fn note_waits(&mut self, seen: &mut Recorder) {
        self.drive.note_waits(clock::now(), seen);
    }

    fn close(&mut self, seen: &mut Recorder) {
        let now = (!self.seat.stop.raised()).then(clock::now);
        for slot in &mut self.slots {
            match now {
                // The run is not cut short, so whatever still waits was left.
                Some(now) => {
                    let timeout_ns = self.asked.timeout_ns;
                    slot.give_up_waiting(now, timeout_ns, &self.common.dialogue, seen);
                }
                None => slot.abandon(seen),
            }
            slot.close();
        }
        self.common.dialogue.closes(self.drive.number());
    }

    fn steps(&mut self) -> Option<InSteps<'_>> {
        Some(self)
    }
}

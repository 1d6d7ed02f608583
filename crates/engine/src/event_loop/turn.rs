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
use super::poll::{Poll, Ready};
use crate::arrivals::LaneSchedule;
use crate::lane::InSteps;
use crate::numbering::Numbering;
use crate::{Drain, EngineError, Lane, Opened, Seat, SliceEnd, TlsAccess, Turn, clock};
use late::Late;
use record::{LaneOrder, Recorder, Reuse};
use rooms::Rooms;
use std::collections::VecDeque;

/// The key of the stop signal among the events.
const STOP: u64 = u64::MAX;
/// A sleep ends this long before an operation is due; the remaining time is spent spinning.
const SPIN_NS: u64 = 50_000;
/// Maximum interval between checks of timeouts. It is not shorter, because a sleep that ends with
/// the next timer of its core makes the kernel reprogram the hardware timer for every sleep.
const HOUSEKEEPING_NS: u64 = 100_000_000;
/// How often connections are checked that wait before they dial again or that are being opened.
const BACKING_OFF_NS: u64 = 10_000_000;
/// Concurrent connects while a lane opens: a listener's queue is short, and a connect that does
/// not fit waits for a whole second.
const DIALLING: usize = 64;
/// Maximum time to open a lane.
const OPENING_NS: u64 = 10_000_000_000;
/// How long replies in flight are waited for after a stop.
const STOPPING_NS: u64 = 500_000_000;

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
    schedule: LaneSchedule,
    numbering: Numbering,
    /// All slots before this one were dialled since the lane had no connections.
    dialled: usize,
    /// The remaining time in which all of them must open.
    opening_left_ns: u64,
    seat: Seat,
    /// The number of the contender's clients.
    units: u32,
    /// Clients that slices left waiting.
    late: Late,
    /// The slice that is being driven in steps.
    stepped: Option<Drive>,
}

/// The state of the slice that is being driven.
struct Drive {
    starts: u64,
    sends_until: u64,
    gives_up: u64,
    budget: u64,
    in_flight: u32,
    last_ended: u64,
    /// The last operation that ended in the ordinary drain.
    last_in_time: u64,
    housekeeping: u64,
    /// The end of sending was noted.
    draining: bool,
    drain: Drain,
    /// When the next client that was late may take up an operation.
    rejoins: u64,
    /// It has ended, and left clients waiting.
    left: bool,
    /// When the last wait ended, and whether anything was done since.
    woke: u64,
    worked: bool,
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
            poll: Poll::new()
                .map_err(|error| EngineError::system("cannot create a poller", error))?,
            input: vec![0; INPUT_BYTES],
            out: wire::Out::default(),
            allowance: Allowance::driven(),
            copies: Copies::default(),
            unread: VecDeque::with_capacity(connections),
        };
        let broken = |error| EngineError::system("cannot watch the stop signal", error);
        common.poll.add_level(seat.stop.fd(), STOP).map_err(broken)?;
        Ok(EventLane {
            slots: (0..connections as u32)
                .map(|slot| Connection::new(&common.dialogue, depth, slot))
                .collect(),
            numbering: Numbering::new(common.dialogue.first(seat), common.dialogue.step(seat)),
            common,
            free: all_free(connections, per_client, depth).collect(),
            per_client,
            rooms: Rooms::new(if S::ROOMS { clients } else { 0 }),
            backing_off: Vec::with_capacity(connections * depth as usize),
            schedule: LaneSchedule::of(asked.intensity.arrivals, seed, seat),
            opening_left_ns: opening_ns(&asked),
            asked,
            dialled: 0,
            late: Late::new(clients),
            units: rooms,
            seat: seat.clone(),
            stepped: None,
        })
    }

    /// Waits for events and handles them, as far as the allowance of a turn goes. Once the end
    /// of a run is seen, the slice is cut short.
    #[inline]
    fn turn(
        &mut self,
        wait_ns: u64,
        drive: &mut Drive,
        seen: &mut Recorder,
    ) -> Result<(), EngineError> {
        self.common.allowance = Allowance::driven();
        if !self.common.poll.has_more() {
            self.wait(wait_ns)?;
            if self.schedule.is_open_loop() {
                drive.woke = clock::now();
                drive.worked = self.is_behind();
            }
        }
        while let Some(ready) = self.next() {
            if ready.key == STOP {
                drive.cut(clock::now());
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
                self.reacted_in_room(slot, was_open, result, drive, seen);
            } else if let EventResult::Free(since, many) = result {
                self.freed(slot, many, since, drive, seen);
            } else if connection.was_closed_idle(was_open) {
                // It is dialled when an operation needs it.
                seen.reopened_at_rest();
            } else if connection.withholds() && !self.late.is(slot / self.per_client) {
                self.regain(slot, drive, seen);
            }
        }
        // The stop signal is an event, too, and is not waited for while other events are left.
        if self.common.poll.has_more() && self.seat.stop.raised() {
            drive.cut(clock::now());
        }
        Ok(())
    }

    /// Returns the next event of this turn.
    #[inline]
    fn next(&mut self) -> Option<Ready> {
        if self.common.allowance.is_used_up() {
            return None;
        }
        self.common.poll.next().or_else(|| self.next_unread())
    }

    /// Returns a connection whose socket was not drained in the previous turn.
    #[inline]
    fn next_unread(&mut self) -> Option<Ready> {
        let key = self.common.unread.pop_front()?;
        self.slots[key as u32 as usize].leaves_unread();
        Some(Ready::unread(key))
    }

    /// Returns true if there is an event to handle without waiting.
    #[inline]
    fn is_behind(&self) -> bool {
        self.common.poll.has_more() || !self.common.unread.is_empty()
    }

    /// Takes up operations that are due and gives up overdue ones at `now`. Returns true if the
    /// slice is over.
    #[inline]
    fn look(&mut self, now: u64, drive: &mut Drive, seen: &mut Recorder) -> bool {
        if self.schedule.is_open_loop() {
            self.take_due(now, drive, seen);
        }
        if now >= drive.sends_until && !drive.draining {
            self.note_drain(now, drive, seen);
        }
        if drive.budget == 0 {
            drive.drain.begin(now, seen.usual_p99_ns());
        }
        if now >= drive.housekeeping {
            self.expire_timeouts(now, drive, seen);
        }
        if now >= drive.rejoins {
            self.rejoin(now, drive, seen);
        }
        self.is_over(now, drive)
    }

    /// In closed loop every connection takes up as many operations as it has room for.
    fn begin_all(&mut self, now: u64, drive: &mut Drive, seen: &mut Recorder) {
        if self.schedule.is_open_loop() {
            return;
        }
        self.free.clear();
        for slot in (0..self.slots.len() as u32).step_by(self.per_client as usize) {
            if drive.sends(now) && !self.late.is(slot / self.per_client) {
                let many = self.slots[slot as usize].usable(self.asked.intensity.depth.max(1));
                self.begin(slot, many, (now, now), drive, seen);
            }
        }
    }

    /// Waits for events, or only polls while sockets are left to be read.
    fn wait(&mut self, wait_ns: u64) -> Result<(), EngineError> {
        let wait_ns = if self.common.unread.is_empty() { wait_ns } else { 0 };
        self.common.poll.wait(wait_ns).map_err(|error| EngineError::system("cannot wait", error))
    }

    /// Notes that a connection has room for `many` more operations: in closed loop it takes them
    /// up.
    #[inline]
    fn freed(&mut self, slot: u32, many: u32, since: u64, drive: &mut Drive, seen: &mut Recorder) {
        if self.late.is(slot / self.per_client) {
            return self.late_ended(slot / self.per_client, since, drive, seen);
        }
        self.ended(slot, many, since, drive);
        let many = self.slots[slot as usize].usable(many);
        self.use_slots(self.first_of_client(slot), many, since, drive, seen);
    }

    /// Checks a connection that withheld slots and may have a wider window now.
    fn regain(&mut self, slot: u32, drive: &mut Drive, seen: &mut Recorder) {
        let connection = &mut self.slots[slot as usize];
        let many = connection.usable(0);
        if many > 0 {
            let now = clock::now();
            connection.free_since = now;
            self.use_slots(slot, many, now, drive, seen);
        }
    }

    /// Adds slots of a connection that are free since `since` and may be used.
    #[inline]
    fn use_slots(
        &mut self,
        slot: u32,
        many: u32,
        since: u64,
        drive: &mut Drive,
        seen: &mut Recorder,
    ) {
        if self.has_to_wait(slot, since) {
            self.back_off(slot, many, since, drive);
        } else if !self.schedule.is_open_loop() && drive.sends(since) {
            self.begin(slot, many, (since, since), drive, seen);
        } else {
            self.free.extend(std::iter::repeat_n(slot, many as usize));
        }
    }

    /// Makes a connection take up the next `many` operations, due and possible since `due` and
    /// `could`, and send them in one piece.
    #[inline]
    fn begin(
        &mut self,
        slot: u32,
        many: u32,
        (due, could): (u64, u64),
        drive: &mut Drive,
        seen: &mut Recorder,
    ) {
        if many == 0 {
            return;
        }
        if S::ROOMS {
            return self.begin_in_room(slot, (due, could), drive, seen);
        }
        if self.per_client > 1 {
            return self.begin_of_client(slot, (due, could), drive, seen);
        }
        let now = clock::now();
        let taken = drive.budget.min(u64::from(many)) as u32;
        let connection = &mut self.slots[slot as usize];
        for _ in 0..taken {
            connection.take(Operation::new(self.numbering.next(), due, could, now));
            seen.due();
        }
        drive.budget -= u64::from(taken);
        drive.in_flight += taken;
        drive.worked = true;
        if drive.draining {
            drive.drain.takes(now);
        }
        if taken < many {
            self.free.extend(std::iter::repeat_n(slot, (many - taken) as usize));
        }
        let result = connection.start(now, &mut self.common, seen);
        if let EventResult::Free(since, many) = result {
            // The operations failed at once. `freed` is not called, because it would begin the
            // next ones here without end: the slot waits for the next turn.
            self.ended(slot, many, since, drive);
            self.back_off(slot, many, since, drive);
        }
    }

    /// Notes that `many` operations of a connection ended, with or without a reply.
    #[inline]
    fn ended(&mut self, slot: u32, many: u32, since: u64, drive: &mut Drive) {
        drive.in_flight -= many;
        drive.last_ended = drive.last_ended.max(since);
        if drive.drain.is_ordinary(since) {
            drive.last_in_time = drive.last_in_time.max(since);
        }
        let client = self.first_of_client(slot);
        self.slots[client as usize].free_since = since;
    }

    fn back_off(&mut self, slot: u32, many: u32, now: u64, drive: &mut Drive) {
        self.backing_off.extend(std::iter::repeat_n(slot, many as usize));
        drive.housekeeping = drive.housekeeping.min(now + BACKING_OFF_NS);
    }

    /// Takes up operations of open loop that are due by `now`, as far as connections are free.
    #[inline]
    fn take_due(&mut self, now: u64, drive: &mut Drive, seen: &mut Recorder) {
        while drive.budget > 0 {
            let Some(due) = self.next_due(drive) else { return };
            let Some(&slot) = self.free.front().filter(|_| due <= now) else { return };
            if self.slots[slot as usize].withholds_one_more() {
                self.free.pop_front();
                continue;
            }
            self.schedule.take();
            if now > due + self.asked.timeout_ns {
                // Operations older than the timeout are given up, sent or not.
                seen.unsent_since(due, now);
                continue;
            }
            self.free.pop_front();
            let could = due.max(self.slots[slot as usize].free_since);
            self.begin(slot, 1, (due, could), drive, seen);
        }
    }

    /// Returns when the next operation of this slice is due, or None if there are no more.
    #[inline]
    fn next_due(&self, drive: &Drive) -> Option<u64> {
        let due = self.schedule.next_due(drive.starts)?;
        let may_send = drive.budget > 0 && !drive.drain.is_shut();
        (due < drive.sends_until && may_send).then_some(due)
    }

    /// Returns how long to wait for events.
    #[inline]
    fn patience(&self, now: u64, drive: &Drive) -> u64 {
        let mut until = drive.housekeeping.min(drive.rejoins).min(drive.drain.asks_at(now));
        if now < drive.sends_until {
            until = until.min(drive.sends_until);
        }
        let next = self.next_due(drive).filter(|_| !self.free.is_empty());
        match next {
            Some(due) if due < until => due.saturating_sub(now).saturating_sub(SPIN_NS),
            _ => until.saturating_sub(now),
        }
    }

    /// Handles timeouts and connections that may dial again.
    fn expire_timeouts(&mut self, now: u64, drive: &mut Drive, seen: &mut Recorder) {
        let often = if self.backing_off.is_empty() { HOUSEKEEPING_NS } else { BACKING_OFF_NS };
        drive.housekeeping = now + often.min(self.asked.timeout_ns / 16).max(100_000);
        for slot in 0..self.slots.len() {
            let timeout_ns = self.asked.timeout_ns;
            let result = self.slots[slot].time_out(now, timeout_ns, &mut self.common, seen);
            if S::ROOMS {
                self.timed_out_in_room(slot as u32, result, drive, seen);
            } else if let EventResult::Free(since, many) = result {
                self.freed(slot as u32, many, since, drive, seen);
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
                self.use_slots(slot, 1, now, drive, seen);
            }
        }
    }

    /// Notes the drain once the sending time is over: the operations that are open then.
    fn note_drain(&self, now: u64, drive: &mut Drive, seen: &mut Recorder) {
        drive.draining = true;
        drive.drain.begin(now, seen.usual_p99_ns());
        let late = self.schedule.backlog(drive.sends_until - drive.starts);
        seen.slice_mut().in_flight_at_end = u64::from(drive.in_flight) + late;
    }

    /// Returns true if all operations of the slice have ended or the time to wait is over.
    #[inline]
    fn is_over(&self, now: u64, drive: &mut Drive) -> bool {
        if now >= drive.gives_up {
            return true;
        }
        let may_send = drive.sends(now) || self.next_due(drive).is_some();
        if drive.in_flight == 0 && !may_send {
            return true;
        }
        drive.left |= drive.drain.leaves(now, drive.in_flight, drive.last_ended);
        drive.left
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
                if self.late.waits(slot as u32 / self.per_client) {
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
        let clients = self.clients().filter(|client| !self.late.waits(*client));
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
    fn end_slice(&mut self, drive: &mut Drive, seen: &mut Recorder) -> SliceEnd {
        let now = clock::now();
        drive.drain.end(drive.last_ended);
        if drive.left {
            self.leave(drive, seen);
        } else if drive.in_flight > 0 {
            self.slots.iter_mut().for_each(|slot| slot.abandon(seen));
            self.rooms.each().for_each(|room| self.close_abandoned(room));
            self.late.forget();
        }
        self.slots.iter_mut().for_each(Connection::withhold_none);
        self.free.clear();
        let depth = self.asked.intensity.depth.max(1);
        let all = all_free(self.slots.len(), self.per_client, depth);
        self.free.extend(all.filter(|slot| !self.late.is(slot / self.per_client)));
        self.backing_off.clear();
        self.skip_unsent(now, drive, seen);
        let last = self.last_reply(now, drive);
        let until = if drive.left { last } else { last.max(drive.last_ended) };
        self.late.driven(until.max(drive.sends_until) - drive.starts);
        SliceEnd { last, late: self.late_replies(drive), units: self.units }
    }

    /// Skips the operations that were due in the slice and were not sent.
    fn skip_unsent(&mut self, now: u64, drive: &Drive, seen: &mut Recorder) {
        self.schedule.end_slice(drive.starts, drive.sends_until - drive.starts, |due| {
            if drive.budget > 0 {
                seen.unsent_since(due, now);
            }
        });
    }

    /// Returns when the last reply of the ordinary drain was received.
    fn last_reply(&self, now: u64, drive: &Drive) -> u64 {
        match drive.last_in_time > drive.starts {
            // In open loop the schedule determines the length of a slice: a pause before its end
            // belongs to it.
            _ if self.schedule.is_open_loop() && drive.budget > 0 => {
                drive.last_in_time.max(drive.sends_until)
            }
            true => drive.last_in_time,
            // Those that wait were left before, or are left now.
            false if drive.left || drive.in_flight == 0 => drive.sends_until,
            false => now,
        }
    }

    /// Returns the last replies of the clients whose last one came after the ordinary drain.
    fn late_replies(&self, drive: &Drive) -> Vec<u64> {
        if drive.drain.is_ordinary(drive.last_ended) {
            return Vec::new();
        }
        let ended = self.slots.iter().step_by(self.per_client as usize).map(|slot| slot.free_since);
        ended.filter(|ended| !drive.drain.is_ordinary(*ended)).collect()
    }

    fn drive(&mut self, turn: &Turn) -> Drive {
        self.numbering.start(turn.request);
        let times = (turn.starts, turn.sends_until);
        Drive::new(turn, Drain::new(&self.seat, self.units, times, turn.patience_ns))
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

impl Drive {
    fn new(turn: &Turn, drain: Drain) -> Drive {
        Drive {
            starts: turn.starts,
            sends_until: turn.sends_until,
            gives_up: turn.gives_up,
            budget: turn.operations.unwrap_or(u64::MAX),
            in_flight: 0,
            last_ended: turn.starts,
            last_in_time: turn.starts,
            housekeeping: turn.starts,
            draining: false,
            drain,
            rejoins: 0,
            left: false,
            woke: turn.starts,
            worked: false,
        }
    }

    /// Returns true if operations may still begin in closed loop.
    #[inline]
    fn sends(&self, now: u64) -> bool {
        now < self.sends_until && self.budget > 0
    }

    /// Notes that the run must end: nothing more is sent, and the drain is short.
    fn cut(&mut self, now: u64) {
        self.sends_until = self.sends_until.min(now.max(self.starts));
        self.gives_up = self.gives_up.min(now + STOPPING_NS);
    }
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
        let mut drive = self.drive(turn);
        let mut now = clock::now();
        while now < turn.starts {
            // This takes some microseconds at most: a sleep would overshoot by more.
            std::hint::spin_loop();
            now = clock::now();
        }
        self.begin_all(now, &mut drive, seen);
        while !self.look(now, &mut drive, seen) {
            if self.schedule.is_open_loop() {
                now = clock::now();
                // A turn that the allowance interrupted continues.
                if drive.worked && !self.common.poll.has_more() {
                    seen.looped(now - drive.woke);
                }
            }
            self.turn(self.patience(now, &drive), &mut drive, seen)?;
            now = clock::now();
        }
        Ok(self.end_slice(&mut drive, seen))
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
            if self.late.waits(client) {
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
        self.clients().filter(|client| self.late.waits(*client)).count() as u32
    }

    fn end_connections(&mut self, waiting: u32) -> bool {
        // A server with few workers would take up the requests of connections that wait in place of those that
        // are closed, and would then serve clients that stay out.
        let few_wait = waiting <= self.seat.ending.spared(&self.seat, self.units);
        let lasting = self.asked.reuse == Reuse::Always && few_wait;
        if lasting {
            for client in self.clients().filter(|client| !self.late.waits(*client)) {
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
        self.late.note(clock::now(), self.units, seen);
    }

    fn close(&mut self, seen: &mut Recorder) {
        let now = (!self.seat.stop.raised()).then(clock::now);
        for slot in &mut self.slots {
            match now {
                // The run is not cut short, so whatever still waits was left.
                Some(now) => slot.give_up_waiting(now, &self.common.dialogue, seen),
                None => slot.abandon(seen),
            }
            slot.close();
        }
        self.common.dialogue.closes(self.numbering.of_mix());
    }

    fn steps(&mut self) -> Option<InSteps<'_>> {
        Some(self)
    }
}

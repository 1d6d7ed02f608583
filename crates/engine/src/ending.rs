//! The end of a slice: how long it waits for the last replies once sending has stopped, and which of them
//! stop its clock.
//!
//! A slice waits for all replies in the *ordinary drain*, which is as long as the slice (at most 50 ms)
//! or 20 times the p99 if that is longer. A longer one would count slow replies of a few connections as time
//! of all: with a drain of 1 s, a turn of 4 s whose last reply comes after another second counts as 5 s.
//!
//! What still waits then is of one of two kinds. If another connection of the contender got a reply since
//! sending stopped, the server works and a few connections wait: they are left waiting, and the slice ends.
//! If none did, the server pauses, and the slice waits for it, because the pause is the server's and belongs
//! to the slice in which it began. If units *stay out* whose replies have come, their silence shows nothing: a
//! server with few workers may be waiting for just these. Then all that wait are left, and a pause counts
//! in the time for which they will stay out.
//!
//! In open loop, operations that are late are still sent in the ordinary drain, and none after it.
//!
//! Nothing is measured in a load, and each of its writes must be acknowledged, so its ordinary drain is longer: a
//! busy machine holds a reply back for some tenths of a second. It still ends long before the timeout of a reply,
//! because a load has many slices, and each one waits for a connection that is never served.

use crate::Seat;
use record::Slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

/// The ordinary drain of a long slice.
const LONGEST_OF_A_SLICE_NS: u64 = 50_000_000;
/// The shortest ordinary drain of a load.
const SHORTEST_OF_A_LOAD_NS: u64 = 1_000_000_000;
/// The ordinary drain is at least this many times the p99.
const IN_P99: u64 = 20;
/// Of this many units one does not stop the clock.
const SPARED_OF: u32 = 16;
/// How often a lane that waits for a server that pauses asks what the other workers saw.
const ASKS_AGAIN_NS: u64 = 1_000_000;

/// Returns how many of these units may still wait without a pause of the whole server: a sixteenth, at least
/// one, and none if there is only one.
fn spared(units: u32) -> u32 {
    if units > 1 { (units / SPARED_OF).max(1) } else { 0 }
}

/// What the workers of one process tell each other at the end of a slice.
#[derive(Clone, Debug)]
pub struct Ending {
    workers: u32,
    signals: Arc<Signals>,
}

#[derive(Debug, Default)]
struct Signals {
    /// When the first reply since the end of sending came. 0 while there was none.
    first_reply: AtomicU64,
    /// The longest p99 of the workers. 0 while none is known.
    p99_ns: AtomicU64,
    /// How many lanes have ended the ordinary drain, and how many units waited in them.
    drained: AtomicU32,
    waiting: AtomicU32,
    /// Units stay out whose replies have come.
    stay_out: AtomicBool,
}

impl Ending {
    pub(crate) fn new(workers: usize) -> Ending {
        Ending { workers: workers as u32, signals: Arc::default() }
    }

    /// Returns how many workers this process has.
    pub(crate) fn workers(&self) -> usize {
        self.workers as usize
    }

    /// Returns how many of this process's units may still wait without a pause of the whole server.
    /// `units` is the number of the contender's units on all workers of all processes.
    pub(crate) fn spared(&self, seat: &Seat, units: u32) -> u32 {
        spared((u64::from(units) * u64::from(self.workers) / seat.workers.max(1) as u64) as u32)
    }

    /// Forgets the signals of a slice. Called between two slices, while no lane is driven.
    pub(crate) fn forget(&self) {
        let Signals { first_reply, p99_ns, drained, waiting, stay_out } = &*self.signals;
        stay_out.store(false, Relaxed);
        [first_reply, p99_ns].into_iter().for_each(|signal| signal.store(0, Relaxed));
        [drained, waiting].into_iter().for_each(|signal| signal.store(0, Relaxed));
    }
}

/// How one lane ends one slice. Times are on the engine's clock.
#[derive(Debug)]
pub struct Drain {
    ending: Ending,
    /// How many lanes of this process drive the contender.
    lanes: u32,
    /// The contender has one unit, so none of the others can show that the server works.
    is_alone: bool,
    /// How many of this process's units are spared.
    spared: u32,
    sends_until: u64,
    /// The ordinary drain of a slice of this length, and the one of a contender whose p99 is not known.
    usual_ns: u64,
    unknown_ns: u64,
    /// The end of the ordinary drain as it is known so far.
    ends: u64,
    has_begun: bool,
    has_replied: bool,
    is_drained: bool,
    /// No more operations are sent.
    is_shut: bool,
    /// When an operation was last sent in the drain.
    last_taken: u64,
}

impl Drain {
    /// `units` is the number of the contender's units on all workers of all processes. A unit has operations
    /// of its own: it is a connection, a room, or a worker that uses a pool. `longest_ns` limits the ordinary
    /// drain of a contender with few replies.
    pub fn new(
        seat: &Seat,
        units: u32,
        (starts, sends_until): (u64, u64),
        longest_ns: u64,
    ) -> Drain {
        let ending = seat.ending.clone();
        let usual_ns = (sends_until - starts).min(LONGEST_OF_A_SLICE_NS).min(longest_ns);
        Drain {
            lanes: ending.workers * seat.groups as u32,
            is_alone: units <= 1,
            spared: ending.spared(seat, units),
            ending,
            sends_until,
            usual_ns,
            unknown_ns: longest_ns,
            ends: sends_until + usual_ns,
            has_begun: false,
            has_replied: false,
            is_drained: false,
            is_shut: false,
            last_taken: 0,
        }
    }

    /// The drain of a load in place of one of a measurement.
    #[must_use]
    pub fn of_a_load(mut self) -> Drain {
        self.usual_ns = SHORTEST_OF_A_LOAD_NS.min(self.unknown_ns);
        self.ends = self.sends_until + self.usual_ns;
        self
    }

    /// Notes that sending is over, unless that was noted before. `p99_ns` is the lane's usual one, 0 if it is
    /// not known.
    pub fn begin(&mut self, now: u64, p99_ns: u64) {
        if std::mem::replace(&mut self.has_begun, true) {
            return;
        }
        self.ending.signals.p99_ns.fetch_max(p99_ns, Relaxed);
        // It is earlier than planned if the run is stopped or all operations are sent.
        self.sends_until = self.sends_until.min(now);
    }

    fn ordinary_ns(&self) -> u64 {
        let p99_ns = self.ending.signals.p99_ns.load(Relaxed);
        if p99_ns == 0 {
            return self.unknown_ns;
        }
        self.usual_ns.max(p99_ns.saturating_mul(IN_P99)).min(self.unknown_ns)
    }

    /// Returns true if a reply at this time is one of the ordinary drain.
    #[inline]
    pub fn is_ordinary(&self, at: u64) -> bool {
        at <= self.ends
    }

    /// Notes that an operation is sent in the drain.
    #[inline]
    pub fn takes(&mut self, now: u64) {
        self.last_taken = now;
    }

    /// Returns true if no more operations may be sent in the drain.
    #[inline]
    pub fn is_shut(&self) -> bool {
        self.is_shut
    }

    /// Returns when the lane must ask again whether it leaves what waits.
    pub fn asks_at(&self, now: u64) -> u64 {
        match self.has_begun {
            false => u64::MAX,
            true if now < self.ends => self.ends,
            true => now + ASKS_AGAIN_NS,
        }
    }

    /// Notes that units of the lane stay out whose replies have come.
    pub fn stay_out(&self) {
        self.ending.signals.stay_out.store(true, Relaxed);
    }

    /// Returns true if the lane must leave the `waiting` units that wait at `now`, and end the slice.
    /// `last_ended` is when its last operation ended.
    pub fn leaves(&mut self, now: u64, waiting: u32, last_ended: u64) -> bool {
        if !self.has_begun {
            return false;
        }
        self.note_reply(last_ended);
        let ordinary_ns = self.ordinary_ns();
        self.ends = self.sends_until + ordinary_ns;
        if now < self.ends {
            return false;
        }
        self.drained(waiting);
        self.is_shut = self.is_shut || self.is_over(now, ordinary_ns);
        // Operations that were sent in the drain have the same time.
        self.is_shut && !self.is_alone && now >= self.last_taken + ordinary_ns
    }

    /// Tells the other lanes if this lane's last operation ended since sending stopped.
    fn note_reply(&mut self, last_ended: u64) {
        if !self.has_replied && last_ended > self.sends_until {
            self.has_replied = true;
            // Another worker may have been first.
            let first_reply = &self.ending.signals.first_reply;
            let _ = first_reply.compare_exchange(0, last_ended, Relaxed, Relaxed);
        }
    }

    /// Returns true if those that still wait after the ordinary drain must be left.
    fn is_over(&self, now: u64, ordinary_ns: u64) -> bool {
        let signals = &self.ending.signals;
        match signals.first_reply.load(Relaxed) {
            // Nothing came: a pause, unless fewer wait than any pause would leave, or others stay out.
            0 => {
                signals.drained.load(Relaxed) >= self.lanes
                    && (signals.waiting.load(Relaxed) <= self.spared
                        || signals.stay_out.load(Relaxed))
            }
            // After a pause, the replies that it held back come at once, but not at the same time.
            first => now >= first.max(self.sends_until) + ordinary_ns,
        }
    }

    /// Tells the other lanes how many units wait in this one after the ordinary drain.
    fn drained(&mut self, waiting: u32) {
        if !std::mem::replace(&mut self.is_drained, true) {
            self.ending.signals.waiting.fetch_add(waiting, Relaxed);
            self.ending.signals.drained.fetch_add(1, Relaxed);
        }
    }

    /// Notes that the slice is over. `last_ended` is when its last operation ended.
    pub fn end(&mut self, last_ended: u64) {
        self.note_reply(last_ended);
        self.drained(0);
    }
}

/// When the replies of a slice came, as throughput counts them. Times are on the engine's clock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SliceEnd {
    /// The last reply in the ordinary drain.
    pub last: u64,
    /// For each unit with a later reply, the last one.
    pub late: Vec<u64>,
    /// The number of the contender's units.
    pub units: u32,
}

impl From<u64> for SliceEnd {
    /// The end of a slice that has no late replies.
    fn from(last: u64) -> SliceEnd {
        SliceEnd { last, ..SliceEnd::default() }
    }
}

impl SliceEnd {
    /// Sets how long the slice took, which began at `starts`.
    pub fn note(&self, starts: u64, slice: &mut Slice) {
        let since = |at: u64| at.saturating_sub(starts);
        let late = self.late.iter().copied().map(since).collect();
        slice.set_took(since(self.last), late, spared(self.units));
    }

    /// The end of the slices of two groups of a contender that were driven at once.
    pub fn and(mut self, other: &SliceEnd) -> SliceEnd {
        self.last = self.last.max(other.last);
        self.late.extend(&other.late);
        self.units += other.units;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stop;

    const MS: u64 = 1_000_000;

    fn seats(workers: usize) -> Vec<Seat> {
        let stop = Stop::new().expect("a descriptor");
        let ending = Ending::new(workers);
        let seat =
            |worker| Seat { ending: ending.clone(), ..Seat::new(worker, workers, stop.clone()) };
        (0..workers).map(seat).collect()
    }

    /// The ends of a slice from 0 to 50 ms of 8 units, whose p99 is 1 ms.
    fn drains(workers: usize) -> Vec<Drain> {
        let seats = seats(workers);
        let mut drains: Vec<Drain> =
            seats.iter().map(|seat| Drain::new(seat, 8, (0, 50 * MS), 30_000 * MS)).collect();
        drains.iter_mut().for_each(|drain| drain.begin(50 * MS, MS));
        drains
    }

    #[test]
    fn a_connection_is_left_after_the_ordinary_drain_if_another_one_had_a_reply() {
        for workers in [1, 8] {
            let mut drains = drains(workers);
            let (replied, waits) = (51 * MS, 10 * MS);
            drains[0].leaves(51 * MS, 1, replied);
            let last = drains.last_mut().expect("a worker");
            assert!(!last.leaves(100 * MS, 1, waits), "{workers}: the drain is not over");
            assert!(last.leaves(101 * MS, 1, waits), "{workers}");
        }
    }

    #[test]
    fn a_load_waits_for_a_second() {
        let mut drain = drains(1).remove(0).of_a_load();
        assert!(!drain.leaves(51 * MS, 1, 51 * MS));
        assert!(!drain.leaves(1_050 * MS, 1, 51 * MS));
        assert!(drain.leaves(1_051 * MS, 1, 51 * MS));
    }

    #[test]
    fn a_lane_whose_last_operation_ended_tells_the_others() {
        let mut drains = drains(8);
        // Nothing is in flight there any more.
        drains[0].end(51 * MS);
        for drain in &mut drains[1..] {
            assert!(!drain.leaves(100 * MS, 1, 10 * MS));
            assert!(drain.leaves(101 * MS, 1, 10 * MS));
        }
    }

    #[test]
    fn a_server_that_pauses_is_waited_for() {
        for workers in [1, 8] {
            let mut drains = drains(workers);
            let waiting = 8 / workers as u32;
            for drain in &mut drains {
                assert!(!drain.leaves(9_000 * MS, waiting, 49 * MS), "{workers}");
            }
            // The pause ends: the other replies have the time of another drain.
            drains[0].leaves(9_001 * MS, waiting, 9_001 * MS);
            let last = drains.last_mut().expect("a worker");
            assert!(!last.leaves(9_050 * MS, waiting, 49 * MS), "{workers}");
            assert!(last.leaves(9_051 * MS, waiting, 49 * MS), "{workers}");
        }
    }

    #[test]
    fn fewer_than_any_pause_would_hold_back_are_left_without_a_reply() {
        let mut drains = drains(8);
        for drain in &mut drains[..7] {
            drain.end(49 * MS);
        }
        assert!(!drains[7].leaves(99 * MS, 1, 49 * MS));
        assert!(drains[7].leaves(100 * MS, 1, 49 * MS));
        let one = seats(1);
        let mut only = Drain::new(&one[0], 1, (0, 50 * MS), 30_000 * MS);
        only.begin(50 * MS, MS);
        for last_ended in [49 * MS, 60 * MS] {
            assert!(!only.leaves(20_000 * MS, 1, last_ended), "a single connection");
        }
    }

    #[test]
    fn a_server_that_may_wait_for_those_that_stay_out_does_not_pause() {
        for workers in [1, 8] {
            let mut drains = drains(workers);
            drains[0].stay_out();
            for drain in &mut drains[1..] {
                assert!(!drain.leaves(100 * MS, 1, 49 * MS), "{workers}: not all have drained");
            }
            assert!(!drains[0].leaves(99 * MS, 4, 49 * MS), "{workers}");
            assert!(drains[0].leaves(100 * MS, 4, 49 * MS), "{workers}");
        }
    }

    #[test]
    fn a_drain_is_as_long_as_the_slice_or_20_times_the_p99() {
        let ends = |sending: u64, p99_ns| {
            let mut drain = Drain::new(&seats(1)[0], 8, (0, sending), 30_000 * MS);
            drain.begin(sending, p99_ns);
            drain.leaves(sending, 1, sending + 1);
            (drain.ends - sending) / MS
        };
        assert_eq!(ends(50 * MS, MS), 50);
        assert_eq!(ends(50 * MS, 10 * MS), 200);
        assert_eq!(ends(20 * MS, 1), 20);
        assert_eq!(ends(4_000 * MS, MS), 50);
        assert_eq!(ends(4_000 * MS, 0), 30_000, "too few replies");
    }
}

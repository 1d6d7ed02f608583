//! The schedule of a lane: when an operation is due, when it is unsent, when a slice has drained, when it is
//! over, and which reply is its last. All lanes use it: those of the event loop, those on files, and those
//! through client libraries. It reads no clock and knows no connection, thread or task: times are passed in.
//! A *unit* is what takes up one operation after the other: a client of the event loop, a thread or a task.

mod late;

use crate::arrivals::DueTimes;
use crate::numbering::Numbering;
use crate::{Drain, Seat, SliceEnd, Turn};
use late::LateUnits;
use record::{LaneOrder, LaneTask, Recorder};
use std::collections::VecDeque;

/// How long operations in flight are waited for after a stop.
const STOPPING_NS: u64 = 500_000_000;
/// A sleep ends this long before an operation is due; the remaining time is spent spinning.
pub const SPIN_NS: u64 = 50_000;
/// Maximum interval between checks of timeouts. It is not shorter, because a sleep that ends with
/// the next timer of its core makes the kernel reprogram the hardware timer for every sleep.
const HOUSEKEEPING_NS: u64 = 100_000_000;
/// Maximum time to open a lane.
pub const OPENING_NS: u64 = 10_000_000_000;
/// Concurrent connects while a lane opens: a listener's queue is short, and a connect that does
/// not fit waits for a whole second.
pub const DIALLING: usize = 64;

/// Returns how long a connection waits before it dials again, after as many failed connects in a row.
pub fn redial_pause_ns(failures: u32) -> u64 {
    (10_000_000 << failures.min(8)).min(250_000_000)
}

/// Returns how often timeouts are checked.
pub fn check_interval(timeout_ns: u64) -> u64 {
    HOUSEKEEPING_NS.min(timeout_ns / 16).max(100_000)
}

/// An operation that must begin now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Take {
    /// Its number.
    pub number: u64,
    /// When it was due.
    pub due: u64,
    /// When a thread or task was free for it.
    pub could: u64,
}

/// What a free thread or task must do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Begin this operation.
    Take(Take),
    /// Wait: the next operation is due at this time.
    At(u64),
    /// Nothing until this slice has ended.
    Nothing,
}

/// Numbers, schedules and counts a lane's operations.
#[derive(Debug)]
pub struct Drive {
    schedule: DueTimes,
    timeout_ns: u64,
    /// Keys get their first values, and nothing is measured.
    is_load: bool,
    /// How long the lane was driven before the slice.
    driven_ns: u64,
    /// The number of the contender's units on all workers.
    units: u32,
    numbering: Numbering,
    /// Since when each free thread or task is free. The one that has been free longest is first.
    free_since: VecDeque<u64>,
    /// Set if slices leave units waiting. Files wait for all their operations.
    leaves: Option<Seat>,
    late: LateUnits,
    slice: Slice,
}

/// The slice that is being driven. At rest nothing may be sent in it.
#[derive(Debug, Default)]
struct Slice {
    is_driven: bool,
    starts: u64,
    sends_until: u64,
    gives_up: u64,
    budget: u64,
    in_flight: u64,
    last_ended: u64,
    /// The end of sending was noted.
    is_draining: bool,
    /// How it ends if units can be left waiting.
    drain: Option<Drain>,
    /// Units are left waiting.
    has_left: bool,
    /// The last operation that ended in the ordinary drain.
    last_in_time: u64,
}

impl Drive {
    /// Creates the state of a lane of which the contender has `units` on all workers. The number of the first
    /// operation is `first`, and that of each other one is higher by `step`.
    pub fn new(
        lane_order: &LaneOrder,
        units: u32,
        (first, step): (u64, u64),
        seed: u64,
        seat: &Seat,
    ) -> Drive {
        let here = seat.share(u64::from(units)) as usize;
        let drawn = seed ^ u64::from(lane_order.arrivals_seed);
        Drive {
            schedule: DueTimes::of(lane_order.intensity.arrivals, drawn, seat),
            timeout_ns: lane_order.timeout_ns,
            is_load: matches!(lane_order.doing, LaneTask::Load(_)),
            driven_ns: 0,
            units,
            numbering: Numbering::new(first, step),
            free_since: VecDeque::with_capacity(here),
            leaves: None,
            late: LateUnits::new(here),
            slice: Slice::default(),
        }
    }

    /// Lets slices leave units waiting.
    #[must_use]
    pub fn leaving(mut self, seat: &Seat) -> Drive {
        self.leaves = Some(seat.clone());
        self
    }

    /// Returns the number of the next operation of the mix.
    pub fn number(&self) -> u64 {
        self.numbering.of_mix()
    }

    /// Returns the number of the contender's units on all workers.
    pub fn units(&self) -> u32 {
        self.units
    }

    /// Returns true if operations follow a schedule.
    #[inline]
    pub fn is_open_loop(&self) -> bool {
        self.schedule.is_open_loop()
    }

    /// Returns true between the start of a slice and its end.
    pub fn is_driven(&self) -> bool {
        self.slice.is_driven
    }

    /// Starts a slice.
    pub fn start(&mut self, turn: &Turn) {
        self.numbering.start(turn.request);
        self.late.start();
        let Turn { starts, sends_until, gives_up, .. } = *turn;
        let drain = |seat| {
            let drain = Drain::new(seat, self.units, (starts, sends_until), turn.longest_drain_ns);
            if self.is_load { drain.of_a_load() } else { drain }
        };
        self.slice = Slice {
            is_driven: true,
            starts,
            sends_until,
            gives_up,
            budget: turn.operations.unwrap_or(u64::MAX),
            last_ended: starts,
            drain: self.leaves.as_ref().map(drain),
            last_in_time: starts,
            ..Slice::default()
        };
    }

    /// Returns the time from the start of the lane to `at`, counted while the lane is driven.
    fn clock_at(&self, at: u64) -> u64 {
        let Slice { is_driven, starts, .. } = self.slice;
        self.driven_ns + if is_driven { at.saturating_sub(starts) } else { 0 }
    }

    /// Notes that a thread or task without an operation was added or has returned.
    pub fn freed(&mut self, now: u64) {
        self.free_since.push_back(now);
    }

    /// Notes that the thread or task that became free last has gone, without taking up an operation.
    pub fn unfreed(&mut self) {
        self.free_since.pop_back();
    }

    /// Returns what a free thread or task must do.
    pub fn next(&mut self, now: u64, seen: &mut Recorder) -> Next {
        let due = if self.is_open_loop() {
            self.take_due(now, seen)
        } else {
            self.sends(now).then_some(now)
        };
        let Some(due) = due else { return self.next_due().map_or(Next::Nothing, Next::At) };
        let could = self.free_since.pop_front().map_or(due, |since| due.max(since));
        self.begin(1, now, seen);
        Next::Take(Take { number: self.next_number(), due, could })
    }

    /// Returns true if an operation may begin in closed loop.
    #[inline]
    pub fn sends(&self, now: u64) -> bool {
        now < self.slice.sends_until && self.slice.budget > 0
    }

    /// Returns when the next operation of this slice is due, or None if there are no more, as in closed loop.
    /// What is late at the end of sending is still due, until the ordinary drain has ended.
    #[inline]
    pub fn next_due(&self) -> Option<u64> {
        let slice = &self.slice;
        let due = self.schedule.next_due(slice.starts)?;
        let is_shut = slice.drain.as_ref().is_some_and(Drain::is_shut);
        (due < slice.sends_until && slice.budget > 0 && !is_shut).then_some(due)
    }

    /// Returns when the next operation was due if it must begin now. Those that are overdue by more than the
    /// timeout are unsent.
    #[inline]
    pub fn take_due(&mut self, now: u64, seen: &mut Recorder) -> Option<u64> {
        while let Some(due) = self.next_due().filter(|due| *due <= now) {
            self.schedule.take();
            if now <= due + self.timeout_ns {
                return Some(due);
            }
            seen.unsent_since(due, now);
        }
        None
    }

    /// Begins at most `most` operations. Returns how many the slice still allows.
    #[inline]
    pub fn begin(&mut self, most: u32, now: u64, seen: &mut Recorder) -> u32 {
        let slice = &mut self.slice;
        let many = slice.budget.min(u64::from(most)) as u32;
        slice.budget -= u64::from(many);
        slice.in_flight += u64::from(many);
        if slice.is_draining {
            slice.drain.iter_mut().for_each(|drain| drain.takes(now));
        }
        for _ in 0..many {
            seen.due();
        }
        many
    }

    /// Returns the number of the next operation that begins.
    #[inline]
    pub fn next_number(&mut self) -> u64 {
        self.numbering.next()
    }

    /// Notes that `many` operations of a unit have their outcome.
    #[inline]
    pub fn ended(&mut self, unit: usize, many: u32, at: u64) {
        let slice = &mut self.slice;
        slice.in_flight -= u64::from(many);
        slice.last_ended = slice.last_ended.max(at);
        if slice.drain.as_ref().is_none_or(|drain| drain.is_ordinary(at)) {
            slice.last_in_time = slice.last_in_time.max(at);
        } else {
            self.late.replied(unit, at);
        }
    }

    /// Notes that the run must end: nothing more is sent, and the drain is short.
    pub fn cut(&mut self, now: u64) {
        let slice = &mut self.slice;
        slice.sends_until = slice.sends_until.min(now.max(slice.starts));
        slice.gives_up = slice.gives_up.min(now + STOPPING_NS);
    }

    /// Notes the drain once the sending time is over, or everything was sent: the operations that are open
    /// at the end of the sending time.
    #[inline]
    pub fn note_drain(&mut self, now: u64, seen: &mut Recorder) {
        let slice = &mut self.slice;
        let ends = now >= slice.sends_until && !slice.is_draining;
        if ends {
            slice.is_draining = true;
            let late = self.schedule.backlog(slice.sends_until - slice.starts);
            seen.slice_mut().in_flight_at_end = slice.in_flight + late;
        }
        if let Some(drain) = slice.drain.as_mut().filter(|_| ends || slice.budget == 0) {
            drain.begin(now, seen.usual_p99_ns());
        }
    }

    /// Returns true if all operations of the slice have ended or the time to wait is over. A slice lasts as
    /// long as its sending time, even if no more operations fall due in it.
    #[inline]
    pub fn is_over(&self, now: u64) -> bool {
        let slice = &self.slice;
        let has_ended = || slice.in_flight == 0 && !self.sends(now) && self.next_due().is_none();
        slice.is_driven && (now >= slice.gives_up || has_ended())
    }

    /// Returns true if the slice ends at `now` and leaves waiting what waits.
    #[inline]
    pub fn leaves(&mut self, now: u64) -> bool {
        let Slice { in_flight, last_ended, .. } = self.slice;
        let drain = self.slice.drain.as_mut();
        let leaves = drain.is_some_and(|drain| drain.leaves(now, in_flight as u32, last_ended));
        self.slice.has_left |= leaves;
        self.slice.has_left
    }

    /// Returns true if the slice has left units waiting.
    pub fn has_left(&self) -> bool {
        self.slice.has_left
    }

    /// Returns true if operations are in flight.
    pub fn is_waiting(&self) -> bool {
        self.slice.in_flight > 0
    }

    /// Returns when the lane must check the slice again, whatever else happens.
    #[inline]
    pub fn look_at(&self, now: u64) -> u64 {
        let slice = &self.slice;
        let ends = if now < slice.sends_until { slice.sends_until } else { u64::MAX };
        let asks = slice.drain.as_ref().map_or(u64::MAX, |drain| drain.asks_at(now));
        ends.min(asks).min(slice.gives_up).min(self.late.checked_at())
    }

    /// Ends the slice: operations that were due and not taken up are unsent. Returns when the
    /// last replies were received, as throughput counts them.
    pub fn end(&mut self, now: u64, seen: &mut Recorder) -> SliceEnd {
        let mut slice = std::mem::take(&mut self.slice);
        if let Some(drain) = slice.drain.as_mut() {
            drain.end(slice.last_ended);
        }
        let sending = slice.sends_until - slice.starts;
        self.schedule.end_slice(slice.starts, sending, |due| {
            if slice.budget > 0 {
                seen.unsent_since(due, now);
            }
        });
        let last = self.last_reply(&slice, now);
        // A pause that was waited for belongs to the time for which the lane was driven.
        let until = if slice.has_left { last } else { last.max(slice.last_ended) };
        self.driven_ns += until.max(slice.sends_until) - slice.starts;
        SliceEnd { last, late: self.late.take_replies(), units: self.units }
    }

    /// Returns when the last reply of the ordinary drain was received.
    fn last_reply(&self, slice: &Slice, now: u64) -> u64 {
        match slice.last_in_time > slice.starts {
            // In open loop the schedule determines the length of a slice: a pause before its end
            // belongs to it.
            _ if self.is_open_loop() && slice.budget > 0 => {
                slice.last_in_time.max(slice.sends_until)
            }
            true => slice.last_in_time,
            // Those that wait were left before, or are left now.
            false if slice.has_left || slice.in_flight == 0 => slice.sends_until,
            false => now,
        }
    }
}

#[cfg(test)]
mod model_tests;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stop;
    use crate::workload::alone;
    use record::{Address, Arrivals, Intensity, LaneTask};

    fn lane_order(arrivals: Arrivals, doing: LaneTask) -> LaneOrder {
        LaneOrder {
            intensity: Intensity { connections: 1, depth: 1, arrivals },
            doing,
            timeout_ns: 5_000,
            ..LaneOrder::closed(Address::Unix("/".to_owned()), 1)
        }
    }

    fn drive(arrivals: Arrivals, worker: usize, workers: usize) -> (Drive, Recorder) {
        let lane_order = lane_order(arrivals, LaneTask::Ask);
        let seat = Seat::new(worker, workers, Stop::new().expect("a descriptor"));
        let numbering = (worker as u64, workers as u64);
        (Drive::new(&lane_order, 1, numbering, 1, &seat), Recorder::new())
    }

    fn turn(starts: u64, operations: Option<u64>) -> Turn {
        let (sends_until, gives_up) = (starts + 10_000, starts + 100_000);
        Turn {
            starts,
            sends_until,
            gives_up,
            operations,
            request: None,
            longest_drain_ns: u64::MAX,
        }
    }

    fn taken(next: Next) -> (u64, u64, u64) {
        let Next::Take(take) = next else { panic!("{next:?}") };
        (take.number, take.due, take.could)
    }

    #[test]
    fn closed_loop_takes_the_next_one_until_the_time_or_the_operations_are_over() {
        let (mut drive, mut seen) = drive(Arrivals::Closed, 1, 3);
        drive.freed(0);
        assert_eq!(drive.next(5, &mut seen), Next::Nothing, "no slice");
        drive.start(&turn(1_000, None));
        for (at, number) in [(1_000, 1), (10_999, 4)] {
            assert_eq!(taken(drive.next(at, &mut seen)), (number, at, at));
            drive.freed(at + 1);
            drive.ended(0, 1, at + 1);
        }
        assert_eq!(drive.next(11_000, &mut seen), Next::Nothing);
        assert!(drive.is_over(11_000));
        assert_eq!(drive.end(11_500, &mut seen).last, 11_000);
        drive.start(&turn(20_000, Some(1)));
        assert_eq!(taken(drive.next(20_000, &mut seen)).0, 7);
        assert_eq!(drive.next(20_001, &mut seen), Next::Nothing);
        assert!(!drive.is_over(20_001), "one is under way");
    }

    #[test]
    fn a_request_that_is_driven_alone_has_numbers_of_its_own() {
        let (mut drive, mut seen) = drive(Arrivals::Closed, 1, 3);
        drive.freed(0);
        let mut slice = |starts, request| {
            drive.start(&Turn { request, ..turn(starts, None) });
            let number = taken(drive.next(starts, &mut seen)).0;
            drive.freed(starts + 1);
            drive.ended(0, 1, starts + 1);
            drive.end(starts + 2, &mut seen);
            number
        };
        assert_eq!([slice(1_000, None), slice(20_000, Some(2))], [1, alone(2, 1)]);
        assert_eq!([slice(40_000, Some(2)), slice(60_000, None)], [alone(2, 4), 4]);
        assert_eq!(drive.number(), 7, "the next engine call continues with the mix");
    }

    #[test]
    fn late_operations_keep_their_due_times_and_are_sent_in_the_drain() {
        // One operation every 4 µs: 0, 4, 8 in the first slice; then lane time stands still.
        let (mut drive, mut seen) = drive(Arrivals::Constant(250_000.0), 0, 1);
        drive.freed(0);
        drive.start(&turn(1_000, None));
        assert_eq!(taken(drive.next(1_000, &mut seen)), (0, 1_000, 1_000));
        drive.freed(9_100);
        drive.ended(0, 1, 9_100);
        // The thread became free only at 9100; until then no operation was possible.
        assert_eq!(taken(drive.next(9_200, &mut seen)), (1, 5_000, 9_100));
        drive.note_drain(11_000, &mut seen);
        assert_eq!(seen.slice_mut().in_flight_at_end, 2);
        drive.freed(11_500);
        drive.ended(0, 1, 11_500);
        assert!(!drive.is_over(11_500), "one is due and unsent");
        assert_eq!(taken(drive.next(11_600, &mut seen)), (2, 9_000, 11_500));
        drive.freed(11_700);
        drive.ended(0, 1, 11_700);
        assert!(drive.is_over(11_700));
        assert_eq!(drive.end(11_800, &mut seen).last, 11_700);
        // At 12 µs of lane time: 2 µs into the second slice.
        drive.start(&turn(50_000, None));
        assert_eq!(drive.next(50_000, &mut seen), Next::At(52_000));
        assert_eq!(taken(drive.next(52_000, &mut seen)).1, 52_000);
        assert_eq!(seen.take().unsent, 0);
    }

    #[test]
    fn an_operation_could_begin_when_the_unit_that_takes_it_up_was_free() {
        let (mut drive, mut seen) = drive(Arrivals::Constant(250_000.0), 0, 1);
        drive.freed(0);
        drive.start(&turn(1_000, None));
        assert_eq!(taken(drive.next(1_000, &mut seen)), (0, 1_000, 1_000));
        drive.freed(5_000);
        drive.freed(9_100);
        // The first one is free for the operation of 5000, and is not for the next one.
        assert_eq!(taken(drive.next(9_200, &mut seen)), (1, 5_000, 5_000));
        assert_eq!(taken(drive.next(9_200, &mut seen)), (2, 9_000, 9_100));
    }

    #[test]
    fn a_slice_with_a_rate_lasts_as_long_as_its_sending_time() {
        // One operation every 20 µs, and slices of 10 µs.
        let (mut drive, mut seen) = drive(Arrivals::Constant(50_000.0), 0, 1);
        drive.freed(0);
        drive.start(&turn(1_000, None));
        drive.next(1_000, &mut seen);
        drive.ended(0, 1, 2_000);
        drive.freed(2_000);
        assert_eq!(drive.next(2_000, &mut seen), Next::Nothing);
        assert!(!drive.is_over(2_000), "the next one would begin too early for the rate");
        assert_eq!(drive.look_at(2_000), 11_000);
        assert!(drive.is_over(11_000));
        assert_eq!(drive.end(11_000, &mut seen).last, 11_000);
    }

    /// A lane of two units whose slices can leave them waiting.
    fn leaving() -> (Drive, Recorder) {
        let (drive, seen) = drive(Arrivals::Closed, 0, 1);
        let seat = Seat::new(0, 1, Stop::new().expect("a descriptor"));
        let mut drive = Drive { late: LateUnits::new(2), units: 2, ..drive }.leaving(&seat);
        drive.freed(0);
        drive.freed(0);
        (drive, seen)
    }

    #[test]
    fn a_unit_with_several_late_replies_is_one_late_unit_and_their_pause_was_driven() {
        let (mut drive, mut seen) = leaving();
        drive.start(&Turn { longest_drain_ns: 5_000, ..turn(1_000, None) });
        assert_eq!(drive.begin(4, 1_000, &mut seen), 4);
        drive.ended(1, 2, 2_000);
        drive.note_drain(11_000, &mut seen);
        assert!(!drive.leaves(11_000));
        drive.ended(0, 1, 30_000);
        drive.ended(0, 1, 31_000);
        assert!(drive.is_over(31_000));
        assert_eq!(
            drive.end(31_000, &mut seen),
            SliceEnd { last: 2_000, late: vec![31_000], units: 2 }
        );
        assert_eq!(drive.driven_ns, 30_000);
    }

    #[test]
    fn what_waits_when_all_operations_are_sent_is_asked_about_after_the_drain() {
        let (mut drive, mut seen) = leaving();
        drive.start(&Turn { longest_drain_ns: 5_000, ..turn(1_000, Some(2)) });
        drive.begin(2, 1_000, &mut seen);
        drive.ended(0, 1, 2_000);
        drive.note_drain(2_000, &mut seen);
        // It does not wait for the end of the sending time.
        let asks = drive.look_at(2_000);
        assert!(asks < 20_000, "{asks}");
        assert!(!drive.leaves(2_000));
    }

    #[test]
    fn a_load_has_a_longer_drain() {
        let workload = crate::workload::preset("kv").expect("a preset");
        for (doing, drain_ns) in
            [(LaneTask::Drive(workload.clone()), 10_000), (LaneTask::load(workload), 1_000_000_000)]
        {
            let seat = Seat::new(0, 1, Stop::new().expect("a descriptor"));
            let (order, mut seen) = (lane_order(Arrivals::Closed, doing), Recorder::new());
            let mut drive = Drive::new(&order, 2, (0, 1), 1, &seat).leaving(&seat);
            drive.start(&Turn { gives_up: u64::MAX, ..turn(1_000, None) });
            drive.begin(2, 1_000, &mut seen);
            drive.note_drain(11_000, &mut seen);
            assert_eq!(drive.look_at(11_000), 11_000 + drain_ns);
        }
    }

    #[test]
    fn what_begins_in_the_drain_has_the_time_of_a_drain() {
        let (mut drive, mut seen) = leaving();
        drive.start(&Turn { longest_drain_ns: 5_000, ..turn(1_000, None) });
        drive.begin(2, 1_000, &mut seen);
        drive.note_drain(11_000, &mut seen);
        drive.ended(0, 1, 12_000);
        drive.begin(1, 15_000, &mut seen);
        assert!(!drive.leaves(17_000) && !drive.leaves(19_999));
        assert!(drive.leaves(20_000));
    }

    #[test]
    fn what_waits_longer_than_the_timeout_is_unsent() {
        let (mut drive, mut seen) = drive(Arrivals::Constant(250_000.0), 0, 1);
        drive.freed(0);
        drive.start(&turn(1_000, None));
        drive.next(1_000, &mut seen);
        drive.freed(10_500);
        drive.ended(0, 1, 10_500);
        assert_eq!(taken(drive.next(10_500, &mut seen)).1, 9_000, "the one due at 5000 is gone");
        drive.cut(10_600);
        assert!(!drive.is_over(10_600));
        assert!(drive.is_over(10_600 + STOPPING_NS), "gives up");
        drive.end(10_600, &mut seen);
        assert_eq!(seen.take().unsent, 1);
    }
}

//! Decides when the threads or tasks that carry out a lane's operations may take up the next
//! one. It reads no clock and knows neither threads nor tasks: times are passed in.

use crate::arrivals::LaneSchedule;
use crate::numbering::Numbering;
use crate::{Drain, Seat, SliceEnd, Turn};
use record::{LaneOrder, Recorder};

/// How long operations under way are waited for after a stop.
const STOPPING_NS: u64 = 500_000_000;

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
    schedule: LaneSchedule,
    timeout_ns: u64,
    /// How long the lane was driven before the slice, with the time to the last reply of each slice.
    driven_ns: u64,
    /// The number of the contender's units.
    units: u32,
    numbering: Numbering,
    /// How many threads or tasks are free, and since when at least one is.
    free: usize,
    free_since: u64,
    slice: Option<Slice>,
}

/// The slice that is being driven.
#[derive(Debug)]
struct Slice {
    starts: u64,
    sends_until: u64,
    gives_up: u64,
    budget: u64,
    in_flight: u64,
    last_ended: u64,
    draining: bool,
    /// How it ends if units can be left waiting.
    drain: Option<Drain>,
    /// The last operation that ended in the ordinary drain, and those that ended later.
    last_in_time: u64,
    late: Vec<u64>,
}

impl Drive {
    /// Creates the state of a lane; `first` is the number of this worker's first operation.
    pub fn new(lane_order: &LaneOrder, seed: u64, seat: &Seat, first: u64) -> Drive {
        Drive {
            schedule: LaneSchedule::of(lane_order.intensity.arrivals, seed, seat),
            timeout_ns: lane_order.timeout_ns,
            driven_ns: 0,
            units: lane_order.intensity.connections,
            numbering: Numbering::new(first, seat.count() as u64),
            free: 0,
            free_since: 0,
            slice: None,
        }
    }

    /// Returns the number of the next operation of the mix.
    pub fn number(&self) -> u64 {
        self.numbering.of_mix()
    }

    /// Returns true if operations follow a schedule.
    pub fn is_open_loop(&self) -> bool {
        self.schedule.is_open_loop()
    }

    /// Starts a slice.
    pub fn start(&mut self, turn: &Turn) {
        self.free_since = turn.starts;
        self.numbering.start(turn.request);
        self.slice = Some(Slice {
            starts: turn.starts,
            sends_until: turn.sends_until,
            gives_up: turn.gives_up,
            budget: turn.operations.unwrap_or(u64::MAX),
            in_flight: 0,
            last_ended: turn.starts,
            draining: false,
            drain: None,
            last_in_time: turn.starts,
            late: Vec::new(),
        });
    }

    /// Starts a slice that may leave units waiting.
    pub fn start_leaving(&mut self, turn: &Turn, drain: Drain) {
        self.start(turn);
        self.slice.as_mut().expect("just started").drain = Some(drain);
    }

    /// Notes that units stay out whose replies have come.
    pub fn stay_out(&self) {
        self.slice.iter().flat_map(|slice| &slice.drain).for_each(Drain::stay_out);
    }

    /// Returns true if the slice must leave at `now` what waits.
    pub fn leaves(&mut self, now: u64, seen: &Recorder) -> bool {
        let Some(slice) = self.slice.as_mut() else { return false };
        if let Some(drain) = slice.drain.as_mut().filter(|_| slice.budget == 0) {
            drain.begin(now, seen.usual_p99_ns());
        }
        let (waiting, last_ended) = (slice.in_flight as u32, slice.last_ended);
        slice.drain.as_mut().is_some_and(|drain| drain.leaves(now, waiting, last_ended))
    }

    /// Returns the time from the start of the lane to `at`, counted while the lane is driven.
    pub fn clock_at(&self, at: u64) -> u64 {
        let since = self.slice.as_ref().map_or(0, |slice| at.saturating_sub(slice.starts));
        self.driven_ns + since
    }

    /// Returns when the slice started. None if none is driven.
    pub fn started(&self) -> Option<u64> {
        self.slice.as_ref().map(|slice| slice.starts)
    }

    /// Notes that a thread or task without an operation was added or has returned.
    pub fn freed(&mut self, now: u64) {
        if self.free == 0 {
            self.free_since = now;
        }
        self.free += 1;
    }

    /// Notes that a free thread or task has gone, without taking up an operation.
    pub fn unfreed(&mut self) {
        self.free -= 1;
    }

    /// Returns what a free thread or task must do. An operation that is overdue by more than the
    /// timeout is counted as unsent.
    pub fn next(&mut self, now: u64, seen: &mut Recorder) -> Next {
        if !self.is_open_loop() {
            return match &self.slice {
                Some(slice) if slice.sends(now) => Next::Take(self.take(now, now, seen)),
                _ => Next::Nothing,
            };
        }
        while let Some(due) = self.next_due() {
            if due > now {
                return Next::At(due);
            }
            self.schedule.take();
            if now > due + self.timeout_ns {
                seen.unsent_since(due, now);
                continue;
            }
            if let Some(slice) = self.slice.as_mut().filter(|slice| slice.draining) {
                slice.drain.iter_mut().for_each(|drain| drain.takes(now));
            }
            return Next::Take(self.take(due, due.max(self.free_since), seen));
        }
        Next::Nothing
    }

    fn take(&mut self, due: u64, could: u64, seen: &mut Recorder) -> Take {
        let slice = self.slice.as_mut().expect("a slice is driven");
        slice.budget -= 1;
        slice.in_flight += 1;
        self.free -= 1;
        let number = self.numbering.next();
        seen.due();
        Take { number, due, could }
    }

    /// Returns when the next operation of this slice is due, or None if there are no more.
    fn next_due(&self) -> Option<u64> {
        let slice = self.slice.as_ref()?;
        let due = self.schedule.next_due(slice.starts)?;
        let is_shut = slice.drain.as_ref().is_some_and(Drain::is_shut);
        (due < slice.sends_until && slice.budget > 0 && !is_shut).then_some(due)
    }

    /// Notes that an operation has its outcome.
    pub fn ended(&mut self, now: u64) {
        if let Some(slice) = self.slice.as_mut() {
            slice.in_flight -= 1;
            slice.last_ended = slice.last_ended.max(now);
            if slice.drain.as_ref().is_none_or(|drain| drain.is_ordinary(now)) {
                slice.last_in_time = slice.last_in_time.max(now);
            } else {
                slice.late.push(now);
            }
        }
    }

    /// Notes that the run must end: nothing more is sent, and the drain is short.
    pub fn cut(&mut self, now: u64) {
        let Some(slice) = self.slice.as_mut() else { return };
        slice.sends_until = slice.sends_until.min(now.max(slice.starts));
        slice.gives_up = slice.gives_up.min(now + STOPPING_NS);
    }

    /// Returns true if all operations of the slice have ended or the time to wait is over.
    pub fn is_over(&self, now: u64) -> bool {
        let Some(slice) = &self.slice else { return false };
        let may_send =
            if self.is_open_loop() { self.next_due().is_some() } else { slice.sends(now) };
        now >= slice.gives_up || (slice.in_flight == 0 && !may_send)
    }

    /// Returns when the lane must check the slice again, whatever else happens.
    ///
    /// # Panics
    /// Panics if no slice is driven, as [`Drive::note_drain`] and [`Drive::end`] do.
    pub fn look_at(&self, now: u64) -> u64 {
        let slice = self.slice.as_ref().expect("a slice is driven");
        if !slice.draining {
            return slice.sends_until.min(slice.gives_up);
        }
        let asks_at = slice.drain.as_ref().map_or(u64::MAX, |drain| drain.asks_at(now));
        asks_at.min(slice.gives_up)
    }

    /// Notes the drain once the sending time is over: the operations that are open then.
    pub fn note_drain(&mut self, now: u64, seen: &mut Recorder) {
        let slice = self.slice.as_mut().expect("a slice is driven");
        if now < slice.sends_until || slice.draining {
            return;
        }
        slice.draining = true;
        if let Some(drain) = slice.drain.as_mut() {
            drain.begin(now, seen.usual_p99_ns());
        }
        let late = self.schedule.backlog(slice.sends_until - slice.starts);
        seen.slice_mut().in_flight_at_end = slice.in_flight + late;
    }

    /// Ends the slice: operations that were due and not taken up are unsent. Returns when the
    /// last replies were received, as throughput counts them.
    pub fn end(&mut self, now: u64, seen: &mut Recorder) -> SliceEnd {
        let mut slice = self.slice.take().expect("a slice is driven");
        if let Some(drain) = slice.drain.as_mut() {
            drain.end(slice.last_ended);
        }
        let sending = slice.sends_until - slice.starts;
        self.schedule.end_slice(slice.starts, sending, |due| {
            if slice.budget > 0 {
                seen.unsent_since(due, now);
            }
        });
        let last = match slice.last_in_time > slice.starts {
            // In open loop the schedule determines the length of a slice: a pause before its end
            // belongs to it.
            _ if self.is_open_loop() && slice.budget > 0 => {
                slice.last_in_time.max(slice.sends_until)
            }
            true => slice.last_in_time,
            // Those that wait were left, or there were none.
            false if slice.drain.is_some() && now < slice.gives_up => slice.sends_until,
            false => now,
        };
        self.driven_ns += last.max(slice.sends_until) - slice.starts;
        SliceEnd { last, late: slice.late, units: self.units }
    }
}

impl Slice {
    /// Returns true if operations may still begin in closed loop.
    fn sends(&self, now: u64) -> bool {
        now < self.sends_until && self.budget > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stop;
    use crate::workload::alone;
    use record::{Address, Arrivals, Intensity, LaneTask, Reuse};

    fn drive(arrivals: Arrivals, worker: usize, workers: usize) -> (Drive, Recorder) {
        let lane_order = LaneOrder {
            address: Address::Unix("/".to_owned()),
            intensity: Intensity { connections: 1, depth: 1, arrivals },
            doing: LaneTask::Ask,
            reuse: Reuse::Always,
            timeout_ns: 5_000,
            burn_in_ns: 0,
            operations: None,
            groups: Vec::new(),
        };
        let seat = Seat::new(worker, workers, Stop::new().expect("a descriptor"));
        (Drive::new(&lane_order, 1, &seat, worker as u64), Recorder::new())
    }

    fn turn(starts: u64, operations: Option<u64>) -> Turn {
        let (sends_until, gives_up) = (starts + 10_000, starts + 100_000);
        Turn { starts, sends_until, gives_up, operations, request: None, patience_ns: u64::MAX }
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
            drive.ended(at + 1);
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
            drive.ended(starts + 1);
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
        drive.ended(9_100);
        // The thread became free only at 9100; until then no operation was possible.
        assert_eq!(taken(drive.next(9_200, &mut seen)), (1, 5_000, 9_100));
        drive.note_drain(11_000, &mut seen);
        assert_eq!(seen.slice_mut().in_flight_at_end, 2);
        drive.freed(11_500);
        drive.ended(11_500);
        assert!(!drive.is_over(11_500), "one is due and unsent");
        assert_eq!(taken(drive.next(11_600, &mut seen)), (2, 9_000, 11_500));
        drive.freed(11_700);
        drive.ended(11_700);
        assert!(drive.is_over(11_700));
        assert_eq!(drive.end(11_800, &mut seen).last, 11_700);
        // At 12 µs of lane time: 2 µs into the second slice.
        drive.start(&turn(50_000, None));
        assert_eq!(drive.next(50_000, &mut seen), Next::At(52_000));
        assert_eq!(taken(drive.next(52_000, &mut seen)).1, 52_000);
        assert_eq!(seen.take().unsent, 0);
    }

    #[test]
    fn what_waits_longer_than_the_timeout_is_unsent() {
        let (mut drive, mut seen) = drive(Arrivals::Constant(250_000.0), 0, 1);
        drive.freed(0);
        drive.start(&turn(1_000, None));
        drive.next(1_000, &mut seen);
        drive.freed(10_500);
        drive.ended(10_500);
        assert_eq!(taken(drive.next(10_500, &mut seen)).1, 9_000, "the one due at 5000 is gone");
        drive.cut(10_600);
        assert!(!drive.is_over(10_600));
        assert!(drive.is_over(10_600 + STOPPING_NS), "gives up");
        drive.end(10_600, &mut seen);
        assert_eq!(seen.take().unsent, 1);
    }
}

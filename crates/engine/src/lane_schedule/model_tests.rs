//! Random schedules, on which `Drive` must do what METHOD says: it is compared, event by event, with a model
//! that restates the rules as plainly as possible. The length of the ordinary drain is that of `Drain` in
//! both.

use super::{Drive, Next, Take};
use crate::arrivals::Schedule;
use crate::{Drain, Ending, Seat, SliceEnd, Stop, Turn};
use proptest::prelude::*;
use record::{Address, Arrivals, Intensity, LaneOrder, Recorder};
use std::collections::VecDeque;

/// What a lane asks its schedule, in the order in which it asks.
trait Subject {
    fn start(&mut self, turn: &Turn);
    /// The next operation of the unit that has been free longest.
    fn next(&mut self, unit: usize, now: u64, seen: &mut Recorder) -> Next;
    fn freed(&mut self, unit: usize, now: u64);
    fn ended(&mut self, unit: usize, at: u64);
    fn cut(&mut self, now: u64);
    /// Whether the slice is over, and whether units are left waiting.
    fn look(&mut self, now: u64, seen: &mut Recorder) -> (bool, bool);
    fn end(&mut self, now: u64, seen: &mut Recorder) -> SliceEnd;
    /// Leaves a unit waiting whose operation began at `began`.
    fn leave(&mut self, unit: usize, began: u64, seen: &mut Recorder);
    fn late_ended(&mut self, unit: usize, at: u64, seen: &mut Recorder);
    /// Whether a late unit takes part again.
    fn rejoins(&mut self, unit: usize, now: u64) -> bool;
    /// Nothing is waited for any more.
    fn forget_late(&mut self);
    fn driven_ns(&self) -> u64;
}

/// One slice of a case. Times are in nanoseconds after its start.
#[derive(Clone, Debug)]
struct Part {
    rest_ns: u64,
    sending_ns: u64,
    longest_drain_ns: u64,
    grace_ns: u64,
    operations: Option<u64>,
    stopped_ns: Option<u64>,
}

#[derive(Clone, Debug)]
struct Case {
    arrivals: Arrivals,
    units: u32,
    timeout_ns: u64,
    parts: Vec<Part>,
    /// How long replies take, and how far apart the lane looks, in turn.
    replies_ns: Vec<u64>,
    looks_ns: Vec<u64>,
}

#[derive(Clone, Debug, PartialEq)]
enum Event {
    Taken(usize, Take),
    Rejoined(usize, u64),
    Ends { now: u64, left: bool, end: SliceEnd, driven_ns: u64 },
    Seen { unsent: u64, longest_wait_ns: u64, in_flight_at_end: u64 },
}

fn order(case: &Case) -> LaneOrder {
    let Case { arrivals, units, timeout_ns, .. } = *case;
    LaneOrder {
        intensity: Intensity { connections: units, depth: 1, arrivals },
        timeout_ns,
        ..LaneOrder::closed(Address::Unix("/".to_owned()), units)
    }
}

fn seat() -> Seat {
    Seat::new(0, 1, Stop::new().expect("a descriptor"))
}

/// Drives the whole case. Replies come at times that depend on the number of operations alone.
struct Simulation<'a> {
    case: &'a Case,
    now: u64,
    free: VecDeque<usize>,
    /// When each unit's operation began and when its reply will come.
    in_flight: Vec<Option<(u64, u64)>>,
    /// Units that a slice has left, and that do not take part yet.
    late: Vec<usize>,
    taken: usize,
    looks: usize,
    events: Vec<Event>,
    seen: Recorder,
}

impl Simulation<'_> {
    fn run(case: &Case, ending: &Ending, mut subject: impl Subject) -> Vec<Event> {
        let units = case.units as usize;
        let mut simulation = Simulation {
            case,
            now: 1_000,
            free: (0..units).collect(),
            in_flight: vec![None; units],
            late: Vec::new(),
            taken: 0,
            looks: 0,
            events: Vec::new(),
            seen: Recorder::new(),
        };
        (0..units).for_each(|unit| subject.freed(unit, 0));
        for part in &case.parts {
            ending.forget();
            simulation.slice(part, &mut subject);
        }
        simulation.events
    }

    fn slice(&mut self, part: &Part, subject: &mut impl Subject) {
        let starts = self.now + part.rest_ns;
        self.replies_until(starts, subject);
        self.now = starts;
        let sends_until = starts + part.sending_ns;
        subject.start(&Turn {
            starts,
            sends_until,
            gives_up: sends_until + part.grace_ns,
            operations: part.operations,
            request: None,
            longest_drain_ns: part.longest_drain_ns,
        });
        let mut stops = part.stopped_ns.map(|after| starts + after);
        let left = loop {
            self.rejoin(subject);
            self.take(subject);
            if stops.take_if(|at| *at <= self.now).is_some() {
                subject.cut(self.now);
            }
            match subject.look(self.now, &mut self.seen) {
                (false, false) => self.advance(subject),
                (_, left) => break left,
            }
        };
        self.end(left, subject);
    }

    /// Gives operations to the units that are free, the one that has been free longest first.
    fn take(&mut self, subject: &mut impl Subject) {
        while let Some(&unit) = self.free.front() {
            let Next::Take(take) = subject.next(unit, self.now, &mut self.seen) else { return };
            self.events.push(Event::Taken(unit, take));
            let reply_ns = self.case.replies_ns[self.taken % self.case.replies_ns.len()];
            self.taken += 1;
            self.free.pop_front();
            self.in_flight[unit] = Some((self.now, self.now + reply_ns));
        }
    }

    /// Goes on to the next reply, or to the next look if that is earlier.
    fn advance(&mut self, subject: &mut impl Subject) {
        let look = self.now + self.case.looks_ns[self.looks % self.case.looks_ns.len()];
        self.looks += 1;
        let replies = self.in_flight.iter().flatten().map(|(_, reply)| *reply);
        self.now = replies.min().map_or(look, |reply| reply.min(look));
        self.replies_until(self.now, subject);
    }

    fn replies_until(&mut self, until: u64, subject: &mut impl Subject) {
        let mut replies: Vec<(u64, usize)> = Vec::new();
        for (unit, in_flight) in self.in_flight.iter_mut().enumerate() {
            if let Some((_, reply)) = in_flight.take_if(|(_, reply)| *reply <= until) {
                replies.push((reply, unit));
            }
        }
        replies.sort_unstable();
        for (reply, unit) in replies {
            if self.late.contains(&unit) {
                subject.late_ended(unit, reply, &mut self.seen);
            } else {
                subject.ended(unit, reply);
                subject.freed(unit, reply);
                self.free.push_back(unit);
            }
        }
    }

    fn rejoin(&mut self, subject: &mut impl Subject) {
        for unit in self.late.extract_if(.., |unit| subject.rejoins(*unit, self.now)) {
            self.free.push_back(unit);
            self.events.push(Event::Rejoined(unit, self.now));
        }
    }

    fn end(&mut self, left: bool, subject: &mut impl Subject) {
        let in_flight = self.in_flight.iter().enumerate();
        for (unit, (began, _)) in in_flight.filter_map(|(unit, each)| Some((unit, (*each)?))) {
            if left && !self.late.contains(&unit) {
                subject.leave(unit, began, &mut self.seen);
                self.late.push(unit);
            }
        }
        let end = subject.end(self.now, &mut self.seen);
        let driven_ns = subject.driven_ns();
        self.events.push(Event::Ends { now: self.now, left, end, driven_ns });
        let in_flight_at_end = self.seen.slice_mut().in_flight_at_end;
        let seen = self.seen.take();
        self.events.push(Event::Seen {
            unsent: seen.unsent,
            longest_wait_ns: seen.waits.longest_ns,
            in_flight_at_end,
        });
        if !left && self.in_flight.iter().any(Option::is_some) {
            // The run was stopped: operations have no outcome, and all units are free.
            subject.forget_late();
            let late = std::mem::take(&mut self.late);
            for unit in 0..self.in_flight.len() {
                if self.in_flight[unit].take().is_some() || late.contains(&unit) {
                    subject.freed(unit, self.now);
                    self.free.push_back(unit);
                }
            }
        }
    }
}

/// The rules in plain words and lists.
struct Model {
    /// The lane times at which operations are due. Empty in closed loop.
    dues: Vec<u64>,
    is_open_loop: bool,
    taken: usize,
    number: u64,
    lane_time: u64,
    driven_ns: u64,
    timeout_ns: u64,
    units: u32,
    seat: Seat,
    free_since: Vec<u64>,
    /// By unit: when a late one began, after how much driving, and after how much it rejoins.
    late: Vec<Option<(u64, u64, Option<u64>)>>,
    slice: Option<ModelSlice>,
}

struct ModelSlice {
    starts: u64,
    sends_until: u64,
    gives_up: u64,
    budget: u64,
    drain: Drain,
    is_drain_noted: bool,
    /// When operations ended, with their units: in the ordinary drain or before, and later.
    in_time: Vec<u64>,
    late: Vec<(usize, u64)>,
    in_flight: u64,
    left: bool,
}

impl ModelSlice {
    fn last_ended(&self) -> u64 {
        let late = self.late.iter().map(|(_, at)| *at);
        self.in_time.iter().copied().chain(late).max().unwrap_or(self.starts)
    }
}

impl Model {
    fn new(case: &Case, seat: &Seat) -> Model {
        let mut schedule = Schedule::of(case.arrivals, 1, seat);
        let is_open_loop = schedule.is_some();
        let dues = schedule.as_mut().map_or(Vec::new(), |schedule| {
            let next = |_| {
                let due = schedule.next_ns();
                schedule.take();
                due
            };
            (0..5_000).map(next).collect()
        });
        Model {
            dues,
            is_open_loop,
            taken: 0,
            number: 0,
            lane_time: 0,
            driven_ns: 0,
            timeout_ns: case.timeout_ns,
            units: case.units,
            seat: seat.clone(),
            free_since: vec![0; case.units as usize],
            late: vec![None; case.units as usize],
            slice: None,
        }
    }

    fn clock_at(&self, at: u64) -> u64 {
        self.driven_ns + at.saturating_sub(self.slice.as_ref().expect("driven").starts)
    }

    fn due_at(&self, starts: u64) -> Option<u64> {
        self.is_open_loop.then(|| starts + self.dues[self.taken].saturating_sub(self.lane_time))
    }

    /// An operation may begin: one is due before the end of sending, or a closed loop still sends.
    fn may_begin(&self, now: u64) -> bool {
        let slice = self.slice.as_ref().expect("driven");
        match self.due_at(slice.starts) {
            _ if slice.budget == 0 => false,
            _ if now < slice.sends_until => true,
            due => due.is_some_and(|due| due < slice.sends_until && !slice.drain.is_shut()),
        }
    }

    fn begin(&mut self, due: u64, could: u64, now: u64, seen: &mut Recorder) -> Next {
        let slice = self.slice.as_mut().expect("driven");
        slice.budget -= 1;
        slice.in_flight += 1;
        if slice.is_drain_noted {
            slice.drain.takes(now);
        }
        seen.due();
        self.number += 1;
        Next::Take(Take { number: self.number - 1, due, could })
    }

    fn late_dues(&self) -> usize {
        let slice = self.slice.as_ref().expect("driven");
        let until = self.lane_time + slice.sends_until - slice.starts;
        self.dues[self.taken.min(self.dues.len())..].iter().take_while(|due| **due < until).count()
    }
}

impl Subject for Model {
    fn start(&mut self, turn: &Turn) {
        let times = (turn.starts, turn.sends_until);
        self.slice = Some(ModelSlice {
            starts: turn.starts,
            sends_until: turn.sends_until,
            gives_up: turn.gives_up,
            budget: turn.operations.unwrap_or(u64::MAX),
            drain: Drain::new(&self.seat, self.units, times, turn.longest_drain_ns),
            is_drain_noted: false,
            in_time: Vec::new(),
            late: Vec::new(),
            in_flight: 0,
            left: false,
        });
    }

    fn next(&mut self, unit: usize, now: u64, seen: &mut Recorder) -> Next {
        let starts = self.slice.as_ref().expect("driven").starts;
        if !self.is_open_loop {
            return if self.may_begin(now) {
                self.begin(now, now, now, seen)
            } else {
                Next::Nothing
            };
        }
        loop {
            let due = self.due_at(starts).expect("an open loop");
            let slice = self.slice.as_ref().expect("driven");
            if due >= slice.sends_until || slice.budget == 0 || slice.drain.is_shut() {
                return Next::Nothing;
            }
            if due > now {
                return Next::At(due);
            }
            self.taken += 1;
            if now - due <= self.timeout_ns {
                return self.begin(due, due.max(self.free_since[unit]), now, seen);
            }
            seen.unsent_since(due, now);
        }
    }

    fn freed(&mut self, unit: usize, now: u64) {
        self.free_since[unit] = now;
    }

    fn ended(&mut self, unit: usize, at: u64) {
        let slice = self.slice.as_mut().expect("driven");
        slice.in_flight -= 1;
        if slice.drain.is_ordinary(at) {
            slice.in_time.push(at);
        } else {
            slice.late.push((unit, at));
        }
    }

    fn cut(&mut self, now: u64) {
        let slice = self.slice.as_mut().expect("driven");
        slice.sends_until = slice.sends_until.min(now);
        slice.gives_up = slice.gives_up.min(now + 500_000_000);
    }

    fn look(&mut self, now: u64, seen: &mut Recorder) -> (bool, bool) {
        let late = self.late_dues() as u64;
        let slice = self.slice.as_mut().expect("driven");
        if now >= slice.sends_until && !slice.is_drain_noted {
            slice.is_drain_noted = true;
            seen.slice_mut().in_flight_at_end = slice.in_flight + late;
        }
        if slice.is_drain_noted || slice.budget == 0 {
            slice.drain.begin(now, seen.usual_p99_ns());
        }
        let in_flight = slice.in_flight;
        if now >= slice.gives_up || (in_flight == 0 && !self.may_begin(now)) {
            return (true, false);
        }
        let slice = self.slice.as_mut().expect("driven");
        slice.left = slice.drain.leaves(now, in_flight as u32, slice.last_ended());
        (slice.left, slice.left)
    }

    fn end(&mut self, now: u64, seen: &mut Recorder) -> SliceEnd {
        let unsent = self.late_dues();
        let mut slice = self.slice.take().expect("driven");
        slice.drain.end(slice.last_ended());
        for _ in 0..unsent {
            let due = self.due_at(slice.starts).expect("an open loop");
            self.taken += 1;
            if slice.budget > 0 {
                seen.unsent_since(due, now);
            }
        }
        self.lane_time += slice.sends_until - slice.starts;
        let last_in_time = slice.in_time.iter().copied().max().filter(|at| *at > slice.starts);
        let last = match last_in_time {
            // The schedule says how long a slice is.
            _ if self.is_open_loop && slice.budget > 0 => {
                last_in_time.unwrap_or(0).max(slice.sends_until)
            }
            Some(last) => last,
            None if slice.left || slice.in_flight == 0 => slice.sends_until,
            None => now,
        };
        let driven_until = if slice.left { last } else { last.max(slice.last_ended()) };
        self.driven_ns += driven_until.max(slice.sends_until) - slice.starts;
        let of_unit =
            |unit| slice.late.iter().filter(move |(of, _)| *of == unit).map(|(_, at)| *at);
        let late = (0..self.units as usize).filter_map(|unit| of_unit(unit).max()).collect();
        SliceEnd { last, late, units: self.units }
    }

    fn leave(&mut self, unit: usize, began: u64, seen: &mut Recorder) {
        seen.left_waiting();
        self.late[unit] = Some((began, self.clock_at(began), None));
    }

    fn late_ended(&mut self, unit: usize, at: u64, seen: &mut Recorder) {
        let (began, driven_ns, rejoins_ns) = self.late[unit].as_mut().expect("it is late");
        seen.waited(at - *began, record::Waited::Ended);
        *rejoins_ns = Some(*driven_ns + at - *began);
    }

    fn rejoins(&mut self, unit: usize, now: u64) -> bool {
        let Some((_, _, Some(rejoins_ns))) = self.late[unit] else { return false };
        let rejoins = rejoins_ns <= self.clock_at(now);
        if rejoins {
            self.late[unit] = None;
            self.freed(unit, now);
        } else {
            self.slice.as_ref().expect("driven").drain.stay_out();
        }
        rejoins
    }

    fn forget_late(&mut self) {
        self.late.fill(None);
    }

    fn driven_ns(&self) -> u64 {
        self.driven_ns
    }
}

struct Driven(Drive);

impl Subject for Driven {
    fn start(&mut self, turn: &Turn) {
        self.0.start(turn);
    }

    fn next(&mut self, _: usize, now: u64, seen: &mut Recorder) -> Next {
        self.0.next(now, seen)
    }

    fn freed(&mut self, _: usize, now: u64) {
        self.0.freed(now);
    }

    fn ended(&mut self, unit: usize, at: u64) {
        self.0.ended(unit, 1, at);
    }

    fn cut(&mut self, now: u64) {
        self.0.cut(now);
    }

    fn look(&mut self, now: u64, seen: &mut Recorder) -> (bool, bool) {
        self.0.note_drain(now, seen);
        if self.0.is_over(now) {
            return (true, false);
        }
        let left = self.0.leaves(now);
        (left, left)
    }

    fn end(&mut self, now: u64, seen: &mut Recorder) -> SliceEnd {
        self.0.end(now, seen)
    }

    fn leave(&mut self, unit: usize, began: u64, seen: &mut Recorder) {
        assert!(self.0.leave(unit, began, seen), "it was not late");
    }

    fn late_ended(&mut self, unit: usize, at: u64, seen: &mut Recorder) {
        self.0.late_ended(unit, at, seen);
    }

    fn rejoins(&mut self, unit: usize, now: u64) -> bool {
        let rejoins = self.0.rejoin(unit, now);
        if rejoins {
            self.0.freed(now);
        }
        rejoins
    }

    fn forget_late(&mut self) {
        self.0.forget_late();
    }

    fn driven_ns(&self) -> u64 {
        self.0.driven_ns
    }
}

fn cases() -> impl Strategy<Value = Case> {
    let arrivals = prop_oneof![
        Just(Arrivals::Closed),
        (1_000f64..1e6).prop_map(Arrivals::Constant),
        (1_000f64..1e6).prop_map(Arrivals::Poisson),
    ];
    let parts = proptest::collection::vec(parts(), 1..5);
    let replies = proptest::collection::vec(
        prop_oneof![6 => 1u64..30_000, 1 => 30_000u64..1_000_000, 1 => Just(600_000_000)],
        1..12,
    );
    let looks = proptest::collection::vec(1u64..40_000, 1..8);
    (arrivals, 1u32..20, 1_000u64..200_000, parts, replies, looks).prop_map(
        |(arrivals, units, timeout_ns, parts, replies_ns, looks_ns)| Case {
            arrivals,
            units,
            timeout_ns,
            parts,
            replies_ns,
            looks_ns,
        },
    )
}

fn parts() -> impl Strategy<Value = Part> {
    (
        0u64..50_000,
        1_000u64..300_000,
        prop_oneof![1_000u64..100_000, Just(10_000_000)],
        0u64..3_000_000,
        prop_oneof![2 => Just(None), 1 => (0u64..20).prop_map(Some)],
        prop_oneof![3 => Just(None), 1 => (0u64..400_000).prop_map(Some)],
    )
        .prop_map(
            |(rest_ns, sending_ns, longest_drain_ns, grace_ns, operations, stopped_ns)| Part {
                rest_ns,
                sending_ns,
                longest_drain_ns,
                grace_ns,
                operations,
                stopped_ns,
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn a_lane_does_what_the_rules_say(case in cases()) {
        let (expected, driven) = (seat(), seat());
        let model = Model::new(&case, &expected);
        let expected = Simulation::run(&case, &expected.ending, model);
        let drive = Drive::new(&order(&case), case.units, (0, 1), 1, &driven).leaving(&driven);
        let driven = Simulation::run(&case, &driven.ending, Driven(drive));
        prop_assert_eq!(expected, driven);
    }
}

//! Several workloads at once on one contender: a lane that consists of lanes.
//!
//! One thread drives them all, in steps that do not wait, and then waits for whichever is next.
//! A thread for each group was rejected: on one core a closed loop keeps the processor for as
//! long as it has replies to read, which would delay the operations of a group with a rate by
//! the time slices of the scheduler; and the thread of that group would spin against the other
//! one before each operation that is due.

mod watch;

use crate::lane::InSteps;
use crate::{EngineError, Lane, MakeLane, Opened, Seat, SliceEnd, Stop, Turn, clock};
use record::{DriveOrder, LaneOrder, Recorder};
use watch::Watch;

/// Returns the lanes of one contender of the order, one for each worker, with its groups if it
/// has any. `lanes` creates the lanes of a contender without groups.
///
/// # Panics
/// Panics if the order has no such contender.
pub fn grouped(
    order: &DriveOrder,
    contender: usize,
    lanes: impl Fn(&DriveOrder) -> Vec<MakeLane>,
) -> Vec<MakeLane> {
    let asked = &order.lanes[contender];
    if asked.groups.is_empty() {
        return lanes(order);
    }
    let of_group = |group| {
        let mut order = order.clone();
        order.lanes[contender] = asked.of_group(group);
        lanes(&order).into_iter()
    };
    let mut groups: Vec<_> = asked.groups.iter().map(of_group).collect();
    let workers = order.cores.len().max(1);
    let one = |_| {
        let parts: Vec<MakeLane> = groups.iter_mut().filter_map(Iterator::next).collect();
        let checked = check_groups(asked);
        Box::new(move |seat: &Seat| checked.and_then(|()| Groups::lane(parts, seat))) as MakeLane
    };
    (0..workers).map(one).collect()
}

/// Checks that the settings of a lane can be combined with its groups.
///
/// # Errors
/// Returns an error if there are groups and a number of operations is set.
pub fn check_groups(asked: &LaneOrder) -> Result<(), EngineError> {
    match asked.operations {
        Some(_) if !asked.groups.is_empty() => {
            let why = "a number of operations cannot be set for a contender with groups";
            Err(EngineError::order(why))
        }
        _ => Ok(()),
    }
}

/// The groups of one contender on one core.
struct Groups {
    lanes: Vec<Box<dyn Lane>>,
    stop: Stop,
}

impl Groups {
    fn lane(parts: Vec<MakeLane>, seat: &Seat) -> Result<Box<dyn Lane>, EngineError> {
        let groups = parts.len();
        let make = |(group, make): (usize, MakeLane)| {
            let mut lane = make(&Seat { group, groups, ..seat.clone() })?;
            match lane.steps() {
                Some(_) => Ok(lane),
                None => Err(EngineError::order("lanes of this kind do not support groups")),
            }
        };
        let lanes = parts.into_iter().enumerate().map(make).collect::<Result<_, _>>()?;
        Ok(Box::new(Groups { lanes, stop: seat.stop.clone() }))
    }

    /// Makes steps until every slice is over.
    fn drive(parts: &mut [DrivenGroup<'_>], stop: &Stop) -> Result<(), EngineError> {
        let mut watch = Watch::new(parts.iter().map(|part| part.steps.ready()), stop);
        loop {
            let woke = clock::now();
            let mut worked = false;
            for (at, part) in parts.iter_mut().enumerate() {
                if watch.is_ready(at) || part.until.is_some_and(|until| until <= clock::now()) {
                    worked |= part.step()?;
                }
                if part.until.is_none() {
                    watch.leave_out(at);
                }
            }
            let Some(until) = parts.iter().filter_map(|part| part.until).min() else {
                return Ok(());
            };
            let now = clock::now();
            if worked {
                // A reply to any of them waits until the turn of all of them is over.
                let open = parts.iter_mut().filter(|part| part.steps.is_open_loop());
                open.for_each(|part| part.seen.looped(now - woke));
            }
            watch.wait(until.saturating_sub(now));
        }
    }
}

/// A group while it is driven.
struct DrivenGroup<'a> {
    steps: InSteps<'a>,
    seen: &'a mut Recorder,
    starts: u64,
    /// When its next step is due. None if its slice is over.
    until: Option<u64>,
    end: SliceEnd,
}

impl<'a> DrivenGroup<'a> {
    /// Starts its slice.
    fn begin(lane: &'a mut dyn Lane, seen: &'a mut Recorder, turn: &Turn) -> DrivenGroup<'a> {
        let steps = lane.steps().expect("asked when the lane was made");
        steps.begin(turn, seen);
        DrivenGroup { steps, seen, starts: turn.starts, until: Some(0), end: SliceEnd::default() }
    }

    /// Makes a step. Returns true if it did something.
    fn step(&mut self) -> Result<bool, EngineError> {
        if self.until.is_none() {
            return Ok(false);
        }
        let step = self.steps.step(self.seen)?;
        self.until = step.until;
        if step.until.is_none() {
            // The slice of each group ends with its own last reply.
            self.end = self.steps.finish(self.seen);
            self.end.note(self.starts, self.seen.slice_mut());
        }
        Ok(step.worked)
    }
}

impl Lane for Groups {
    fn open(&mut self, seen: &mut Recorder) -> Result<Opened, EngineError> {
        let opened = self.open_some(usize::MAX, seen)?;
        Ok(opened.expect("no lane leaves any of them closed"))
    }

    fn open_some(
        &mut self,
        most: usize,
        seen: &mut Recorder,
    ) -> Result<Option<Opened>, EngineError> {
        let mut all = Some(Opened { requested: 0, established: 0 });
        for (lane, seen) in self.lanes.iter_mut().zip(seen.groups_mut()) {
            let part = lane.open_some(most, seen)?;
            if let Some(part) = part {
                seen.connections(part.requested, part.established);
            }
            all = all.zip(part).map(|(all, part)| Opened {
                requested: all.requested + part.requested,
                established: all.established + part.established,
            });
        }
        Ok(all)
    }

    fn slice(&mut self, turn: &Turn, seen: &mut Recorder) -> Result<SliceEnd, EngineError> {
        while clock::now() < turn.starts {
            // This takes some microseconds at most: a sleep would overshoot by more.
            std::hint::spin_loop();
        }
        let lanes = self.lanes.iter_mut().zip(seen.groups_mut());
        let mut parts: Vec<DrivenGroup<'_>> =
            lanes.map(|(lane, seen)| DrivenGroup::begin(lane.as_mut(), seen, turn)).collect();
        Self::drive(&mut parts, &self.stop)?;
        let all = SliceEnd::from(turn.starts);
        Ok(parts.iter().fold(all, |all, part| all.and(&part.end)))
    }

    fn rest(&mut self, until: u64, seen: &mut Recorder) -> Result<(), EngineError> {
        let mut lanes = self.lanes.iter_mut().zip(seen.groups_mut());
        lanes.try_for_each(|(lane, seen)| lane.rest(until, seen))
    }

    fn waiting(&self) -> u32 {
        self.lanes.iter().map(|lane| lane.waiting()).sum()
    }

    fn latest_waiting(&self) -> Option<u64> {
        self.lanes.iter().filter_map(|lane| lane.latest_waiting()).max()
    }

    fn end_connections(&mut self, waiting: u32) -> bool {
        // All groups have the connection policy of their contender.
        let ended = self.lanes.iter_mut().map(|lane| lane.end_connections(waiting));
        ended.filter(|ended| *ended).count() > 0
    }

    fn note_waits(&mut self, seen: &mut Recorder) {
        for (lane, seen) in self.lanes.iter_mut().zip(seen.groups_mut()) {
            lane.note_waits(seen);
        }
    }

    fn close(&mut self, seen: &mut Recorder) {
        for (lane, seen) in self.lanes.iter_mut().zip(seen.groups_mut()) {
            lane.close(seen);
        }
    }
}

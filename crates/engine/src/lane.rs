//! The interface between the interleaving and what is driven: one contender on one core.

use crate::{Ending, EngineError, Heartbeat, SliceEnd, Stop};
use record::{DriveOrder, Recorder};
use std::os::fd::RawFd;

/// The position of a lane among workers and groups.
#[derive(Clone, Debug)]
pub struct Seat {
    /// The number of the worker, from 0.
    pub worker: usize,
    /// How many workers there are.
    pub workers: usize,
    /// The number of the group of its contender, from 0.
    pub group: usize,
    /// How many groups there are: 1 for a contender with one workload.
    pub groups: usize,
    /// Readable once the run must end early.
    pub stop: Stop,
    /// What the workers of this process tell each other at the end of a slice.
    pub ending: Ending,
    /// Shows whether the worker's thread comes back from what a lane does.
    pub heartbeat: Heartbeat,
}

impl Seat {
    /// Creates the seat of a lane for a contender with one workload, on the only worker of its process.
    pub fn new(worker: usize, workers: usize, stop: Stop) -> Seat {
        Seat {
            worker,
            workers,
            group: 0,
            groups: 1,
            stop,
            ending: Ending::new(1),
            heartbeat: Heartbeat::default(),
        }
    }

    /// Returns its index among all lanes of one contender that number operations, one for each
    /// worker and group. Operation *n* belongs to the index *n* mod [`Seat::count`], and so to
    /// the group *n* mod `groups`.
    pub fn index(&self) -> usize {
        self.worker * self.groups + self.group
    }

    /// Returns how many indices there are.
    pub fn count(&self) -> usize {
        self.workers * self.groups
    }

    /// Returns this worker's share of `total`; the first workers take the remainder.
    pub fn share(&self, total: u64) -> u64 {
        let (workers, worker) = (self.workers as u64, self.worker as u64);
        total / workers + u64::from(worker < total % workers)
    }
}

/// Creates a lane on its worker's thread, which the lane never leaves.
pub type MakeLane = Box<dyn FnOnce(&Seat) -> Result<Box<dyn Lane>, EngineError> + Send>;

/// Returns the lanes of one contender of the order, one for each worker, all created by `make`.
pub fn for_workers(
    order: &DriveOrder,
    make: impl Fn(&Seat) -> Result<Box<dyn Lane>, EngineError> + Clone + Send + 'static,
) -> Vec<MakeLane> {
    (0..order.cores.len().max(1)).map(|_| Box::new(make.clone()) as MakeLane).collect()
}

/// Reads the CPU time of one target. Returns None if it cannot be read. It is called at both ends
/// of every slice.
pub type TargetClock = Box<dyn FnMut() -> Option<TargetReading> + Send>;

/// One reading of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetReading {
    /// Its CPU time, in nanoseconds since an arbitrary time.
    pub cpu_ns: u64,
    /// How a watcher read it. None if it was read here.
    pub watched: Option<WatchedReading>,
}

/// How a watcher read a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchedReading {
    /// When, by the monotonic clock of the watcher's machine.
    pub at_ns: u64,
    /// From sending the question to having the answer.
    pub asked_ns: u64,
    /// Time stolen from the cores of that machine so far. None if it is not known.
    pub steal_ns: Option<u64>,
}

impl TargetReading {
    /// A reading that was taken here.
    pub fn here(cpu_ns: u64) -> TargetReading {
        TargetReading { cpu_ns, watched: None }
    }
}

/// One slice: times on the engine's clock.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// When it starts.
    pub starts: u64,
    /// When sending ends (in open loop: when no more operations fall due).
    pub sends_until: u64,
    /// When operations that are still due or in flight are given up in any case.
    pub gives_up: u64,
    /// The maximum number of operations of this worker.
    pub operations: Option<u64>,
    /// The only request that is sent, by its index in the workload's mix. None for all of them.
    pub request: Option<u32>,
    /// How long a contender with few replies is waited for after sending, in nanoseconds, if only some of
    /// its connections wait.
    pub longest_drain_ns: u64,
}

/// How many connections were requested and how many are open: 40 of 64 is data, not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opened {
    /// Connections that were requested.
    pub requested: u64,
    /// Connections that are open.
    pub established: u64,
}

/// One contender on one core: its connections and its schedule. A `dyn` interface of the engine
/// that is called a few times per slice, never per operation.
pub trait Lane {
    /// Opens the connections.
    ///
    /// # Errors
    /// Returns an error only if tiebreak itself failed; refused connections are data.
    fn open(&mut self, seen: &mut Recorder) -> Result<Opened, EngineError>;

    /// Opens at most `most` of the connections that [`Lane::end_connections`] closed.
    /// Returns None while others are left to be opened.
    ///
    /// # Errors
    /// Returns an error only if tiebreak itself failed; refused connections are data.
    fn open_some(
        &mut self,
        _most: usize,
        seen: &mut Recorder,
    ) -> Result<Option<Opened>, EngineError> {
        self.open(seen).map(Some)
    }

    /// Drives one slice. Returns when the last replies were received. Connections that wait much longer than
    /// the others may be left waiting: they keep their operation, which ends in a later slice or at rest.
    ///
    /// # Errors
    /// Returns an error only if tiebreak itself failed.
    fn slice(&mut self, turn: &Turn, seen: &mut Recorder) -> Result<SliceEnd, EngineError>;

    /// Called between slices: answers pings and reopens connections that the peer closed.
    /// Returns by `until`.
    ///
    /// # Errors
    /// Returns an error only if tiebreak itself failed.
    fn rest(&mut self, until: u64, seen: &mut Recorder) -> Result<(), EngineError>;

    /// Returns how many of its units wait for a reply that a slice has left.
    fn waiting(&self) -> u32 {
        0
    }

    /// Returns when the latest of the operations began that a slice has left waiting. None if there is none.
    fn latest_waiting(&self) -> Option<u64> {
        None
    }

    /// Called between two rounds: closes connections that outlive their operations, so that
    /// [`Lane::open`] opens others in their place. `waiting` is [`Lane::waiting`] of all workers of this
    /// process. Returns false, and closes nothing, if there are none or if a lane keeps them for the whole
    /// run.
    fn end_connections(&mut self, _waiting: u32) -> bool {
        false
    }

    /// Called at the end of a trial: records which connections are left waiting.
    fn note_waits(&mut self, _seen: &mut Recorder) {}

    /// Closes all connections. Operations in flight are recorded as unfinished if the run was stopped,
    /// and otherwise as failed because they still wait.
    fn close(&mut self, seen: &mut Recorder);

    /// Returns the interface for driving it together with others on one thread, or None if that
    /// is not possible.
    fn steps(&mut self) -> Option<InSteps<'_>> {
        None
    }
}

/// A lane that is driven in steps: the second `dyn` interface, next to [`Lane`]. Only lanes of
/// several groups use it.
pub type InSteps<'a> = &'a mut dyn Steps;

/// A lane whose slice is driven in steps that never wait, so that one thread can drive several
/// at once. It is called for every wait, never for an operation.
pub trait Steps {
    /// A slice starts.
    fn begin(&mut self, turn: &Turn, seen: &mut Recorder);

    /// Does what can be done without waiting.
    ///
    /// # Errors
    /// Returns an error only if tiebreak itself failed.
    fn step(&mut self, seen: &mut Recorder) -> Result<LaneStep, EngineError>;

    /// Ends the slice. Returns when its last replies were received.
    fn finish(&mut self, seen: &mut Recorder) -> SliceEnd;

    /// Returns a descriptor that is readable when the next step has something to do.
    fn ready(&self) -> RawFd;

    /// Returns true if turns of the loop that drives it are recorded.
    fn is_open_loop(&self) -> bool;
}

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneStep {
    /// It did something.
    pub worked: bool,
    /// When the next step is due in any case. None if the slice is over.
    pub until: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up() {
        for workers in 1..5 {
            for total in 0..20 {
                let stop = Stop::new().expect("a descriptor");
                let shares = (0..workers)
                    .map(|worker| Seat::new(worker, workers, stop.clone()).share(total));
                assert_eq!(shares.sum::<u64>(), total, "{total} over {workers}");
            }
        }
    }
}

//! The seam between the interleaving and what is driven: one contender on one core.

use crate::Stop;
use record::{Asked, Recorder};
use std::fmt;
use std::os::fd::RawFd;

/// Where a lane lives.
#[derive(Clone, Debug)]
pub struct Seat {
    /// Which worker, from 0.
    pub worker: usize,
    /// Of how many.
    pub workers: usize,
    /// Which group of its contender, from 0.
    pub group: usize,
    /// Of how many: 1 where there is one workload.
    pub groups: usize,
    /// Readable once the run is to end early.
    pub stop: Stop,
}

impl Seat {
    /// Of a lane that has its contender's one workload.
    pub fn new(worker: usize, workers: usize, stop: Stop) -> Seat {
        Seat { worker, workers, group: 0, groups: 1, stop }
    }

    /// Its place among all that number operations of one contender: each worker in
    /// each group. Operation *n* is of the place *n* mod [`Seat::places`], and so of
    /// the group *n* mod `groups`.
    pub fn place(&self) -> usize {
        self.worker * self.groups + self.group
    }

    /// How many places there are.
    pub fn places(&self) -> usize {
        self.workers * self.groups
    }

    /// This worker's share of `total`: the first ones take what is left over.
    pub fn share(&self, total: u64) -> u64 {
        let (workers, worker) = (self.workers as u64, self.worker as u64);
        total / workers + u64::from(worker < total % workers)
    }
}

/// Makes a lane on its worker's thread, which it never leaves.
pub type MakeLane = Box<dyn FnOnce(&Seat) -> Result<Box<dyn Lane>, EngineError> + Send>;

/// The lanes of one contender of the order: one for each worker, made alike.
pub fn for_workers(
    order: &Asked,
    make: impl Fn(&Seat) -> Result<Box<dyn Lane>, EngineError> + Clone + Send + 'static,
) -> Vec<MakeLane> {
    (0..order.cores.len().max(1)).map(|_| Box::new(make.clone()) as MakeLane).collect()
}

/// Reads the CPU time of one target, in nanoseconds from whenever; none where it
/// is out of sight. Called at both ends of every slice.
pub type TargetClock<'a> = Box<dyn FnMut() -> Option<u64> + Send + 'a>;

/// One slice: times on the engine's clock.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// When it starts.
    pub starts: u64,
    /// When sending ends (in open loop: when operations cease to fall due).
    pub sends_until: u64,
    /// When what is still due or in flight is given up, whatever happens.
    pub gives_up: u64,
    /// At most this many operations by this worker.
    pub operations: Option<u64>,
}

/// How many connections were asked for, and how many are open: 40 of 64 is
/// data, not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opened {
    /// Asked for.
    pub asked: u64,
    /// Open.
    pub got: u64,
}

/// One contender on one core: its connections and its schedule. A `dyn` seam
/// of the engine, called a few times for each slice and never for an
/// operation.
pub trait Lane {
    /// Opens the connections.
    ///
    /// # Errors
    /// Only when tiebreak itself failed; refused connections are data.
    fn open(&mut self, seen: &mut Recorder) -> Result<Opened, EngineError>;

    /// Opens at most `most` of the connections that [`Lane::end_connections`] closed.
    /// Returns None while others are left to be opened.
    ///
    /// # Errors
    /// Only when tiebreak itself failed; refused connections are data.
    fn open_some(
        &mut self,
        _most: usize,
        seen: &mut Recorder,
    ) -> Result<Option<Opened>, EngineError> {
        self.open(seen).map(Some)
    }

    /// Drives one slice. Returns when the last reply was in.
    ///
    /// # Errors
    /// Only when tiebreak itself failed.
    fn slice(&mut self, turn: &Turn, seen: &mut Recorder) -> Result<u64, EngineError>;

    /// Between slices: answers pings, reopens what the peer closed. Returns by
    /// `until`.
    ///
    /// # Errors
    /// Only when tiebreak itself failed.
    fn rest(&mut self, until: u64, seen: &mut Recorder) -> Result<(), EngineError>;

    /// Between two rounds: closes connections that outlive their operations, so that
    /// [`Lane::open`] opens others in their place. Returns false, and closes nothing, if
    /// there are none or if a lane keeps them for the whole run.
    fn end_connections(&mut self) -> bool {
        false
    }

    /// Closes all connections; what was in flight is unfinished.
    fn close(&mut self, seen: &mut Recorder);

    /// How it is driven together with others on one thread; none where it cannot
    /// be.
    fn steps(&mut self) -> Option<InSteps<'_>> {
        None
    }
}

/// A lane as it is driven in steps: the other `dyn` seam, behind [`Lane`]. Only
/// lanes of several groups use it.
pub type InSteps<'a> = &'a mut dyn Steps;

/// A lane whose slice is driven in steps, none of which waits: so one thread drives
/// several at once. Called for every wait and never for an operation.
pub trait Steps {
    /// A slice starts.
    fn begin(&mut self, turn: &Turn, seen: &mut Recorder);

    /// Does what can be done now.
    ///
    /// # Errors
    /// Only when tiebreak itself failed.
    fn step(&mut self, seen: &mut Recorder) -> Result<Step, EngineError>;

    /// The slice is over. Returns when its last reply was in.
    fn finish(&mut self, seen: &mut Recorder) -> u64;

    /// Readable when the next step has something to do.
    fn ready(&self) -> RawFd;

    /// Turns of the loop that drives it are to be recorded.
    fn is_open_loop(&self) -> bool;
}

/// What a step came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// It did something.
    pub worked: bool,
    /// When the next one is due, whatever happens. None if the slice is over.
    pub until: Option<u64>,
}

/// tiebreak itself failed: a sentence that says how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineError(pub String);

impl EngineError {
    /// The system refused `what`.
    pub fn system(what: &str, error: &std::io::Error) -> EngineError {
        EngineError(format!("{what}: {error}"))
    }
}

impl fmt::Display for EngineError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.0)
    }
}

impl std::error::Error for EngineError {}

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

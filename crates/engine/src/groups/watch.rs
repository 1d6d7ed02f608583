//! Waits for whichever of several lanes is ready first.

use crate::Stop;
use std::os::fd::RawFd;
use sys::poll::{self, Watched};

/// The descriptors that wake the lanes of a slice, and the one of the run's end.
pub(super) struct Watch(Vec<Watched>);

impl Watch {
    pub(super) fn new(lanes: impl Iterator<Item = RawFd>, stop: &Stop) -> Watch {
        Watch(lanes.chain([stop.fd()]).map(Watched::new).collect())
    }

    /// Waits for any of them for at most `wait_ns`; 0 polls without waiting.
    pub(super) fn wait(&mut self, wait_ns: u64) {
        // After a failure none is ready: the caller looks at the clock.
        let _ = poll::wait(&mut self.0, Some(wait_ns));
        // One notice is enough: each lane checks itself whether the end was requested.
        let stopped = self.0.last().is_some_and(Watched::is_ready);
        if stopped {
            self.0.iter_mut().for_each(|lane| lane.set_ready(true));
            let stop = self.0.len() - 1;
            self.leave_out(stop);
        }
    }

    /// Returns true if there is something to do for the lane at this place.
    pub(super) fn is_ready(&self, at: usize) -> bool {
        self.0[at].is_ready()
    }

    /// Stops waiting for this lane. (A negative descriptor is never ready.)
    pub(super) fn leave_out(&mut self, at: usize) {
        self.0[at] = Watched::new(-1);
    }
}

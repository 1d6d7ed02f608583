//! Waits for whichever of several lanes is ready first.

use crate::Stop;
use std::os::fd::RawFd;

/// The descriptors that wake the lanes of a slice, and the one of the run's end.
pub(super) struct Watch(Vec<libc::pollfd>);

impl Watch {
    pub(super) fn new(lanes: impl Iterator<Item = RawFd>, stop: &Stop) -> Watch {
        let watched = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        Watch(lanes.chain([stop.fd()]).map(watched).collect())
    }

    /// Waits for any of them for at most `wait_ns`; 0 polls without waiting.
    pub(super) fn wait(&mut self, wait_ns: u64) {
        let time = libc::timespec {
            tv_sec: (wait_ns / 1_000_000_000) as i64,
            tv_nsec: (wait_ns % 1_000_000_000) as libc::c_long,
        };
        let watched = self.0.len() as libc::nfds_t;
        // SAFETY: `watched` valid pollfds, a valid time, no signal mask.
        let got = unsafe { libc::ppoll(self.0.as_mut_ptr(), watched, &time, std::ptr::null()) };
        if got < 0 {
            // Interrupted: the caller looks at the clock.
            self.0.iter_mut().for_each(|of| of.revents = 0);
        }
        // One notice is enough: each lane checks itself whether the end was requested.
        let stopped = self.0.last().is_some_and(|stop| stop.revents != 0);
        if stopped {
            self.0.iter_mut().for_each(|of| of.revents = libc::POLLIN);
            let stop = self.0.len() - 1;
            self.leave_out(stop);
        }
    }

    /// Returns true if there is something to do for the lane at this place.
    pub(super) fn is_ready(&self, at: usize) -> bool {
        self.0[at].revents != 0
    }

    /// Stops waiting for this lane. (ppoll ignores a negative descriptor.)
    pub(super) fn leave_out(&mut self, at: usize) {
        self.0[at].fd = -1;
        self.0[at].revents = 0;
    }
}

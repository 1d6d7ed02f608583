//! Wakes the lane's own thread while it waits for a slice to end.

use crate::{EngineError, Stop, clock};
use std::os::fd::RawFd;

/// An eventfd, so that one call waits for a wake-up and for the end of the run.
pub(super) struct Wakeup(Stop);

impl Wakeup {
    pub(super) fn new() -> Result<Wakeup, EngineError> {
        Stop::new()
            .map(Wakeup)
            .map_err(|error| EngineError::system("cannot create an eventfd", error))
    }

    pub(super) fn ring(&self) {
        self.0.raise();
    }

    /// Returns a descriptor that is readable once a wake-up was signalled.
    pub(super) fn fd(&self) -> RawFd {
        self.0.fd()
    }

    /// Clears earlier wake-ups.
    pub(super) fn clear(&self) {
        self.wait(None, 0);
    }

    /// Waits for a wake-up, until `also` is readable, or until the time `until`. Returns true if
    /// `also` is readable. Earlier wake-ups are cleared.
    pub(super) fn wait(&self, also: Option<RawFd>, until: u64) -> bool {
        let poll = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        // poll ignores a negative descriptor.
        let mut fds = [poll(self.0.fd()), poll(also.unwrap_or(-1))];
        let left = until.saturating_sub(clock::now());
        let time = libc::timespec {
            tv_sec: (left / 1_000_000_000) as i64,
            tv_nsec: (left % 1_000_000_000) as libc::c_long,
        };
        // SAFETY: two valid pollfds, a valid time, no signal mask. If the call is interrupted or
        // fails it counts as nothing: the caller reads the clock.
        unsafe { libc::ppoll(fds.as_mut_ptr(), 2, &time, std::ptr::null()) };
        if fds[0].revents != 0 {
            let mut count = [0u8; 8];
            // SAFETY: 8 writable bytes, as an eventfd requires.
            unsafe { libc::read(self.0.fd(), count.as_mut_ptr().cast(), count.len()) };
        }
        fds[1].revents != 0
    }
}

//! Wakes the lane's own thread while it waits for a slice to end.

use engine::{EngineError, Stop, clock};
use std::os::fd::RawFd;
use sys::poll;

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
        let left = until.saturating_sub(clock::now());
        // If the call is interrupted or fails it counts as nothing: the caller reads the clock.
        let ready = poll::readable([self.0.fd(), also.unwrap_or(-1)], Some(left));
        let [called, ended] = ready.unwrap_or_default();
        if called {
            self.0.clear();
        }
        ended
    }
}

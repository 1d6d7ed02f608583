//! A signal that ends a run early.

use crate::poll;
use rustix::event::{EventfdFlags, eventfd};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::sync::Arc;

/// Ends a run when raised. It is an eventfd and not a flag because each lane's poller watches
/// it: the hot path reads no shared memory, and a lane that sleeps wakes at once.
#[derive(Clone, Debug)]
pub struct Stop(Arc<OwnedFd>);

impl Stop {
    /// Creates a signal that is not raised yet.
    ///
    /// # Errors
    /// Returns an error if no file descriptor is left.
    pub fn new() -> io::Result<Stop> {
        let event = eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?;
        Ok(Stop(Arc::new(event)))
    }

    /// Requests the end. It may be called from a signal handler, and more than once.
    pub fn raise(&self) {
        // It fails only if it was raised some 10^19 times.
        let _ = rustix::io::write(&self.0, &1u64.to_ne_bytes());
    }

    /// Returns true if the end was requested.
    pub fn raised(&self) -> bool {
        matches!(poll::readable([self.fd()], Some(0)), Ok([true]))
    }

    /// Takes the request back.
    pub fn clear(&self) {
        // It fails if nothing was requested.
        let _ = rustix::io::read(&self.0, &mut [0; 8]);
    }

    /// Returns a descriptor that is readable once the signal was raised.
    pub fn fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

impl AsFd for Stop {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

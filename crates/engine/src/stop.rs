//! A signal that ends a run early.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
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
        // SAFETY: no pointers; a result other than -1 is a descriptor that we own.
        match unsafe { libc::eventfd(0, libc::EFD_NONBLOCK | libc::EFD_CLOEXEC) } {
            -1 => Err(io::Error::last_os_error()),
            fd => Ok(Stop(Arc::new(unsafe { OwnedFd::from_raw_fd(fd) }))),
        }
    }

    /// Requests the end. It may be called from a signal handler, and more than once.
    pub fn raise(&self) {
        let one = 1u64.to_ne_bytes();
        // SAFETY: 8 readable bytes, as an eventfd requires.
        unsafe { libc::write(self.fd(), one.as_ptr().cast(), one.len()) };
    }

    /// Returns true if the end was requested.
    pub fn raised(&self) -> bool {
        let mut ask = libc::pollfd { fd: self.fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one valid pollfd, no waiting.
        unsafe { libc::poll(&mut ask, 1, 0) == 1 }
    }

    /// Returns a descriptor that is readable once the signal was raised.
    pub fn fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

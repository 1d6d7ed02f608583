//! Asking a run to end early.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::Arc;

/// Ends a run when raised. An eventfd, and not a flag: each lane's poller
/// watches it, so the hot path reads no shared memory, and a lane that sleeps
/// wakes at once.
#[derive(Clone, Debug)]
pub struct Stop(Arc<OwnedFd>);

impl Stop {
    /// Not raised yet.
    ///
    /// # Errors
    /// When no descriptor is left.
    pub fn new() -> io::Result<Stop> {
        // SAFETY: no pointers; a result other than -1 is a descriptor of ours.
        match unsafe { libc::eventfd(0, libc::EFD_NONBLOCK | libc::EFD_CLOEXEC) } {
            -1 => Err(io::Error::last_os_error()),
            fd => Ok(Stop(Arc::new(unsafe { OwnedFd::from_raw_fd(fd) }))),
        }
    }

    /// Asks for the end. May be called from a signal handler, and twice.
    pub fn raise(&self) {
        let one = 1u64.to_ne_bytes();
        // SAFETY: 8 readable bytes, as an eventfd wants them.
        unsafe { libc::write(self.fd(), one.as_ptr().cast(), one.len()) };
    }

    /// Whether the end was asked for.
    pub fn raised(&self) -> bool {
        let mut ask = libc::pollfd { fd: self.fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one valid pollfd, no waiting.
        unsafe { libc::poll(&mut ask, 1, 0) == 1 }
    }

    /// Readable once raised.
    pub fn fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

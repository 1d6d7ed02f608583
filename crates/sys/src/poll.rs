//! Waits for a few descriptors.
//!
//! They are given by number: a number that is no descriptor is only reported as ready, and negative
//! numbers are ignored.

use crate::timespec;
use std::io;
use std::os::fd::RawFd;

/// A descriptor to wait for, and what was found.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Watched(libc::pollfd);

impl Watched {
    /// Watches until the descriptor can be read, or its other end is closed. A negative number is never
    /// ready.
    pub fn new(fd: RawFd) -> Watched {
        Watched(libc::pollfd { fd, events: libc::POLLIN, revents: 0 })
    }

    /// Whether the last wait found it ready.
    pub fn is_ready(&self) -> bool {
        self.0.revents != 0
    }

    /// Sets whether it counts as ready until the next wait.
    pub fn set_ready(&mut self, ready: bool) {
        self.0.revents = if ready { libc::POLLIN } else { 0 };
    }
}

/// Waits until one of these is ready, for at most `wait_ns`; None waits without a limit. If a signal
/// interrupts the wait, none is ready.
///
/// # Errors
/// If the system has no memory for the call.
pub fn wait(watched: &mut [Watched], wait_ns: Option<u64>) -> io::Result<()> {
    let time = wait_ns.map(timespec);
    let time = time.as_ref().map_or(std::ptr::null(), |time| &raw const *time);
    let count = watched.len() as libc::nfds_t;
    // SAFETY: `Watched` is a pollfd, the slice has `count` of them, `time` outlives the call, and there is
    // no signal mask.
    let found = unsafe { libc::ppoll(watched.as_mut_ptr().cast(), count, time, std::ptr::null()) };
    if found >= 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    watched.iter_mut().for_each(|one| one.set_ready(false));
    if error.kind() == io::ErrorKind::Interrupted { Ok(()) } else { Err(error) }
}

/// Waits until one of these descriptors can be read (or its other end is closed), for at most
/// `wait_ns`; None waits without a limit. Returns which ones can be; none if a signal interrupts the
/// wait.
///
/// # Errors
/// See [`wait`].
pub fn readable<const N: usize>(fds: [RawFd; N], wait_ns: Option<u64>) -> io::Result<[bool; N]> {
    let mut watched = fds.map(Watched::new);
    wait(&mut watched, wait_ns)?;
    Ok(watched.map(|one| one.is_ready()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;

    #[test]
    fn what_can_be_read_is_ready() {
        let (near, far) = std::os::unix::net::UnixStream::pair().expect("a pair");
        let fds = [near.as_raw_fd(), -1, far.as_raw_fd()];
        assert_eq!(readable(fds, Some(0)).expect("no memory is needed"), [false; 3]);
        std::io::Write::write_all(&mut &far, b"x").expect("written");
        assert_eq!(readable(fds, None).expect("no memory is needed"), [true, false, false]);
    }
}

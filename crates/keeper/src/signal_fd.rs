//! The signals that wake a keeper, as a descriptor.

use crate::protocol::wait;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::time::Instant;

/// Signals that ask the keeper itself to end.
const STOP: [i32; 4] = [libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGQUIT];

/// A descriptor that becomes readable when a child ended or a signal arrived.
pub(super) struct SignalFd(OwnedFd);

impl SignalFd {
    /// Blocks the signals and reads them from here on. All other signals are reset to their default
    /// action: `nohup` and shells leave some ignored, and targets would inherit that.
    pub(super) fn begin() -> io::Result<SignalFd> {
        // SAFETY: a zeroed set is valid memory for sigemptyset; the descriptor
        // is new and ours.
        unsafe {
            for signal in 1..libc::SIGRTMIN() {
                // SIGKILL and SIGSTOP cannot be set, and Rust's setting of SIGPIPE stays: it is
                // undone for children.
                if signal != libc::SIGPIPE {
                    libc::signal(signal, libc::SIG_DFL);
                }
            }
            let mut set: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&mut set);
            for signal in STOP.into_iter().chain([libc::SIGCHLD]) {
                libc::sigaddset(&mut set, signal);
            }
            if libc::sigprocmask(libc::SIG_SETMASK, &set, std::ptr::null_mut()) != 0 {
                return Err(io::Error::last_os_error());
            }
            match libc::signalfd(-1, &set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) {
                fd if fd >= 0 => Ok(SignalFd(OwnedFd::from_raw_fd(fd))),
                _ => Err(io::Error::last_os_error()),
            }
        }
    }

    pub(super) fn fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }

    /// Reads the pending signals; returns true if one of them asks us to end.
    pub(super) fn asked_to_stop(&self) -> bool {
        let mut is_requested = false;
        loop {
            // SAFETY: zeroed memory of the right size, written by the kernel.
            let (info, read) = unsafe {
                let mut info: libc::signalfd_siginfo = std::mem::zeroed();
                let size = size_of::<libc::signalfd_siginfo>();
                let read = libc::read(self.fd(), (&raw mut info).cast(), size);
                (info, read)
            };
            if read <= 0 {
                return is_requested;
            }
            is_requested |= STOP.contains(&(info.ssi_signo as i32));
        }
    }

    /// Waits until a child ended (or some signal arrived), or the time is over.
    pub(super) fn wait(&self, until: Instant) {
        if wait(&[self.fd()], until)[0] {
            self.asked_to_stop();
        }
    }
}

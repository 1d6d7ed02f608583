//! Signals: handlers that do nothing, and signals that are read from a descriptor.

use crate::{checked, poll};
use std::io;
use std::mem::{MaybeUninit, zeroed};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

extern "C" fn nothing(_signal: libc::c_int) {}

/// Makes a signal end the system call that its thread is in (`EINTR`), and do nothing else.
///
/// # Errors
/// If there can be no handler for this signal.
pub fn end_calls_on(signal: i32) -> io::Result<()> {
    handle(signal, nothing, 0)
}

/// Makes a signal do nothing. Unlike `SIG_IGN`, programs that are started then get the default.
///
/// # Errors
/// If there can be no handler for this signal.
pub fn ignore_here(signal: i32) -> io::Result<()> {
    handle(signal, nothing, libc::SA_RESTART)
}

/// `handler` may call only functions that are safe in a signal handler.
pub(crate) fn handle(
    signal: i32,
    handler: extern "C" fn(libc::c_int),
    flags: libc::c_int,
) -> io::Result<()> {
    // SAFETY: an all-zero sigaction is valid, and so is the handler of this crate.
    checked(unsafe {
        let mut action: libc::sigaction = zeroed();
        action.sa_sigaction = handler as usize;
        action.sa_flags = flags;
        libc::sigaction(signal, &action, std::ptr::null_mut())
    })
    .map(drop)
}

/// Resets all signals to their default action: `nohup` and shells leave some ignored, and programs that
/// are started would inherit that. Rust's setting of SIGPIPE stays: it is undone for them.
pub fn reset() {
    for signal in (1..libc::SIGRTMIN()).filter(|signal| *signal != libc::SIGPIPE) {
        // SAFETY: no pointers. SIGKILL and SIGSTOP cannot be set, which has no effect.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// Signals that are blocked in a thread and all that it starts, and read from a descriptor instead.
pub struct SignalFd(OwnedFd);

impl SignalFd {
    /// Blocks these signals, and no others, in the calling thread.
    ///
    /// # Errors
    /// If the system has no descriptor left.
    pub fn block(signals: &[i32]) -> io::Result<SignalFd> {
        // SAFETY: `sigemptyset` makes the set valid; the descriptor is new and ours.
        unsafe {
            let mut set: libc::sigset_t = zeroed();
            libc::sigemptyset(&mut set);
            for signal in signals {
                checked(libc::sigaddset(&mut set, *signal))?;
            }
            match libc::pthread_sigmask(libc::SIG_SETMASK, &set, std::ptr::null_mut()) {
                0 => {}
                errno => return Err(io::Error::from_raw_os_error(errno)),
            }
            let fd = checked(libc::signalfd(-1, &set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK))?;
            Ok(SignalFd(OwnedFd::from_raw_fd(fd)))
        }
    }

    /// Returns a descriptor that is readable when a signal is pending.
    pub fn fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }

    /// Takes one pending signal; None if there is none.
    pub fn take(&self) -> Option<i32> {
        const SIZE: usize = size_of::<libc::signalfd_siginfo>();
        let mut info = MaybeUninit::<libc::signalfd_siginfo>::zeroed();
        // SAFETY: the memory is valid for writes of its size, and zeros or what the kernel writes are valid
        // values.
        unsafe {
            let read = libc::read(self.fd(), info.as_mut_ptr().cast(), SIZE);
            (read == SIZE as isize).then(|| info.assume_init().ssi_signo as i32)
        }
    }

    /// Waits for one of the signals.
    pub fn wait(&self) {
        while self.take().is_none() {
            let _ = poll::readable([self.fd()], None);
        }
    }
}

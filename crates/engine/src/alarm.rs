//! Wakes a sleeping thread at a time of the engine's clock.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

/// A descriptor that becomes readable at a given time. It is for event loops of libraries that
/// can wait for descriptors but whose own timers have a resolution of a millisecond.
#[derive(Debug)]
pub struct Alarm(OwnedFd);

impl Alarm {
    /// Creates an alarm that is not set.
    ///
    /// # Errors
    /// Returns an error if no file descriptor is left.
    pub fn new() -> io::Result<Alarm> {
        let flags = libc::TFD_NONBLOCK | libc::TFD_CLOEXEC;
        // SAFETY: no pointers; a result other than -1 is a descriptor that we own.
        match unsafe { libc::timerfd_create(libc::CLOCK_MONOTONIC, flags) } {
            -1 => Err(io::Error::last_os_error()),
            fd => Ok(Alarm(unsafe { OwnedFd::from_raw_fd(fd) })),
        }
    }

    /// Sets the alarm to a time of [`crate::clock::now`], replacing the time before. If that time
    /// has passed, the alarm fires at once.
    pub fn set(&self, at: u64) {
        // A time of 0 would disable the timer.
        let at = at.max(1);
        let once = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        let time = libc::timespec {
            tv_sec: (at / 1_000_000_000) as i64,
            tv_nsec: (at % 1_000_000_000) as libc::c_long,
        };
        let times = libc::itimerspec { it_interval: once, it_value: time };
        let absolute = libc::TFD_TIMER_ABSTIME;
        // SAFETY: the descriptor is a timer and the times are valid; the old times are not
        // requested. With these arguments the call cannot fail.
        unsafe { libc::timerfd_settime(self.as_raw_fd(), absolute, &times, std::ptr::null_mut()) };
    }
}

impl AsRawFd for Alarm {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock;

    fn rings(alarm: &Alarm, wait_ms: i32) -> bool {
        let mut ask = libc::pollfd { fd: alarm.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one valid pollfd.
        unsafe { libc::poll(&mut ask, 1, wait_ms) == 1 }
    }

    #[test]
    fn it_rings_when_its_time_has_come_and_not_before() {
        let alarm = Alarm::new().expect("a descriptor");
        assert!(!rings(&alarm, 0));
        let at = clock::now() + 2_000_000;
        alarm.set(at);
        assert!(rings(&alarm, 10_000));
        assert!(clock::now() >= at);
        alarm.set(clock::now() + 60_000_000_000);
        assert!(!rings(&alarm, 0), "set anew, it forgets that it rang");
        alarm.set(0);
        assert!(rings(&alarm, 10_000));
    }
}

//! Wakes a sleeping thread at a time of the clock.

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

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
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        Ok(Alarm(timerfd_create(TimerfdClockId::Monotonic, flags)?))
    }

    /// Sets the alarm to a time of [`crate::clock::now`], replacing the time before. If that time
    /// has passed, the alarm fires at once.
    pub fn set(&self, at: u64) {
        // A time of 0 would disable the timer.
        let at = at.max(1);
        let time =
            Timespec { tv_sec: (at / 1_000_000_000) as i64, tv_nsec: (at % 1_000_000_000) as _ };
        let once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let times = Itimerspec { it_interval: once, it_value: time };
        // With these arguments the call cannot fail.
        let _ = timerfd_settime(&self.0, TimerfdTimerFlags::ABSTIME, &times);
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
    use crate::{clock, poll};

    fn rings(alarm: &Alarm, wait_ms: u64) -> bool {
        poll::readable([alarm.as_raw_fd()], Some(wait_ms * 1_000_000)).expect("one descriptor")[0]
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

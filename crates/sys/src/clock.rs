//! The clocks. They are read by the C library, which asks the kernel only if the vDSO cannot answer.
#![expect(clippy::disallowed_methods, reason = "this is the file that reads clocks")]

use crate::handle;
use std::sync::OnceLock;
use std::thread::JoinHandle;

/// Returns nanoseconds of `CLOCK_MONOTONIC`.
///
/// A `u64` and not an `Instant`: subtracting two of them costs nothing, they can be compared
/// with what another process on this machine logged, and a `u64` lasts for 584 years.
#[inline]
pub fn now() -> u64 {
    read(libc::CLOCK_MONOTONIC)
}

/// Returns nanoseconds of `CLOCK_MONOTONIC_RAW`, whose rate is that of the machine's oscillator:
/// unlike [`now`] it is not slewed by NTP, so that the drift between two machines stays constant.
pub fn raw() -> u64 {
    read(libc::CLOCK_MONOTONIC_RAW)
}

/// Returns nanoseconds since 1970 from the clock by which the kernel stamps files, whose
/// resolution is some milliseconds. Use it only for the age of a file: this clock can be set.
#[inline]
pub fn of_files() -> u64 {
    read(libc::CLOCK_REALTIME_COARSE)
}

/// Returns nanoseconds since 1970, for operations that contain the time. Never use it to
/// measure: this clock can be set.
#[inline]
pub fn since_1970() -> u64 {
    read(libc::CLOCK_REALTIME)
}

/// Returns the CPU time of the calling thread in nanoseconds.
pub fn cpu_of_this_thread() -> u64 {
    read(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// Returns the CPU time of a thread that was not joined yet, in nanoseconds, or 0 if it has
/// ended.
pub fn cpu_of<T>(thread: &JoinHandle<T>) -> u64 {
    let mut clock = 0;
    // SAFETY: the thread was not joined yet, so its handle is valid; `clock` is valid for
    // writes.
    match unsafe { libc::pthread_getcpuclockid(handle(thread), &mut clock) } {
        0 => read(clock),
        _ => 0,
    }
}

/// The CPU clock of a process.
#[derive(Clone, Copy, Debug)]
pub struct ProcessClock(libc::clockid_t);

impl ProcessClock {
    /// The kernel derives it from the number of the process. Returns None if there is no such process.
    pub fn of(pid: u32) -> Option<ProcessClock> {
        let pid = libc::pid_t::try_from(pid).ok().filter(|pid| *pid > 0)?;
        let mut clock = 0;
        // SAFETY: `clock` is valid for writes.
        let failed = unsafe { libc::clock_getcpuclockid(pid, &raw mut clock) };
        (failed == 0).then_some(ProcessClock(clock))
    }

    /// Returns the CPU time in nanoseconds, or None if the process is gone.
    pub fn read(self) -> Option<u64> {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: `time` is valid for writes; an unknown clock is an error.
        let failed = unsafe { libc::clock_gettime(self.0, &raw mut time) };
        (failed == 0).then(|| ns(&time))
    }
}

/// One step of the times in `/proc`, in nanoseconds.
pub fn tick_ns() -> u64 {
    static TICK: OnceLock<u64> = OnceLock::new();
    *TICK.get_or_init(|| {
        // SAFETY: no argument can be invalid.
        let ticks = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
        1_000_000_000 / u64::try_from(ticks).unwrap_or(100).max(1)
    })
}

/// How the kernel's clock is kept right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discipline {
    /// Nothing has synchronised it.
    Unsynchronised,
    /// It is wrong by at most this many microseconds.
    Within(libc::c_long),
}

/// What the kernel reports about the discipline of its clock (NTP, chrony, PTP), if it reports it.
pub fn discipline() -> Option<Discipline> {
    // SAFETY: an all-zero timex only asks, and the call writes at most its size.
    let (state, clock) = unsafe {
        let mut clock: libc::timex = std::mem::zeroed();
        (libc::adjtimex(&mut clock), clock)
    };
    match state {
        -1 => None,
        _ if clock.status & libc::STA_UNSYNC != 0 => Some(Discipline::Unsynchronised),
        _ => Some(Discipline::Within(clock.maxerror)),
    }
}

#[inline]
fn read(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writes. The clocks of the machine exist on every Linux; for
    // the clock of a thread that has just ended, the 0 remains.
    unsafe { libc::clock_gettime(clock, &mut time) };
    ns(&time)
}

#[inline]
fn ns(time: &libc::timespec) -> u64 {
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

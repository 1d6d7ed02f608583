//! The only clock of the engine and the drivers.
#![expect(clippy::disallowed_methods, reason = "this is the file that reads clocks")]

use crate::threads::handle;
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
pub(crate) fn of_files() -> u64 {
    read(libc::CLOCK_REALTIME_COARSE)
}

/// Returns nanoseconds since 1970, for operations that contain the time. Never use it to
/// measure: this clock can be set.
#[inline]
pub(crate) fn since_1970() -> u64 {
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

#[inline]
fn read(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writes. The clocks of the machine exist on every Linux; for
    // the clock of a thread that has just ended, the 0 remains.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

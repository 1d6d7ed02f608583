//! The one clock of the engine and the drivers.
#![expect(clippy::disallowed_methods, reason = "this is the file that reads clocks")]

use crate::threads::handle;
use std::thread::JoinHandle;

/// Nanoseconds of `CLOCK_MONOTONIC`.
///
/// A `u64` and not an `Instant`: subtracting two of them costs nothing, they
/// can be compared with what another process on this machine logged, and no
/// hour is long enough to overflow.
#[inline]
pub fn now() -> u64 {
    read(libc::CLOCK_MONOTONIC)
}

/// Nanoseconds since 1970 on the clock by which the kernel stamps files, in
/// its own steps of some milliseconds. For the age of a file and nothing else:
/// it can be set.
#[inline]
pub(crate) fn of_files() -> u64 {
    read(libc::CLOCK_REALTIME_COARSE)
}

/// Nanoseconds since 1970, for what an operation says about the time. Never to
/// measure with: it can be set.
#[inline]
pub(crate) fn since_1970() -> u64 {
    read(libc::CLOCK_REALTIME)
}

/// CPU time of the calling thread, in nanoseconds.
pub fn cpu_of_this_thread() -> u64 {
    read(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// CPU time of a thread that was not joined yet, in nanoseconds; 0 once it has
/// ended.
pub fn cpu_of<T>(thread: &JoinHandle<T>) -> u64 {
    let mut clock = 0;
    // SAFETY: a thread that was not joined yet, so its handle is valid; `clock` is valid for
    // writes.
    match unsafe { libc::pthread_getcpuclockid(handle(thread), &mut clock) } {
        0 => read(clock),
        _ => 0,
    }
}

#[inline]
fn read(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writes. The clocks of the machine exist on every
    // Linux; that of a thread that ended just now leaves the 0.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

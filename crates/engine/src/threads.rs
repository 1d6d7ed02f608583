//! The C library's view of a thread.

use std::os::unix::thread::JoinHandleExt;
use std::thread::JoinHandle;
use std::time::Duration;

/// Returns a number with glibc and a pointer with musl; std always returns a number. The handle
/// is valid until the thread is joined.
pub fn handle<T>(thread: &JoinHandle<T>) -> libc::pthread_t {
    thread.as_pthread_t() as libc::pthread_t
}

/// Returns the clock that counts the CPU time of the calling thread, for other threads.
pub(crate) fn cpu_clock() -> libc::clockid_t {
    let mut clock = 0;
    // SAFETY: the calling thread exists, and the pointer is valid.
    match unsafe { libc::pthread_getcpuclockid(libc::pthread_self(), &mut clock) } {
        0 => clock,
        _ => libc::CLOCK_PROCESS_CPUTIME_ID,
    }
}

/// Reads a clock of CPU time. Returns 0 if its thread has ended.
pub(crate) fn cpu_time(clock: libc::clockid_t) -> Duration {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a valid pointer; a clock that does not exist is an error.
    match unsafe { libc::clock_gettime(clock, &mut now) } {
        0 => Duration::new(now.tv_sec as u64, now.tv_nsec as u32),
        _ => Duration::ZERO,
    }
}

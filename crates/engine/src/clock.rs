//! The one clock of the engine and the drivers.

/// Nanoseconds of `CLOCK_MONOTONIC`.
///
/// A `u64` and not an `Instant`: subtracting two of them costs nothing, they
/// can be compared with what another process on this machine logged, and no
/// hour is long enough to overflow.
#[inline]
pub fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writes; the clock exists on every Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

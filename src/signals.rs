//! SIGINT and SIGTERM. The first asks the run to end, and its complete rounds are judged; the
//! second ends the process at once.
//!
//! The same signal within [`ECHO`] counts as the first one: GNU `timeout` signals its child and
//! then the child's whole group, and a terminal's Ctrl-C reaches a child in addition to the signal
//! that its parent forwards.

use crate::exit::STOPPED_TWICE;
use engine::Stop;
use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What the handler raises. A handler takes no arguments, hence the static.
static STOP: OnceLock<Stop> = OnceLock::new();
/// The first signal and its time in one number, so that two threads that each catch one agree on
/// which was first. 0 means that no signal was caught.
static FIRST: AtomicU64 = AtomicU64::new(0);

/// Nobody can deliberately send two signals within this time.
const ECHO: Duration = Duration::from_millis(100);

/// Catches both signals from now on, and returns the flag that they raise.
///
/// # Errors
/// If the system has no descriptor left or refuses the handler.
pub fn catch() -> io::Result<Stop> {
    if let Some(stop) = STOP.get() {
        return Ok(stop.clone());
    }
    let stop = STOP.get_or_init({
        let stop = Stop::new()?;
        move || stop
    });
    drivers::stop_asking_on(stop.clone());
    for signal in [libc::SIGINT, libc::SIGTERM] {
        handle(signal, on_signal)?;
    }
    Ok(stop.clone())
}

/// `handler` may call only functions that are safe in a signal handler.
fn handle(signal: libc::c_int, handler: extern "C" fn(libc::c_int)) -> io::Result<()> {
    // SAFETY: an all-zero sigaction is valid, and the handlers of this file are safe.
    let result = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as usize;
        action.sa_flags = libc::SA_RESTART;
        libc::sigaction(signal, &action, std::ptr::null_mut())
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Whether a signal was caught.
pub fn caught() -> bool {
    FIRST.load(Ordering::Relaxed) != 0
}

/// Waits, unless a signal comes first.
pub fn pause(stop: &Stop, at_most: Duration) {
    let until = Instant::now() + at_most;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        let mut poll_for = libc::pollfd { fd: stop.fd(), events: libc::POLLIN, revents: 0 };
        let ms = left.as_millis().clamp(1, 60_000) as libc::c_int;
        // SAFETY: one valid pollfd.
        if unsafe { libc::poll(&mut poll_for, 1, ms) } > 0 {
            return;
        }
    }
}

/// Uses only what is safe in a handler: atomics, the clock, `write`, `_exit`. `write` may overwrite
/// the errno of the interrupted code, so it is restored.
extern "C" fn on_signal(signal: libc::c_int) {
    // SAFETY: errno is this thread's own; `_exit` may be called anywhere.
    unsafe {
        let errno = *libc::__errno_location();
        let this = stamp(signal);
        match FIRST.compare_exchange(0, this, Ordering::Relaxed, Ordering::Relaxed) {
            Err(first) if is_echo(first, this) => {}
            Err(_) => libc::_exit(STOPPED_TWICE),
            Ok(_) => {
                if let Some(stop) = STOP.get() {
                    stop.raise();
                }
            }
        }
        *libc::__errno_location() = errno;
    }
}

/// A signal and the monotonic time in milliseconds; never 0.
fn stamp(signal: libc::c_int) -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a valid timespec; the call is safe in a handler.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    let ms = now.tv_sec as u64 * 1000 + now.tv_nsec as u64 / 1_000_000;
    ms << 8 | signal as u64
}

/// Whether `this` is the same signal as `first` and follows it immediately.
fn is_echo(first: u64, this: u64) -> bool {
    let same = first & 0xff == this & 0xff;
    same && (this >> 8).saturating_sub(first >> 8) < ECHO.as_millis() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_echo_is_the_same_signal_soon() {
        let at = |ms: u64, signal: i32| ms << 8 | signal as u64;
        let first = at(5000, libc::SIGTERM);
        for (this, echo) in [
            (at(5000, libc::SIGTERM), true),
            (at(5099, libc::SIGTERM), true),
            (at(5100, libc::SIGTERM), false),
            (at(5000, libc::SIGINT), false),
            // Another thread's handler may have read the clock just before.
            (at(4999, libc::SIGTERM), true),
        ] {
            assert_eq!(is_echo(first, this), echo, "{this:x}");
        }
    }
}

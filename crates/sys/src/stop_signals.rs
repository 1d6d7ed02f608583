//! SIGINT and SIGTERM. The first asks the run to end; the second ends the process at once.
//!
//! The same signal within [`ECHO`] counts as the first one: GNU `timeout` signals its child and
//! then the child's whole group, and a terminal's Ctrl-C reaches a child in addition to the signal
//! that its parent forwards.

use crate::{Stop, clock, signals};
use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::time::Duration;

/// What the handler raises. A handler takes no arguments, hence the statics.
static STOP: OnceLock<Stop> = OnceLock::new();
/// The exit code after the second signal.
static EXIT: AtomicI32 = AtomicI32::new(1);
/// The first signal and its time in one number, so that two threads that each catch one agree on
/// which was first. 0 means that no signal was caught.
static FIRST: AtomicU64 = AtomicU64::new(0);

/// Nobody can deliberately send two signals within this time.
const ECHO: Duration = Duration::from_millis(100);

/// Catches both signals from now on, and returns the flag that the first raises. The second ends the
/// process with this exit code.
///
/// # Errors
/// If the system has no descriptor left or refuses the handler.
pub fn catch_stop_signals(exit: i32) -> io::Result<Stop> {
    if let Some(stop) = STOP.get() {
        return Ok(stop.clone());
    }
    let stop = Stop::new()?;
    let stop = STOP.get_or_init(|| stop);
    EXIT.store(exit, Ordering::Relaxed);
    for signal in [libc::SIGINT, libc::SIGTERM] {
        signals::handle(signal, on_signal, libc::SA_RESTART)?;
    }
    Ok(stop.clone())
}

/// Whether a signal was caught.
pub fn stop_signal_caught() -> bool {
    FIRST.load(Ordering::Relaxed) != 0
}

/// Uses only what is safe in a handler: atomics, the clock, `write`, `_exit`. `write` may overwrite
/// the errno of the interrupted code, so it is restored.
extern "C" fn on_signal(signal: libc::c_int) {
    // SAFETY: errno is this thread's own; `_exit` may be called anywhere.
    unsafe {
        let errno = *libc::__errno_location();
        let this = stamp(clock::now() / 1_000_000, signal);
        match FIRST.compare_exchange(0, this, Ordering::Relaxed, Ordering::Relaxed) {
            Err(first) if is_echo(first, this) => {}
            Err(_) => libc::_exit(EXIT.load(Ordering::Relaxed)),
            Ok(_) => {
                if let Some(stop) = STOP.get() {
                    stop.raise();
                }
            }
        }
        *libc::__errno_location() = errno;
    }
}

/// A signal and its time; never 0.
fn stamp(ms: u64, signal: libc::c_int) -> u64 {
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
        let first = stamp(5000, libc::SIGTERM);
        for (this, echo) in [
            (stamp(5000, libc::SIGTERM), true),
            (stamp(5099, libc::SIGTERM), true),
            (stamp(5100, libc::SIGTERM), false),
            (stamp(5000, libc::SIGINT), false),
            // Another thread's handler may have read the clock just before.
            (stamp(4999, libc::SIGTERM), true),
        ] {
            assert_eq!(is_echo(first, this), echo, "{this:x}");
        }
    }
}

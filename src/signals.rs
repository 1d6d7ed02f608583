//! SIGINT and SIGTERM. The first asks the run to end, and what is there is
//! judged; the second ends the process at once.

use crate::exit::STOPPED_TWICE;
use engine::Stop;
use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What the handler raises. A handler takes no arguments, hence the static.
static STOP: OnceLock<Stop> = OnceLock::new();
static CAUGHT: AtomicBool = AtomicBool::new(false);

/// Catches both signals from now on, and gives what they raise.
///
/// # Errors
/// When the system has no descriptor left or refuses the handler.
pub fn catch() -> io::Result<Stop> {
    if let Some(stop) = STOP.get() {
        return Ok(stop.clone());
    }
    let stop = STOP.get_or_init({
        let stop = Stop::new()?;
        move || stop
    });
    for signal in [libc::SIGINT, libc::SIGTERM] {
        // SAFETY: an all-zero sigaction is valid; the handler calls nothing
        // but what is safe in a handler.
        let result = unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_signal as extern "C" fn(libc::c_int) as usize;
            action.sa_flags = libc::SA_RESTART;
            libc::sigaction(signal, &action, std::ptr::null_mut())
        };
        if result != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(stop.clone())
}

/// Whether a signal came.
pub fn caught() -> bool {
    CAUGHT.load(Ordering::Relaxed)
}

/// Waits, unless the end is asked for first.
pub fn pause(stop: &Stop, at_most: Duration) {
    let until = Instant::now() + at_most;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        let mut asked = libc::pollfd { fd: stop.fd(), events: libc::POLLIN, revents: 0 };
        let ms = left.as_millis().clamp(1, 60_000) as libc::c_int;
        // SAFETY: one valid pollfd.
        if unsafe { libc::poll(&mut asked, 1, ms) } > 0 {
            return;
        }
    }
}

/// Only what is safe in a handler: atomics, `write`, `_exit`. `write` may set
/// errno under the code that was interrupted, so it is put back.
extern "C" fn on_signal(_: libc::c_int) {
    // SAFETY: errno is this thread's own; `_exit` may be called anywhere.
    unsafe {
        let errno = *libc::__errno_location();
        if CAUGHT.swap(true, Ordering::Relaxed) {
            libc::_exit(STOPPED_TWICE);
        }
        if let Some(stop) = STOP.get() {
            stop.raise();
        }
        *libc::__errno_location() = errno;
    }
}

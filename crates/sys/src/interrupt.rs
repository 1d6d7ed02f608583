//! Interrupts a thread whose system call blocks for too long.

use crate::{handle, signals};
use std::sync::Once;
use std::thread::JoinHandle;

/// Processes ignore this signal by default, and nothing else here uses it.
const SIGNAL: libc::c_int = libc::SIGURG;

/// Makes the signal end blocking calls with `EINTR` instead of being ignored.
pub fn prepare() {
    static ONCE: Once = Once::new();
    // Nobody forbids a handler for this signal.
    ONCE.call_once(|| drop(signals::end_calls_on(SIGNAL)));
}

/// Ends the system call that the thread is in, if that is possible: waiting for a lock can be
/// interrupted, waiting for a disk cannot. The signal has no effect if the thread is just about
/// to make the call, so repeat it until the thread has returned.
pub fn interrupt<T>(thread: &JoinHandle<T>) {
    // SAFETY: the thread was not joined yet, so its handle is valid.
    unsafe { libc::pthread_kill(handle(thread), SIGNAL) };
}

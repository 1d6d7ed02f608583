//! Interrupts a thread whose system call blocks for too long.

use crate::threads::handle;
use std::sync::Once;
use std::thread::JoinHandle;

/// Processes ignore this signal by default, and nothing else here uses it.
const SIGNAL: libc::c_int = libc::SIGURG;

extern "C" fn nothing(_signal: libc::c_int) {}

/// Makes the signal end blocking calls with `EINTR` instead of being ignored.
pub fn prepare() {
    static ONCE: Once = Once::new();
    // SAFETY: an all-zero sigaction is valid; the handler does nothing. SA_RESTART is not set
    // because the call must end.
    ONCE.call_once(|| unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = nothing as extern "C" fn(libc::c_int) as usize;
        libc::sigaction(SIGNAL, &action, std::ptr::null_mut());
    });
}

/// Ends the system call that the thread is in, if that is possible: waiting for a lock can be
/// interrupted, waiting for a disk cannot. The signal has no effect if the thread is just about
/// to make the call, so repeat it until the thread has returned.
pub fn interrupt<T>(thread: &JoinHandle<T>) {
    // SAFETY: the thread was not joined yet, so its handle is valid.
    unsafe { libc::pthread_kill(handle(thread), SIGNAL) };
}

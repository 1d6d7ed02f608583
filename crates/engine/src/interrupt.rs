//! Taking a thread out of a call that blocks for too long.

use crate::threads::handle;
use std::sync::Once;
use std::thread::JoinHandle;

/// Ignored by processes that do not ask for it, and not used elsewhere here.
const SIGNAL: libc::c_int = libc::SIGURG;

extern "C" fn nothing(_signal: libc::c_int) {}

/// Makes the signal end blocking calls with `EINTR` instead of being ignored.
pub fn prepare() {
    static ONCE: Once = Once::new();
    // SAFETY: an all-zero sigaction is valid; the handler does nothing. No
    // SA_RESTART: the call is to end.
    ONCE.call_once(|| unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = nothing as extern "C" fn(libc::c_int) as usize;
        libc::sigaction(SIGNAL, &action, std::ptr::null_mut());
    });
}

/// Ends the call that the thread is in, if it can be ended: a wait for a lock
/// can, one for a disk cannot. Comes to nothing when the thread is just about
/// to call: so ask again until it is back.
pub fn interrupt<T>(thread: &JoinHandle<T>) {
    // SAFETY: a thread that was not joined yet, so its handle is valid.
    unsafe { libc::pthread_kill(handle(thread), SIGNAL) };
}

//! Refuses some bytes that the standard library, and therefore tokio, would write to a TCP socket.
//!
//! The module defines the C function `send`, by which they are written, and passes on to the kernel what is not
//! refused. Whether it has an effect depends on how the program was linked: try it before you rely on it.

use libc::{c_int, c_void, size_t, ssize_t};
use std::cell::Cell;

/// Which bytes are refused on a thread, and whether some were.
#[derive(Clone, Copy)]
struct Guard {
    refuses: fn(&[u8]) -> bool,
    has_refused: bool,
}

thread_local! {
    static GUARD: Cell<Option<Guard>> = const { Cell::new(None) };
}

/// Ends the refusals, even after a panic.
struct Guarded;

impl Drop for Guarded {
    fn drop(&mut self) {
        GUARD.set(None);
    }
}

/// Calls this while bytes are refused on this thread for which the function returns true: writing them fails with
/// EACCES. Also returns whether some were refused.
pub fn refusing<T>(refuses: fn(&[u8]) -> bool, call: impl FnOnce() -> T) -> (T, bool) {
    GUARD.set(Some(Guard { refuses, has_refused: false }));
    let _guarded = Guarded;
    let done = call();
    (done, GUARD.get().is_some_and(|guard| guard.has_refused))
}

/// Takes the place of the C library's function in this program.
///
/// # Safety
/// As for the C function: `bytes` are so many readable bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn send(
    socket: c_int,
    bytes: *const c_void,
    length: size_t,
    flags: c_int,
) -> ssize_t {
    if let Some(guard) = GUARD.get()
        && length > 0
    {
        // SAFETY: the caller promises that so many bytes can be read there, and it borrows them for
        // this call.
        let bytes = unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), length) };
        if (guard.refuses)(bytes) {
            GUARD.set(Some(Guard { has_refused: true, ..guard }));
            // SAFETY: the pointer is to this thread's own errno, which lives as long as the thread.
            unsafe { *libc::__errno_location() = libc::EACCES };
            return -1;
        }
    }
    // SAFETY: these are the arguments of `send`, which is `sendto` without an address.
    unsafe { libc::sendto(socket, bytes, length, flags, std::ptr::null(), 0) }
}

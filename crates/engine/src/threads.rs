//! The C library's handle of a thread.

use std::os::unix::thread::JoinHandleExt;
use std::thread::JoinHandle;

/// Returns a number with glibc and a pointer with musl; std always returns a number. The handle
/// is valid until the thread is joined.
pub fn handle<T>(thread: &JoinHandle<T>) -> libc::pthread_t {
    thread.as_pthread_t() as libc::pthread_t
}

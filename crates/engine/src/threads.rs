//! The handle that the C library has of a thread.

use std::os::unix::thread::JoinHandleExt;
use std::thread::JoinHandle;

/// A number with glibc and a pointer with musl, where std has a number for both. Valid until
/// the thread is joined.
pub fn handle<T>(thread: &JoinHandle<T>) -> libc::pthread_t {
    thread.as_pthread_t() as libc::pthread_t
}

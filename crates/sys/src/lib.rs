//! System calls of Linux behind safe functions. It is the only crate of tiebreak with `unsafe` code,
//! apart from one call in `drivers`.
//!
//! No argument of a public function can cause undefined behaviour. What rustix offers is passed on as it
//! is; the rest calls the C library.

pub mod affinity;
mod alarm;
pub mod child;
pub mod clock;
pub mod confined;
#[cfg(feature = "dialling")]
pub mod dialling;
mod epoll;
pub mod fs;
pub mod interrupt;
pub mod limits;
pub mod net;
pub mod poll;
pub mod process;
#[cfg(feature = "sending")]
pub mod sending;
pub mod signals;
mod stop;
mod stop_signals;
pub mod user;

pub use alarm::Alarm;
pub use epoll::{Epoll, ReadyEvent};
pub use rustix::io::Errno;
pub use stop::Stop;
pub use stop_signals::{catch_stop_signals, stop_signal_caught};

use std::io;

/// The result of a call of the C library that returns -1 on failure.
fn checked(result: libc::c_int) -> io::Result<libc::c_int> {
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// A duration in the form of the system.
#[inline]
fn timespec(ns: u64) -> libc::timespec {
    libc::timespec {
        tv_sec: (ns / 1_000_000_000) as libc::time_t,
        tv_nsec: (ns % 1_000_000_000) as libc::c_long,
    }
}

/// Returns a number with glibc and a pointer with musl; std always returns a number. The handle
/// is valid until the thread is joined.
fn handle<T>(thread: &std::thread::JoinHandle<T>) -> libc::pthread_t {
    std::os::unix::thread::JoinHandleExt::as_pthread_t(thread) as libc::pthread_t
}

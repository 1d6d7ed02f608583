//! The cores that threads may use, and how precisely they wake.

use crate::handle;
use rustix::process::Pid;
pub use rustix::thread::CpuSet;
use rustix::thread::{sched_getaffinity, sched_setaffinity, set_current_timer_slack};
use std::io;
use std::num::NonZeroU64;
use std::thread::JoinHandle;

/// Returns a set of these cores.
///
/// # Errors
/// Returns the first core whose number is too large for a set.
pub fn set(cores: &[u32]) -> Result<CpuSet, u32> {
    let mut set = CpuSet::new();
    for core in cores {
        match *core as usize {
            number if number < CpuSet::MAX_CPU => set.set(number),
            _ => return Err(*core),
        }
    }
    Ok(set)
}

/// Returns whether a core is in the set.
pub fn contains(set: &CpuSet, core: u32) -> bool {
    (core as usize) < CpuSet::MAX_CPU && set.is_set(core as usize)
}

/// The cores that a thread may use; 0 is the caller.
///
/// # Errors
/// If the thread does not exist, or the kernel does not report its cores.
pub fn allowed(thread: u32) -> io::Result<CpuSet> {
    Ok(sched_getaffinity(number(thread as i32)?)?)
}

/// The cores that a thread may use, ascending; 0 is the caller.
///
/// # Errors
/// See [`allowed`].
pub fn allowed_cores(thread: u32) -> io::Result<Vec<u32>> {
    let set = allowed(thread)?;
    Ok((0..CpuSet::MAX_CPU as u32).filter(|core| contains(&set, *core)).collect())
}

/// Keeps a thread on these cores; 0 is the caller. It can be called between fork and exec.
///
/// # Errors
/// If the thread does not exist, or the system refuses.
pub fn pin(thread: i32, set: &CpuSet) -> io::Result<()> {
    Ok(sched_setaffinity(number(thread)?, set)?)
}

/// Keeps a thread of this process on these cores.
///
/// # Errors
/// If the system refuses.
pub fn pin_thread<T>(thread: &JoinHandle<T>, set: &CpuSet) -> io::Result<()> {
    let size = size_of_val(set);
    // SAFETY: the thread was not joined yet, so its handle is valid; the set is valid for reads of its
    // size.
    match unsafe { libc::pthread_setaffinity_np(handle(thread), size, (&raw const *set).cast()) } {
        0 => Ok(()),
        errno => Err(io::Error::from_raw_os_error(errno)),
    }
}

/// Makes the calling thread wake at the requested time: the kernel's default is up to 50 µs later, so
/// that it can wake several threads at once.
///
/// # Errors
/// If the system refuses.
pub fn wake_precisely() -> io::Result<()> {
    Ok(set_current_timer_slack(NonZeroU64::new(1))?)
}

fn number(thread: i32) -> io::Result<Option<Pid>> {
    if thread < 0 {
        Err(io::Error::from_raw_os_error(libc::ESRCH))
    } else {
        Ok(Pid::from_raw(thread))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_core_that_no_set_can_hold_is_named() {
        assert_eq!(set(&[0, 4096]), Err(4096));
        let set = set(&[0, 3]).expect("small numbers");
        assert!(contains(&set, 3) && !contains(&set, 1) && !contains(&set, u32::MAX));
    }

    #[test]
    fn another_thread_is_kept_on_a_core() {
        let first = allowed_cores(0).expect("Linux")[0];
        let (send, receive) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            let _ = receive.recv();
            allowed_cores(0)
        });
        pin_thread(&thread, &set(&[first]).expect("a small number")).expect("a core of ours");
        drop(send);
        assert_eq!(thread.join().expect("no panic").expect("Linux"), [first]);
        assert!(pin(-1, &CpuSet::new()).is_err() && allowed(u32::MAX).is_err());
    }
}

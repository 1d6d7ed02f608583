//! Processes as `/proc` shows them: their descent, and signals that cannot hit the wrong process.
//!
//! `/proc/PID/task/TID/children` would be shorter to read, but many kernels are built without it;
//! the parent's number in `stat` is always available.

use crate::process::{self, Stat};
use std::collections::BTreeMap;

/// A process at the moment of observation. Number and start together identify it; a number alone is
/// reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    pub(crate) parent: i32,
    pub(crate) session: i32,
    /// Whether it has ended and has not been waited for.
    pub(crate) zombie: bool,
    /// Clock ticks since boot.
    start: u64,
}

/// The process of this number.
pub(crate) fn look(pid: i32) -> Option<Process> {
    Stat::of(u32::try_from(pid).ok()?).map(|stat| of(pid, &stat))
}

/// Every visible process.
pub(crate) fn all() -> Vec<Process> {
    process::all().iter().map(|(pid, stat)| of(*pid as i32, stat)).collect()
}

fn of(pid: i32, stat: &Stat) -> Process {
    Process {
        pid,
        parent: stat.parent as i32,
        session: stat.session as i32,
        zombie: stat.zombie,
        start: stat.started,
    }
}

/// Everything below `root`, parents before their children, without `root`.
///
/// While processes fork, one result is never complete: a caller that must know that none is left
/// calls again.
pub(crate) fn descendants(root: i32) -> Vec<Process> {
    below(root, &all())
}

fn below(root: i32, all: &[Process]) -> Vec<Process> {
    let mut children: BTreeMap<i32, Vec<Process>> = BTreeMap::new();
    for process in all {
        children.entry(process.parent).or_default().push(*process);
    }
    let mut found: Vec<Process> = children.remove(&root).unwrap_or_default();
    let mut next = 0;
    while let Some(process) = found.get(next) {
        found.extend(children.remove(&process.pid).unwrap_or_default());
        next += 1;
    }
    found
}

/// Sends a signal to exactly this process. Returns false if it is gone. A pidfd holds on to the
/// process, and the second check shows that it is still the same one.
pub(crate) fn signal(process: &Process, signal: i32) -> bool {
    let still_there = |process: &Process| {
        look(process.pid).is_some_and(|now| now.start == process.start && !now.zombie)
    };
    match sys::process::pidfd(process.pid) {
        Ok(fd) => still_there(process) && sys::process::send_signal(&fd, signal).is_ok(),
        // Before Linux 5.3 the time between check and kill remains unprotected.
        Err(error) if error.raw_os_error() == Some(libc::ENOSYS) => {
            still_there(process) && sys::process::kill(process.pid, signal, false).is_ok()
        }
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn descendants_come_parents_first() {
        let process = |pid, parent| Process { pid, parent, session: 1, zombie: false, start: 0 };
        let all = [(9, 5), (5, 3), (3, 1), (4, 1), (6, 4), (1, 0), (7, 3)];
        let all: Vec<_> = all.iter().map(|(pid, parent)| process(*pid, *parent)).collect();
        let pids = |root| below(root, &all).iter().map(|p| p.pid).collect::<Vec<_>>();
        assert_eq!(pids(3), [5, 7, 9]);
        assert_eq!(pids(1), [3, 4, 5, 7, 6, 9]);
        assert_eq!(pids(9), [0; 0]);
    }

    #[test]
    fn a_signal_reaches_the_process_and_no_other_with_its_number() {
        let mut child =
            Command::new("sleep").arg("60").stdin(Stdio::null()).spawn().expect("sleep");
        let process = look(child.id() as i32).expect("it runs");
        assert!(descendants(std::process::id() as i32).contains(&process));
        let other = Process { start: process.start + 1, ..process };
        assert!(!signal(&other, libc::SIGKILL), "its number was given again");
        assert!(child.try_wait().expect("our child").is_none());
        assert!(signal(&process, libc::SIGKILL));
        child.wait().expect("our child");
        assert!(!signal(&process, libc::SIGKILL), "it is gone");
        assert_eq!(look(process.pid).filter(|now| now.start == process.start), None);
    }
}

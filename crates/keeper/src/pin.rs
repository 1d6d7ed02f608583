//! The cores that processes may use.

use crate::{process, tree};
use std::collections::BTreeSet;
use std::io;
use sys::affinity::{self, CpuSet};
use thiserror::Error;

/// Why a process cannot be pinned to cores.
#[derive(Debug, Error)]
pub enum CoreError {
    /// This process may not use the core.
    #[error("core {0} is not among those that this process may use")]
    NotOurs(u32),
    /// The system does not say which cores this process may use.
    #[error("the cores of this process cannot be read: {0}")]
    Unknown(#[source] io::Error),
}

/// A set of cores.
///
/// # Errors
/// If this process may not use one of the cores.
pub fn set(cores: &[u32]) -> Result<CpuSet, CoreError> {
    let set = unchecked(cores)?;
    let allowed = affinity::allowed(0).map_err(CoreError::Unknown)?;
    match cores.iter().find(|core| !affinity::contains(&allowed, **core)) {
        Some(core) => Err(CoreError::NotOurs(*core)),
        None => Ok(set),
    }
}

/// Returns the set of these cores, even if this process may not use them now.
///
/// # Errors
/// If a core number is too large for the set.
pub(super) fn unchecked(cores: &[u32]) -> Result<CpuSet, CoreError> {
    affinity::set(cores).map_err(CoreError::NotOurs)
}

/// Pins every thread of a process and of all below it, or (with None) of all below this process,
/// without itself; returns the number of threads.
///
/// A thread that starts meanwhile has its parent's cores, old or new. So this repeats until no new
/// thread is found.
pub(super) fn pin_tree(root: Option<i32>, set: &CpuSet) -> u32 {
    let below = root.unwrap_or(std::process::id() as i32);
    let mut pinned = BTreeSet::new();
    loop {
        let before = pinned.len();
        for process in tree::descendants(below).into_iter().chain(root.and_then(tree::look)) {
            for thread in process::numbers_in(&format!("/proc/{}/task", process.pid)) {
                let thread = thread as i32;
                if !pinned.contains(&thread) && affinity::pin(thread, set).is_ok() {
                    pinned.insert(thread);
                }
            }
        }
        if pinned.len() == before {
            return u32::try_from(before).unwrap_or(u32::MAX);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    fn cores_of(pid: u32) -> String {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
        let line = status.lines().find(|line| line.starts_with("Cpus_allowed_list:"));
        line.expect("Linux").split_whitespace().nth(1).expect("a list").to_owned()
    }

    #[test]
    fn a_running_tree_is_pinned() {
        // The child sleeps below a shell: a tree of two.
        let mut shell = Command::new("sh");
        let shell = shell.args(["-c", "sleep 60 & echo $!; wait"]).stdout(Stdio::piped());
        let mut shell = shell.stdin(Stdio::null()).spawn().expect("sh");
        let mut line = String::new();
        let mut out = std::io::BufReader::new(shell.stdout.take().expect("piped"));
        std::io::BufRead::read_line(&mut out, &mut line).expect("its child's number");
        let sleep: u32 = line.trim().parse().expect("a number");
        let first = (0..1024).find(|core| set(&[*core]).is_ok()).expect("a core");
        let set = set(&[first]).expect("ours");
        assert!(pin_tree(Some(shell.id() as i32), &set) == 2, "the shell and the sleep");
        for pid in [shell.id(), sleep] {
            assert_eq!(cores_of(pid), first.to_string());
        }
        for pid in [sleep as i32, shell.id() as i32] {
            tree::signal(&tree::look(pid).expect("it runs"), libc::SIGKILL);
        }
        shell.wait().expect("our child");
    }

    #[test]
    fn a_missing_core_is_named() {
        for core in [1023, 4096] {
            let error = set(&[core]).expect_err("no machine here has it");
            assert_eq!(
                error.to_string(),
                format!("core {core} is not among those that this process may use")
            );
        }
    }
}

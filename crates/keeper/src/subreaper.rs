//! Handles processes whose parent is killed: their new parent is the nearest ancestor that declared
//! itself a subreaper, so they cannot escape.

use crate::tree::{self, Process};
use std::collections::BTreeSet;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often processes that are to end are checked.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Longest wait for killed processes: the kernel does not release one that waits for a broken disk.
pub(super) const KILL_TIMEOUT: Duration = Duration::from_secs(10);

/// What this process knows about its own children.
#[derive(Default)]
pub(super) struct Children {
    /// Keepers that run.
    pub(super) keepers: BTreeSet<i32>,
    /// Children that existed before the first keeper: a shell that becomes tiebreak by `exec`
    /// leaves us its children.
    existing_children: Option<BTreeSet<i32>>,
}

static CHILDREN: LazyLock<Mutex<Children>> = LazyLock::new(Mutex::default);

/// Held while a keeper is started or while we look for orphans, so that a keeper is never mistaken
/// for an orphan.
pub(super) fn own() -> MutexGuard<'static, Children> {
    CHILDREN.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Children {
    /// Records the existing children; only the first call does.
    pub(super) fn note_existing_children(&mut self) {
        self.existing_children.get_or_insert_with(|| {
            let us = std::process::id() as i32;
            tree::all().iter().filter(|p| p.parent == us).map(|p| p.pid).collect()
        });
    }

    /// Our children that we did not start.
    ///
    /// A keeper has its own session, so nothing that it started is in ours, and what we start
    /// ourselves is.
    fn orphans(&self) -> Vec<Process> {
        let us = std::process::id() as i32;
        let Some(session) = tree::look(us).map(|process| process.session) else {
            return Vec::new();
        };
        let known = |pid: &i32| {
            self.keepers.contains(pid)
                || self.existing_children.as_ref().is_some_and(|s| s.contains(pid))
        };
        let all = tree::all().into_iter();
        all.filter(|p| p.parent == us && p.session != session && !known(&p.pid)).collect()
    }
}

/// Ends the processes that were reparented to us because a keeper was killed, with all their
/// descendants: by SIGTERM, and by SIGKILL after the grace. Returns the numbers of those that are
/// left, which is empty unless the kernel does not release them.
///
/// Children that this process started itself are spared, unless they began a session of their own.
pub fn end_orphans(grace: Duration) -> Vec<i32> {
    end_all(grace, || {
        let own = own();
        let left = reap(own.orphans());
        left.iter().flat_map(with_descendants).collect()
    })
}

/// Ends processes: by SIGTERM, and by SIGKILL after the grace. `find` returns those that exist, and
/// is called until it finds none twice in a row: a process can fork and end between two calls, and
/// the second finds its child. Returns the numbers of those that are left, which is empty unless
/// the kernel does not release them.
pub(super) fn end_all(grace: Duration, mut find: impl FnMut() -> Vec<Process>) -> Vec<i32> {
    let started = Instant::now();
    let mut signalled = BTreeSet::new();
    let mut clean = 0;
    loop {
        let left = find();
        clean = if left.is_empty() { clean + 1 } else { 0 };
        if clean == 2 || started.elapsed() > grace + KILL_TIMEOUT {
            return left.iter().map(|process| process.pid).collect();
        }
        let kill = started.elapsed() >= grace;
        for process in left {
            if kill {
                tree::signal(&process, libc::SIGKILL);
            } else if signalled.insert(process.pid) {
                tree::signal(&process, libc::SIGTERM);
            }
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// Collects the status of those that have ended; returns the others.
fn reap(mut orphans: Vec<Process>) -> Vec<Process> {
    orphans.retain(|process| {
        // It is also gone if it is no child of ours any more.
        let left = || matches!(sys::process::collect(Some(process.pid)), Ok(None));
        !process.zombie || left()
    });
    orphans
}

fn with_descendants(process: &Process) -> Vec<Process> {
    let mut all = tree::descendants(process.pid);
    all.push(*process);
    all
}

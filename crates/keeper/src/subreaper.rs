//! What becomes of processes whose parent is killed: they fall to the nearest
//! ancestor that declared itself a subreaper, and so cannot get out of sight.

use crate::tree::{self, Process};
use std::collections::BTreeSet;
use std::io;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often processes that are to end are looked at.
const LOOK: Duration = Duration::from_millis(10);

/// Longest wait for processes that were killed: the kernel holds on to one
/// that waits for a broken disk.
pub(super) const KILLED: Duration = Duration::from_secs(10);

/// What this process knows of its own children.
#[derive(Default)]
pub(super) struct Own {
    /// Keepers that run.
    pub(super) keepers: BTreeSet<i32>,
    /// Children that were there before the first keeper: a shell that becomes
    /// tiebreak by `exec` leaves us its own.
    strangers: Option<BTreeSet<i32>>,
}

static OWN: LazyLock<Mutex<Own>> = LazyLock::new(Mutex::default);

/// Held while a keeper is started or while we look for what fell to us, so
/// that a keeper is never taken for something that fell.
pub(super) fn own() -> MutexGuard<'static, Own> {
    OWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on this process gets the orphans below it.
///
/// # Errors
/// When the kernel refuses.
pub(super) fn become_subreaper() -> io::Result<()> {
    // SAFETY: prctl with numbers only.
    match unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

impl Own {
    /// Remembers who is there already; only the first call looks.
    pub(super) fn note_strangers(&mut self) {
        self.strangers.get_or_insert_with(|| {
            let us = std::process::id() as i32;
            tree::all().iter().filter(|p| p.parent == us).map(|p| p.pid).collect()
        });
    }

    /// Our children that we did not start.
    ///
    /// A keeper lives in a session of its own, so nothing that it started is
    /// in ours, and what we start ourselves is.
    fn fallen(&self) -> Vec<Process> {
        let us = std::process::id() as i32;
        let Some(session) = tree::look(us).map(|process| process.session) else {
            return Vec::new();
        };
        let known = |pid: &i32| {
            self.keepers.contains(pid) || self.strangers.as_ref().is_some_and(|s| s.contains(pid))
        };
        let all = tree::all().into_iter();
        all.filter(|p| p.parent == us && p.session != session && !known(&p.pid)).collect()
    }
}

/// Ends the processes that fell to us because a keeper was killed, with all
/// their descendants: SIGTERM, and SIGKILL after the grace. Returns the
/// numbers of those that are left all the same, which is none unless the
/// kernel holds on to them.
///
/// Children that this process started itself are spared, as long as they did
/// not begin a session of their own.
pub fn end_what_fell_to_us(grace: Duration) -> Vec<i32> {
    end_all(grace, || {
        let own = own();
        let left = reap(own.fallen());
        left.iter().flat_map(with_descendants).collect()
    })
}

/// Ends processes: SIGTERM, and SIGKILL after the grace. `find` gives those that
/// are there, and is asked until it twice finds none: a process can fork and end
/// between two looks, and its child is found by the second. Returns the numbers of
/// those that are left all the same, which is none unless the kernel holds on to
/// them.
pub(super) fn end_all(grace: Duration, mut find: impl FnMut() -> Vec<Process>) -> Vec<i32> {
    let started = Instant::now();
    let mut asked = BTreeSet::new();
    let mut clean = 0;
    loop {
        let left = find();
        clean = if left.is_empty() { clean + 1 } else { 0 };
        if clean == 2 || started.elapsed() > grace + KILLED {
            return left.iter().map(|process| process.pid).collect();
        }
        let kill = started.elapsed() >= grace;
        for process in left {
            if kill {
                tree::signal(&process, libc::SIGKILL);
            } else if asked.insert(process.pid) {
                tree::signal(&process, libc::SIGTERM);
            }
        }
        std::thread::sleep(LOOK);
    }
}

/// Buries those that have ended; gives back the others.
fn reap(mut fallen: Vec<Process>) -> Vec<Process> {
    fallen.retain(|process| {
        // SAFETY: waitpid writes nothing through a null pointer.
        let buried = process.zombie
            && unsafe { libc::waitpid(process.pid, std::ptr::null_mut(), libc::WNOHANG) } != 0;
        !buried
    });
    fallen
}

fn with_descendants(process: &Process) -> Vec<Process> {
    let mut all = tree::descendants(process.pid);
    all.push(*process);
    all
}

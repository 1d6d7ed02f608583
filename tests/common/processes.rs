//! Processes as the tests see them in `/proc`, without the code under test.

use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, Instant};

/// The unique identity of a process: its number, and when it started.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    start: String,
}

fn fields(pid: i32) -> Option<Vec<String>> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let rest = stat.rsplit_once(')')?.1;
    Some(rest.split_whitespace().map(str::to_owned).collect())
}

impl Process {
    pub(crate) fn of(pid: i32) -> Process {
        Process::find(pid).unwrap_or_else(|| panic!("process {pid} is not there"))
    }

    pub(crate) fn find(pid: i32) -> Option<Process> {
        Some(Process { pid, start: fields(pid)?.swap_remove(19) })
    }

    /// Returns true if it runs. Zombies have ended: their parents must reap them.
    pub(crate) fn runs(&self) -> bool {
        fields(self.pid).is_some_and(|now| now[19] == self.start && now[0] != "Z")
    }

    /// Returns true if a signal stopped it.
    pub(crate) fn stands_still(&self) -> bool {
        fields(self.pid).is_some_and(|now| now[0] == "T")
    }

    pub(crate) fn kill(&self, signal: i32) {
        assert!(self.runs(), "{self:?} has ended already");
        // SAFETY: kill takes numbers, and the process was just there.
        assert_eq!(unsafe { libc::kill(self.pid, signal) }, 0);
    }

    /// Returns its CPU time in hundredths of a second, with that of the children it has waited for.
    /// 0 if it is gone.
    pub(crate) fn cpu_ticks(&self) -> u64 {
        let fields = fields(self.pid).unwrap_or_default();
        // utime, stime, cutime and cstime.
        fields.iter().skip(11).take(4).filter_map(|ticks| ticks.parse::<u64>().ok()).sum()
    }

    /// Returns its arguments, each after a blank.
    pub(crate) fn command(&self) -> String {
        format!(" {}", command(self.pid))
    }
}

/// Returns the arguments of a process, each followed by a blank.
pub(crate) fn command(pid: i32) -> String {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).replace('\0', " ")
}

pub(crate) fn pids() -> Vec<i32> {
    let all = fs::read_dir("/proc").expect("Linux").flatten();
    all.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// Returns `root` and all its descendants.
pub(crate) fn tree(root: i32) -> Vec<Process> {
    below(vec![root], &now()).into_iter().filter_map(Process::find).collect()
}

/// Returns every process with its parent.
fn now() -> Vec<(Process, i32)> {
    let all = pids().into_iter().filter_map(|pid| {
        let mut fields = fields(pid)?;
        let parent = fields[1].parse::<i32>().ok()?;
        Some((Process { pid, start: fields.swap_remove(19) }, parent))
    });
    all.collect()
}

/// Returns these processes and all their descendants.
fn below(mut found: Vec<i32>, all: &[(Process, i32)]) -> Vec<i32> {
    let mut at = 0;
    while at < found.len() {
        let above = found[at];
        let below = all.iter().filter(|(_, parent)| *parent == above).map(|(p, _)| p.pid);
        let new: Vec<i32> = below.filter(|pid| !found.contains(pid)).collect();
        found.extend(new);
        at += 1;
    }
    found
}

/// Returns every process whose environment holds this text, and all descendants of those that
/// are known, because some servers overwrite their environment. `strangers` are not read again:
/// reading all of `/proc` ten times a second is expensive.
pub(crate) fn marked(
    mark: &str,
    known: &BTreeSet<Process>,
    strangers: &mut BTreeSet<Process>,
) -> BTreeSet<Process> {
    let all = now();
    let mut found: Vec<i32> = Vec::new();
    for (process, _) in &all {
        if known.contains(process) || !strangers.contains(process) && has(process, mark) {
            found.push(process.pid);
        } else {
            strangers.insert(process.clone());
        }
    }
    let found = below(found, &all);
    let all = all.into_iter().map(|(process, _)| process);
    all.filter(|process| found.contains(&process.pid) && process.runs()).collect()
}

/// Returns true if a variable in its environment is exactly this.
fn has(process: &Process, mark: &str) -> bool {
    let environment = fs::read(format!("/proc/{}/environ", process.pid)).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
}

/// Waits until `done` returns true, at most for `limit`; then it panics and names what it waited
/// for.
pub(crate) fn wait_at_most(limit: Duration, what: &str, mut done: impl FnMut() -> bool) {
    let gives_up = Instant::now() + limit;
    while !done() {
        assert!(Instant::now() < gives_up, "waited in vain for: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

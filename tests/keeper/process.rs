//! Processes as the tests see them, without the code that is tested.

use std::time::{Duration, Instant};

/// A process for ever: its number, and when it started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    start: String,
    command: String,
}

fn fields(pid: i32) -> Option<Vec<String>> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let rest = stat.rsplit_once(')')?.1;
    Some(rest.split_whitespace().map(str::to_owned).collect())
}

impl Process {
    pub(crate) fn of(pid: i32) -> Process {
        Process::find(pid).unwrap_or_else(|| panic!("process {pid} is not there"))
    }

    fn find(pid: i32) -> Option<Process> {
        Some(Process { pid, start: fields(pid)?.swap_remove(19), command: command(pid) })
    }

    /// A zombie of a test's own child is as good as gone.
    pub(crate) fn runs(&self) -> bool {
        fields(self.pid).is_some_and(|now| now[19] == self.start && now[0] != "Z")
    }

    pub(crate) fn kill(&self, signal: i32) {
        assert!(self.runs(), "{self:?} has ended already");
        // SAFETY: kill takes numbers, and the process was just there.
        assert_eq!(unsafe { libc::kill(self.pid, signal) }, 0);
    }
}

pub(crate) fn command(pid: i32) -> String {
    let bytes = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).replace('\0', " ")
}

/// All below `root`, and `root` itself.
pub(crate) fn tree(root: i32) -> Vec<Process> {
    let pids = std::fs::read_dir("/proc").expect("Linux").flatten();
    let pids: Vec<i32> =
        pids.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    let parents: Vec<(i32, i32)> =
        pids.iter().filter_map(|pid| Some((*pid, fields(*pid)?[1].parse().ok()?))).collect();
    let mut found = vec![root];
    let mut at = 0;
    while at < found.len() {
        let parent = found[at];
        found.extend(parents.iter().filter(|(_, p)| *p == parent).map(|(pid, _)| *pid));
        at += 1;
    }
    found.into_iter().filter_map(Process::find).collect()
}

/// Waits, a generous time at most; panics with what it waited for.
pub(crate) fn wait_for(what: &str, done: impl Fn() -> bool) {
    let gives_up = Instant::now() + Duration::from_secs(60);
    while !done() {
        assert!(Instant::now() < gives_up, "waited in vain for: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Every one of them ends, soon.
pub(crate) fn all_end(processes: &[Process]) {
    wait_for("all to be gone", || !processes.iter().any(Process::runs));
}

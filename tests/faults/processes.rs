//! Processes as `/proc` shows them: who carries a case's mark, who listens.

use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, Instant};

/// Longest wait for what must come, or go: a watchdog and no measurement.
pub(crate) const WATCHDOG: Duration = Duration::from_secs(90);

/// A process for ever: its number, and when it started.
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
    pub(crate) fn find(pid: i32) -> Option<Process> {
        Some(Process { pid, start: fields(pid)?.swap_remove(19) })
    }

    /// Zombies have ended: what is left of them is their parent's business.
    pub(crate) fn runs(&self) -> bool {
        fields(self.pid).is_some_and(|now| now[19] == self.start && now[0] != "Z")
    }

    /// It was stopped by a signal.
    pub(crate) fn stands_still(&self) -> bool {
        fields(self.pid).is_some_and(|now| now[0] == "T")
    }

    pub(crate) fn kill(&self, signal: i32) {
        assert!(self.runs(), "{self:?} has ended already");
        // SAFETY: kill takes numbers, and the process was just there.
        assert_eq!(unsafe { libc::kill(self.pid, signal) }, 0);
    }

    /// Its arguments, each behind a blank.
    pub(crate) fn command(&self) -> String {
        let bytes = fs::read(format!("/proc/{}/cmdline", self.pid)).unwrap_or_default();
        format!(" {}", String::from_utf8_lossy(&bytes).replace('\0', " "))
    }
}

pub(crate) fn pids() -> Vec<i32> {
    let all = fs::read_dir("/proc").expect("Linux").flatten();
    all.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// Every process whose environment holds this text, and everything below one
/// of those that are known: some servers overwrite their environment.
/// `strangers` are not looked at again: reading all of `/proc` ten times a
/// second is work.
pub(crate) fn marked(
    mark: &str,
    known: &BTreeSet<Process>,
    strangers: &mut BTreeSet<Process>,
) -> BTreeSet<Process> {
    let all = pids().into_iter().filter_map(|pid| {
        let mut fields = fields(pid)?;
        let parent = fields[1].parse::<i32>().ok()?;
        Some((Process { pid, start: fields.swap_remove(19) }, parent))
    });
    let all: Vec<(Process, i32)> = all.collect();
    let mut found: Vec<i32> = Vec::new();
    for (process, _) in &all {
        if known.contains(process) || !strangers.contains(process) && has(process, mark) {
            found.push(process.pid);
        } else {
            strangers.insert(process.clone());
        }
    }
    let mut at = 0;
    while at < found.len() {
        let above = found[at];
        let below = all.iter().filter(|(_, parent)| *parent == above).map(|(p, _)| p.pid);
        let new: Vec<i32> = below.filter(|pid| !found.contains(pid)).collect();
        found.extend(new);
        at += 1;
    }
    let all = all.into_iter().map(|(process, _)| process);
    all.filter(|process| found.contains(&process.pid) && process.runs()).collect()
}

/// Whether a variable in its environment is just this.
fn has(process: &Process, mark: &str) -> bool {
    let environment = fs::read(format!("/proc/{}/environ", process.pid)).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
}

/// Whether a socket listens on this port of the machine's own addresses.
pub(crate) fn listens(port: u16) -> bool {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(fs::read_to_string);
    let local = format!(":{port:04X}");
    tables.iter().flatten().flat_map(|table| table.lines()).any(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        fields.len() > 3 && fields[1].ends_with(&local) && fields[3] == "0A"
    })
}

/// Waits, a generous time at most; panics with what it waited for.
pub(crate) fn wait_for(what: &str, mut done: impl FnMut() -> bool) {
    let gives_up = Instant::now() + WATCHDOG;
    while !done() {
        assert!(Instant::now() < gives_up, "waited in vain for: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

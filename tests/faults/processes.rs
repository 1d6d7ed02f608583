//! Waiting for processes, and checking for listeners.

pub(crate) use crate::common::processes::{Process, marked};

use crate::common::processes::{pids, wait_at_most};
use std::fs;
use std::time::Duration;

/// Longest wait for what must come, or go: a watchdog and no measurement.
pub(crate) const WATCHDOG: Duration = Duration::from_secs(90);

/// Returns the processes that hold a socket that listens on this port of the machine's own addresses.
pub(crate) fn listeners(port: u16) -> Vec<Process> {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(fs::read_to_string);
    let local = format!(":{port:04X}");
    let socket = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let listens = fields.len() > 9 && fields[1].ends_with(&local) && fields[3] == "0A";
        listens.then(|| format!("socket:[{}]", fields[9]))
    };
    let lines = tables.iter().flatten().flat_map(|table| table.lines());
    let sockets: Vec<String> = lines.filter_map(socket).collect();
    if sockets.is_empty() {
        return Vec::new();
    }
    let holds = |process: &Process| {
        let descriptors = fs::read_dir(format!("/proc/{}/fd", process.pid));
        let mut links =
            descriptors.into_iter().flatten().flatten().map(|it| fs::read_link(it.path()));
        links.any(|link| link.is_ok_and(|link| sockets.iter().any(|it| link.as_os_str() == &**it)))
    };
    pids().into_iter().filter_map(Process::find).filter(holds).collect()
}

/// Waits for a generous time; then it panics and names what it waited for.
pub(crate) fn wait_for(what: &str, done: impl FnMut() -> bool) {
    wait_at_most(WATCHDOG, what, done);
}

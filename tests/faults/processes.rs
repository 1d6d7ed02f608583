//! Waiting for processes, and checking for listeners.

pub(crate) use crate::common::processes::{Process, marked};

use crate::common::processes::wait_at_most;
use std::fs;
use std::time::Duration;

/// Longest wait for what must come, or go: a watchdog and no measurement.
pub(crate) const WATCHDOG: Duration = Duration::from_secs(90);

/// Returns true if a socket listens on this port of the machine's own addresses.
pub(crate) fn listens(port: u16) -> bool {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(fs::read_to_string);
    let local = format!(":{port:04X}");
    tables.iter().flatten().flat_map(|table| table.lines()).any(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        fields.len() > 3 && fields[1].ends_with(&local) && fields[3] == "0A"
    })
}

/// Waits for a generous time; then it panics and names what it waited for.
pub(crate) fn wait_for(what: &str, done: impl FnMut() -> bool) {
    wait_at_most(WATCHDOG, what, done);
}

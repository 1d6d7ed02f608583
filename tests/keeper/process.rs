//! How long the tests of keepers wait for processes.

pub(crate) use crate::common::processes::{Process, command, tree};

use crate::common::processes::wait_at_most;
use std::time::Duration;

/// Waits for a generous time; then it panics and names what it waited for.
pub(crate) fn wait_for(what: &str, done: impl Fn() -> bool) {
    wait_at_most(Duration::from_secs(60), what, done);
}

/// Every one of them ends, soon.
pub(crate) fn all_end(processes: &[Process]) {
    wait_for("all to be gone", || !processes.iter().any(Process::runs));
}

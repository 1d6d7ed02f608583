//! How a process ended.

use serde::{Deserialize, Serialize};

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// It exited with this status.
    Status(i32),
    /// This signal ended it.
    Signal(i32),
}

impl Ending {
    pub(super) fn from_wait(status: i32) -> Ending {
        if libc::WIFSIGNALED(status) {
            Ending::Signal(libc::WTERMSIG(status))
        } else {
            Ending::Status(libc::WEXITSTATUS(status))
        }
    }

    /// Whether a signal ended it.
    pub fn by_signal(self) -> bool {
        matches!(self, Ending::Signal(_))
    }

    /// Whether it ended successfully.
    pub fn good(self) -> bool {
        self == Ending::Status(0)
    }
}

impl std::fmt::Display for Ending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ending::Status(status) => write!(f, "exited with status {status}"),
            Ending::Signal(signal) => match crate::signals::name(*signal) {
                Some(name) => write!(f, "was ended by SIG{name}"),
                None => write!(f, "was ended by signal {signal}"),
            },
        }
    }
}

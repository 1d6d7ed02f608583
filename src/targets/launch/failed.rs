//! Why a launch did not succeed.

use crate::targets::launch::order::Launch;
use protocol::Error;

/// The reason why there is no target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failed {
    /// The run was stopped while tiebreak waited for the target.
    Stopped,
    /// An error, with its message and exit code.
    Error(Error),
}

/// The reason why a launch did not succeed, and whether it can succeed with another port.
pub(super) enum Refusal {
    PortTaken(Failed),
    Other(Failed),
}

impl From<Failed> for Refusal {
    fn from(failed: Failed) -> Refusal {
        Refusal::Other(failed)
    }
}

impl From<Error> for Failed {
    fn from(error: Error) -> Failed {
        Failed::Error(error)
    }
}

pub(super) fn named(launch: &Launch, text: &str) -> String {
    format!("`{}`: {text}", launch.name)
}

//! Why a launch did not succeed.

use crate::exit::Error;
use crate::launch::asked::Launch;

/// Why there is no target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failed {
    /// The run was asked to end while it was waited for.
    Stopped,
    /// A sentence, and the exit code.
    Error(Error),
}

/// Why a launch did not succeed, and whether another port would help.
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

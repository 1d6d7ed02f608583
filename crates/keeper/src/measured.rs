//! The report of a keeper on a program that it ran and measured.

use crate::ending::Ending;
use serde::{Deserialize, Serialize};

/// One run of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// How it ended.
    pub end: RunEnd,
    /// From just before the fork until its end was seen: fork, exec, dynamic linking, the program
    /// itself, and waking the keeper (some tens of microseconds). Processes that it left running
    /// are not waited for.
    pub wall_ns: u64,
    /// CPU time in user mode of the program, of the children that it waited for, and of theirs
    /// (`wait4`).
    pub user_ns: u64,
    /// CPU time in the kernel, in the same way.
    pub system_ns: u64,
    /// The largest resident set of any one of these processes. It cannot read lower than the copy
    /// of the keeper as which the program begins, 1 MB.
    pub peak_memory_bytes: u64,
    /// Processes that it left running; they were killed.
    pub outlived: u32,
    /// What it wrote on its standard output.
    pub output: Output,
    /// The last lines of its standard error, without secrets and safe to show.
    pub last_errors: Vec<String>,
}

/// How a measured program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RunEnd {
    /// It exited, or a signal ended it.
    Ended(Ending),
    /// Its time limit expired, and it was killed with all below it.
    TimedOut,
    /// It was ended on request.
    Cut,
}

/// A program's standard output. Lengths in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// The last line that is not blank, trimmed. None if there is none, or it is longer than 4 KiB.
    pub last_line: Option<String>,
    /// Length of the whole output.
    pub bytes: u64,
    /// Digest of the whole output.
    pub digest: u64,
    /// Length without the last line and the blanks after it.
    pub bytes_before: u64,
    /// Digest of the same.
    pub digest_before: u64,
}

/// Why a program did not start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotStarted {
    /// A sentence that says why.
    pub why: String,
    /// The system's error number, if the system refused.
    pub errno: Option<i32>,
}

impl From<std::io::Error> for NotStarted {
    fn from(error: std::io::Error) -> NotStarted {
        NotStarted { why: error.to_string(), errno: error.raw_os_error() }
    }
}

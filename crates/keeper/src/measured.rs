//! What a keeper tells of a program that it ran and measured.

use crate::ending::Ending;
use serde::{Deserialize, Serialize};

/// One run of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// How it ended.
    pub end: RunEnd,
    /// From just before the fork until its end was seen: fork, exec, dynamic
    /// linking, the program itself, and the waking of the keeper (some tens of
    /// microseconds). What it left running is not waited for.
    pub wall_ns: u64,
    /// CPU time in user mode of the program and of the children that it waited
    /// for, theirs included (`wait4`).
    pub user_ns: u64,
    /// CPU time in the kernel, in the same way.
    pub system_ns: u64,
    /// The largest resident set of any one of these processes. It cannot read
    /// lower than the copy of the keeper that the program begins as, 1 MB.
    pub peak_memory_bytes: u64,
    /// Processes that it left running; they were killed.
    pub outlived: u32,
    /// What it wrote on its standard output.
    pub output: Output,
    /// The last lines of its standard error, without secrets and harmless to
    /// show.
    pub complaint: Vec<String>,
}

/// How a measured program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RunEnd {
    /// By itself or by a signal.
    Ended(Ending),
    /// The time was over, and it was killed with all below it.
    TimedOut,
    /// We were told to end it.
    Cut,
}

/// A program's standard output. Lengths in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// The last line that is not blank, without blanks around it; none where
    /// there is none, or where it is longer than 4 KiB.
    pub last_line: Option<String>,
    /// Length of all of it.
    pub bytes: u64,
    /// Digest of all of it.
    pub digest: u64,
    /// Length without the last line and what is blank behind it.
    pub bytes_before: u64,
    /// Digest of the same.
    pub digest_before: u64,
}

/// Why a program did not start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotStarted {
    /// A sentence that says why.
    pub why: String,
    /// The system's number for it, where the system refused.
    pub errno: Option<i32>,
}

impl From<String> for NotStarted {
    fn from(why: String) -> NotStarted {
        NotStarted { why, errno: None }
    }
}

impl From<std::io::Error> for NotStarted {
    fn from(error: std::io::Error) -> NotStarted {
        NotStarted { why: error.to_string(), errno: error.raw_os_error() }
    }
}

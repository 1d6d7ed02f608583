//! A *keeper* starts the targets that tiebreak launches, so that none of them outlives the run,
//! however it ends.
//!
//! One keeper serves one launch of one target. It is a process of tiebreak's own program in a
//! separate session, which becomes the parent of every orphan below it (`PR_SET_CHILD_SUBREAPER`).
//! Everything that descends from it is the target. Only tiebreak holds the other end of its socket:
//! when tiebreak ends, even by SIGKILL, the keeper reads the end of the socket and ends everything.
//! When the keeper itself is killed, its processes are reparented to tiebreak, also a subreaper.
//!
//! A process group with a parent-death signal alone was rejected: both nginx workers survived it.
// What all tests share asks the system for its scheduling.
#![cfg_attr(not(test), forbid(unsafe_code))]

pub mod beneath;
mod cgroup;
mod child;
mod ending;
mod handle;
pub mod hierarchy;
mod keeping;
pub mod leftovers;
pub mod logs;
mod measured;
mod measuring;
#[cfg(test)]
#[path = "../../../tests/common/not_tested.rs"]
mod not_tested;
mod note;
mod output;
pub mod pin;
pub mod process;
pub mod programs;
mod protocol;
#[cfg(test)]
#[path = "../../../tests/common/scratch.rs"]
mod scratch;
pub mod signals;
mod subreaper;
mod tree;
pub mod user;

pub use ending::Ending;
pub use handle::{Error, Keeper, LogTroubles};
pub use keeping::{ARGUMENT, keep, survive_a_file_size_limit};
pub use measured::{Measured, NotStarted, Output, RunEnd};
pub use protocol::{EndReport, KeptOutput, LaunchOptions, ProcessOrder};
pub use subreaper::end_orphans;

//! Targets that tiebreak launches are started by a *keeper*, so that none
//! outlives the run, however it ends.
//!
//! One keeper serves one launch of one target: a process of tiebreak's own
//! program, in a session of its own, that gets every orphan below it
//! (`PR_SET_CHILD_SUBREAPER`). Whatever descends from it is the target; there
//! is nothing to tell apart. tiebreak holds the other end of its socket, and
//! nobody else does: when tiebreak goes, even by SIGKILL, the keeper reads the
//! end of the socket and ends everything. When the keeper itself is killed,
//! what it kept falls to tiebreak, which is a subreaper too.
//!
//! Rejected: a process group with a parent-death signal alone. Both nginx
//! workers survived it.

pub mod beneath;
mod cgroup;
mod child;
mod ending;
mod file_size;
mod handle;
mod keeping;
pub mod leftovers;
pub mod logs;
mod measured;
mod measuring;
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
mod signals_caught;
mod subreaper;
mod tree;
pub mod user;

pub use ending::Ending;
pub use file_size::survive_a_file_size_limit;
pub use handle::{Keeper, LogTroubles, Trouble};
pub use keeping::{ARGUMENT, keep};
pub use measured::{Measured, NotStarted, Output, RunEnd};
pub use protocol::{Farewell, Household, ProcessOrder};
pub use subreaper::end_what_fell_to_us;

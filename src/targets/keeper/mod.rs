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

mod cgroup;
mod child;
mod handle;
mod keeping;
pub(crate) mod leftovers;
mod measured;
mod measuring;
mod note;
mod output;
pub(crate) mod pin;
pub(crate) mod programs;
mod protocol;
pub(crate) mod signals;
mod signals_caught;
mod subreaper;
mod tree;
pub(crate) mod user;

pub use handle::{Keeper, LogTroubles, Trouble};
pub use keeping::{ARGUMENT, keep};
pub use measured::{Measured, NotStarted, Output, RunEnd};
pub use protocol::{Ending, Farewell, Household, ProcessOrder};
pub use subreaper::end_what_fell_to_us;

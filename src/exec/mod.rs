//! `exec:` contenders: a whole program, run to its end again and again.
//!
//! Measured are the operations that it announces, its time, its CPU time and its
//! memory. A turn is as long as the program is: sending time only says when no
//! new run is begun, and each turn has one at least. A single operation inside
//! the program is out of sight, so there are no latencies.
//!
//! A program can have servers that it talks to: they are launched for it, and what they cost is
//! part of what it costs.
//!
//! The programs are started by a keeper of their own (`targets::keeper`), which
//! reads what they write and takes the times. When tiebreak is killed it ends
//! them, with all that descends from them.

mod announced;
mod lane;
mod program;
mod servers;

pub(crate) use lane::check;
pub use program::{Exec, Program, SOURCE, WITH_SERVERS};
pub use servers::Servers;

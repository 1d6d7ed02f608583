//! `exec:` contenders: a whole program, run to its end again and again.
//!
//! tiebreak measures the operations that it announces, its time, its CPU time and its memory. A
//! turn lasts as long as the program: the sending time only decides whether another run is started,
//! and each turn has at least one. Single operations inside the program cannot be observed, so
//! there are no latencies.
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

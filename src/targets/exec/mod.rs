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
//! A keeper process for each program (`targets::keeper`) starts it, reads its output and takes the
//! times. If tiebreak is killed, the keeper ends the program and all its descendants.

mod announced;
pub mod figures;
mod lane;
mod program;
mod servers;

pub use figures::Figures;
pub(crate) use lane::check;
pub use program::{Exec, Program, SOURCE, WITH_SERVERS};
pub use servers::Servers;

/// Descriptors that a program needs: the pipes of its keeper.
pub(crate) const DESCRIPTORS: u64 = 16;

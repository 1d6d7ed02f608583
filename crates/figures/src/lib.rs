//! Reads the figures that benchmark programs print or write: one for each case of a suite.
//!
//! The figure of a case is the tool's median, else its mean. Aggregates, spread and warm-up are no cases; several
//! figures of one case are their median; one name in several modes, jobs or packages is several cases. A figure that
//! is not above 0 or not finite is none.
//!
//! No I/O and no clock: the caller reads the output and the files. The work is linear in their size.
#![forbid(unsafe_code)]

mod input;
mod kind;
mod numbers;
mod pattern;
mod read;
mod rows;
mod selection;
mod tools;
mod units;

pub use input::Printed;
pub use kind::Kind;
pub use read::{LONGEST, read};

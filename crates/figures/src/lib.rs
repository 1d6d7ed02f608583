//! Reads the figures that benchmark programs print or write: one for each case of a suite.
//!
//! The figure of a case is the tool's median, else its mean. Aggregates, spread and warm-up are no cases; repeats of a
//! case are their median. A figure that is not above 0 or not finite is none, and so is one of which it is not known
//! whether a larger one is better.
//!
//! Cases are compared by their names, so a name must not depend on the other cases of its output: a mode, a package or a
//! metric is always part of it. Two cases of one name, which are not repeats, are an error: to take either would be a
//! guess.
//!
//! No I/O and no clock: the caller reads the output and the files. The work is linear in their size.
#![forbid(unsafe_code)]
#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]

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
pub use rows::Read;

//! Reads the output of other load generators, and states what may be concluded from it.
//!
//! [`Scan`] finds runs in a file of any kind: captured output, an article around it, a log.
//! [`Audit`] applies the rules to them. A file can also be a leaderboard ([`board`]), whose lists are judged. A figure is either printed, with the line that contains it,
//! or follows from printed figures; nothing is guessed.
#![forbid(unsafe_code)]
#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]

mod assembly;
pub mod audit;
pub mod board;
mod command;
pub mod compare;
mod conclusion;
pub mod groups;
mod json;
pub mod key;
mod lines;
mod numbers;
pub mod objection;
pub mod rules;
pub mod run;
mod scan;
mod surroundings;
pub mod tools;
mod wrapping;

pub use assembly::MOST_RUNS;
pub use audit::Audit;
pub use scan::{Scan, ScanNotes};

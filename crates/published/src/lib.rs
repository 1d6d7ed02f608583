//! Reads what other load generators printed, and says what may be concluded from it.
//!
//! [`Scan`] finds runs in a file of any kind: captured output, an article around it, a log.
//! [`Audit`] applies the rules to them. A figure is one that was printed, with the line it
//! stands in, or follows from printed figures; nothing is guessed.
#![forbid(unsafe_code)]

pub mod audit;
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
pub mod tools;

pub use audit::Audit;
pub use scan::{MOST_RUNS, Oddities, Scan};

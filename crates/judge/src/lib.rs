//! What follows from a record: statistics, audit and verdict.
//!
//! No I/O and no clock: any record can be judged again, on any machine, and
//! gives the same verdict.
#![forbid(unsafe_code)]

pub mod audit;
pub mod bend;
#[cfg(test)]
mod builder;
mod compare;
pub mod cost;
mod evidence;
mod judge;
mod say;
pub mod stats;
mod summary;
pub mod verdict;

pub use judge::Judge;

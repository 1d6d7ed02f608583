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
mod draft;
mod evidence;
pub mod growth;
mod judge;
pub mod single_runs;
pub mod stats;
mod summary;
pub mod verdict;
mod weigh;

pub use judge::Judge;

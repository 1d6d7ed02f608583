//! What follows from a record: statistics, audit and verdict.
//!
//! No I/O and no clock: any record can be judged again, on any machine, and
//! gives the same verdict.
#![forbid(unsafe_code)]

mod say;
pub mod stats;
pub mod verdict;

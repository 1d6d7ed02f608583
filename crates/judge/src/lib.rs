//! Derives statistics, the audit and a verdict from a record.
//!
//! There is no I/O and no clock: any record can be judged again, on any machine, with the same
//! verdict.
#![forbid(unsafe_code)]

pub mod audit;
pub mod belief;
pub mod bend;
pub mod bisect;
#[cfg(test)]
mod builder;
pub mod capacity;
pub mod capacity_run;
mod compare;
pub mod cost;
mod draft;
mod evidence;
pub mod growth;
mod judge;
mod load;
pub mod objectives;
mod random;
pub mod rank;
pub mod single_runs;
pub mod stats;
mod suite;
mod summary;
mod turn;
pub mod unpaired;
pub mod verdict;
mod weigh;

pub use judge::Judge;

/// The smallest difference that matters, as a share, unless a run says otherwise.
pub const MATTERS: f64 = 0.01;
/// The probability of any wrong difference in a family of comparisons, unless a run says otherwise.
pub const ALPHA: f64 = 0.05;

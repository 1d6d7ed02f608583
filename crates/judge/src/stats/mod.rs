//! The statistics that a verdict rests on: pure functions of numbers.
//!
//! The procedure and its constants were simulated before they were written
//! down; each function names the figures that it must reproduce in its tests.

pub mod autocorrelation;
pub mod carry_over;
pub mod distributions;
pub mod looks;
pub mod paired_t;
pub mod quantile;
pub mod rounds;
pub mod signed_rank;
pub mod two_stages;

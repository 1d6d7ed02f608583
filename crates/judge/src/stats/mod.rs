//! The statistics behind a verdict: pure functions of numbers.
//!
//! The procedure and its constants were simulated before they were written down; each function's
//! tests state the figures that it must reproduce.

pub mod autocorrelation;
pub mod carry_over;
pub mod distributions;
pub mod looks;
pub mod paired_t;
pub mod quantile;
pub mod rank_sum;
pub mod rounds;
pub mod short_rounds;
pub mod signed_rank;
pub mod stein;
pub mod two_stages;

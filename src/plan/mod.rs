//! To be furnished.
pub mod units;

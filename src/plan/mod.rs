//! From what was typed to what will be done.
pub mod require;
pub mod units;

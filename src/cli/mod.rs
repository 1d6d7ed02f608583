//! To be furnished.
pub mod testserver;

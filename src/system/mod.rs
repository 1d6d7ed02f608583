//! What this machine and its operating system offer: files, processes, signals, time.

pub mod cache;
pub mod cores;
pub mod exit;
pub mod host;
pub mod remote;
pub(crate) mod repository;
pub mod signals;
pub(crate) mod utc;

//! What this machine and its operating system offer: files, processes, signals, time.

pub mod cache;
pub mod cores;
pub mod exit;
pub(crate) mod fnv;
pub mod host;
pub(crate) mod input;
pub(crate) mod private;
pub mod remote;
pub(crate) mod secrets;
pub mod signals;
pub(crate) mod utc;

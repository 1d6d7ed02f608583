//! tiebreak: which of these backends is faster, by how much, and can the
//! answer be trusted?
// Tests prepare processes and variables in ways that no shipped code needs.
#![cfg_attr(not(test), forbid(unsafe_code))]

#[cfg(not(target_os = "linux"))]
compile_error!("tiebreak supports Linux only: it measures with epoll, /proc and Linux's clocks");

pub mod access;
pub mod address;
mod agents;
pub mod cache;
pub mod cli;
mod conformance;
pub mod cores;
pub mod exec;
pub mod exit;
mod fnv;
pub mod host;
mod input;
pub mod journal;
pub mod judging;
pub mod launch;
#[cfg(test)]
#[path = "../tests/common/not_tested.rs"]
mod not_tested;
pub mod plan;
mod private;
mod protocol;
pub mod remote;
pub mod runner;
#[cfg(test)]
#[path = "../tests/common/scratch.rs"]
mod scratch;
mod secrets;
pub mod signals;
mod software;
pub mod targets;
mod utc;
pub mod watch;

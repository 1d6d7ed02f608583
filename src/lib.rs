//! tiebreak: which of these backends is faster, by how much, and can the
//! answer be trusted?
#[cfg(not(target_os = "linux"))]
compile_error!("tiebreak is for Linux: it measures with epoll, /proc and Linux's clocks");

pub mod access;
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
mod near;
#[cfg(test)]
#[path = "../tests/common/not_tested.rs"]
mod not_tested;
pub mod plan;
mod private;
pub mod report;
pub mod runner;
#[cfg(test)]
mod scratch;
mod secrets;
mod shell_words;
pub mod shown;
pub mod signals;
pub mod targets;
pub mod testserver;
mod utc;

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
pub mod journal;
pub mod judging;
mod near;
pub mod plan;
pub mod report;
pub mod runner;
#[cfg(test)]
mod scratch;
mod shell_words;
pub mod shown;
pub mod signals;
pub mod targets;
pub mod testserver;
mod utc;

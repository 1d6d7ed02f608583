//! tiebreak: which of these backends is faster, by how much, and can the
//! answer be trusted?
#[cfg(not(target_os = "linux"))]
compile_error!("tiebreak is for Linux: it measures with epoll, /proc and Linux's clocks");

pub mod cli;
pub mod journal;
pub mod plan;
pub mod report;
pub mod runner;
pub mod shown;
pub mod targets;
pub mod testserver;

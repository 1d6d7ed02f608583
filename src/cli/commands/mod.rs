//! One file for each command.

pub(super) mod agents_job;
pub(super) mod audit;
pub(super) mod bisect;
pub(super) mod check;
pub(super) mod clean;
pub(super) mod compare;
pub(super) mod completions;
pub(super) mod conformance;
pub(super) mod demo;
pub(super) mod explain;
pub(super) mod init;
pub(super) mod load;
pub(super) mod man;
pub(super) mod packages;
pub(super) mod plan;
pub(super) mod printed;
pub(super) mod recipes;
pub(super) mod report;
pub(super) mod run;
pub(super) mod self_test;
pub(super) mod setup;
pub mod testserver;
pub(super) mod watch;

//! From a plan to a judged journal.

pub(crate) mod bisect;
pub(crate) mod conformance;
pub mod journal;
pub mod judging;
pub(crate) mod placement;
pub(crate) mod progress;
pub mod runner;

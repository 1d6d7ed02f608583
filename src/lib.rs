//! tiebreak: which of these backends is faster, by how much, and can the
//! answer be trusted?
mod agents;
pub mod cli;
#[cfg(test)]
#[path = "../tests/common/not_tested.rs"]
mod not_tested;
pub mod plan;
mod protocols;
pub mod run;
#[cfg(test)]
#[path = "../tests/common/scratch.rs"]
mod scratch;
pub mod system;
pub mod targets;

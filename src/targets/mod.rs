//! Servers under test: how they are found, whether they answer, and their cost.

pub mod exec;
pub mod launch;
pub(crate) mod software;
pub mod watch;

#[cfg(test)]
mod child;
pub mod cpu;
pub mod find;
pub mod ports;
pub(crate) mod ready;
pub(crate) mod revisions;
pub mod sight;

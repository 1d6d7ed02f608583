//! Servers under test: where they are, whether they answer, what they cost.

pub mod attached;
pub mod beneath;
#[cfg(test)]
mod child;
pub(crate) mod connect_to;
pub mod cpu;
pub mod find;
mod hierarchy;
pub mod keeper;
pub mod launch;
pub mod logs;
pub mod ports;
pub mod process;
pub(crate) mod ready;
pub(crate) mod refused;
pub mod sight;
pub(crate) mod store;
pub mod tls;
pub(crate) mod url;

//! Servers under test: where they are, and whether they answer.

pub mod attached;
pub(crate) mod connect_to;
pub mod keeper;
pub mod launch;
pub mod logs;
pub mod ports;
pub(crate) mod ready;
pub mod tls;
pub(crate) mod url;

//! Lanes through client libraries, against several databases. Tests of one database are in its protocol's
//! directory.

#[path = "servers.rs"]
mod common;

mod custom;
mod groups;
mod statements;
mod tls;

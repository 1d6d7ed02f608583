//! CQL: the native protocol, version 4.

mod connection;
mod errors;
mod frame;
mod reply;
mod requests;
mod statements;
mod table;
mod types;

pub(crate) use connection::Connection;

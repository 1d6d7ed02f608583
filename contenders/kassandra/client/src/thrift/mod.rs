//! Thrift: framed transport, binary protocol, the interface of Cassandra 0.8 to 3.

mod call;
mod columns;
mod connection;
mod fields;

pub(crate) use connection::Connection;

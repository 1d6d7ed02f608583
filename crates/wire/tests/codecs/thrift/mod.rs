//! The codec of Cassandra's Thrift interface.

mod admin;
mod build;
pub(crate) mod check;
mod connection;
mod corpus;
mod opening;
mod properties;
mod replies;
mod requests;
mod streaming;

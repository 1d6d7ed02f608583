//! Cassandra's Thrift interface (up to 3.11), as a client speaks it: the framed transport
//! and the binary protocol.
//!
//! [`Opening`] is what is sent on every fresh connection (`login`, `set_keyspace`), written
//! once; [`Op`] is one operation, borrowed; [`Thrift`] sends it and reads the reply. A server
//! answers the calls of one connection in their order, so as many operations as the depth
//! says may be in flight.
//!
//! What a reply means here:
//! - The body is the values of columns, and nothing else of the reply; if the operation
//!   asks for names, each value comes after its column's name. The text that an exception
//!   has is passed as body too.
//! - The item of a column is its place in the reply. In a reply to several keys it is the
//!   place of its key among those that were requested, whatever their order in the reply.
//! - [`Reply::items`](crate::Reply::items) counts the columns; in a reply to several keys,
//!   the keys that have any. A key that was requested several times counts that many times.
//! - [`Class::Miss`](crate::Class::Miss): `NotFoundException`, or no column in a reply that
//!   can have some.
//! - [`Class::Error`](crate::Class::Error): an exception, by the table in [`codes`].

mod admin;
mod codec;
pub mod codes;
mod exceptions;
pub mod faults;
mod in_flight;
mod keyspace;
mod limits;
mod message;
mod op;
mod opening;
mod request;
mod route;
mod walk;

pub use admin::Admin;
pub use codec::Thrift;
pub use keyspace::{Family, Keyspace};
pub use limits::{Limits, MOST_DEEP, MOST_HEAD_BYTES};
pub use op::{Column, Columns, Consistency, Op, Parent};
pub use opening::{Login, Opening};

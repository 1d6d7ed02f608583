//! A client of Cassandra on one blocking socket, for a process that serves one request at a
//! time: CQL (native protocol v4) and Thrift (framed, binary), with the same four operations.
//!
//! It has no threads and no runtime, so it may live across `fork`: a [`Link`] notices that it
//! is in another process and opens a connection of its own.

mod bytes;
mod cql;
mod error;
mod link;
mod operation;
mod settings;
mod stream;
#[cfg(test)]
mod testing;
mod thrift;
mod value;

pub use error::{Error, Kind};
pub use link::Link;
pub use operation::{Consistency, Operation, Row};
pub use settings::{Host, Login, Protocol, Settings};
pub use value::{Columns, Value};

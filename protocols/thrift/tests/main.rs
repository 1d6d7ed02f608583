//! The lane of Cassandra's Thrift interface against a small server of it.

mod lane;
mod server;
mod wide_rows;

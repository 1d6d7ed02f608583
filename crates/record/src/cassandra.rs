//! Settings of Cassandra's protocol.

use crate::named::named;
use serde::{Deserialize, Serialize};

named! {
    /// Which node a client sends an operation to.
    pub enum Routing {
        /// One that has a replica of the row.
        #[default]
        TokenAware = "token-aware",
        /// Any node, whether or not it has a replica of the row; the client library chooses.
        RoundRobin = "round-robin",
    }
}

named! {
    /// How frames are compressed.
    pub enum Compression {
        /// Not compressed.
        #[default]
        None = "none",
        /// With LZ4.
        Lz4 = "lz4",
    }
}

named! {
    /// How the statements of an operation that has several are sent.
    pub enum Batch {
        /// One after the other.
        None = "none",
        /// In one batch that takes effect as a whole or not at all.
        #[default]
        Logged = "logged",
        /// In one batch without that promise.
        Unlogged = "unlogged",
    }
}

/// The settings of Cassandra's client library.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CassandraSettings {
    /// Which nodes operations are sent to.
    pub routing: Routing,
    /// Compression of frames in both directions.
    pub compression: Compression,
    /// Maximum number of rows in one page of a reply.
    pub page_size: u32,
    /// Batches for operations with several statements.
    pub batch: Batch,
    /// How many times the statements of a user-defined operation that only writes are sent in
    /// one batch, each time with new parameters.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub batch_size: u32,
    /// The library waits for more requests before it writes to a socket.
    pub write_coalescing: bool,
    /// Sockets of one session to each node.
    pub sockets_per_node: u32,
}

fn once() -> u32 {
    1
}

fn is_once(times: &u32) -> bool {
    *times == 1
}

impl Default for CassandraSettings {
    fn default() -> CassandraSettings {
        CassandraSettings {
            routing: Routing::default(),
            compression: Compression::default(),
            page_size: 5000,
            batch: Batch::default(),
            batch_size: once(),
            write_coalescing: false,
            sockets_per_node: 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_are_recorded() {
        for of in Routing::ALL {
            let recorded = serde_json::to_string(of).expect("JSON");
            assert_eq!(recorded, format!("\"{}\"", of.name()));
        }
    }
}

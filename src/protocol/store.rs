//! Stores of keys and values that are spoken to by codecs of our own.

use crate::access::Access;
use engine::workload::Feeds;
use engine::{Numbers, Sharded};
use record::Consistency;

/// What a store is beside its protocol.
pub(crate) struct Store {
    /// Its dialects, the default first. Empty if there is only one way to speak to it.
    pub(crate) dialects: &'static [Dialect],
    /// See [`Protocol::is_sharded`](super::Protocol::is_sharded).
    pub(crate) is_sharded: bool,
    /// User-defined commands can be sent.
    pub(crate) has_commands: bool,
    /// How to get at one.
    pub(crate) connect: fn(StoreParts) -> Result<Access, String>,
}

/// What getting at a store takes. No `Debug`: the login can be secret.
pub(crate) struct StoreParts {
    /// None where the store has no dialects.
    pub(crate) dialect: Option<Dialect>,
    /// User and password; none is empty.
    pub(crate) user: Option<String>,
    pub(crate) password: Option<String>,
    /// The number of the database.
    pub(crate) database: u32,
    /// The name of the database, where it has a name.
    pub(crate) name: String,
    pub(crate) consistency: Option<Consistency>,
    /// Copies of each row of a keyspace that a load makes.
    pub(crate) replication: u32,
    pub(crate) numbers: Numbers,
    /// Several servers, each of which holds some of the keys.
    pub(crate) sharded: Option<Sharded>,
    pub(crate) feeds: Feeds,
}

/// Variants of the protocols of stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// memcached: `get`, `set`, …
    Text,
    /// memcached: `mg`, `ms`, …
    Meta,
    /// Redis: RESP2.
    Resp2,
    /// Redis: RESP3, told by HELLO.
    Resp3,
}

impl Dialect {
    /// As it is written.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Dialect::Text => "text",
            Dialect::Meta => "meta",
            Dialect::Resp2 => "resp2",
            Dialect::Resp3 => "resp3",
        }
    }
}

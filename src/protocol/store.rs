//! Stores of keys and values that are driven through our own codecs.

use crate::protocol::access::Access;
use engine::workload::Feeds;
use engine::{Numbers, Sharded};
use record::Consistency;

/// The properties of a store beyond those of every protocol.
pub(crate) struct Store {
    /// Its dialects, the default first. Empty if the protocol has no variants.
    pub(crate) dialects: &'static [Dialect],
    /// See [`Protocol::is_sharded`](super::Protocol::is_sharded).
    pub(crate) is_sharded: bool,
    /// Whether user-defined commands can be sent.
    pub(crate) has_commands: bool,
    /// Makes the access to one.
    pub(crate) connect: fn(StoreParts) -> Result<Access, String>,
}

/// What is needed to connect to a store. No `Debug`: the login can be secret.
pub(crate) struct StoreParts {
    /// None if the store has no dialects.
    pub(crate) dialect: Option<Dialect>,
    /// The user and the password, each None if it is empty.
    pub(crate) user: Option<String>,
    pub(crate) password: Option<String>,
    /// The number of the database.
    pub(crate) database: u32,
    /// The name of the database, if databases have names.
    pub(crate) name: String,
    pub(crate) consistency: Option<Consistency>,
    /// Copies of each row of a keyspace that a load creates.
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
    /// Its name in settings.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Dialect::Text => "text",
            Dialect::Meta => "meta",
            Dialect::Resp2 => "resp2",
            Dialect::Resp3 => "resp3",
        }
    }
}

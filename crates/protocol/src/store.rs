//! Stores of keys and values that are driven through our own codecs.

use crate::Access;
use engine::workload::Feeds;
use engine::{Numbers, Sharded};
use record::Consistency;

/// The properties of a store beyond those of every protocol.
pub struct Store {
    /// Its dialects, the default first. Empty if the protocol has no variants.
    pub dialects: &'static [Dialect],
    /// See [`Protocol::is_sharded`](crate::Protocol::is_sharded).
    pub is_sharded: bool,
    /// Whether user-defined commands can be sent.
    pub has_commands: bool,
    /// Makes the access to one.
    pub connect: fn(StoreParts) -> Result<Box<dyn Access>, String>,
}

/// What is needed to connect to a store. No `Debug`: the login can be secret.
pub struct StoreParts {
    /// None if the store has no dialects.
    pub dialect: Option<Dialect>,
    /// None if it is empty.
    pub user: Option<String>,
    /// See `user`.
    pub password: Option<String>,
    /// The number of the database.
    pub database: u32,
    /// The name of the database, if databases have names.
    pub name: String,
    /// None if the protocol has no levels.
    pub consistency: Option<Consistency>,
    /// Copies of each row of a keyspace that a load creates.
    pub replication: u32,
    /// The numbers from which operations continue in the next call of the engine.
    pub numbers: Numbers,
    /// Several servers, each of which holds some of the keys.
    pub sharded: Option<Sharded>,
    /// Rows of the feeds that its workload uses.
    pub feeds: Feeds,
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
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Text => "text",
            Dialect::Meta => "meta",
            Dialect::Resp2 => "resp2",
            Dialect::Resp3 => "resp3",
        }
    }
}

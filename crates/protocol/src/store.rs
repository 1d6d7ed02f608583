//! Stores of keys and values that are driven through our own codecs.

use crate::Access;
use engine::workload::Feeds;
use engine::{Numbers, Sharded};
use record::Consistency;

/// The properties of a store beyond those of every protocol.
pub struct Store {
    /// The names of its dialects, the default first. Empty if the protocol has no variants.
    pub dialects: &'static [&'static str],
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
    pub dialect: Option<&'static str>,
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

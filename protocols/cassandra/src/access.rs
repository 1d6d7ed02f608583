//! Cassandra and ScyllaDB by CQL, through `scylla`, the client library in Rust.
//!
//! A connection of a lane is a slot with one operation at a time. The library sends the operations
//! of all slots over the sockets of one session, as it does in applications; a fresh connection
//! (`reuse = never`) is a session of its own. The library retries nothing and executes nothing
//! twice. In the background it asks only for the state of the cluster, once an hour and when a
//! server reports a change.

use crate::dialect::CassandraDialect;
use crate::settings::CassandraSettings;
use drivers::dialect::Dialect;
use drivers::{Announced, SqlAccess};
use engine::TlsAccess;
use protocol::side_channel::TABLE_COMMENT;
use record::Consistency;

/// The cheapest statement.
pub(crate) const CHEAPEST: &str = "SELECT key FROM system.local";

/// Kinds of table, by how their files are compacted.
pub(crate) const TABLES: [&str; 4] = ["size-tiered", "leveled", "time-window", "unified"];

/// The class that compacts tables of each kind.
const COMPACTIONS: [&str; 4] = [
    "SizeTieredCompactionStrategy",
    "LeveledCompactionStrategy",
    "TimeWindowCompactionStrategy",
    "UnifiedCompactionStrategy",
];

/// How statements are sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Sending {
    /// Whether they are prepared once for each session. Otherwise they are sent as text with their
    /// values.
    pub prepares: bool,
    /// How many replicas must answer an operation.
    pub consistency: Consistency,
    /// Replication factor of a keyspace that a load creates.
    pub replication: u32,
    /// Settings of the library.
    pub settings: CassandraSettings,
}

/// Access to Cassandra. Its database is a keyspace.
#[derive(Clone)]
pub struct CassandraAccess {
    /// What access to every database has.
    pub common: SqlAccess,
    /// How statements are sent.
    pub sending: Sending,
    /// TLS. None means without it.
    pub tls: Option<TlsAccess>,
    /// Addresses that its servers announce, and whether they may be dialled.
    pub announced: Announced,
}

impl Sending {
    /// The settings for the null server, which does not compress, has no replicas, and answers all
    /// consistency levels alike. Its one statement is not a batch.
    pub(crate) fn plain(&self) -> Sending {
        let settings = CassandraSettings {
            is_compressed: false,
            batch: CassandraSettings::default().batch,
            batch_size: 1,
            ..self.settings.clone()
        };
        Sending { prepares: self.prepares, consistency: Consistency::One, replication: 1, settings }
    }
}

impl CassandraAccess {
    /// The cheapest statement, sent in this way, for the null server. See
    /// [`SqlAccess::without_log_in`].
    pub fn cheapest(sending: Sending) -> CassandraAccess {
        let common = SqlAccess {
            user: String::new(),
            query: CHEAPEST.to_owned(),
            ..SqlAccess::without_log_in()
        };
        CassandraAccess { common, sending, tls: None, announced: Announced::default() }
    }

    /// The statements that create the keyspace if it is missing, and the contender's table again
    /// and empty.
    pub(crate) fn table_schema(&self, kind: Option<&str>, is_wide: bool) -> Vec<String> {
        let table = CassandraDialect.name(&self.common.table);
        let class = TABLES.iter().zip(COMPACTIONS).find(|(name, _)| Some(**name) == kind);
        let compaction = class.map_or(String::new(), |(_, class)| {
            format!(" AND compaction = {{'class': '{class}'}}")
        });
        let columns = if is_wide {
            crate::wide_statements::TABLE
        } else {
            "(key text PRIMARY KEY, value blob) WITH"
        };
        vec![
            format!("DROP TABLE IF EXISTS {table}"),
            format!(
                "CREATE TABLE {table} {columns} comment = {}{compaction}",
                CassandraDialect.quoted(TABLE_COMMENT)
            ),
        ]
    }

    pub(crate) fn make_keyspace(&self) -> String {
        format!(
            "CREATE KEYSPACE IF NOT EXISTS {} WITH replication = {{'class': 'SimpleStrategy', \
             'replication_factor': {}}}",
            CassandraDialect.name(&self.common.database),
            self.sending.replication
        )
    }

    /// The condition that selects a table in the system tables.
    pub(crate) fn of_table(&self, name: &str) -> String {
        let dialect = CassandraDialect;
        let table = name.rsplit('.').next().unwrap_or(name);
        format!(
            "WHERE keyspace_name = {} AND table_name = {}",
            dialect.quoted(&self.common.database),
            dialect.quoted(table)
        )
    }
}

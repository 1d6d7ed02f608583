//! Databases that are queried in SQL, through their client libraries.

use crate::{Access, Own};
use engine::workload::Feeds;
use engine::{Numbers, TlsAccess};
use record::{Consistency, DialPolicy, SqlProtocol, SqlSettings, Workload};
use std::path::PathBuf;

/// The query of an address that requests TLS.
pub const TLS: &str = "sslmode=verify-full";
/// The query of a MySQL address that allows a password to be sent without TLS.
pub const ALLOW_KEY: &str = "allow-public-key-retrieval=true";

/// The properties of a database beyond those of every protocol.
pub struct Sql {
    /// How statements can be sent, the default first.
    pub protocols: &'static [SqlProtocol],
    /// Its kinds of table.
    pub tables: &'static [&'static str],
    /// The statement that checks whether the server answers, for contenders without a statement.
    pub cheapest: &'static str,
    /// Whether it spreads its rows by the hashes of their keys over the nodes of a cluster.
    pub is_partitioned: bool,
    /// Why the length of a reply cannot be limited, or None if it can.
    pub no_reply_limit: Option<&'static str>,
    /// Why a table cannot hold the values of a workload, or None if it can.
    pub lacks_room: fn(&SqlSettings, &Workload) -> Option<String>,
    /// How its client library is used by a contender with these settings and this workload, if it has one.
    pub library: fn(&Own, Option<&Workload>) -> Result<ClientLibrary, String>,
    /// Makes the access to one.
    pub connect: fn(SqlParts<'_>) -> Box<dyn Access>,
}

/// How a client library is used, for the plan.
pub struct ClientLibrary {
    /// Its settings in words, separated by commas.
    pub words: String,
    /// How many times an operation sends its statements.
    pub repeats: u32,
}

impl ClientLibrary {
    /// One without settings.
    pub const USUAL: ClientLibrary = ClientLibrary { words: String::new(), repeats: 1 };
}

/// What is needed to connect to a database. No `Debug`: the login is secret.
pub struct SqlParts<'a> {
    /// The user.
    pub user: String,
    /// None if it is empty.
    pub password: Option<String>,
    /// The database.
    pub database: String,
    /// The statement, if the contender has only one.
    pub query: String,
    /// How statements are sent.
    pub settings: &'a SqlSettings,
    /// The settings that only some protocols have.
    pub own: &'a Own,
    /// None means without TLS.
    pub tls: Option<SqlTls>,
    /// Whether a server without TLS may be asked for the key that encrypts the password.
    pub may_ask_for_key: bool,
    /// Which announced addresses may be dialled.
    pub policy: DialPolicy,
    /// None if the protocol has no levels.
    pub consistency: Option<Consistency>,
    /// Copies of each row of a keyspace that a load creates.
    pub replication: u32,
    /// The numbers from which operations continue in the next call of the engine.
    pub numbers: Numbers,
    /// Rows of the feeds that its workload uses.
    pub feeds: Feeds,
}

/// How TLS is set up; each client library takes different parts of this.
pub struct SqlTls {
    /// What our own client needs.
    pub access: TlsAccess,
    /// The name that the certificate must be for.
    pub host: String,
    /// A file of authorities that are trusted instead of the usual ones.
    pub roots: Option<PathBuf>,
    /// Whether the certificate is not verified.
    pub insecure: bool,
}

/// Why databases do not support a depth: they run one statement at a time.
pub const NO_DEPTH: &str =
    "a client library has one statement in flight on a connection: leave out depth";

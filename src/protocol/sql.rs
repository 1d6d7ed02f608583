//! Databases that are queried in SQL, through their client libraries.

use drivers::{Announced, Database, SqlAccess};
use engine::workload::Feeds;
use engine::{Numbers, TlsAccess};
use record::{Consistency, DialPolicy, SqlProtocol, SqlSettings, Workload};
use std::path::PathBuf;

/// The query of an address that requests TLS.
pub(crate) const TLS: &str = "sslmode=verify-full";
/// The query of a MySQL address that allows a password to be sent without TLS.
pub(crate) const ALLOW_KEY: &str = "allow-public-key-retrieval=true";

/// The properties of a database beyond those of every protocol.
pub(crate) struct Sql {
    /// How statements can be sent, the default first.
    pub(crate) protocols: &'static [SqlProtocol],
    /// Its kinds of table.
    pub(crate) tables: &'static [&'static str],
    /// The statement that checks whether the server answers, for contenders without a statement.
    pub(crate) cheapest: &'static str,
    /// Whether the character set can be chosen.
    pub(crate) has_charset: bool,
    /// Whether its client library has the settings of Cassandra's library.
    pub(crate) is_cassandra: bool,
    /// Why the length of a reply cannot be limited, or None if it can.
    pub(crate) no_reply_limit: Option<&'static str>,
    /// Why a table cannot hold the values of a workload, or None if it can.
    pub(crate) lacks_room: fn(&SqlSettings, &Workload) -> Option<String>,
    /// Makes the access to one.
    pub(crate) connect: fn(SqlParts<'_>) -> Box<dyn Database>,
}

/// What is needed to connect to a database. No `Debug`: the login is secret.
pub(crate) struct SqlParts<'a> {
    pub(crate) user: String,
    /// None if it is empty.
    pub(crate) password: Option<String>,
    pub(crate) database: String,
    pub(crate) query: String,
    pub(crate) settings: &'a SqlSettings,
    pub(crate) tls: Option<SqlTls>,
    /// Whether a server without TLS may be asked for the key that encrypts the password.
    pub(crate) may_ask_for_key: bool,
    /// Which announced addresses may be dialled.
    pub(crate) policy: DialPolicy,
    /// None if the protocol has no levels.
    pub(crate) consistency: Option<Consistency>,
    /// Copies of each row of a keyspace that a load creates.
    pub(crate) replication: u32,
    pub(crate) numbers: Numbers,
    pub(crate) feeds: Feeds,
}

/// How TLS is set up; each client library takes different parts of this.
pub(crate) struct SqlTls {
    pub(crate) access: TlsAccess,
    /// The name that the certificate must be for.
    pub(crate) host: String,
    /// A file of authorities that are trusted instead of the usual ones.
    pub(crate) roots: Option<PathBuf>,
    /// Whether the certificate is not verified.
    pub(crate) insecure: bool,
}

impl SqlParts<'_> {
    /// Converts them to what the libraries take. The table is filled in later, when the contender
    /// has a number.
    pub(super) fn access<P, T>(self, protocol: P, tls: Option<T>) -> SqlAccess<P, T> {
        SqlAccess {
            user: self.user,
            password: self.password,
            database: self.database,
            table: String::new(),
            query: self.query,
            protocol,
            tls,
            may_ask_for_key: self.may_ask_for_key,
            announced: Announced::new(self.policy),
            reply_bytes: self.settings.reply_bytes,
            numbers: self.numbers,
            feeds: self.feeds,
        }
    }
}

/// Why databases do not support a depth: they run one statement at a time.
pub(super) const NO_DEPTH: &str =
    "a client library has one statement in flight on a connection: leave out depth";

//! Databases that are spoken to in SQL, through their client libraries.

use drivers::{Database, SqlAccess};
use engine::workload::Feeds;
use engine::{Numbers, TlsAccess};
use record::{Consistency, SqlAsked, SqlProtocol, Workload};
use std::path::PathBuf;

/// What the query of an address says to ask for TLS.
pub(crate) const TLS: &str = "sslmode=verify-full";
/// The same of MySQL, to send a password without TLS.
pub(crate) const ALLOW_KEY: &str = "allow-public-key-retrieval=true";

/// What a database is beside its protocol.
pub(crate) struct Sql {
    /// How statements can be sent, the default first.
    pub(crate) protocols: &'static [SqlProtocol],
    /// Its kinds of table.
    pub(crate) tables: &'static [&'static str],
    /// What it is asked where its contender has no statement of its own: to see whether it
    /// is there.
    pub(crate) cheapest: &'static str,
    /// The character set can be chosen.
    pub(crate) has_charset: bool,
    /// Its client library has the settings of Cassandra's.
    pub(crate) is_cassandra: bool,
    /// Why the length of a reply cannot be limited, if it cannot.
    pub(crate) no_reply_limit: Option<&'static str>,
    /// Why a table cannot hold the values of a workload, if it cannot.
    pub(crate) lacks_room: fn(&SqlAsked, &Workload) -> Option<String>,
    /// How to get at one.
    pub(crate) connect: fn(SqlParts<'_>) -> Box<dyn Database>,
}

/// What getting at a database takes. No `Debug`: the login is secret.
pub(crate) struct SqlParts<'a> {
    pub(crate) user: String,
    /// None is empty.
    pub(crate) password: Option<String>,
    pub(crate) database: String,
    pub(crate) query: String,
    pub(crate) asked: &'a SqlAsked,
    pub(crate) tls: Option<SqlTls>,
    /// A server without TLS may be asked for the key that the password is encrypted with.
    pub(crate) may_ask_for_key: bool,
    /// None where the protocol has no levels.
    pub(crate) consistency: Option<Consistency>,
    /// Copies of each row of a keyspace that a load makes.
    pub(crate) replication: u32,
    pub(crate) numbers: Numbers,
    pub(crate) feeds: Feeds,
}

/// How TLS is spoken: each library wants to be told in its own way.
pub(crate) struct SqlTls {
    pub(crate) access: TlsAccess,
    /// The name that the certificate must be for.
    pub(crate) host: String,
    /// A file of authorities that are trusted in place of the usual ones.
    pub(crate) roots: Option<PathBuf>,
    /// The certificate is not verified.
    pub(crate) insecure: bool,
}

impl SqlParts<'_> {
    /// As the libraries have it. The table is known when the contender has a number.
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
            reply_bytes: self.asked.reply_bytes,
            numbers: self.numbers,
            feeds: self.feeds,
        }
    }
}

/// One statement at a time: why a database has no depth.
pub(super) const NO_DEPTH: &str =
    "a client library has one statement in flight on a connection: leave out depth";

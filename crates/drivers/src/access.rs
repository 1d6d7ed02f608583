//! How to get at a database, whichever library leads there.

use crate::own;
use engine::Numbers;
use engine::workload::Feeds;
use record::Workload;

/// The cheapest statement that there is.
const CHEAPEST: &str = "SELECT 1";

/// What a lane through a client library takes, with its secrets: no `Debug`, no
/// `Serialize`. `P` is how statements are sent, `T` how TLS is spoken.
#[derive(Clone)]
pub struct SqlAccess<P, T> {
    /// Who logs in.
    pub user: String,
    /// By which password; none where the server trusts.
    pub password: Option<String>,
    /// The database.
    pub database: String,
    /// The contender's own table. See `schema` of either access.
    pub table: String,
    /// The one statement, where that is what is asked.
    pub query: String,
    /// How statements are sent.
    pub protocol: P,
    /// TLS; none: plain.
    pub tls: Option<T>,
    /// MySQL: without TLS the server may be asked for its public key, with which it can
    /// read the password. Whoever answers in its place can, too.
    pub may_ask_for_key: bool,
    /// Bytes of the reply to an operation, at most. None: see [`crate::REPLY_BYTES`].
    pub reply_bytes: Option<u64>,
    /// Where operations go on from one call of the engine to the next.
    pub numbers: Numbers,
    /// Rows of the feeds that its workload speaks of.
    pub feeds: Feeds,
}

impl<P, T> SqlAccess<P, T> {
    /// Names of the tables that a load of this workload makes anew.
    pub fn tables(&self, of: &Workload) -> Vec<String> {
        own::tables(of, &self.table)
    }
}

impl<P: Clone, T: Clone> SqlAccess<P, T> {
    /// The same way to the server, with the cheapest statement that there is. An order
    /// to [`record::Doing::Ask`] it tells what this lane costs by itself: the CPU time
    /// of its worker, on whose thread all of the library runs.
    pub fn cheapest(&self) -> SqlAccess<P, T> {
        SqlAccess { query: CHEAPEST.to_owned(), ..self.clone() }
    }
}

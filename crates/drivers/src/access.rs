//! How to get at a database, whichever library leads there.

use engine::Numbers;
use engine::workload::Feeds;

/// The cheapest statement that there is.
pub const CHEAPEST: &str = "SELECT 1";

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
    /// TLS. None means without it.
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
    /// The cheapest statement that there is, sent in this way to a server that wants no
    /// log-in: what the null server is asked. An order to [`record::Doing::Ask`] it tells
    /// what a lane costs by itself: the CPU time of its worker, on whose thread all of the
    /// library runs.
    pub fn without_log_in(protocol: P) -> SqlAccess<P, T> {
        SqlAccess {
            user: "null".to_owned(),
            password: None,
            database: "null".to_owned(),
            table: String::new(),
            query: CHEAPEST.to_owned(),
            protocol,
            tls: None,
            may_ask_for_key: false,
            reply_bytes: None,
            numbers: Numbers::new(1),
            feeds: Feeds::default(),
        }
    }
}

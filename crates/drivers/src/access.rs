//! Access to a database through any of the client libraries.

use crate::announced::Announced;
use crate::request::RequestParts;
use engine::Numbers;
use engine::workload::Feeds;

/// The cheapest statement.
pub const CHEAPEST: &str = "SELECT 1";

/// What a lane through a client library needs, including secrets, so it has no `Debug` and no
/// `Serialize`. `P` is how statements are sent, `T` the TLS settings.
#[derive(Clone)]
pub struct SqlAccess<P, T> {
    /// The user.
    pub user: String,
    /// The password. None if the server requires none.
    pub password: Option<String>,
    /// The database.
    pub database: String,
    /// The contender's table. See `schema` of either access.
    pub table: String,
    /// The statement, if the contender has only one.
    pub query: String,
    /// How statements are sent.
    pub protocol: P,
    /// TLS. None means without it.
    pub tls: Option<T>,
    /// MySQL: without TLS the server may be asked for its public key to encrypt the password with.
    /// An impostor that answers in its place can then read the password.
    pub may_ask_for_key: bool,
    /// Addresses that its servers announce, and whether they may be dialled.
    pub announced: Announced,
    /// Maximum length of the reply to an operation, in bytes. None: see [`crate::REPLY_BYTES`].
    pub reply_bytes: Option<u64>,
    /// The numbers from which operations continue in the next call of the engine.
    pub numbers: Numbers,
    /// Rows of the feeds that its workload uses.
    pub feeds: Feeds,
}

impl<P, T> SqlAccess<P, T> {
    /// What is requested, one operation after the other.
    pub(crate) fn request_parts(&self) -> RequestParts<'_> {
        RequestParts {
            query: &self.query,
            feeds: &self.feeds,
            batch_size: 1,
            is_cassandra: false,
            reply_bytes: self.reply_bytes,
        }
    }

    /// The cheapest statement, sent in this way to a server that requires no login: what the null
    /// server is asked. With an order to [`record::LaneTask::Ask`] it measures what a lane costs by
    /// itself: the CPU time of its worker, on whose thread the whole library runs.
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
            announced: Announced::default(),
            reply_bytes: None,
            numbers: Numbers::new(1),
            feeds: Feeds::default(),
        }
    }
}

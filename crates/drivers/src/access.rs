//! Access to a database through any of the client libraries.

use crate::request::RequestParts;
use engine::Numbers;
use engine::workload::Feeds;
use protocol::SqlParts;

/// The cheapest statement.
pub const CHEAPEST: &str = "SELECT 1";

/// What a lane through any client library needs, including secrets, so it has no `Debug` and no
/// `Serialize`.
#[derive(Clone)]
pub struct SqlAccess {
    /// The user.
    pub user: String,
    /// The password. None if the server requires none.
    pub password: Option<String>,
    /// The database.
    pub database: String,
    /// The contender's table.
    pub table: String,
    /// The statement, if the contender has only one.
    pub query: String,
    /// Maximum length of the reply to an operation, in bytes. None: see
    /// [`REPLY_BYTES`](crate::budget::REPLY_BYTES).
    pub reply_bytes: Option<u64>,
    /// The numbers from which operations continue in the next call of the engine.
    pub numbers: Numbers,
    /// Rows of the feeds that its workload uses.
    pub feeds: Feeds,
}

impl SqlAccess {
    /// What is common to all databases in the parts of an address and settings. The table is filled
    /// in later, when the contender has a number.
    pub fn new(parts: SqlParts<'_>) -> SqlAccess {
        SqlAccess {
            user: parts.user,
            password: parts.password,
            database: parts.database,
            table: String::new(),
            query: parts.query,
            reply_bytes: parts.settings.reply_bytes,
            numbers: parts.numbers,
            feeds: parts.feeds,
        }
    }

    /// What is requested, one operation after the other.
    pub fn request_parts(&self) -> RequestParts {
        RequestParts {
            query: self.query.clone(),
            feeds: self.feeds.clone(),
            numbers: self.numbers.clone(),
            batch_size: 1,
            is_partitioned: false,
            reply_bytes: self.reply_bytes,
        }
    }

    /// The cheapest statement, sent to a server that requires no login: what the null server is
    /// asked. With an order to [`record::LaneTask::Ask`] it measures what a lane costs by itself:
    /// the CPU time of its worker, on whose thread the whole library runs.
    pub fn without_log_in() -> SqlAccess {
        SqlAccess {
            user: "null".to_owned(),
            password: None,
            database: "null".to_owned(),
            table: String::new(),
            query: CHEAPEST.to_owned(),
            reply_bytes: None,
            numbers: Numbers::new(1),
            feeds: Feeds::default(),
        }
    }
}

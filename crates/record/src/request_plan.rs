//! What the operations of a contender request, without secrets.

use crate::{Skew, Workload, named::named};
use serde::{Deserialize, Serialize};

/// What the operations of a contender request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestPlan {
    /// One HTTP request, repeated.
    Request(RequestSettings),
    /// HTTP requests that follow from a workload.
    Requests {
        /// The request that checks whether the target is ready. The other requests have its
        /// headers, too.
        request: RequestSettings,
        /// The requests.
        work: Work,
    },
    /// WebSocket messages, each of which is echoed, or sent to all members of a room.
    Messages(MessageSettings),
    /// A workload on the keys of a cache.
    Store(Work),
    /// One statement to a database, repeated.
    Statement {
        /// The statement.
        statement: String,
        /// The settings of the protocol.
        sql: SqlSettings,
    },
    /// A workload on the rows of a database.
    Database {
        /// The settings of the protocol.
        sql: SqlSettings,
        /// The operations on its rows.
        work: Work,
    },
    /// A workload on the files of a directory.
    Files(Work),
    /// A program that is run to its end repeatedly.
    Program,
}

impl RequestPlan {
    /// Returns the workload from which operations follow, with its skew. Returns None if
    /// every operation is the same.
    pub fn work(&self) -> Option<&Work> {
        match self {
            RequestPlan::Requests { work, .. }
            | RequestPlan::Store(work)
            | RequestPlan::Database { work, .. }
            | RequestPlan::Files(work) => Some(work),
            _ => None,
        }
    }

    /// Gives its keys the prefix of this contender. Does nothing without a workload.
    pub fn keep_keys_of(&mut self, contender: usize) {
        match self {
            RequestPlan::Requests { work, .. }
            | RequestPlan::Store(work)
            | RequestPlan::Database { work, .. }
            | RequestPlan::Files(work) => work.workload.prefix = Workload::prefix_of(contender),
            _ => {}
        }
    }

    /// Returns the workload from which operations follow. Returns None if every operation
    /// is the same.
    pub fn workload(&self) -> Option<&Workload> {
        self.work().map(|work| &work.workload)
    }

    /// Returns how unevenly the workload requests its keys. Returns None if there is no
    /// workload, or if it uses no keys.
    pub fn skew(&self) -> Option<&Skew> {
        self.work().and_then(|work| work.skew.as_ref())
    }

    /// Returns the request. Returns None if the protocol is not HTTP.
    pub fn request(&self) -> Option<&RequestSettings> {
        match self {
            RequestPlan::Request(request) | RequestPlan::Requests { request, .. } => Some(request),
            _ => None,
        }
    }

    /// Returns the settings of a database's protocol. Returns None if the contender is not a
    /// database.
    pub fn sql(&self) -> Option<&SqlSettings> {
        match self {
            RequestPlan::Statement { sql, .. } | RequestPlan::Database { sql, .. } => Some(sql),
            _ => None,
        }
    }

    /// Returns the one statement that is sent to a database. Returns None if the contender is not
    /// a database, or if its statements follow from a workload.
    pub fn statement(&self) -> Option<&str> {
        match self {
            RequestPlan::Statement { statement, .. } => Some(statement),
            _ => None,
        }
    }

    /// Returns the names of the user's headers.
    pub fn header_names(&self) -> &[String] {
        match self {
            RequestPlan::Messages(messages) => &messages.header_names,
            _ => self.request().map_or(&[], |request| &request.header_names),
        }
    }

    /// Returns the messages. Returns None if the protocol is not WebSocket.
    pub fn messages(&self) -> Option<&MessageSettings> {
        match self {
            RequestPlan::Messages(messages) => Some(messages),
            _ => None,
        }
    }

    /// Returns the number of connections that share an operation: the members of a room, or one.
    pub fn members(&self) -> u32 {
        self.messages().and_then(|messages| messages.members).unwrap_or(1)
    }

    /// Whether the contender keeps data that a workload works on. With HTTP a workload only
    /// determines the requests.
    pub fn is_store(&self) -> bool {
        matches!(self, RequestPlan::Store(_) | RequestPlan::Database { .. } | RequestPlan::Files(_))
    }
}

/// A workload, and how unevenly it requests its keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// The operations.
    pub workload: Workload,
    /// How unevenly they request their keys. None if they use no keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skew: Option<Skew>,
}

/// The request, without its secrets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RequestSettings {
    /// The method.
    pub method: String,
    /// Names of the user's headers.
    pub header_names: Vec<String>,
    /// Bytes of body.
    pub body_bytes: u64,
    /// Codes that count as success. If empty: 200 to 299.
    pub expect: Vec<u16>,
    /// Replies without a body are meant.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub expect_empty: bool,
}

/// The messages that are sent, without the secrets of the upgrade.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageSettings {
    /// Names of the user's headers for the upgrade.
    pub header_names: Vec<String>,
    /// Content of messages.
    pub kind: MessageKind,
    /// Length of each in bytes.
    pub bytes: u32,
    /// Number of members of a room, to all of which a message is sent. None means that it is only
    /// sent back to its sender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub members: Option<u32>,
}

named! {
    /// Content of a WebSocket message.
    pub enum MessageKind {
        /// UTF-8.
        Text = "text",
        /// Any bytes.
        Binary = "binary",
    }
}

/// The settings of a database's protocol, without secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SqlSettings {
    /// How statements are sent.
    pub protocol: SqlProtocol,
    /// Which kind of table the workload's rows are in (`memory`, `unlogged`, …). None
    /// means the database's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// Maximum length of the reply to an operation, in bytes. None means 4 MiB, or what the
    /// values of its workload require.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_bytes: Option<u64>,
    /// Its lane's own cost is measured against its own server, because the null server does not
    /// support its protocol.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asks_own_server: bool,
    /// The settings of the client library in words, separated by commas. Empty if it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub library: String,
    /// How many times an operation that only writes sends its statements, each time with new parameters.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub repeats: u32,
}

fn once() -> u32 {
    1
}

fn is_once(times: &u32) -> bool {
    *times == 1
}

named! {
    /// How statements are sent to a database.
    pub enum SqlProtocol {
        /// PostgreSQL and Cassandra: as text, parsed and planned each time, in one message.
        Simple = "simple",
        /// PostgreSQL: with bound values, parsed and planned each time, in one round trip.
        Extended = "extended",
        /// MySQL: as text, parsed and planned each time.
        Text = "text",
        /// Prepared once for each connection, with bound values.
        Prepared = "prepared",
    }
}

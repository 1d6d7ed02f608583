//! What is asked of a contender, operation after operation, without its secrets.

use crate::{CassandraAsked, Skew, Workload};
use serde::{Deserialize, Serialize};

/// What is asked of a contender, operation after operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asks {
    /// One request over HTTP, again and again.
    Request(RequestAsked),
    /// Requests over HTTP that follow from a workload.
    Requests {
        /// The request that asks whether the target is ready. Its headers are in the
        /// others, too.
        request: RequestAsked,
        /// Which requests there are.
        work: Work,
    },
    /// Messages over WebSocket, each of which comes back, or to all members of a room.
    Messages(MessagesAsked),
    /// A workload on the keys of a cache.
    Store(Work),
    /// One statement to a database, again and again.
    Statement {
        /// The statement.
        statement: String,
        /// How the database is spoken to.
        sql: SqlAsked,
    },
    /// A workload on the rows of a database.
    Database {
        /// How the database is spoken to.
        sql: SqlAsked,
        /// What is done to its rows.
        work: Work,
    },
    /// A workload on the files of a directory.
    Files(Work),
    /// A program runs to its end, again and again.
    Program,
}

impl Asks {
    /// Returns the workload from which operations follow, with its skew. Returns None if
    /// every operation is the same.
    pub fn work(&self) -> Option<&Work> {
        match self {
            Asks::Requests { work, .. }
            | Asks::Store(work)
            | Asks::Database { work, .. }
            | Asks::Files(work) => Some(work),
            Asks::Request(_) | Asks::Messages(_) | Asks::Statement { .. } | Asks::Program => None,
        }
    }

    /// Gives its keys the prefix of this contender. Without a workload nothing is done.
    pub fn keep_keys_of(&mut self, contender: usize) {
        match self {
            Asks::Requests { work, .. }
            | Asks::Store(work)
            | Asks::Database { work, .. }
            | Asks::Files(work) => work.workload.prefix = Workload::prefix_of(contender),
            Asks::Request(_) | Asks::Messages(_) | Asks::Statement { .. } | Asks::Program => {}
        }
    }

    /// Returns the workload from which operations follow. Returns None if every operation
    /// is the same.
    pub fn workload(&self) -> Option<&Workload> {
        self.work().map(|work| &work.workload)
    }

    /// Returns how unevenly the workload asks for its keys. Returns None if there is no
    /// workload, or if it asks for no keys.
    pub fn skew(&self) -> Option<&Skew> {
        self.work().and_then(|work| work.skew.as_ref())
    }

    /// Returns the request. Returns None if HTTP is not spoken.
    pub fn request(&self) -> Option<&RequestAsked> {
        match self {
            Asks::Request(request) | Asks::Requests { request, .. } => Some(request),
            Asks::Messages(_)
            | Asks::Store(_)
            | Asks::Statement { .. }
            | Asks::Database { .. }
            | Asks::Files(_)
            | Asks::Program => None,
        }
    }

    /// Returns how a database is spoken to. Returns None if the contender is no database.
    pub fn sql(&self) -> Option<&SqlAsked> {
        match self {
            Asks::Statement { sql, .. } | Asks::Database { sql, .. } => Some(sql),
            Asks::Request(_)
            | Asks::Requests { .. }
            | Asks::Messages(_)
            | Asks::Store(_)
            | Asks::Files(_)
            | Asks::Program => None,
        }
    }

    /// Returns the one statement that a database is asked. Returns None if the contender is
    /// no database, or if a workload says which statements there are.
    pub fn statement(&self) -> Option<&str> {
        match self {
            Asks::Statement { statement, .. } => Some(statement),
            Asks::Request(_)
            | Asks::Requests { .. }
            | Asks::Messages(_)
            | Asks::Store(_)
            | Asks::Database { .. }
            | Asks::Files(_)
            | Asks::Program => None,
        }
    }

    /// Returns the names of the headers that were given.
    pub fn header_names(&self) -> &[String] {
        match self {
            Asks::Messages(messages) => &messages.header_names,
            _ => self.request().map_or(&[], |request| &request.header_names),
        }
    }

    /// Returns the messages. Returns None if WebSocket is not spoken.
    pub fn messages(&self) -> Option<&MessagesAsked> {
        match self {
            Asks::Messages(messages) => Some(messages),
            _ => None,
        }
    }

    /// Returns how many connections have an operation together: the members of a room, else
    /// one.
    pub fn members(&self) -> u32 {
        self.messages().and_then(|messages| messages.members).unwrap_or(1)
    }

    /// The contender keeps data that a workload works on: of HTTP a workload only says
    /// which requests there are.
    pub fn is_store(&self) -> bool {
        match self {
            Asks::Store(_) | Asks::Database { .. } | Asks::Files(_) => true,
            Asks::Request(_)
            | Asks::Requests { .. }
            | Asks::Messages(_)
            | Asks::Statement { .. }
            | Asks::Program => false,
        }
    }
}

/// A workload, and how unevenly it asks for its keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// The operations.
    pub workload: Workload,
    /// How unevenly they ask for their keys; none where they ask for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skew: Option<Skew>,
}

/// The request, without its secrets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RequestAsked {
    /// The method.
    pub method: String,
    /// Names of the headers that were given.
    pub header_names: Vec<String>,
    /// Bytes of body.
    pub body_bytes: u64,
    /// Codes that count as success; empty: 200 to 299.
    pub expect: Vec<u16>,
}

/// The messages that are sent, without the secrets of their upgrade.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessagesAsked {
    /// Names of the headers that were given for the upgrade.
    pub header_names: Vec<String>,
    /// What messages are made of.
    pub kind: MessageKind,
    /// Bytes of each.
    pub bytes: u32,
    /// Members of a room, to all of which a message is sent. None means that it comes back to
    /// its sender alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub members: Option<u32>,
}

/// What a message of WebSocket is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageKind {
    /// UTF-8.
    Text,
    /// Any bytes.
    Binary,
}

impl MessageKind {
    /// Its name, as it is written in settings.
    pub fn name(self) -> &'static str {
        match self {
            MessageKind::Text => "text",
            MessageKind::Binary => "binary",
        }
    }
}

/// How a database is spoken to, without its secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SqlAsked {
    /// How statements are sent.
    pub protocol: SqlProtocol,
    /// Which kind of table the workload's rows are in (`memory`, `unlogged`, …). None
    /// means the database's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// Bytes of the reply to an operation, at most. None: 4 MiB, or what the values of
    /// its workload take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_bytes: Option<u64>,
    /// What its lane costs by itself is measured against its own server: the null server
    /// does not speak its protocol.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asks_own_server: bool,
    /// How Cassandra's client library is set. None for other databases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cassandra: Option<CassandraAsked>,
}

/// How statements are sent to a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SqlProtocol {
    /// PostgreSQL and Cassandra: as text, parsed and planned each time, in one message.
    Simple,
    /// PostgreSQL: values bound, parsed and planned each time, in one round trip.
    Extended,
    /// MySQL: as text, parsed and planned each time.
    Text,
    /// Prepared once for each connection, values bound.
    Prepared,
}

impl SqlProtocol {
    /// Its name, as it is written in settings.
    pub fn name(self) -> &'static str {
        match self {
            SqlProtocol::Simple => "simple",
            SqlProtocol::Extended => "extended",
            SqlProtocol::Text => "text",
            SqlProtocol::Prepared => "prepared",
        }
    }
}

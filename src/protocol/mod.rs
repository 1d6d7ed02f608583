//! What each protocol is: a row of a table, in a file of its own.
//!
//! Whatever else depends on the protocol asks its row. A new protocol of a family that is
//! there is a file in this folder and a line in [`ALL`].

mod address;
mod cassandra;
pub(crate) mod cassandra_thrift;
mod files;
pub(crate) mod http;
pub(crate) mod memcached;
mod mysql;
#[cfg(feature = "oracle")]
mod oracle;
mod postgres;
mod program;
pub(crate) mod redis;
mod sql;
mod store;
pub(crate) mod websocket;

pub(crate) use address::{
    Login, Path, Query, Scheme, To, named, of_recorded, of_scheme, written_as,
};
pub(crate) use sql::{ALLOW_KEY, Sql, SqlParts, SqlTls, TLS};
pub use store::Dialect;
pub(crate) use store::{Store, StoreParts};

use crate::access::Access;
use record::{Consistency, Kind, Says};
use std::fmt;
use testserver::null::Service;

/// All protocols that this build speaks.
pub(crate) static ALL: &[&Protocol] = &[
    &http::ROW,
    &websocket::ROW,
    &memcached::ROW,
    &redis::ROW,
    &cassandra::ROW,
    &cassandra_thrift::ROW,
    &postgres::ROW,
    &mysql::ROW,
    #[cfg(feature = "oracle")]
    &oracle::ROW,
    &files::ROW,
    &program::ROW,
];

/// What a protocol is.
pub(crate) struct Protocol {
    /// What it is called in messages: its plain scheme.
    pub(crate) name: &'static str,
    /// What people call it.
    pub(crate) title: &'static str,
    /// How its addresses begin; the plain one first.
    pub(crate) schemes: &'static [Scheme],
    /// An address, for messages.
    pub(crate) example: &'static str,
    /// Which login an address can have.
    pub(crate) login: Login,
    /// What comes after the port.
    pub(crate) path: Path,
    /// What comes after the `?`.
    pub(crate) query: Query,
    /// How a contender of it is driven.
    pub(crate) family: Family,
    /// What tells that a server which was just launched speaks it.
    pub(crate) ready: Ready,
    /// Why there is only one operation in flight on a connection, if there is.
    pub(crate) no_depth: Option<&'static str>,
    /// Why a contender has no groups, if it has none.
    pub(crate) no_groups: Option<&'static str>,
    /// The consistency levels that an operation can ask for, the default first. Empty if
    /// the protocol has none.
    pub(crate) consistency: &'static [Consistency],
    /// Why an operation of this kind cannot be done, if it cannot.
    pub(crate) lacks: fn(Kind) -> Option<&'static str>,
    /// Names of the numbers that its replies are counted by.
    pub(crate) codes: fn() -> Vec<(u16, String)>,
    /// Which service of the null server speaks it, if one does.
    pub(crate) null: Option<Service>,
    /// The ways of speaking it whose cost `tiebreak conformance null` measures.
    pub(crate) ways: &'static [Way],
}

/// A way of speaking a protocol, as it is measured against the null server.
pub(crate) struct Way {
    /// What it is called.
    pub(crate) name: &'static str,
    /// It is measured with several operations in flight on a connection, too.
    pub(crate) deep: bool,
    /// The same with a connection for each operation.
    pub(crate) fresh: bool,
    /// Without login and TLS.
    pub(crate) access: fn() -> Access,
}

/// How contenders of a protocol are driven.
pub(crate) enum Family {
    /// Requests.
    Http,
    /// Messages that come back.
    WebSocket,
    /// Keys and values, by a codec of our own.
    Store(Store),
    /// Statements, through a client library.
    Sql(Sql),
    /// Files in a directory.
    Files,
    /// A whole program.
    Program,
}

/// What is sent to a server to see whether it is up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ready {
    /// A request for a page.
    Page,
    /// A request for an upgrade to WebSocket.
    Upgrade,
    /// These bytes, which it answers whatever its settings. Empty if it speaks first.
    Answers(&'static [u8]),
    /// There is no server.
    NoServer,
}

impl Protocol {
    /// What it talks to can hold keys and values.
    pub(crate) fn is_store(&self) -> bool {
        match self.family {
            Family::Store(_) | Family::Sql(_) | Family::Files => true,
            Family::Http | Family::WebSocket | Family::Program => false,
        }
    }

    /// Its row as a database, if it is one that is spoken to in SQL.
    pub(crate) fn sql(&self) -> Option<&Sql> {
        match &self.family {
            Family::Sql(sql) => Some(sql),
            Family::Http
            | Family::WebSocket
            | Family::Store(_)
            | Family::Files
            | Family::Program => None,
        }
    }

    /// It is a database that is spoken to in SQL.
    pub(crate) fn is_sql(&self) -> bool {
        self.sql().is_some()
    }

    /// Several nodes are servers that know nothing of each other, each of which holds some
    /// of the keys.
    pub(crate) fn is_sharded(&self) -> bool {
        matches!(&self.family, Family::Store(store) if store.is_sharded)
    }

    /// Whether a user-defined operation can be done.
    pub(crate) fn can_say(&self, says: &Says) -> bool {
        match (says, &self.family) {
            (Says::Sql(_), Family::Sql(_)) | (Says::Request { .. }, Family::Http) => true,
            (Says::Command(_), Family::Store(store)) => store.has_commands,
            (Says::Sql(_) | Says::Request { .. } | Says::Command(_), _) => false,
        }
    }
}

impl PartialEq for Protocol {
    fn eq(&self, other: &Protocol) -> bool {
        self.name == other.name
    }
}

impl fmt::Debug for Protocol {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_protocols_have_a_scheme_in_common() {
        let all: Vec<&str> =
            ALL.iter().flat_map(|row| row.schemes).map(|scheme| scheme.name).collect();
        let different: BTreeSet<&str> = all.iter().copied().collect();
        assert_eq!(all.len(), different.len(), "{all:?}");
    }

    #[test]
    fn the_first_scheme_is_the_plain_one_and_the_name() {
        for row in ALL {
            assert_eq!(row.schemes[0].name, row.name);
            assert!(!row.schemes[0].tls, "{}", row.name);
            assert!(row.example.starts_with(row.name), "{}", row.example);
        }
    }

    #[test]
    fn every_protocol_with_a_server_is_asked_something_at_first() {
        for row in ALL {
            let has_server = row.schemes.iter().any(|scheme| scheme.to == To::Host);
            assert_eq!(row.ready != Ready::NoServer, has_server, "{}", row.name);
        }
    }
}

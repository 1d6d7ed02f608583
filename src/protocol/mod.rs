//! The properties of each protocol: one row of a table per protocol, each in its own file.
//!
//! All other code that depends on the protocol reads its row. Adding a protocol of an existing
//! family takes a file in this directory and a line in [`ALL`].

pub mod access;
pub mod address;

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
mod schemes;
mod sql;
mod store;
pub(crate) mod websocket;

pub(crate) use schemes::{
    Login, Path, Query, Scheme, TargetKind, named, of_recorded, of_scheme, why_not_supported,
    written_as,
};
pub(crate) use sql::{ALLOW_KEY, Sql, SqlParts, SqlTls, TLS};
pub use store::Dialect;
pub(crate) use store::{Store, StoreParts};

use crate::protocol::access::Access;
use record::{Consistency, Kind, OperationText};
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

/// The properties of a protocol.
pub(crate) struct Protocol {
    /// Its name in messages: the scheme without TLS.
    pub(crate) name: &'static str,
    /// Its usual name, for reports.
    pub(crate) title: &'static str,
    /// The schemes of its addresses; the one without TLS comes first.
    pub(crate) schemes: &'static [Scheme],
    /// An example of an address, for messages.
    pub(crate) example: &'static str,
    /// Which login an address may contain.
    pub(crate) login: Login,
    /// What may follow the port.
    pub(crate) path: Path,
    /// What may follow the `?`.
    pub(crate) query: Query,
    /// How its contenders are driven.
    pub(crate) family: Family,
    /// How a launched server is checked for readiness.
    pub(crate) ready: Ready,
    /// Why a connection can have only one operation in flight, or None if it can have several.
    pub(crate) no_depth: Option<&'static str>,
    /// Why a contender cannot have groups, or None if it can.
    pub(crate) no_groups: Option<&'static str>,
    /// The consistency levels that an operation can ask for, the default first. Empty if
    /// the protocol has none.
    pub(crate) consistency: &'static [Consistency],
    /// Why an operation of this kind is not supported, or None if it is.
    pub(crate) lacks: fn(Kind) -> Option<&'static str>,
    /// The names of the codes under which its replies are counted.
    pub(crate) codes: fn() -> Vec<(u16, String)>,
    /// The service of the null server that speaks it, or None if there is none.
    pub(crate) null: Option<Service>,
    /// The variants whose cost `tiebreak conformance null` measures.
    pub(crate) null_variants: &'static [NullVariant],
}

/// A variant of a protocol whose cost is measured against the null server.
pub(crate) struct NullVariant {
    /// Its name.
    pub(crate) name: &'static str,
    /// Whether it is also measured with several operations in flight on a connection.
    pub(crate) deep: bool,
    /// Whether it is also measured with a fresh connection for each operation.
    pub(crate) fresh: bool,
    /// Returns the access without login and TLS.
    pub(crate) access: fn() -> Access,
}

/// How contenders of a protocol are driven.
pub(crate) enum Family {
    /// Requests.
    Http,
    /// Messages that the server echoes.
    WebSocket,
    /// Keys and values, through our own codec.
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
    /// These bytes, which the server answers whatever its settings are. Empty if the server sends
    /// the first bytes.
    Answers(&'static [u8]),
    /// There is no server.
    NoServer,
}

impl Protocol {
    /// Whether its contenders can hold keys and values.
    pub(crate) fn is_store(&self) -> bool {
        match self.family {
            Family::Store(_) | Family::Sql(_) | Family::Files => true,
            Family::Http | Family::WebSocket | Family::Program => false,
        }
    }

    /// Returns its properties as an SQL database, or None if it is not one.
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

    /// Whether it is an SQL database.
    pub(crate) fn is_sql(&self) -> bool {
        self.sql().is_some()
    }

    /// Whether several nodes are independent servers, each of which holds some of the keys.
    pub(crate) fn is_sharded(&self) -> bool {
        matches!(&self.family, Family::Store(store) if store.is_sharded)
    }

    /// Whether a user-defined operation is supported.
    pub(crate) fn supports(&self, says: &OperationText) -> bool {
        match (says, &self.family) {
            (OperationText::Sql(_), Family::Sql(_))
            | (OperationText::Request { .. }, Family::Http) => true,
            (OperationText::Command(_), Family::Store(store)) => store.has_commands,
            (
                OperationText::Sql(_) | OperationText::Request { .. } | OperationText::Command(_),
                _,
            ) => false,
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
            let has_server = row.schemes.iter().any(|scheme| scheme.to == TargetKind::Host);
            assert_eq!(row.ready != Ready::NoServer, has_server, "{}", row.name);
        }
    }
}

//! Cassandra and ScyllaDB by CQL, through scylla.
#![forbid(unsafe_code)]

mod null;

pub use null::null_service;

use drivers::{CassandraAccess, DatabaseAccess, cassandra};
use protocol::{
    Access, Family, Login, NO_DEPTH, NullVariant, Path, Protocol, Query, Ready, Scheme, Sql, TLS,
    is_identifier,
};
use record::{CassandraSettings, Consistency, SqlProtocol};

/// Its properties.
pub static ROW: Protocol = Protocol {
    name: "cassandra",
    title: "Cassandra",
    schemes: &[Scheme::nodes("cassandra", 9042)],
    not_supported: &[],
    example: "cassandra://USER:PASSWORD@HOST/KEYSPACE",
    login: Login::Optional,
    path: Path::Name { what: "keyspace (letters, digits, `_`)", fits: is_identifier },
    query: Query::Words(&[TLS]),
    family: Family::Sql(Sql {
        protocols: &[SqlProtocol::Prepared, SqlProtocol::Simple],
        tables: &cassandra::TABLES,
        cheapest: cassandra::CHEAPEST,
        has_charset: false,
        is_cassandra: true,
        no_reply_limit: None,
        lacks_room: |_, _| None,
        connect: |mut parts| {
            let tls = parts.tls.take().map(|tls| tls.access);
            let protocol = cassandra::Protocol {
                prepares: parts.settings.protocol == SqlProtocol::Prepared,
                consistency: parts.consistency.unwrap_or(Consistency::One),
                replication: parts.replication,
                settings: parts.settings.cassandra.clone().unwrap_or_default(),
            };
            let access: CassandraAccess = drivers::access_of(parts, protocol, tls);
            Box::new(DatabaseAccess::new(access, ROW.null))
        },
    }),
    // An OPTIONS frame of version 4, which is answered before any login.
    ready: Ready::Answers(&[4, 0, 0, 0, 5, 0, 0, 0, 0]),
    not_ready: |code| drivers::not_ready(cassandra::refusal(code)),
    full: &[],
    no_depth: Some(NO_DEPTH),
    no_groups: None,
    consistency: &Consistency::ALL,
    lacks: cassandra::lacks,
    codes: || cassandra::code_names().collect(),
    null: Some(null_service),
    null_variants: &[
        NullVariant { name: "Cassandra", deep: false, fresh: true, access: || plain(true) },
        NullVariant {
            name: "Cassandra simple",
            deep: false,
            fresh: false,
            access: || plain(false),
        },
    ],
};

/// Access that runs the cheapest statement in this way.
fn plain(prepares: bool) -> Box<dyn Access> {
    let (consistency, settings) = (Consistency::One, CassandraSettings::default());
    let protocol = cassandra::Protocol { prepares, consistency, replication: 1, settings };
    Box::new(DatabaseAccess::new(CassandraAccess::cheapest(protocol), ROW.null))
}

//! Cassandra and ScyllaDB by CQL, through scylla.
#![forbid(unsafe_code)]

mod access;
mod bind;
mod column;
mod compactions;
mod custom;
mod database;
mod dialect;
mod link;
mod load;
mod nodes;
mod null;
mod request_error;
mod session;
mod settings;
mod wide;
mod wide_statements;
mod words;

pub use access::{CassandraAccess, Sending};
pub use dialect::CassandraDialect;
pub use request_error::code_names;
pub use scylla::statement::batch::BatchType;
pub use settings::CassandraSettings;

use drivers::{Announced, DatabaseAccess, SqlAccess};
use protocol::{
    Access, Artifact, Examples, Family, Installed, Login, NO_DEPTH, NullVariant, Path, Protocol,
    Query, ReadyRequest, Recipe, Scheme, Software, Sql, TLS, is_identifier,
};
use record::{Consistency, SqlProtocol};

/// Its properties.
pub static ROW: Protocol = Protocol {
    name: "cassandra",
    title: "Cassandra",
    schemes: &[Scheme::nodes("cassandra", 9042)],
    client: "cqlsh",
    example: "cassandra://USER:PASSWORD@HOST/KEYSPACE",
    login: Login::Optional,
    path: Path::Name { what: "keyspace (letters, digits, `_`)", fits: is_identifier },
    query: Query::Words(&[TLS]),
    family: Family::Sql(Sql {
        protocols: &[SqlProtocol::Prepared, SqlProtocol::Simple],
        tables: &access::TABLES,
        cheapest: access::CHEAPEST,
        is_partitioned: true,
        no_reply_limit: None,
        lacks_room: |_, _| None,
        library: settings::library,
        connect: |mut parts| {
            let tls = parts.tls.take().map(|tls| tls.access);
            let sending = Sending {
                prepares: parts.settings.protocol == SqlProtocol::Prepared,
                consistency: parts.consistency.unwrap_or(Consistency::One),
                replication: parts.replication,
                settings: CassandraSettings::new(parts.own),
            };
            let announced = Announced::new(parts.policy);
            let common = SqlAccess::new(parts);
            let access = CassandraAccess { common, sending, tls, announced };
            Box::new(DatabaseAccess::new(access, ROW.null))
        },
    }),
    own: &settings::OWN,
    // An OPTIONS frame of version 4, which is answered before any login.
    ready: ReadyRequest::Answers(&[4, 0, 0, 0, 5, 0, 0, 0, 0]),
    not_ready: |code| drivers::not_ready(request_error::refusal(code)),
    no_depth: Some(NO_DEPTH),
    consistency: &Consistency::ALL,
    lacks: drivers::lacks_beside_wide_rows,
    codes: || code_names().collect(),
    null: Some(|| Box::new(null::Cql::default())),
    chapter: Some(("cassandra", "Cassandra")),
    examples: Examples {
        compare: &[],
        load: &[],
        setup: &[
            (
                "cassandra",
                "fetch Cassandra for its recipes; once, about 90 MB. `tiebreak compare cassandra redis \
                 --workload kv` then needs no network",
            ),
            (
                "experiments/published/cassandra-clients",
                "also fetch Cassandra, and build the PHP extension that this experiment compares",
            ),
        ],
    },
    recipes: &[
        Recipe {
            name: "cassandra",
            text: concat!(
                include_str!("../recipes/cassandra.toml"),
                include_str!("../recipes/common/5.0.toml")
            ),
        },
        Recipe {
            name: "cassandra-cluster",
            text: concat!(
                include_str!("../recipes/cassandra-cluster.toml"),
                include_str!("../recipes/common/5.0.toml")
            ),
        },
    ],
    software: &[Software {
        name: "cassandra-5.0",
        version: "5.0.9",
        title: "Cassandra",
        setup: "cassandra",
        installed: Some(Installed {
            variable: "CASSANDRA_HOME",
            program: "cassandra",
            elsewhere: "/usr/share/cassandra",
            jar: "apache-cassandra-",
        }),
        artifact: Artifact::Jars { group: "org.apache.cassandra", name: "cassandra-all" },
        checksums: include_str!("../software/cassandra-5.0.9.sha256"),
    }],
    null_variants: &[
        NullVariant::new("Cassandra", || plain(true)).fresh(),
        NullVariant::new("Cassandra simple", || plain(false)),
    ],
    ..Protocol::USUAL
};

/// Access that runs the cheapest statement in this way.
fn plain(prepares: bool) -> Box<dyn Access> {
    let (consistency, settings) = (Consistency::One, CassandraSettings::default());
    let sending = Sending { prepares, consistency, replication: 1, settings };
    Box::new(DatabaseAccess::new(CassandraAccess::cheapest(sending), ROW.null))
}

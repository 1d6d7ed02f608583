//! PostgreSQL, through tokio-postgres.

use super::sql::{NO_DEPTH, Sql, TLS};
use super::{Family, Login, NullVariant, Path, Protocol, Query, Ready, Scheme};
use crate::protocol::access::Access;
use drivers::PostgresAccess;
use drivers::postgres::Protocol as Sending;
use record::SqlProtocol;
use testserver::null::Service;

pub(super) static ROW: Protocol = Protocol {
    name: "postgres",
    title: "PostgreSQL",
    schemes: &[Scheme::host("postgres", 5432), Scheme::socket("postgres+unix")],
    example: "postgres://USER:PASSWORD@HOST/DATABASE",
    login: Login::User,
    path: Path::Name { what: "database", fits: |_| true },
    query: Query::Words(&[TLS]),
    family: Family::Sql(Sql {
        protocols: &[SqlProtocol::Prepared, SqlProtocol::Extended, SqlProtocol::Simple],
        tables: &["logged", "unlogged"],
        cheapest: drivers::CHEAPEST,
        has_charset: false,
        is_cassandra: false,
        no_reply_limit: None,
        lacks_room: |_, _| None,
        connect: |mut parts| {
            let tls = parts.tls.take().map(|tls| tls.access);
            let sending = match parts.settings.protocol {
                SqlProtocol::Simple => Sending::Simple,
                SqlProtocol::Extended => Sending::Extended,
                SqlProtocol::Prepared | SqlProtocol::Text => Sending::Prepared,
            };
            let access: PostgresAccess = parts.access(sending, tls);
            Box::new(access)
        },
    }),
    // A request for TLS, which the server answers before any login.
    ready: Ready::Answers(&[0, 0, 0, 8, 4, 210, 22, 47]),
    no_depth: Some(NO_DEPTH),
    no_groups: None,
    consistency: &[],
    lacks: drivers::lacks,
    codes: || drivers::postgres::code_names().collect(),
    null: Some(Service::Postgres),
    null_variants: &[
        NullVariant {
            name: "PostgreSQL",
            deep: false,
            fresh: true,
            access: || plain(Sending::Prepared),
        },
        NullVariant {
            name: "PostgreSQL simple",
            deep: false,
            fresh: false,
            access: || plain(Sending::Simple),
        },
    ],
};

/// Access that runs the cheapest statement in this way.
fn plain(sending: Sending) -> Access {
    Access::Database(Box::new(PostgresAccess::without_log_in(sending)))
}

//! PostgreSQL, through tokio-postgres.
#![forbid(unsafe_code)]

mod access;
mod column;
mod custom;
mod database;
mod dialect;
mod null;
mod session;
mod sqlstate;
mod tls;

pub use access::PostgresAccess;
pub use dialect::PostgresDialect;
pub use sqlstate::names as code_names;

use drivers::{DatabaseAccess, SqlAccess};
use protocol::{
    Access, ClientLibrary, Family, Login, NO_DEPTH, NullVariant, Path, Protocol, Query,
    ReadyRequest, Recipe, Scheme, Sql, TLS,
};
use record::SqlProtocol;

/// Its properties.
pub static ROW: Protocol = Protocol {
    name: "postgres",
    title: "PostgreSQL",
    schemes: &[Scheme::host("postgres", 5432), Scheme::socket("postgres+unix")],
    client: "psql",
    example: "postgres://USER:PASSWORD@HOST/DATABASE",
    login: Login::User,
    path: Path::Name { what: "database", fits: |_| true },
    query: Query::Words(&[TLS]),
    family: Family::Sql(Sql {
        protocols: &[SqlProtocol::Prepared, SqlProtocol::Extended, SqlProtocol::Simple],
        tables: &["logged", "unlogged"],
        cheapest: drivers::CHEAPEST,
        is_partitioned: false,
        no_reply_limit: None,
        lacks_room: |_, _| None,
        library: |_, _| Ok(ClientLibrary::USUAL),
        connect: |mut parts| {
            let tls = parts.tls.take().map(|tls| tls.access);
            let sending = parts.settings.protocol;
            let access = PostgresAccess { common: SqlAccess::new(parts), sending, tls };
            Box::new(DatabaseAccess::new(access, ROW.null))
        },
    }),
    // A request for TLS, which the server answers before any login.
    ready: ReadyRequest::Answers(&[0, 0, 0, 8, 4, 210, 22, 47]),
    not_ready: |code| drivers::not_ready(sqlstate::refusal(code)),
    no_depth: Some(NO_DEPTH),
    lacks: drivers::lacks,
    codes: || code_names().collect(),
    null: Some(|| Box::new(null::Postgres)),
    // Where Debian has them.
    programs: Some(("/usr/lib/postgresql", "postgres")),
    recipes: &[
        Recipe { name: "postgres", text: include_str!("../recipes/postgres.toml") },
        Recipe {
            name: "postgres-unlogged",
            text: include_str!("../recipes/postgres-unlogged.toml"),
        },
        Recipe { name: "postgres-tmpfs", text: include_str!("../recipes/postgres-tmpfs.toml") },
        Recipe { name: "pgbouncer", text: include_str!("../recipes/pgbouncer.toml") },
    ],
    null_variants: &[
        NullVariant::new("PostgreSQL", || plain(SqlProtocol::Prepared)).fresh(),
        NullVariant::new("PostgreSQL simple", || plain(SqlProtocol::Simple)),
    ],
    ..Protocol::USUAL
};

/// Access that runs the cheapest statement in this way.
fn plain(sending: SqlProtocol) -> Box<dyn Access> {
    Box::new(DatabaseAccess::new(PostgresAccess::without_log_in(sending), ROW.null))
}

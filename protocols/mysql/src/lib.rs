//! MySQL and MariaDB, through mysql_async.
#![forbid(unsafe_code)]

mod abrupt;
mod access;
mod column;
mod custom;
mod database;
mod dialect;
mod dialling;
mod key_request;
mod log_in;
mod null;
mod probe;
mod relay;
mod session;
mod tls;

pub use access::{MysqlAccess, MysqlTls, code_names};
pub use dialect::MysqlDialect;

use access::{ROW_BYTES, refusal};
use drivers::{DatabaseAccess, SqlAccess};
use engine::workload::longest_key;
use protocol::{
    ALLOW_KEY, Access, ClientLibrary, Family, Login, NO_DEPTH, NullVariant, Path, Protocol, Query,
    ReadyRequest, Recipe, Scheme, Sql, TLS,
};
use record::{SqlProtocol, SqlSettings, Workload};

/// Its properties.
pub static ROW: Protocol = Protocol {
    name: "mysql",
    title: "MySQL",
    schemes: &[Scheme::host("mysql", 3306), Scheme::socket("mysql+unix")],
    client: "mariadb",
    example: "mysql://USER:PASSWORD@HOST/DATABASE",
    login: Login::User,
    path: Path::Name { what: "database", fits: |_| true },
    query: Query::Words(&[TLS, ALLOW_KEY]),
    family: Family::Sql(Sql {
        protocols: &[SqlProtocol::Prepared, SqlProtocol::Text],
        tables: &["innodb", "memory", "aria", "myisam"],
        cheapest: drivers::CHEAPEST,
        is_partitioned: false,
        no_reply_limit: None,
        lacks_room,
        library: |_, _| Ok(ClientLibrary::USUAL),
        connect: |mut parts| {
            let tls = parts.tls.take().map(|tls| MysqlTls {
                roots: tls.roots,
                insecure: tls.insecure,
                name: Some(tls.host),
            });
            let (sending, may_ask_for_key) = (parts.settings.protocol, parts.may_ask_for_key);
            let access =
                MysqlAccess { common: SqlAccess::new(parts), sending, tls, may_ask_for_key };
            Box::new(DatabaseAccess::new(access, ROW.null))
        },
    }),
    // The server sends the first bytes.
    ready: ReadyRequest::Answers(b""),
    not_ready: |code| drivers::not_ready(refusal(code)),
    no_depth: Some(NO_DEPTH),
    lacks: drivers::lacks,
    codes: || code_names().collect(),
    null: Some(|| Box::new(null::Mysql)),
    recipes: &[
        Recipe { name: "mariadb-innodb", text: include_str!("../recipes/mariadb-innodb.toml") },
        Recipe { name: "mariadb-memory", text: include_str!("../recipes/mariadb-memory.toml") },
    ],
    null_variants: &[
        NullVariant::new("MySQL", || plain(SqlProtocol::Prepared)).fresh(),
        NullVariant::new("MySQL text", || plain(SqlProtocol::Text)),
    ],
    ..Protocol::USUAL
};

/// Access that runs the cheapest statement in this way.
fn plain(sending: SqlProtocol) -> Box<dyn Access> {
    Box::new(DatabaseAccess::new(MysqlAccess::without_log_in(sending), ROW.null))
}

fn lacks_room(settings: &SqlSettings, of: &Workload) -> Option<String> {
    let longest = of.value.most();
    let room = ROW_BYTES - longest_key(of) as u32;
    (settings.table.as_deref() == Some("memory") && longest > room).then(|| {
        format!(
            "a MEMORY table has no BLOBs, so its values have at most {room} bytes: lower --value \
             ({longest}) or use another table (--set NAME.table=innodb)"
        )
    })
}

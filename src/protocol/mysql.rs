//! MySQL and MariaDB, through mysql_async.

use super::sql::{ALLOW_KEY, NO_DEPTH, Sql, TLS};
use super::{Family, Login, NullVariant, Path, Protocol, Query, Ready, Scheme};
use crate::protocol::access::Access;
use drivers::MysqlAccess;
use drivers::mysql::{MysqlTls, Protocol as Sending, ROW_BYTES};
use engine::workload::longest_key;
use record::{SqlProtocol, SqlSettings, Workload};
use testserver::null::Service;

pub(super) static ROW: Protocol = Protocol {
    name: "mysql",
    title: "MySQL",
    schemes: &[Scheme::host("mysql", 3306), Scheme::socket("mysql+unix")],
    example: "mysql://USER:PASSWORD@HOST/DATABASE",
    login: Login::User,
    path: Path::Name { what: "database", fits: |_| true },
    query: Query::Words(&[TLS, ALLOW_KEY]),
    family: Family::Sql(Sql {
        protocols: &[SqlProtocol::Prepared, SqlProtocol::Text],
        tables: &["innodb", "memory", "aria", "myisam"],
        cheapest: drivers::CHEAPEST,
        has_charset: false,
        is_cassandra: false,
        no_reply_limit: None,
        lacks_room,
        connect: |mut parts| {
            let tls = parts.tls.take().map(|tls| MysqlTls {
                roots: tls.roots,
                insecure: tls.insecure,
                name: Some(tls.host),
            });
            let sending = match parts.settings.protocol {
                SqlProtocol::Text => Sending::Text,
                SqlProtocol::Prepared | SqlProtocol::Simple | SqlProtocol::Extended => {
                    Sending::Prepared
                }
            };
            let access: MysqlAccess = parts.access(sending, tls);
            Box::new(access)
        },
    }),
    // The server sends the first bytes.
    ready: Ready::Answers(b""),
    no_depth: Some(NO_DEPTH),
    no_groups: None,
    consistency: &[],
    lacks: drivers::lacks,
    codes: || drivers::mysql::code_names().collect(),
    null: Some(Service::Mysql),
    null_variants: &[
        NullVariant {
            name: "MySQL",
            deep: false,
            fresh: true,
            access: || plain(Sending::Prepared),
        },
        NullVariant {
            name: "MySQL text",
            deep: false,
            fresh: false,
            access: || plain(Sending::Text),
        },
    ],
};

/// Access that runs the cheapest statement in this way.
fn plain(sending: Sending) -> Access {
    Access::Database(Box::new(MysqlAccess::without_log_in(sending)))
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

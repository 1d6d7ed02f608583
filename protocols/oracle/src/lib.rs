//! Oracle Database, through oracledb. It is supported only if it is built in.
#![cfg(feature = "oracle")]
#![forbid(unsafe_code)]

mod access;
mod custom;
mod dialect;
#[cfg(test)]
mod lane_tests;
mod library;
mod link;
mod request_error;
mod session;
mod thread;

pub use access::{OracleAccess, code, code_names};
pub use dialect::OracleDialect;

use drivers::{Announced, DatabaseAccess, SqlAccess};
use protocol::{
    ClientLibrary, Family, Login, NO_DEPTH, OwnSetting, OwnValues, Path, Protocol, Query,
    ReadyRequest, Scheme, Sql,
};
use record::SqlProtocol;

/// The settings that contenders can be given.
static OWN: [OwnSetting; 1] = [OwnSetting {
    key: "charset",
    values: OwnValues::Words("a character set of the driver", &["AL32UTF8"]),
    description: "The character set that the driver uses.",
    example: "AL32UTF8",
}];

/// Its properties.
pub static ROW: Protocol = Protocol {
    name: "oracle",
    title: "Oracle",
    schemes: &[Scheme::host("oracle", 1521)],
    client: "sqlplus",
    example: "oracle://USER:PASSWORD@HOST:1521/SERVICE",
    login: Login::UserAndPassword,
    path: Path::Name { what: "service (letters, digits, `._-$`)", fits: access::is_service },
    query: Query::Words(&[]),
    family: Family::Sql(Sql {
        protocols: &[SqlProtocol::Prepared],
        tables: &[],
        cheapest: access::CHEAPEST,
        is_partitioned: false,
        no_reply_limit: Some("oracledb cannot limit the length of a reply"),
        lacks_room: |_, of| {
            let (least, longest) = (of.value.least(), of.value.most());
            let most = access::VALUE_BYTES;
            let why = || {
                format!("values on Oracle are RAW and must have 1 to {most} bytes: change --value")
            };
            (longest > most || least == 0).then(why)
        },
        library: |_, _| Ok(ClientLibrary::USUAL),
        connect: |parts| {
            let announced = Announced::new(parts.policy);
            let access = OracleAccess { common: SqlAccess::new(parts), announced };
            Box::new(DatabaseAccess::new(access, ROW.null))
        },
    }),
    own: &OWN,
    ready: ReadyRequest::Answers(b"PING\r\n"),
    not_ready: |code| drivers::not_ready(access::refusal(code)),
    no_depth: Some(NO_DEPTH),
    lacks: drivers::lacks,
    codes: || code_names().collect(),
    ..Protocol::USUAL
};

//! Oracle Database, through oracledb. It is supported only if it is built in.
#![cfg(feature = "oracle")]
#![forbid(unsafe_code)]

use drivers::{DatabaseAccess, OracleAccess, oracle};
use protocol::{Family, Login, NO_DEPTH, Path, Protocol, Query, Ready, Scheme, Sql};
use record::SqlProtocol;

/// Its properties.
pub static ROW: Protocol = Protocol {
    name: "oracle",
    title: "Oracle",
    schemes: &[Scheme::host("oracle", 1521)],
    not_supported: &[],
    example: "oracle://USER:PASSWORD@HOST:1521/SERVICE",
    login: Login::UserAndPassword,
    path: Path::Name { what: "service (letters, digits, `._-$`)", fits: oracle::is_service },
    query: Query::Words(&[]),
    family: Family::Sql(Sql {
        protocols: &[SqlProtocol::Prepared],
        tables: &[],
        cheapest: oracle::CHEAPEST,
        has_charset: true,
        is_cassandra: false,
        no_reply_limit: Some("oracledb cannot limit the length of a reply"),
        lacks_room: |_, of| {
            let (least, longest) = (of.value.least(), of.value.most());
            let most = oracle::VALUE_BYTES;
            let why = || {
                format!("values on Oracle are RAW and must have 1 to {most} bytes: change --value")
            };
            (longest > most || least == 0).then(why)
        },
        connect: |parts| {
            let access: OracleAccess = drivers::access_of(parts, (), None);
            Box::new(DatabaseAccess::new(access, ROW.null))
        },
    }),
    ready: Ready::Answers(b"PING\r\n"),
    not_ready: |code| drivers::not_ready(oracle::refusal(code)),
    full: &[],
    no_depth: Some(NO_DEPTH),
    no_groups: None,
    consistency: &[],
    lacks: drivers::lacks,
    codes: || oracle::code_names().collect(),
    null: None,
    null_variants: &[],
};

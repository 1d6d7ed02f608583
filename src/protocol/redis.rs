//! Redis and Valkey, in RESP.

use super::store::{Dialect, Store, StoreParts};
use super::{Family, Login, NullVariant, Path, Protocol, Query, Ready, Scheme};
use crate::protocol::access::Access;
use engine::workload::Feeds;
use engine::{Numbers, RespAccess, resp_lacks};
use testserver::null::Service;
use wire::resp;

pub(super) static ROW: Protocol = Protocol {
    name: "redis",
    title: "Redis",
    schemes: &[Scheme::host("redis", 6379), Scheme::socket("redis+unix")],
    example: "redis://127.0.0.1:6379/0",
    login: Login::Optional,
    path: Path::Number,
    query: Query::Words(&[]),
    family: Family::Store(Store {
        dialects: &[Dialect::Resp2, Dialect::Resp3],
        is_sharded: false,
        has_commands: true,
        connect,
    }),
    ready: Ready::Answers(b"PING\r\n"),
    no_depth: None,
    no_groups: None,
    consistency: &[],
    lacks: resp_lacks,
    codes: || {
        let codes = resp::codes::TABLE.iter();
        codes.map(|(code, name)| (*code, (*name).to_owned())).collect()
    },
    null: Some(Service::Stores),
    null_variants: &[
        NullVariant {
            name: "RESP2",
            deep: true,
            fresh: false,
            access: || plain(resp::Protocol::Resp2),
        },
        NullVariant {
            name: "RESP3",
            deep: true,
            fresh: false,
            access: || plain(resp::Protocol::Resp3),
        },
    ],
};

/// RESP in this version.
pub(crate) fn plain(protocol: resp::Protocol) -> Access {
    let login = resp::Login { protocol, ..resp::Login::default() };
    let opening = resp::Opening::new(&login).expect("no user without a password");
    Access::Resp(RespAccess { opening, numbers: Numbers::new(1), feeds: Feeds::default() })
}

/// Makes the access to an address such as `redis://user:password@…/3`; `redis://:password@…` logs
/// the default user in.
fn connect(parts: StoreParts) -> Result<Access, String> {
    let protocol = match parts.dialect {
        Some(Dialect::Resp3) => resp::Protocol::Resp3,
        Some(Dialect::Resp2 | Dialect::Text | Dialect::Meta) | None => resp::Protocol::Resp2,
    };
    let (user, password) = (parts.user.as_deref(), parts.password.as_deref());
    let login = resp::Login { protocol, user, password, database: parts.database };
    let opening = resp::Opening::new(&login).map_err(|fault| fault.0.to_owned())?;
    Ok(Access::Resp(RespAccess { opening, numbers: parts.numbers, feeds: parts.feeds }))
}

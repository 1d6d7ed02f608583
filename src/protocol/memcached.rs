//! memcached.

use super::store::{Dialect, Store};
use super::{Family, Login, NullVariant, Path, Protocol, Query, Ready, Scheme};
use crate::protocol::access::Access;
use engine::{MemcachedAccess, Numbers, memcached_lacks};
use testserver::null::Service;
use wire::memcached;

pub(super) static ROW: Protocol = Protocol {
    name: "memcached",
    title: "memcached",
    schemes: &[Scheme::nodes("memcached", 11211), Scheme::socket("memcached+unix")],
    example: "memcached://127.0.0.1:11211",
    login: Login::Never,
    path: Path::Nothing,
    query: Query::Words(&[]),
    family: Family::Store(Store {
        dialects: &[Dialect::Text, Dialect::Meta],
        is_sharded: true,
        has_commands: false,
        connect: |parts| {
            let dialect = match parts.dialect {
                Some(Dialect::Meta) => memcached::Dialect::Meta,
                Some(Dialect::Text | Dialect::Resp2 | Dialect::Resp3) | None => {
                    memcached::Dialect::Text
                }
            };
            let (numbers, sharded) = (parts.numbers, parts.sharded);
            Ok(Access::Memcached(MemcachedAccess { dialect, numbers, sharded }))
        },
    }),
    ready: Ready::Answers(b"version\r\n"),
    no_depth: None,
    no_groups: None,
    consistency: &[],
    lacks: memcached_lacks,
    codes: || {
        let codes = memcached::codes::TABLE.iter();
        codes.map(|(code, name)| (*code, (*name).to_owned())).collect()
    },
    null: Some(Service::Stores),
    null_variants: &[
        NullVariant {
            name: "memcached text",
            deep: true,
            fresh: false,
            access: || plain(memcached::Dialect::Text),
        },
        NullVariant {
            name: "memcached meta",
            deep: true,
            fresh: false,
            access: || plain(memcached::Dialect::Meta),
        },
    ],
};

/// memcached in this dialect.
pub(crate) fn plain(dialect: memcached::Dialect) -> Access {
    Access::Memcached(MemcachedAccess { dialect, numbers: Numbers::new(1), sharded: None })
}

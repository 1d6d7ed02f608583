//! memcached.
#![forbid(unsafe_code)]

mod lane;
mod null;
#[cfg(all(test, feature = "servers"))]
#[path = "../../../tests/common/scratch.rs"]
mod scratch;
mod side_channel;
#[cfg(test)]
mod side_channel_tests;

pub use lane::{MemcachedAccess, memcached_lanes};

use engine::store::StoreEncoding;
use engine::{MakeLane, Numbers, grouped};
use lane::MemcachedWords;
use protocol::side_channel::SideChannel;
use protocol::{
    Access, Examples, Family, Login, NotReady, NullLane, NullVariant, Path, Protocol, Query,
    ReadyRequest, Recipe, Scheme, Store,
};
use record::{Address, DriveOrder};
use testserver::null::Data;
use wire::memcached;

/// Its properties.
pub static ROW: Protocol = Protocol {
    name: "memcached",
    title: "memcached",
    schemes: &[Scheme::nodes("memcached", 11211), Scheme::socket("memcached+unix")],
    client: "nc",
    memory_setting: "-m",
    example: "memcached://127.0.0.1:11211",
    login: Login::Never,
    path: Path::Nothing,
    query: Query::Words(&[]),
    family: Family::Store(Store {
        dialects: &["text", "meta"],
        is_sharded: true,
        has_commands: false,
        connect: |parts| {
            let dialect = match parts.dialect {
                Some("meta") => memcached::Dialect::Meta,
                _ => memcached::Dialect::Text,
            };
            let (numbers, sharded) = (parts.numbers, parts.sharded);
            Ok(Box::new(MemcachedAccess { dialect, numbers, sharded }))
        },
    }),
    ready: ReadyRequest::Answers(b"version\r\n"),
    not_ready,
    full: &[memcached::codes::OUT_OF_MEMORY],
    lacks: MemcachedWords::lacks,
    codes: || {
        let codes = memcached::codes::TABLE.iter();
        codes.map(|(code, name)| (*code, (*name).to_owned())).collect()
    },
    null: Some(|| Box::new(null::Memcached(Data::of_kv()))),
    examples: Examples {
        compare: &[(
            "memcached file:///dev/shm/cache --value 1kB --distribution 'zipf(0.99)'",
            "a store, and a directory used as a cache: tiebreak loads both first, and verifies what they return",
        )],
        load: &[(
            "memcached://127.0.0.1:11211 --keys 1M --value 100B",
            "a million keys; a later `tiebreak run` with the same flags finds them loaded",
        )],
        setup: &[],
    },
    recipes: &[Recipe { name: "memcached", text: include_str!("../recipes/memcached.toml") }],
    null_variants: &[
        NullVariant::new("memcached text", || plain(memcached::Dialect::Text)).deep(),
        NullVariant::new("memcached meta", || plain(memcached::Dialect::Meta)).deep(),
    ],
    ..Protocol::USUAL
};

impl Access for MemcachedAccess {
    fn lanes(&self, order: &DriveOrder, contender: usize) -> Vec<MakeLane> {
        grouped(order, contender, |order| memcached_lanes(order, contender, self))
    }

    fn null_lane(&self) -> Option<NullLane> {
        let dialect = self.dialect;
        let name = match dialect {
            memcached::Dialect::Text => "memcached text",
            memcached::Dialect::Meta => "memcached meta",
        };
        Some(NullLane { access: plain(dialect), name: Some(name.to_owned()), service: ROW.null })
    }

    fn side_channel(
        &self,
        address: &Address,
        _table: Option<&str>,
    ) -> Option<Box<dyn SideChannel>> {
        Some(Box::new(side_channel::Servers::at(address)))
    }
}

/// memcached in this dialect.
fn plain(dialect: memcached::Dialect) -> Box<dyn Access> {
    let numbers = Numbers::new(1);
    Box::new(MemcachedAccess { dialect, numbers, sharded: None })
}

/// Explains the error with which a server answers.
fn not_ready(code: u16) -> NotReady {
    match code {
        memcached::codes::TOO_MANY_CONNECTIONS => {
            NotReady::NotYet("it has reached its limit of connections")
        }
        memcached::codes::UNAUTHENTICATED => NotReady::Never(
            "it requires authentication, which tiebreak does not support for memcached",
        ),
        _ => NotReady::ERROR,
    }
}

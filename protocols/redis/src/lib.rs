//! Redis and Valkey, in RESP.
#![forbid(unsafe_code)]

mod lane;
mod null;
#[cfg(test)]
#[path = "../../../tests/common/scratch.rs"]
mod scratch;
mod side_channel;
#[cfg(test)]
mod side_channel_tests;

pub use lane::{RespAccess, resp_lanes};

use engine::store::StoreEncoding;
use engine::workload::Feeds;
use engine::{MakeLane, Numbers, grouped};
use lane::RespWords;
use protocol::side_channel::SideChannel;
use protocol::{
    Access, Examples, Family, Login, NotReady, NullLane, NullVariant, Path, Protocol, Query,
    ReadyRequest, Recipe, Scheme, Store, StoreParts,
};
use record::{Address, DriveOrder};
use testserver::null::Data;
use wire::resp;

/// Its properties.
pub static ROW: Protocol = Protocol {
    name: "redis",
    title: "Redis",
    schemes: &[Scheme::host("redis", 6379), Scheme::socket("redis+unix")],
    not_supported: &[(
        "rediss",
        "TLS to Redis is not supported yet; drive a port without TLS as redis://HOST:PORT, or let a \
         proxy on this machine speak TLS to the server",
    )],
    client: "redis-cli",
    memory_setting: "maxmemory",
    example: "redis://127.0.0.1:6379/0",
    login: Login::Optional,
    path: Path::Number,
    query: Query::Words(&[]),
    family: Family::Store(Store {
        dialects: &["resp2", "resp3"],
        is_sharded: false,
        has_commands: true,
        connect,
    }),
    ready: ReadyRequest::Answers(b"PING\r\n"),
    not_ready,
    full: &[resp::codes::OOM],
    lacks: RespWords::lacks,
    codes: || {
        let codes = resp::codes::TABLE.iter();
        codes.map(|(code, name)| (*code, (*name).to_owned())).collect()
    },
    null: Some(|| Box::new(null::Redis(Data::of_kv()))),
    examples: Examples {
        compare: &[(
            "one=redis://127.0.0.1:6379 many=redis://127.0.0.1:6379 --set many.depth=16",
            "one store, with one and with sixteen operations in flight on each connection",
        )],
        load: &[(
            "redis://:${PASSWORD}@127.0.0.1/3 --reload",
            "write all keys, even if they are there already",
        )],
        setup: &[],
    },
    recipes: &[Recipe { name: "redis", text: include_str!("../recipes/redis.toml") }],
    null_variants: &[
        NullVariant::new("RESP2", || plain(resp::Protocol::Resp2)).deep(),
        NullVariant::new("RESP3", || plain(resp::Protocol::Resp3)).deep(),
    ],
    ..Protocol::USUAL
};

impl Access for RespAccess {
    fn lanes(&self, order: &DriveOrder, contender: usize) -> Vec<MakeLane> {
        grouped(order, contender, |order| resp_lanes(order, contender, self))
    }

    fn null_lane(&self) -> Option<NullLane> {
        let (access, name) = (plain(resp::Protocol::Resp2), Some("RESP2".to_owned()));
        Some(NullLane { access, name, service: ROW.null })
    }

    fn side_channel(
        &self,
        address: &Address,
        _table: Option<&str>,
    ) -> Option<Box<dyn SideChannel>> {
        let (address, opening) = (address.clone(), self.opening.clone());
        Some(Box::new(side_channel::Server { address, opening }))
    }
}

/// RESP in this version.
fn plain(protocol: resp::Protocol) -> Box<dyn Access> {
    let login = resp::Login { protocol, ..resp::Login::default() };
    let opening = resp::Opening::new(&login).expect("no user without a password");
    Box::new(RespAccess { opening, numbers: Numbers::new(1), feeds: Feeds::default() })
}

/// Makes the access to an address such as `redis://user:password@…/3`; `redis://:password@…` logs
/// the default user in.
fn connect(parts: StoreParts) -> Result<Box<dyn Access>, String> {
    let protocol = match parts.dialect {
        Some("resp3") => resp::Protocol::Resp3,
        _ => resp::Protocol::Resp2,
    };
    let (user, password) = (parts.user.as_deref(), parts.password.as_deref());
    let login = resp::Login { protocol, user, password, database: parts.database };
    let opening = resp::Opening::new(&login).map_err(|fault| fault.0.to_owned())?;
    Ok(Box::new(RespAccess { opening, numbers: parts.numbers, feeds: parts.feeds }))
}

/// Explains the error with which a server answers.
fn not_ready(code: u16) -> NotReady {
    match code {
        resp::codes::LOADING => NotReady::NotYet("it is still loading its data"),
        resp::codes::NOAUTH => NotReady::Never(
            "it requires a password: redis://:PASSWORD@HOST or redis://USER:PASSWORD@HOST",
        ),
        resp::codes::WRONGPASS => NotReady::Never("it rejects the user or the password"),
        resp::codes::NOPERM => {
            NotReady::Never("it does not allow this user to execute the command")
        }
        resp::codes::MOVED
        | resp::codes::ASK
        | resp::codes::CROSSSLOT
        | resp::codes::CLUSTERDOWN => NotReady::Never(
            "it is a node of a cluster, which has the keys on several nodes; tiebreak drives single \
             servers of Redis",
        ),
        resp::codes::READONLY => NotReady::Never("it is a replica, which accepts no writes"),
        resp::codes::MAX_CLIENTS => NotReady::NotYet("it has reached its limit of connections"),
        _ => NotReady::ERROR,
    }
}

//! Lanes by themselves: driven against the null server, so that what is measured
//! is the generator.

use crate::access::Access;
use crate::exit::Error;
use crate::testserver::null::{Door, NullServer};
use drivers::{SqlAccess, mysql, postgres};
use engine::workload::{Feeds, preset};
use engine::{
    Access as Wire, Broken, HttpAccess, MemcachedAccess, Numbers, RespAccess, Stop, TargetClock,
};
use record::{Address, Arrivals, Asked, Doing, LaneAsked, Reuse, TrialRecord, Verify, Workload};
use std::ops::ControlFlow;
use wire::http1::Request;
use wire::{memcached, resp};

/// The null server never takes that long.
const TIMEOUT_NS: u64 = 5_000_000_000;

/// A lane of this protocol without logins and TLS: what every way of speaking it
/// costs at least. None where nothing tells that.
pub(crate) fn plain(access: &Access) -> Option<Access> {
    Some(match access {
        Access::Engine(Wire::Http(_)) => http(),
        Access::Engine(Wire::Memcached(access)) => memcached(access.dialect),
        Access::Engine(Wire::Resp(_)) => resp(resp::Protocol::Resp2),
        Access::Engine(Wire::Files(_)) => return None,
        Access::Postgres(access) => postgres(access.protocol),
        Access::Mysql(access) => mysql(access.protocol),
        // Its own server's cheapest statement: the null server does not speak it.
        #[cfg(feature = "oracle")]
        Access::Oracle(access) => {
            let query = drivers::oracle::CHEAPEST.to_owned();
            Access::Oracle(drivers::OracleAccess { query, ..access.clone() })
        }
    })
}

/// What tells this lane, made plain, from others; none where what it costs depends on
/// its target.
pub(crate) fn protocol(access: &Access) -> Option<String> {
    Some(match access {
        Access::Engine(Wire::Http(_)) => "HTTP/1.1".to_owned(),
        Access::Engine(Wire::Memcached(access)) => format!("memcached {:?}", access.dialect),
        Access::Engine(Wire::Resp(_)) => "RESP2".to_owned(),
        Access::Engine(Wire::Files(_)) => return None,
        Access::Postgres(access) => format!("PostgreSQL {:?}", access.protocol),
        Access::Mysql(access) => format!("MySQL {:?}", access.protocol),
        #[cfg(feature = "oracle")]
        Access::Oracle(_) => return None,
    })
}

/// HTTP/1.1: a GET of a page.
pub(crate) fn http() -> Access {
    let page = Request { method: "GET", path: "/", host: "null", headers: &[], body_len: None };
    let head = page.encode().expect("nothing in it can be refused").into();
    let access = HttpAccess {
        head,
        body: None,
        head_only: false,
        expect: Vec::new(),
        tls: None,
        requests: None,
    };
    Access::Engine(Wire::Http(access))
}

/// memcached in this dialect.
pub(crate) fn memcached(dialect: memcached::Dialect) -> Access {
    Access::Engine(Wire::Memcached(MemcachedAccess { dialect, numbers: Numbers::new(1) }))
}

/// RESP in this version.
pub(crate) fn resp(protocol: resp::Protocol) -> Access {
    let login = resp::Login { protocol, ..resp::Login::default() };
    let opening = resp::Opening::new(&login).expect("no user without a password");
    Access::Engine(Wire::Resp(RespAccess {
        opening,
        numbers: Numbers::new(1),
        feeds: Feeds::default(),
    }))
}

/// PostgreSQL, asked the cheapest statement in this way.
pub(crate) fn postgres(protocol: postgres::Protocol) -> Access {
    Access::Postgres(sql(protocol))
}

/// MySQL, asked the same.
pub(crate) fn mysql(protocol: mysql::Protocol) -> Access {
    Access::Mysql(sql(protocol))
}

fn sql<P: Clone, T: Clone>(protocol: P) -> SqlAccess<P, T> {
    let access = SqlAccess {
        user: "null".to_owned(),
        password: None,
        database: "null".to_owned(),
        table: String::new(),
        query: String::new(),
        protocol,
        tls: None,
        may_ask_for_key: false,
        reply_bytes: None,
        numbers: Numbers::new(1),
        feeds: Feeds::default(),
    };
    access.cheapest()
}

/// The workload `kv`, with which stores are driven.
pub(crate) fn workload(verify: Verify) -> Workload {
    Workload { verify, ..preset("kv").expect("a preset") }
}

/// A lane in closed loop; the address is known when the null server runs.
pub(crate) fn lane(connections: u32, depth: u32, reuse: Reuse, doing: Doing) -> LaneAsked {
    LaneAsked {
        address: Address::Tcp(([127, 0, 0, 1], 0).into()),
        connections,
        depth,
        reuse,
        doing,
        arrivals: Arrivals::Closed,
        timeout_ns: TIMEOUT_NS,
        burn_in_ns: 0,
        operations: None,
        groups: Vec::new(),
    }
}

/// Drives an order against a null server on this core, one door for each lane that
/// it has one for; the others go where the order says. The server lives as long as the
/// call.
///
/// # Errors
/// When the server cannot be started, or tiebreak itself failed.
pub(crate) fn drive(
    mut order: Asked,
    accesses: &[Access],
    core: Option<u32>,
    stop: &Stop,
    each: &mut dyn FnMut(TrialRecord) -> ControlFlow<()>,
) -> Result<(), Broken> {
    let server = null_server(accesses, core)?;
    let lanes = order.lanes.iter_mut().zip(accesses);
    let with_doors = lanes.filter(|(_, access)| door(access).is_some());
    for ((lane, _), address) in with_doors.zip(server.addresses()) {
        lane.address = Address::Tcp(*address);
    }
    let lanes = accesses.iter().enumerate().map(|(lane, access)| access.lanes(&order, lane));
    let lanes = lanes.collect();
    // On one core the generator waits for its own server, which disturbs nothing: how long
    // that ran is in the record where both have one core, and nowhere else.
    let share = core.is_none_or(|core| order.cores.contains(&core));
    let read = || Box::new(|| Some(server.cpu_ns())) as TargetClock<'_>;
    let clocks = order.lanes.iter().filter(|_| share).map(|_| read()).collect();
    engine::run(&order, lanes, clocks, stop, each)
}

/// A null server with the doors that these want, in their order.
///
/// # Errors
/// When it cannot be started.
pub(super) fn null_server(accesses: &[Access], core: Option<u32>) -> Result<NullServer, Broken> {
    let doors: Vec<Door> = accesses.iter().filter_map(door).collect();
    NullServer::start(&doors, core)
        .map_err(|error| Broken::system("the null server cannot start", &error))
}

fn door(access: &Access) -> Option<Door> {
    match access {
        Access::Engine(_) => Some(Door::Stores),
        Access::Postgres(_) => Some(Door::Postgres),
        Access::Mysql(_) => Some(Door::Mysql),
        #[cfg(feature = "oracle")]
        Access::Oracle(_) => None,
    }
}

/// tiebreak itself failed.
pub(crate) fn failed(broken: Broken) -> Error {
    Error::failed(broken.0)
}

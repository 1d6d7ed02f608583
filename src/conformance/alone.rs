//! Lanes by themselves: driven against the null server, so that what is measured
//! is the generator.

use crate::exit::Error;
use crate::testserver::null::NullServer;
use engine::workload::preset;
use engine::{Access, Broken, HttpAccess, MemcachedAccess, Numbers, RespAccess, Stop};
use record::{Address, Arrivals, Asked, Doing, LaneAsked, Reuse, TrialRecord, Verify, Workload};
use std::ops::ControlFlow;
use wire::http1::Request;
use wire::{memcached, resp};

/// The null server never takes that long.
const TIMEOUT_NS: u64 = 5_000_000_000;

/// A lane of this protocol without logins and TLS: what every way of speaking it
/// costs at least. None where the null server does not speak it.
pub(crate) fn plain(access: &Access) -> Option<Access> {
    Some(match access {
        Access::Http(_) => http(),
        Access::Memcached(access) => memcached(access.dialect),
        Access::Resp(_) => resp(resp::Protocol::Resp2),
        Access::Files(_) => return None,
    })
}

/// HTTP/1.1: a GET of a page.
pub(crate) fn http() -> Access {
    let page = Request { method: "GET", path: "/", host: "null", headers: &[], body_len: None };
    let head = page.encode().expect("nothing in it can be refused").into();
    Access::Http(HttpAccess { head, body: None, head_only: false, expect: Vec::new(), tls: None })
}

/// memcached in this dialect.
pub(crate) fn memcached(dialect: memcached::Dialect) -> Access {
    Access::Memcached(MemcachedAccess { dialect, numbers: Numbers::new(1) })
}

/// RESP in this version.
pub(crate) fn resp(protocol: resp::Protocol) -> Access {
    let login = resp::Login { protocol, ..resp::Login::default() };
    let opening = resp::Opening::new(&login).expect("no user without a password");
    Access::Resp(RespAccess { opening, numbers: Numbers::new(1) })
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

/// Drives an order against a null server on this core, one door for each lane;
/// the server lives as long as the call.
///
/// # Errors
/// When the server cannot be started, or tiebreak itself failed.
pub(crate) fn drive(
    order: &Asked,
    accesses: &[Access],
    core: Option<u32>,
    stop: &Stop,
    each: &mut dyn FnMut(TrialRecord) -> ControlFlow<()>,
) -> Result<(), Broken> {
    let server = NullServer::start(accesses.len(), core)
        .map_err(|error| Broken::system("the null server cannot start", &error))?;
    let mut order = order.clone();
    for (lane, address) in order.lanes.iter_mut().zip(server.addresses()) {
        lane.address = Address::Tcp(*address);
    }
    let lanes = accesses.iter().enumerate().map(|(lane, access)| access.lanes(&order, lane));
    let lanes = lanes.collect();
    engine::run(&order, lanes, Vec::new(), stop, each)
}

/// tiebreak itself failed.
pub(crate) fn failed(broken: Broken) -> Error {
    Error::failed(broken.0)
}

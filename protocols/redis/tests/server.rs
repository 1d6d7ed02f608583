//! A real Redis.

use engine::Numbers;
use engine::workload::Feeds;
use protocol::testing::{Dialect, StoreServer};
use redis::{RespAccess, resp_lanes};
use std::process::Command;
use wire::resp::{Login, Opening, Protocol};

/// Both versions of its protocol.
#[allow(dead_code, reason = "not each test program has tests of both")]
pub(crate) const DIALECTS: [Dialect; 2] =
    [("RESP2", || start(Protocol::Resp2)), ("RESP3", || start(Protocol::Resp3))];

/// Accepts connections only from 127.0.0.1.
pub(crate) fn start(protocol: Protocol) -> StoreServer {
    start_with(protocol, &[])
}

pub(crate) fn start_with(protocol: Protocol, more: &'static [&str]) -> StoreServer {
    let opening = Opening::new(&Login { protocol, ..Login::default() }).expect("no user");
    let access = RespAccess { opening, numbers: Numbers::new(8), feeds: Feeds::default() };
    StoreServer::start(
        move |address| {
            let mut command = Command::new("redis-server");
            let port = address.port().to_string();
            command.args(["--bind", "127.0.0.1", "--save", "", "--port", &port]).args(more);
            command
        },
        move |order| resp_lanes(order, 0, &access),
    )
}

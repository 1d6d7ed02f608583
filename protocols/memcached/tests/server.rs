//! A real memcached.

use engine::Numbers;
use memcached::{MemcachedAccess, memcached_lanes};
use protocol::testing::{Dialect as Named, StoreServer};
use std::process::Command;
use wire::memcached::Dialect;

/// Both dialects.
#[allow(dead_code, reason = "not each test program has tests of all dialects")]
pub(crate) const DIALECTS: [Named; 2] =
    [("text", || start(Dialect::Text)), ("meta", || start(Dialect::Meta))];

pub(crate) fn start(dialect: Dialect) -> StoreServer {
    let access = MemcachedAccess { dialect, numbers: Numbers::new(8), sharded: None };
    StoreServer::start(
        |address| {
            let mut command = Command::new("memcached");
            let port = address.port().to_string();
            command.args(["-l", "127.0.0.1", "-U", "0", "-u", "nobody", "-p", &port]);
            command
        },
        move |order| memcached_lanes(order, 0, &access),
    )
}

//! The test server as a client sees it: every behaviour, over real sockets.

mod answers;
mod client;
mod faults;
mod flags;
mod process;
#[path = "../common/scratch.rs"]
mod scratch;
mod times;
mod workers;

use std::num::NonZeroU64;
use testserver::{Behaviour, TestServer};

fn start(behaviour: Behaviour) -> TestServer {
    TestServer::start(behaviour, None).expect("a server on a free port")
}

fn every(n: u64) -> Option<NonZeroU64> {
    NonZeroU64::new(n)
}

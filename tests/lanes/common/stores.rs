//! Real stores for tests, each in a separate process on a separate port.
#![allow(clippy::disallowed_types, reason = "a test has deadlines of its own")]

use ::memcached::{MemcachedAccess, memcached_lanes};
use ::redis::{RespAccess, resp_lanes};
use engine::workload::Feeds;
use engine::{MakeLane, Numbers, Stop, grouped};
use record::{Address, DriveOrder, TrialRecord};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::ops::ControlFlow;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};
use wire::memcached::Dialect;
use wire::resp::{Login, Opening, Protocol};

/// The protocol of a store.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum StoreProtocol {
    Text,
    Meta,
    Resp2,
    Resp3,
}

/// A server that runs until it is dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
    dialogue: StoreProtocol,
    numbers: Numbers,
}

impl Server {
    pub(crate) fn start(dialogue: StoreProtocol, more: &[&str]) -> Server {
        let gives_up = Instant::now() + Duration::from_secs(30);
        // Another process may take the port first: then the next one is tried.
        while Instant::now() < gives_up {
            let Some(address) = next_port() else { continue };
            if let Some(child) = answering(dialogue, address, more, gives_up) {
                return Server { child, address, dialogue, numbers: Numbers::new(8) };
            }
        }
        panic!("{dialogue:?}: no server within half a minute");
    }

    /// Kills it, as a crash would end it.
    pub(crate) fn kill(&mut self) {
        // It may have been killed before.
        let _ = self.child.kill();
        self.child.wait().expect("our child");
    }

    /// Starts it again at its address, after [`Server::kill`].
    pub(crate) fn start_again(&mut self) {
        let gives_up = Instant::now() + Duration::from_secs(30);
        self.child = answering(self.dialogue, self.address, &[], gives_up).expect("a free port");
    }

    /// Drives the order of one lane on this server.
    pub(crate) fn drive(&self, order: &mut DriveOrder) -> Vec<TrialRecord> {
        order.lanes[0].address = Address::Tcp(self.address);
        let lanes = grouped(order, 0, |order| self.lanes(order));
        let mut trials = Vec::new();
        let stop = Stop::new().expect("a descriptor");
        let each = &mut |trial| {
            trials.push(trial);
            ControlFlow::Continue(())
        };
        engine::run(order, vec![lanes], Vec::new(), &stop, each).expect("the engine holds");
        trials
    }

    fn lanes(&self, order: &DriveOrder) -> Vec<MakeLane> {
        let numbers = self.numbers.clone();
        let memcached = |dialect| {
            memcached_lanes(
                order,
                0,
                &MemcachedAccess { dialect, numbers: numbers.clone(), sharded: None },
            )
        };
        let resp = |protocol| {
            let login = Login { protocol, ..Login::default() };
            let opening = Opening::new(&login).expect("no user");
            resp_lanes(
                order,
                0,
                &RespAccess { opening, numbers: numbers.clone(), feeds: Feeds::default() },
            )
        };
        match self.dialogue {
            StoreProtocol::Text => memcached(Dialect::Text),
            StoreProtocol::Meta => memcached(Dialect::Meta),
            StoreProtocol::Resp2 => resp(Protocol::Resp2),
            StoreProtocol::Resp3 => resp(Protocol::Resp3),
        }
    }
}

/// Returns a server that answers at this address, or None if it ends at once because another
/// process took the port.
fn answering(
    dialogue: StoreProtocol,
    address: SocketAddr,
    more: &[&str],
    gives_up: Instant,
) -> Option<Child> {
    let mut child = command(dialogue, address, more).spawn().expect("./test installs it");
    while child.try_wait().expect("our child").is_none() && Instant::now() < gives_up {
        if TcpStream::connect(address).is_ok() {
            return Some(child);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    None
}

/// Returns an address on which nothing listens and that no other test of this process gets: if
/// two servers use one port the second takes a moment to end, and meanwhile the first one
/// answers for it. The port is below the range of client ports, where a socket could connect to
/// itself.
fn next_port() -> Option<SocketAddr> {
    static TAKEN: AtomicU16 = AtomicU16::new(0);
    let taken = TAKEN.fetch_add(1, Ordering::Relaxed);
    let begin = (std::process::id() % 100) as u16 * 100;
    let address = SocketAddr::from(([127, 0, 0, 1], 20_000 + begin + taken));
    TcpListener::bind(address).is_ok().then_some(address)
}

fn command(dialogue: StoreProtocol, address: SocketAddr, more: &[&str]) -> Command {
    let port = address.port().to_string();
    let mut command = match dialogue {
        StoreProtocol::Text | StoreProtocol::Meta => {
            let mut command = Command::new("memcached");
            command.args(["-l", "127.0.0.1", "-U", "0", "-u", "nobody", "-p", &port]);
            command
        }
        StoreProtocol::Resp2 | StoreProtocol::Resp3 => {
            let mut command = Command::new("redis-server");
            command.args(["--bind", "127.0.0.1", "--save", "", "--port", &port]);
            command
        }
    };
    command.args(more).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

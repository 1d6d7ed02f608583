//! Real stores for tests, each in a process of its own on a port of its own.

use super::{Server, drive_lanes, drive_one, free_port, lane, until_done};
use engine::{MakeLane, Stop, grouped};
use record::{Address, DriveOrder, LaneTask, Seen, TrialRecord, Workload};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::time::Duration;

type StartCommand = Box<dyn Fn(SocketAddr) -> Command>;
type MakeLanes = Box<dyn Fn(&DriveOrder) -> Vec<MakeLane>>;

/// A store that runs until it is dropped, and the lanes that drive it.
pub struct StoreServer {
    server: Server,
    /// Where it listens.
    pub address: SocketAddr,
    command: StartCommand,
    lanes: MakeLanes,
}

/// The name of a dialect, and a store that is driven in it.
pub type Dialect = (&'static str, fn() -> StoreServer);

impl StoreServer {
    /// Starts what `command` returns for an address. Another process may take the port first: then the
    /// next one is tried.
    ///
    /// # Panics
    /// If it is not installed, or does not listen.
    pub fn start(
        command: impl Fn(SocketAddr) -> Command + 'static,
        lanes: impl Fn(&DriveOrder) -> Vec<MakeLane> + 'static,
    ) -> StoreServer {
        let (server, address) = loop {
            let address = free_port();
            if let Some(server) = Server::try_start(Address::Tcp(address), command(address)) {
                break (server, address);
            }
        };
        StoreServer { server, address, command: Box::new(command), lanes: Box::new(lanes) }
    }

    /// Kills it, as a crash would end it.
    pub fn kill(&mut self) {
        self.server.kill();
    }

    /// Starts it again at its address, after [`StoreServer::kill`].
    ///
    /// # Panics
    /// If it does not listen.
    pub fn start_again(&mut self) {
        self.server = Server::start(Address::Tcp(self.address), (self.command)(self.address));
    }

    /// Drives the order of one lane on this server.
    pub fn drive(&self, order: &mut DriveOrder) -> Vec<TrialRecord> {
        let lanes = self.lanes_for(order);
        drive_lanes(order, vec![lanes], Vec::new(), &Stop::new().expect("a descriptor"))
    }

    /// Drives the order of one lane and one round.
    pub fn drive_one(&self, order: &mut DriveOrder) -> Seen {
        let lanes = self.lanes_for(order);
        drive_one(order, lanes)
    }

    fn lanes_for(&self, order: &mut DriveOrder) -> Vec<MakeLane> {
        order.lanes[0].address = Address::Tcp(self.address);
        grouped(order, 0, |order| (self.lanes)(order))
    }

    /// An order of this many operations.
    pub fn order(&self, doing: LaneTask, operations: u64, depth: u32) -> DriveOrder {
        let mut lane = lane(self.address);
        (lane.doing, lane.operations, lane.intensity.depth) = (doing, Some(operations), depth);
        until_done(vec![lane])
    }

    /// Drives this many operations.
    pub fn seen(&self, doing: LaneTask, operations: u64, depth: u32) -> Seen {
        self.drive_one(&mut self.order(doing, operations, depth))
    }

    /// Loads all keys of the workload.
    ///
    /// # Panics
    /// If one fails.
    pub fn load(&self, workload: &Workload) {
        let keys = workload.to_load();
        let seen = self.seen(LaneTask::load(workload.clone()), keys, 8);
        assert_eq!((seen.operations, seen.outcomes.ok), (keys, keys), "{:?}", seen.outcomes);
    }

    /// Its reply to a command on a connection of its own.
    pub fn says(&self, command: &str) -> String {
        reply(self.address, command)
    }
}

/// The reply of a store to a command on a connection of its own, as the protocol frames it.
///
/// # Panics
/// If it does not reply within a minute.
pub fn reply(address: SocketAddr, command: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time");
    stream.write_all(command.as_bytes()).expect("sent");
    let mut reply = [0; 1000];
    let length = stream.read(&mut reply).expect("answered");
    assert!(length > 0, "{command}");
    String::from_utf8_lossy(&reply[..length]).into_owned()
}

//! The null server answers every request at once, with the shortest correct reply, at the least
//! cost. The cost of a generator against it is the generator's own cost.
//!
//! It runs in one thread. Each protocol implements its own service. Of a store's data it keeps only the
//! versions ([`Data`]). What a database is asked does not matter.

mod data;
mod server;

pub use data::{Data, decimal, find, line};

use super::Running;
use server::Server;
use std::io;
use std::net::SocketAddr;

/// What is spoken on one listening socket, with the data of its connections.
pub trait NullService: Send {
    /// Answers the request that the input, which is not empty, begins with: the reply is appended to
    /// `out`.
    fn answer(&mut self, input: &[u8], out: &mut Vec<u8>) -> Consumed;

    /// The greeting that a new connection gets.
    fn greeting(&self) -> Vec<u8> {
        Vec::new()
    }

    /// The room that a client enters with this input. Returns None if it enters none.
    fn room(&self, _input: &[u8]) -> Option<Room> {
        None
    }
}

/// Makes a service for one listening socket.
pub type Service = fn() -> Box<dyn NullService>;

/// The name of a room.
pub type Room = [u8; 32];

/// The outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consumed {
    /// It had this many bytes, and its reply was appended.
    Bytes(usize),
    /// More bytes are needed.
    NotAll,
    /// It is not a request of our lanes.
    Unknown,
}

/// A null server on a thread of this process. Dropping it stops it.
pub struct NullServer {
    addresses: Vec<SocketAddr>,
    running: Running<()>,
}

impl NullServer {
    /// Starts it on loopback, on this core if one is given, with these services. Each service has
    /// an address and data of its own.
    ///
    /// # Errors
    /// When an address cannot be bound, or the core cannot be used.
    pub fn start(services: &[Service], core: Option<u32>) -> io::Result<NullServer> {
        let (stop_seen, stop) = io::pipe()?;
        let server = Server::new(services, stop_seen)?;
        let addresses = server.addresses()?;
        let running = Running::start("null".to_owned(), core, stop, move || server.run())?;
        Ok(NullServer { addresses, running })
    }

    /// The addresses that it listens on, in the order of the services.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// The CPU time that it has used so far, in nanoseconds.
    pub fn cpu_ns(&self) -> u64 {
        self.running.cpu_ns()
    }
}

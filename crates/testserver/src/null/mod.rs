//! The null server answers every request at once, with the shortest correct reply, at the least
//! cost. The cost of a generator against it is the generator's own cost.
//!
//! It runs in one thread. For most services it distinguishes HTTP, memcached, RESP and Thrift by
//! the first byte of a request. Of a store's data it keeps only the versions, because values follow
//! from keys and versions. Databases have services of their own, since MySQL speaks first; what
//! they are asked does not matter.

mod answer;
mod cql;
mod mysql;
mod postgres;
mod server;
mod thrift;
mod websocket;

use super::Running;
use answer::Data;
use server::Server;
use std::io;
use std::net::SocketAddr;

/// The protocol of a listening socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// HTTP, memcached, RESP, Thrift: the workload `kv`.
    Stores,
    /// PostgreSQL: one row, whatever is asked.
    Postgres,
    /// MySQL: one row, whatever is asked.
    Mysql,
    /// Cassandra by CQL: one row, whatever is asked, and what its client libraries ask of a cluster.
    Cql,
    /// WebSocket: every connection is upgraded, and every message is echoed.
    WebSocket,
}

/// A null server on a thread of this process. Dropping it stops it.
pub struct NullServer {
    addresses: Vec<SocketAddr>,
    running: Option<Running<()>>,
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
        Ok(NullServer { addresses, running: Some(running) })
    }

    /// The addresses that it listens on, in the order of the services.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// The CPU time that it has used so far, in nanoseconds.
    pub fn cpu_ns(&self) -> u64 {
        self.running.as_ref().map_or(0, Running::cpu_ns)
    }
}

impl Drop for NullServer {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            // A panic of its thread has been printed, and its clients saw the connection end.
            let _ = running.end();
        }
    }
}

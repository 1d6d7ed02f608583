//! A small HTTP/1.1 server of exactly known behaviour, for the demo and for
//! tests that need to know the truth.
//!
//! It is one thread with its own epoll loop: it must not share its scheduling with anything, least
//! of all with the generator that it is used to test.
#![forbid(unsafe_code)]

pub mod behaviour;
mod connection;
mod connections;
pub mod delay;
mod freeze;
pub mod null;
mod outbox;
mod preempted;
mod reply;
mod report;
mod request;
mod server;
mod socket;
mod timeline;
mod workers;

pub use behaviour::{
    Behaviour, Body, Deferred, Framing, Freeze, Nth, PathService, Slow, SlowBody, Stall, Workers,
};
pub use delay::Delay;
pub use report::Report;

use server::Server;
use socket::Listener;
use std::io::{self, PipeWriter};
use std::net::SocketAddr;
use std::sync::mpsc;
use std::thread::JoinHandle;
use sys::affinity;

/// A server that runs on a thread of this process. Dropping it stops it.
pub struct TestServer {
    address: SocketAddr,
    running: Running<Report>,
}

/// A server's thread, and the pipe that ends it. Dropping it ends the server.
struct Running<T> {
    /// The server ends when this is closed.
    stop: Option<PipeWriter>,
    /// None once the server has ended.
    thread: Option<JoinHandle<T>>,
}

impl<T: Send + Default + 'static> Running<T> {
    /// Runs `serve` on a thread of this name, on this core if one is given.
    /// `stop` is the other end of the pipe that `serve` watches.
    fn start(
        name: String,
        core: Option<u32>,
        stop: PipeWriter,
        serve: impl FnOnce() -> T + Send + 'static,
    ) -> io::Result<Running<T>> {
        let (sender, receiver) = mpsc::sync_channel(1);
        let thread = std::thread::Builder::new().name(name).spawn(move || {
            let prepared = prepare_thread(core);
            let runs = prepared.is_ok();
            // This fails only if `start` has ended, and then the result does not matter.
            let _ = sender.send(prepared);
            if runs { serve() } else { T::default() }
        })?;
        let prepared = receiver.recv().unwrap_or_else(|error| Err(io::Error::other(error)));
        prepared.map_err(|error| match core {
            Some(core) => io::Error::new(error.kind(), format!("core {core}: {error}")),
            None => error,
        })?;
        Ok(Running { stop: Some(stop), thread: Some(thread) })
    }
}

impl<T> Running<T> {
    /// CPU time of its thread, in nanoseconds.
    fn cpu_ns(&self) -> u64 {
        self.thread.as_ref().map_or(0, sys::clock::cpu_of)
    }

    /// Returns None if it has ended before.
    fn end(&mut self) -> Option<std::thread::Result<T>> {
        self.stop = None;
        self.thread.take().map(JoinHandle::join)
    }
}

impl<T> Drop for Running<T> {
    fn drop(&mut self) {
        // A panic of its thread has been printed, and its clients saw the connection end.
        let _ = self.end();
    }
}

/// Makes the calling thread wake at the requested time and, if a core is given, keeps it there.
fn prepare_thread(core: Option<u32>) -> io::Result<()> {
    affinity::wake_precisely()?;
    let Some(core) = core else { return Ok(()) };
    let cores = affinity::set(&[core]).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    affinity::pin(0, &cores)
}

impl TestServer {
    /// Starts the server, on this core if one is given. Its thread is called
    /// `test:` and the port.
    ///
    /// # Errors
    /// When the behaviour contradicts itself (`InvalidInput`), the address
    /// cannot be bound, or the core cannot be used.
    pub fn start(behaviour: Behaviour, core: Option<u32>) -> io::Result<TestServer> {
        behaviour.check().map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        let (address, listeners) = Listener::open(&behaviour)?;
        let (stop_seen, stop) = io::pipe()?;
        let server = Server::new(behaviour, listeners, stop_seen)?;
        let name = format!("test:{}", address.port());
        let running = Running::start(name, core, stop, move || server.run())?;
        Ok(TestServer { address, running })
    }

    /// The TCP address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops it and returns what it saw. Replies that are still owed are not sent.
    ///
    /// # Panics
    /// When the server's thread panicked.
    pub fn stop(mut self) -> Report {
        let report = self.running.end().expect("stopped only once");
        report.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

//! Servers of a test, each with a thread for every connection.

use super::{lane, order};
use engine::workload::preset;
use record::{DriveOrder, LaneOrder, LaneTask};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long an endless server sends unless its client hangs up. A client that reads no clock as long as
/// bytes arrive would be blocked all that time.
const ENDLESS: Duration = Duration::from_secs(20);

/// Serves each connection on a thread of its own. The threads end with the process.
///
/// # Panics
/// If there is no port.
pub fn serve(connection: impl Fn(TcpStream) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("bound");
    let connection = Arc::new(connection);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let connection = connection.clone();
            std::thread::spawn(move || connection(stream));
        }
    });
    address
}

/// An address of loopback on which nothing listens, and that no other call in this process returns: if
/// two servers use one port the second takes a moment to end, and meanwhile the first one answers for it.
/// The port is below the range of client ports, where a socket could connect to itself.
pub fn free_port() -> SocketAddr {
    static TAKEN: AtomicU16 = AtomicU16::new(0);
    let first = 20_000 + (std::process::id() % 100) as u16 * 100;
    loop {
        let port = first + TAKEN.fetch_add(1, Ordering::Relaxed);
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        if TcpListener::bind(address).is_ok() {
            return address;
        }
    }
}

/// How connections with an endless reply ended.
#[derive(Default)]
pub struct EndlessCounts {
    hung_up: AtomicU64,
    outlasted: AtomicU64,
}

impl EndlessCounts {
    /// Connections that the client closed while they were sending.
    pub fn hung_up(&self) -> u64 {
        self.hung_up.load(Ordering::Relaxed)
    }

    /// Connections on which everything was sent before the client closed them.
    pub fn outlasted(&self) -> u64 {
        self.outlasted.load(Ordering::Relaxed)
    }
}

/// Sends `begins` and then `again` for ever on each connection once a request arrived there. Every
/// `every`-th connection does so; on the others each request gets `reply`.
pub fn endless(
    begins: String,
    again: &'static str,
    (every, reply): (u64, &'static [u8]),
) -> (SocketAddr, Arc<EndlessCounts>) {
    let counts = Arc::new(EndlessCounts::default());
    let (counted, connections) = (counts.clone(), AtomicU64::new(0));
    let address = serve(move |stream| match connections.fetch_add(1, Ordering::Relaxed) % every {
        0 => flood(stream, &begins, again, &counted),
        _ => answer(stream, reply),
    });
    (address, counts)
}

fn flood(mut stream: TcpStream, begins: &str, again: &str, counts: &EndlessCounts) {
    if !matches!(stream.read(&mut [0; 4096]), Ok(1..)) {
        return;
    }
    let many = again.repeat(64 * 1024 / again.len());
    let gives_up = Instant::now() + ENDLESS;
    let mut sent = stream.write_all(begins.as_bytes());
    while sent.is_ok() && Instant::now() < gives_up {
        sent = stream.write_all(many.as_bytes());
    }
    let ended = if sent.is_err() { &counts.hung_up } else { &counts.outlasted };
    ended.fetch_add(1, Ordering::Relaxed);
}

fn answer(mut stream: TcpStream, reply: &[u8]) {
    while let Ok(1..) = stream.read(&mut [0; 4096]) {
        if stream.write_all(reply).is_err() {
            return;
        }
    }
}

/// A lane with one operation at a time, given up after 300 ms.
pub fn impatient(address: SocketAddr, connections: u32) -> LaneOrder {
    let mut lane = LaneOrder { timeout_ns: 300_000_000, ..lane(address) };
    lane.intensity.connections = connections;
    lane
}

/// An order of an [`impatient`] lane with reads and writes of keys.
///
/// # Panics
/// If there is no workload `kv`.
pub fn impatient_of_keys(address: SocketAddr) -> DriveOrder {
    let doing = LaneTask::Drive(preset("kv").expect("a preset"));
    order(vec![LaneOrder { doing, ..impatient(address, 2) }])
}

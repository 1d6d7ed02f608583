//! A proxy between tiebreak and a real store: it forwards everything, but answers one read in
//! this many itself, in ways that no store shows on demand.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A text in every key of the second contender and in nothing else that is sent: keys have
/// twelve digits and are few.
const MARK: &[u8] = b"tiebreak01:0";

/// The reply to a read that is replaced.
#[derive(Clone, Copy)]
pub(crate) enum Reply {
    /// These bytes.
    Bytes(&'static [u8]),
    /// These bytes, and the connection is closed.
    Closing(&'static [u8]),
    /// No reply.
    Silence,
}

/// A faulty proxy that runs until the test program ends.
pub(crate) struct FaultyProxy {
    pub(crate) address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    to: SocketAddr,
    every: u64,
    reply: Reply,
    reads: AtomicU64,
    operations: AtomicU64,
    /// Something was written. Before that, keys are read to find out who wrote them: these reads
    /// are not operations and are not replaced.
    written: AtomicBool,
}

impl FaultyProxy {
    /// Starts it in front of the store at `to`: one read in `every` gets this reply.
    pub(crate) fn start(to: SocketAddr, every: u64, reply: Reply) -> FaultyProxy {
        let (reads, operations) = (AtomicU64::new(0), AtomicU64::new(0));
        let written = AtomicBool::new(false);
        let shared = Arc::new(Shared { to, every, reply, reads, operations, written });
        let own = shared.clone();
        FaultyProxy { address: protocol::testing::serve(move |client| own.serve(client)), shared }
    }

    /// Returns the number of operations on keys that it saw.
    pub(crate) fn operations(&self) -> u64 {
        self.shared.operations.load(Ordering::SeqCst)
    }
}

impl Shared {
    fn serve(&self, client: TcpStream) {
        let Ok(store) = TcpStream::connect(self.to) else { return };
        for stream in [&client, &store] {
            stream.set_nodelay(true).expect("a socket");
        }
        std::thread::scope(|scope| {
            scope.spawn(|| {
                pass_on(&store, &client);
                let _ = client.shutdown(Shutdown::Both);
            });
            self.requests(&client, &store);
            for stream in [&client, &store] {
                let _ = stream.shutdown(Shutdown::Both);
            }
        });
    }

    /// One read of a socket is one request here, except in a load, which only
    /// writes.
    fn requests(&self, mut client: &TcpStream, mut store: &TcpStream) {
        let mut seen: Vec<u8> = Vec::new();
        let mut buffer = [0; 65536];
        loop {
            let piece = match client.read(&mut buffer) {
                Ok(length @ 1..) => &buffer[..length],
                _ => return,
            };
            // A mark may be split across two pieces.
            let kept = seen.len().min(MARK.len() - 1);
            seen.drain(..seen.len() - kept);
            seen.extend_from_slice(piece);
            if is_write(piece) {
                self.written.store(true, Ordering::SeqCst);
            }
            let marks = if self.written.load(Ordering::SeqCst) {
                seen.windows(MARK.len()).filter(|window| *window == MARK).count() as u64
            } else {
                0
            };
            self.operations.fetch_add(marks, Ordering::SeqCst);
            if marks == 1 && is_read(piece) && self.is_next() {
                match self.reply {
                    Reply::Bytes(bytes) if client.write_all(bytes).is_err() => return,
                    Reply::Bytes(_) | Reply::Silence => {}
                    Reply::Closing(bytes) => {
                        let _ = client.write_all(bytes);
                        return;
                    }
                }
            } else if store.write_all(piece).is_err() {
                return;
            }
        }
    }

    fn is_next(&self) -> bool {
        self.reads.fetch_add(1, Ordering::Relaxed) % self.every == self.every - 1
    }
}

fn is_write(piece: &[u8]) -> bool {
    piece.starts_with(b"set ") || piece.starts_with(b"*3\r\n$3\r\nSET\r\n")
}

fn is_read(piece: &[u8]) -> bool {
    piece.starts_with(b"get ") || piece.starts_with(b"*2\r\n$3\r\nGET\r\n")
}

fn pass_on(mut from: &TcpStream, mut to: &TcpStream) {
    let mut buffer = [0; 65536];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        if to.write_all(&buffer[..length]).is_err() {
            return;
        }
    }
}

//! One side of the connection between a coordinator and an agent: one thread reads, so that a
//! message is stamped when it arrives, and other threads send.

use crate::system::remote::{Connection, RemoteError, WriteHalf};
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use wire::remote::Message;

/// How long the other side may take to receive a message.
const SENDING: Duration = Duration::from_secs(10);
/// A connection may be silent for as long as a load takes.
const SILENT: Duration = Duration::from_secs(86_400);
/// After this silence the kernel probes the other machine once a second, and gives
/// up after [`PROBES`] probes without an answer.
const IDLE: Duration = Duration::from_secs(5);
const PROBES: u32 = 5;
/// How long sent bytes may be unacknowledged.
const UNACKNOWLEDGED_MS: u32 = 10_000;

/// Where messages are sent, from any thread: a connection, except in tests.
pub(super) trait MessageSink<M>: Send + Sync {
    fn send(&self, message: &M) -> Result<(), RemoteError>;

    /// Ends the connection. What has arrived already is still read.
    fn close(&self);
}

/// Where messages are received, in the order in which they arrived.
pub(super) trait MessageSource<T>: Send {
    /// Waits for a message, at most this long.
    fn receive(&self, at_most: Duration) -> Result<T, RecvTimeoutError>;
}

impl<T: Send> MessageSource<T> for Receiver<T> {
    fn receive(&self, at_most: Duration) -> Result<T, RecvTimeoutError> {
        self.recv_timeout(at_most)
    }
}

/// Sends messages over a connection, which is closed when this is dropped.
pub(super) struct Link {
    sending: Mutex<WriteHalf>,
    socket: Arc<TcpStream>,
}

impl Link {
    /// Reads from the connection on a separate thread: `take` gets every message and at last the
    /// reason why no more come. If it returns false, the thread ends.
    pub(super) fn start<M: Message + Send + 'static>(
        connection: Connection,
        mut take: impl FnMut(Result<M, RemoteError>) -> bool + Send + 'static,
    ) -> io::Result<Link> {
        let socket = Arc::clone(connection.socket());
        notice_a_cut(&socket)?;
        let (mut receiving, sending) = connection.split();
        std::thread::Builder::new().name("link".to_owned()).spawn(move || {
            loop {
                let message = receiving.receive(SILENT);
                let last = message.is_err();
                if matches!(message, Err(RemoteError::TimedOut(_))) {
                    continue;
                }
                if !take(message) || last {
                    return;
                }
            }
        })?;
        Ok(Link { sending: Mutex::new(sending), socket })
    }

    fn shut_down(&self) {
        // It may be closed already.
        let _ = self.socket.shutdown(Shutdown::Both);
    }
}

impl<M: Message> MessageSink<M> for Link {
    fn send(&self, message: &M) -> Result<(), RemoteError> {
        let mut sending = self.sending.lock().unwrap_or_else(PoisonError::into_inner);
        sending.send(message, SENDING)
    }

    fn close(&self) {
        self.shut_down();
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // The reading thread ends with the connection.
        self.shut_down();
    }
}

/// Lets the kernel notice that the network was cut or that the other machine is gone.
fn notice_a_cut(socket: &TcpStream) -> io::Result<()> {
    sys::net::keep_alive(socket, IDLE, Duration::from_secs(1), PROBES)?;
    Ok(sys::net::set_tcp_user_timeout(socket, UNACKNOWLEDGED_MS)?)
}

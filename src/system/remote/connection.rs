//! A connection that carries messages. Whatever the peer does, no call takes longer than its
//! timeout, and no more is kept than the longest message that is expected.

use super::frame_key::FrameKey;
use protocol::stream::Deadline;
use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;
use wire::remote::handshake::{Nonce, Refusal};
use wire::remote::{FrameError, Message, VERSION, decode, decode_signed, encode, encode_signed};

/// How many bytes are read at once.
const PIECE_BYTES: usize = 4096;

/// Why a connection cannot be used any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemoteError {
    /// The peer closed it.
    Closed,
    /// Nothing came, or nothing could be sent, for this long.
    TimedOut(Duration),
    /// The system reports an error.
    Io(String),
    /// What came is not a message that is expected.
    Message(FrameError),
    /// The server refused the connection.
    Refused(Refusal),
    /// The server's proof is not one of the client's token.
    WrongServer,
}

impl fmt::Display for RemoteError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RemoteError::Closed => out.write_str("the connection was closed"),
            RemoteError::TimedOut(after) => {
                write!(
                    out,
                    "there was no answer within {}",
                    text::units::show_ns(after.as_nanos() as u64)
                )
            }
            RemoteError::Io(error) => out.write_str(error),
            RemoteError::Message(FrameError::OtherVersion(other)) => write!(
                out,
                "it speaks version {other} of tiebreak's remote format, and this tiebreak speaks \
                 version {VERSION}: use the same version of tiebreak on both machines"
            ),
            // Which of the two sides notices it says nothing about who did it.
            RemoteError::Message(FrameError::Forged) => out
                .write_str("a message was changed on its way, repeated, or made by somebody else"),
            RemoteError::Message(error) => write!(out, "it sent {error}"),
            // With another version the head of this very message is refused already.
            RemoteError::Refused(Refusal::Version) => {
                out.write_str("it refused the version of tiebreak's remote format")
            }
            RemoteError::Refused(Refusal::Purpose) => {
                out.write_str("it serves another purpose: check the address")
            }
            RemoteError::Refused(Refusal::Token) => out
                .write_str("it refused the token: use the one that it printed when it was started"),
            RemoteError::Refused(Refusal::Busy) => out.write_str("it has too many connections"),
            RemoteError::WrongServer => {
                out.write_str("it does not know the token: something else listens at this address")
            }
        }
    }
}

/// A connection to tiebreak on another machine.
#[derive(Debug)]
pub struct Connection {
    reads: ReadHalf,
    writes: WriteHalf,
}

/// The half of a connection that receives.
#[derive(Debug)]
pub(crate) struct ReadHalf {
    stream: Arc<TcpStream>,
    /// Bytes that came and are not decoded yet.
    input: Vec<u8>,
    /// None in the handshake, whose frames are not signed.
    key: Option<FrameKey>,
}

#[derive(Debug)]
pub(crate) struct WriteHalf {
    stream: Arc<TcpStream>,
    /// The memory of what is sent.
    output: Vec<u8>,
    key: Option<FrameKey>,
}

impl Connection {
    /// Connects.
    ///
    /// # Errors
    /// If the address does not accept a connection within the timeout.
    pub fn open(address: SocketAddr, timeout: Duration) -> Result<Connection, RemoteError> {
        let stream = TcpStream::connect_timeout(&address, timeout)
            .map_err(|error| of_system(&error, timeout))?;
        Connection::of(stream)
    }

    /// Uses a connection that was accepted.
    ///
    /// # Errors
    /// If the system refuses to send without delay.
    pub fn of(stream: TcpStream) -> Result<Connection, RemoteError> {
        let named = |error: io::Error| RemoteError::Io(error.to_string());
        stream.set_nodelay(true).map_err(named)?;
        stream.set_nonblocking(false).map_err(named)?;
        let stream = Arc::new(stream);
        let reads = ReadHalf { stream: Arc::clone(&stream), input: Vec::new(), key: None };
        Ok(Connection { reads, writes: WriteHalf { stream, output: Vec::new(), key: None } })
    }

    /// Sends a message.
    ///
    /// # Errors
    /// If the peer does not take it within the timeout.
    pub fn send<M: Message>(&mut self, message: &M, timeout: Duration) -> Result<(), RemoteError> {
        self.writes.send(message, timeout)
    }

    /// Waits for the next message.
    ///
    /// # Errors
    /// If it is not complete within the timeout, or is not one of this type.
    pub fn receive<M: Message>(&mut self, timeout: Duration) -> Result<M, RemoteError> {
        self.reads.receive(timeout)
    }

    /// From now on all frames are signed.
    pub(super) fn sign(&mut self, received: &Nonce, sent: &Nonce) {
        self.reads.key = Some(FrameKey::new(received));
        self.writes.key = Some(FrameKey::new(sent));
    }

    /// Both halves, for two threads.
    pub(crate) fn split(self) -> (ReadHalf, WriteHalf) {
        (self.reads, self.writes)
    }

    /// The socket, with which another thread can shut the connection down.
    pub(crate) fn socket(&self) -> &Arc<TcpStream> {
        &self.reads.stream
    }
}

impl WriteHalf {
    /// As [`Connection::send`].
    pub(crate) fn send<M: Message>(
        &mut self,
        message: &M,
        timeout: Duration,
    ) -> Result<(), RemoteError> {
        self.output.clear();
        match &mut self.key {
            Some(key) => encode_signed(message, &mut self.output, |frame| key.sign(frame)),
            None => encode(message, &mut self.output),
        }
        let deadline = Deadline::after(timeout);
        let mut sent = 0;
        while sent < self.output.len() {
            match deadline.write(&self.stream, &self.output[sent..]) {
                Ok(0) => return Err(RemoteError::Closed),
                Ok(bytes) => sent += bytes,
                Err(error) => return Err(of_system(&error, timeout)),
            }
        }
        Ok(())
    }
}

impl ReadHalf {
    /// As [`Connection::receive`].
    pub(crate) fn receive<M: Message>(&mut self, timeout: Duration) -> Result<M, RemoteError> {
        let deadline = Deadline::after(timeout);
        loop {
            let decoded = match &mut self.key {
                Some(key) => decode_signed(&self.input, |frame, by| key.is_signed(frame, by)),
                None => decode(&self.input),
            };
            if let Some((message, length)) = decoded.map_err(RemoteError::Message)? {
                self.input.drain(..length);
                return Ok(message);
            }
            let mut piece = [0; PIECE_BYTES];
            match deadline.read(&self.stream, &mut piece) {
                Ok(0) => return Err(RemoteError::Closed),
                Ok(bytes) => self.input.extend_from_slice(&piece[..bytes]),
                Err(error) => return Err(of_system(&error, timeout)),
            }
        }
    }
}

fn of_system(error: &io::Error, timeout: Duration) -> RemoteError {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, TimedOut, WouldBlock};
    match error.kind() {
        WouldBlock | TimedOut => RemoteError::TimedOut(timeout),
        ConnectionReset | ConnectionAborted | BrokenPipe => RemoteError::Closed,
        _ => RemoteError::Io(error.to_string()),
    }
}

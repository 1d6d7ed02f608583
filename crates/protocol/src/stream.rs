//! A blocking connection whose calls end at a deadline, or soon after the run was stopped.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// How long a call may block before it is checked whether the run was stopped.
const GLANCE: Duration = Duration::from_millis(100);

/// How long a connect over a network may block before it is checked whether the run was stopped.
const CONNECT: Duration = Duration::from_secs(1);

/// The time limit of one exchange, from connecting to the last byte. A server that sends a byte
/// now and then does not extend it.
#[derive(Clone, Copy)]
pub struct Deadline<'a> {
    /// When it is over.
    pub until: Instant,
    /// Whether the run was stopped, if that ends the exchange.
    pub stopped: Option<&'a dyn Fn() -> bool>,
}

impl Deadline<'static> {
    /// A deadline of an exchange that a stop of the run does not end.
    pub fn after(timeout: Duration) -> Deadline<'static> {
        Deadline { until: Instant::now() + timeout, stopped: None }
    }
}

impl Deadline<'_> {
    /// How long the next call may block.
    ///
    /// # Errors
    /// If the time is over or the run was stopped.
    fn piece(&self) -> io::Result<Duration> {
        match self.until.saturating_duration_since(Instant::now()) {
            Duration::ZERO => Err(ErrorKind::TimedOut.into()),
            left => match self.stopped {
                None => Ok(left),
                Some(stopped) if stopped() => Err(ErrorKind::TimedOut.into()),
                Some(_) => Ok(left.min(GLANCE)),
            },
        }
    }

    /// Reads once from a connection. Returns 0 at the end.
    ///
    /// # Errors
    /// If nothing came in time, or the connection is lost.
    pub fn read(&self, mut stream: &TcpStream, into: &mut [u8]) -> io::Result<usize> {
        self.repeat(|piece| {
            stream.set_read_timeout(Some(piece))?;
            stream.read(into)
        })
    }

    /// Sends some bytes over a connection. Returns how many.
    ///
    /// # Errors
    /// If none were taken in time, or the connection is lost.
    pub fn write(&self, mut stream: &TcpStream, bytes: &[u8]) -> io::Result<usize> {
        self.repeat(|piece| {
            stream.set_write_timeout(Some(piece))?;
            stream.write(bytes)
        })
    }

    /// How long a connect may block. It starts again with each call: a distant server must have
    /// the time to accept.
    fn connect_piece(&self, piece: Duration) -> Duration {
        let left = self.until.saturating_duration_since(Instant::now());
        left.min(CONNECT).max(piece)
    }

    /// Repeats a call that blocks for a part of the time, until it returns a result.
    fn repeat<T>(&self, mut call: impl FnMut(Duration) -> io::Result<T>) -> io::Result<T> {
        loop {
            match call(self.piece()?) {
                Err(error) if is_late(&error) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                other => return other,
            }
        }
    }
}

/// Whether a call ended because its time was over.
pub fn is_late(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock)
}

/// A connection to a server.
pub enum Stream {
    /// Over TCP.
    Tcp(TcpStream),
    /// Over a unix socket.
    Unix(UnixStream),
}

impl Stream {
    /// Connects to the first of these addresses that accepts a connection.
    ///
    /// # Errors
    /// The reason of the last one.
    pub fn to_host(addresses: &[SocketAddr], deadline: Deadline<'_>) -> io::Result<Stream> {
        deadline.repeat(|piece| {
            let mut last = io::Error::new(ErrorKind::NotFound, "the name has no address");
            for address in addresses {
                match TcpStream::connect_timeout(address, deadline.connect_piece(piece)) {
                    Ok(stream) => return Ok(Stream::Tcp(stream)),
                    Err(error) => last = error,
                }
            }
            Err(last)
        })
    }

    /// Connects to a unix socket.
    ///
    /// # Errors
    /// If it does not accept a connection.
    pub fn to_socket(path: &str, deadline: Deadline<'_>) -> io::Result<Stream> {
        deadline.repeat(|piece| sys::net::connect_unix(path, piece)).map(Stream::Unix)
    }

    /// Reads once. Returns 0 at the end.
    ///
    /// # Errors
    /// If nothing came in time, or the connection is lost.
    pub fn read(&mut self, into: &mut [u8], deadline: Deadline<'_>) -> io::Result<usize> {
        match self {
            Stream::Tcp(stream) => deadline.read(stream, into),
            Stream::Unix(stream) => deadline.repeat(|piece| {
                stream.set_read_timeout(Some(piece))?;
                stream.read(into)
            }),
        }
    }

    /// Sends all bytes.
    ///
    /// # Errors
    /// If they are not taken in time, or the connection is lost.
    pub fn write_all(&mut self, mut bytes: &[u8], deadline: Deadline<'_>) -> io::Result<()> {
        while !bytes.is_empty() {
            let count = match self {
                Stream::Tcp(stream) => deadline.write(stream, bytes)?,
                Stream::Unix(stream) => deadline.repeat(|piece| {
                    stream.set_write_timeout(Some(piece))?;
                    stream.write(bytes)
                })?,
            };
            bytes = &bytes[count..];
        }
        Ok(())
    }
}

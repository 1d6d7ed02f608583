//! One socket that blocks, with a limit in time for each request and in size for each reply.

use crate::error::{Error, Fate, Kind};
use crate::settings::{Host, Settings};
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

/// How much is read at once, at least and at most. A buffer grows with what has come, not
/// with what a reply says of itself.
const LEAST: usize = 8 << 10;
const MOST: usize = 256 << 10;

/// A larger buffer is not kept for the next reply.
const KEPT: usize = 256 << 10;

pub(crate) struct Stream {
    tcp: TcpStream,
    timeout: Duration,
    ends: Instant,
    max_reply: usize,
    input: Vec<u8>,
}

impl Stream {
    /// Connects to the first address of the host that accepts.
    pub(crate) fn connect(host: &Host, settings: &Settings) -> Result<Stream, Error> {
        let unreachable = |error: std::io::Error| match error.kind() {
            ErrorKind::TimedOut | ErrorKind::WouldBlock => {
                Error::broken(Kind::Timeout, "it did not accept a connection in time")
            }
            _ => Error::broken(Kind::Connection, reason(&error)),
        };
        let addresses = (host.name.as_str(), host.port).to_socket_addrs().map_err(unreachable)?;
        let mut failed = Error::broken(Kind::Connection, "the name has no address");
        for address in addresses {
            match TcpStream::connect_timeout(&address, settings.connect_timeout) {
                Ok(tcp) => return Stream::new(tcp, settings).map_err(unreachable),
                Err(error) => failed = unreachable(error),
            }
        }
        Err(failed)
    }

    fn new(tcp: TcpStream, settings: &Settings) -> std::io::Result<Stream> {
        tcp.set_nodelay(true)?;
        let (timeout, max_reply) = (settings.timeout, settings.max_reply);
        Ok(Stream { tcp, timeout, ends: Instant::now(), max_reply, input: Vec::new() })
    }

    /// The most bytes of a reply, and of its values in memory.
    pub(crate) fn max_reply(&self) -> usize {
        self.max_reply
    }

    /// Whether the server has neither closed the connection nor sent anything: between two
    /// requests it has nothing to say.
    pub(crate) fn is_idle(&self) -> bool {
        let peeked = self.tcp.set_nonblocking(true).and_then(|()| self.tcp.peek(&mut [0]));
        let waits = peeked.is_err_and(|error| error.kind() == ErrorKind::WouldBlock);
        waits && self.tcp.set_nonblocking(false).is_ok()
    }

    /// Sends a request. Its time begins here.
    pub(crate) fn send(&mut self, request: &[u8]) -> Result<(), Error> {
        self.ends = Instant::now() + self.timeout;
        self.input.clear();
        let mut rest = request;
        while !rest.is_empty() {
            self.tcp.set_write_timeout(Some(self.time_left()?)).map_err(|error| lost(&error))?;
            match self.tcp.write(rest) {
                Ok(0) => return Err(closed()),
                Ok(count) => rest = &rest[count..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(self.failed(&error)),
            }
        }
        Ok(())
    }

    /// A reply of `header` bytes and so many more as `length` makes of them: all of it, the
    /// header as well. A reply that is followed by anything is an error.
    pub(crate) fn reply(
        &mut self,
        header: usize,
        length: impl FnOnce(&[u8]) -> Result<usize, Error>,
    ) -> Result<&[u8], Error> {
        if self.input.capacity() > KEPT {
            self.input = Vec::new();
        }
        self.read_up_to(header)?;
        let body = length(&self.input[..header])?;
        if body > self.max_reply {
            let most = self.max_reply;
            let message = format!("a reply of {body} bytes is larger than max_reply, {most} bytes");
            return Err(Error::broken(Kind::TooLarge, message));
        }
        self.read_up_to(header + body)?;
        match self.input.len() - header - body {
            0 => Ok(&self.input),
            _ => Err(Error::protocol("more follows than it announced")),
        }
    }

    /// Reads until the input has so many bytes, or more.
    fn read_up_to(&mut self, count: usize) -> Result<(), Error> {
        while self.input.len() < count {
            self.tcp.set_read_timeout(Some(self.time_left()?)).map_err(|error| lost(&error))?;
            let old = self.input.len();
            self.input.resize(old + (count - old).clamp(LEAST, MOST), 0);
            let read = self.tcp.read(&mut self.input[old..]);
            self.input.truncate(old + *read.as_ref().unwrap_or(&0));
            match read {
                Ok(0) => return Err(self.ended()),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(self.failed(&error)),
            }
        }
        Ok(())
    }

    fn time_left(&self) -> Result<Duration, Error> {
        let left = self.ends.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(self.late()) } else { Ok(left) }
    }

    fn late(&self) -> Error {
        let seconds = self.timeout.as_secs_f64();
        Error::broken(Kind::Timeout, format!("no reply within {seconds} s"))
    }

    /// The server closed the connection, with or without a part of a reply.
    fn ended(&self) -> Error {
        match self.input.is_empty() {
            true => closed(),
            false => Error::broken(Kind::Connection, "the server closed it within a reply"),
        }
    }

    fn failed(&self, error: &std::io::Error) -> Error {
        match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => self.late(),
            ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => self.ended(),
            _ => lost(error),
        }
    }
}

fn closed() -> Error {
    let message = "the server closed the connection".to_owned();
    Error { kind: Kind::Connection, message, fate: Fate::Closed }
}

fn lost(error: &std::io::Error) -> Error {
    Error::broken(Kind::Connection, reason(error))
}

/// What the system says, without the number of its error.
fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

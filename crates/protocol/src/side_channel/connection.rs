//! One blocking connection to a store: one query at a time, all of them before a deadline, with a
//! limit on the size of replies.

use record::Address;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};
use sys::net::connect_unix;
use wire::{Class, Codec, ConnectionState, Events, Out, Reply, Tag};

/// The largest reply, in bytes. What a store reports about itself takes about 20 kB.
const MOST_BYTES: usize = 256 << 10;

/// Returns the name of a code of a protocol's errors.
pub type CodeName = fn(u16) -> Option<&'static str>;

/// A connection in some protocol.
pub struct StoreConnection<C> {
    stream: Stream,
    codec: C,
    code_name: CodeName,
    deadline: Instant,
    input: Vec<u8>,
    /// Bytes of the reply read so far, and their limit.
    read: usize,
    most: usize,
}

/// A reply, with the pieces of each item joined.
#[derive(Debug)]
pub struct StoreReply {
    /// The items.
    pub items: Vec<Vec<u8>>,
    /// None while it is incomplete.
    reply: Option<Reply>,
    item: u32,
    code_name: CodeName,
}

impl StoreReply {
    fn new(code_name: CodeName) -> StoreReply {
        StoreReply { items: Vec::new(), reply: None, item: 0, code_name }
    }

    /// How the store answered.
    pub fn class(&self) -> Option<Class> {
        self.reply.map(|reply| reply.class)
    }

    /// Checks that the reply is not an error.
    ///
    /// # Errors
    /// Names the error.
    pub fn good(&self) -> Result<(), String> {
        let Some(Class::Error(code)) = self.class() else { return Ok(()) };
        Err(format!("it answers {}", (self.code_name)(code).unwrap_or("an error")))
    }

    /// The requested value. Returns None if there is none.
    ///
    /// # Errors
    /// If the reply is an error.
    pub fn into_value(self) -> Result<Option<Vec<u8>>, String> {
        match self.class() {
            Some(Class::Miss) => Ok(None),
            _ => self.good().map(|()| Some(self.into_first())),
        }
    }

    /// The first item of the reply.
    pub fn into_first(self) -> Vec<u8> {
        self.items.into_iter().next().unwrap_or_default()
    }
}

impl Events for StoreReply {
    fn began(&mut self, _tag: Tag) {}

    fn body(&mut self, _tag: Tag, item: u32, piece: &[u8]) {
        if self.items.is_empty() || item != self.item {
            self.items.push(Vec::new());
            self.item = item;
        }
        if let Some(last) = self.items.last_mut() {
            last.extend_from_slice(piece);
        }
    }

    fn done(&mut self, reply: Reply) {
        self.reply = Some(reply);
    }
}

impl<C: Codec> StoreConnection<C> {
    /// Connects, and waits until the store accepts queries. All of them together may take as long as
    /// the timeout.
    ///
    /// # Errors
    /// Says why there is no connection.
    pub fn open(
        address: &Address,
        codec: C,
        code_name: CodeName,
        timeout: Duration,
    ) -> Result<StoreConnection<C>, String> {
        let deadline = Instant::now() + timeout;
        let stream = Stream::connect(address, timeout).map_err(|error| connection_error(&error))?;
        let mut connection = StoreConnection {
            stream,
            codec,
            code_name,
            deadline,
            input: Vec::new(),
            read: 0,
            most: MOST_BYTES,
        };
        let mut out = Out::default();
        let mut state = connection.codec.open(&mut out);
        connection.send(&out.bytes)?;
        while state == ConnectionState::Opening {
            state = connection.read_once(&mut StoreReply::new(code_name))?;
        }
        Ok(connection)
    }

    /// Returns this connection for replies that contain values of this many bytes.
    pub fn with_values_of(self, bytes: u32) -> StoreConnection<C> {
        StoreConnection { most: MOST_BYTES + bytes as usize, ..self }
    }

    /// Sends a query, and waits for the complete reply.
    ///
    /// # Errors
    /// If there is none in time, or one that is not understood or too long.
    pub fn ask(&mut self, question: &C::Op<'_>) -> Result<StoreReply, String> {
        let mut out = Out::default();
        self.codec.write(question, &mut out).map_err(|fault| fault.0.to_owned())?;
        self.read = 0;
        self.send(&out.bytes)?;
        let mut answer = StoreReply::new(self.code_name);
        while answer.reply.is_none() {
            self.read_once(&mut answer)?;
        }
        Ok(answer)
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), String> {
        let sent = self.left().and_then(|left| self.stream.write_all(bytes, left));
        sent.map_err(|error| connection_error(&error))
    }

    /// Reads once.
    fn read_once(&mut self, answer: &mut StoreReply) -> Result<ConnectionState, String> {
        let mut piece = [0; 16 << 10];
        let got = self.left().and_then(|left| self.stream.read(&mut piece, left));
        let got = got.map_err(|error| connection_error(&error))?;
        self.read += got;
        if got == 0 {
            return Err("it closed the connection without a reply".to_owned());
        }
        if self.read > self.most {
            return Err(format!("its reply is longer than {} kB", self.most >> 10));
        }
        self.input.extend_from_slice(&piece[..got]);
        let progress = self.codec.read(&self.input, &mut Out::default(), answer);
        let progress = progress.map_err(|fault| fault.0.to_owned())?;
        self.input.drain(..progress.consumed);
        Ok(progress.state)
    }

    fn left(&self) -> io::Result<Duration> {
        match self.deadline.saturating_duration_since(Instant::now()) {
            Duration::ZERO => Err(ErrorKind::TimedOut.into()),
            left => Ok(left),
        }
    }
}

/// A connection to the first of these nodes that accepts one.
fn connect_tcp(nodes: &[SocketAddr], timeout: Duration) -> io::Result<TcpStream> {
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for node in nodes {
        match TcpStream::connect_timeout(node, timeout) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Stream {
    fn connect(address: &Address, timeout: Duration) -> io::Result<Stream> {
        match address {
            Address::Tcp(_) | Address::Nodes(_) => {
                connect_tcp(address.nodes(), timeout).map(Stream::Tcp)
            }
            Address::Unix(path) => connect_unix(path, timeout).map(Stream::Unix),
            Address::Directory(_) | Address::Program => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    fn read(&mut self, into: &mut [u8], at_most: Duration) -> io::Result<usize> {
        match self {
            Stream::Tcp(stream) => {
                stream.set_read_timeout(Some(at_most))?;
                stream.read(into)
            }
            Stream::Unix(stream) => {
                stream.set_read_timeout(Some(at_most))?;
                stream.read(into)
            }
        }
    }

    fn write_all(&mut self, bytes: &[u8], at_most: Duration) -> io::Result<()> {
        match self {
            Stream::Tcp(stream) => {
                stream.set_write_timeout(Some(at_most))?;
                stream.write_all(bytes)
            }
            Stream::Unix(stream) => {
                stream.set_write_timeout(Some(at_most))?;
                stream.write_all(bytes)
            }
        }
    }
}

fn connection_error(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::TimedOut | ErrorKind::WouldBlock => "it did not reply in time".to_owned(),
        ErrorKind::ConnectionRefused => "it refused the connection".to_owned(),
        ErrorKind::NotFound => "its socket does not exist".to_owned(),
        _ => format!("it cannot be queried: {error}"),
    }
}

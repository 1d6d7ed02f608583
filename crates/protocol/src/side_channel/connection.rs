//! One blocking connection to a store: one query at a time, all of them before a deadline, with a
//! limit on the size of replies.

use crate::stream::{Deadline, Stream};
use record::Address;
use std::io::{self, ErrorKind};
use std::time::Duration;
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
    deadline: Deadline<'static>,
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
        let deadline = Deadline::after(timeout);
        let stream = connect(address, deadline).map_err(|error| connection_error(&error))?;
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
        let sent = self.stream.write_all(bytes, self.deadline);
        sent.map_err(|error| connection_error(&error))
    }

    /// Reads once.
    fn read_once(&mut self, answer: &mut StoreReply) -> Result<ConnectionState, String> {
        let mut piece = [0; 16 << 10];
        let got = self.stream.read(&mut piece, self.deadline);
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
}

fn connect(address: &Address, deadline: Deadline<'_>) -> io::Result<Stream> {
    match address {
        Address::Tcp(_) | Address::Nodes(_) => Stream::to_host(address.nodes(), deadline),
        Address::Unix(path) => Stream::to_socket(path, deadline),
        Address::Directory(_) | Address::Program => Err(ErrorKind::Unsupported.into()),
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

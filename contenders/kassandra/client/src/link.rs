//! A connection that is opened when it is needed and is checked when it is taken.

use crate::cql;
use crate::error::{Error, Fate, Kind};
use crate::operation::{Call, Consistency, Operation, Row};
use crate::settings::{Host, Protocol, Settings};
use crate::stream::Stream;
use crate::thrift;
use crate::value::Columns;
use std::time::SystemTime;

/// The one connection that a process has with these settings.
pub struct Link {
    settings: Settings,
    open: Option<Open>,
    /// The host that is tried first.
    first: usize,
    /// Microseconds since 1970 of the last write.
    written: i64,
}

struct Open {
    /// The process that opened it. After a fork the socket belongs to two processes.
    process: u32,
    connection: Connection,
}

enum Connection {
    Cql(cql::Connection),
    Thrift(thrift::Connection),
}

impl Connection {
    fn open(host: &Host, settings: &Settings) -> Result<Connection, Error> {
        let stream = Stream::connect(host, settings)?;
        let login = settings.login.as_ref();
        match settings.protocol {
            Protocol::Cql => cql::Connection::begin(stream, login).map(Connection::Cql),
            Protocol::Thrift => thrift::Connection::begin(stream, login).map(Connection::Thrift),
        }
    }

    fn stream(&self) -> &Stream {
        match self {
            Connection::Cql(connection) => connection.stream(),
            Connection::Thrift(connection) => connection.stream(),
        }
    }
}

impl Link {
    /// A link that is not connected yet.
    pub fn new(settings: Settings) -> Link {
        // Processes begin with different hosts, and so share them out.
        let first = std::process::id() as usize % settings.hosts.len().max(1);
        Link { settings, open: None, first, written: 0 }
    }

    /// What it was made with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Whether a connection is open, and the server has not closed it.
    pub fn is_connected(&mut self) -> bool {
        let is_ours = |open: &Open| open.process == std::process::id();
        if !self.open.as_ref().is_some_and(|it| is_ours(it) && it.connection.stream().is_idle()) {
            self.open = None;
        }
        self.open.is_some()
    }

    /// Closes the connection, if one is open.
    pub fn disconnect(&mut self) {
        self.open = None;
    }

    /// Opens a connection if none is usable. Returns whether one was opened.
    ///
    /// # Errors
    /// No host accepts a connection, or the login fails.
    pub fn connect(&mut self) -> Result<bool, Error> {
        if self.is_connected() {
            return Ok(false);
        }
        let hosts = self.settings.hosts.len();
        let mut failures: Vec<Error> = Vec::new();
        for turn in 0..hosts {
            let at = (self.first + turn) % hosts;
            let host = &self.settings.hosts[at];
            match Connection::open(host, &self.settings) {
                Ok(connection) => {
                    self.first = at;
                    self.open = Some(Open { process: std::process::id(), connection });
                    return Ok(true);
                }
                Err(error) => {
                    let goes_on = is_the_hosts(error.kind);
                    failures.push(error.at(host));
                    if !goes_on {
                        break;
                    }
                }
            }
        }
        Err(summary(failures))
    }

    /// Does this to the row. A connection that turns out to be closed is opened once more, and
    /// the operation sent again: all of them can be repeated.
    ///
    /// # Errors
    /// Of every [`Kind`].
    pub fn run(
        &mut self,
        row: &Row<'_>,
        level: Consistency,
        operation: &Operation<'_>,
    ) -> Result<Columns, Error> {
        let time = self.next_time();
        let call = Call { row: *row, level, operation: *operation, time };
        let is_new = self.connect()?;
        let result = self.try_once(&call);
        if is_new || !result.as_ref().is_err_and(|error| error.fate == Fate::Closed) {
            return result;
        }
        self.connect()?;
        self.try_once(&call)
    }

    fn try_once(&mut self, call: &Call<'_>) -> Result<Columns, Error> {
        let result = match self.open.as_mut().map(|open| &mut open.connection) {
            Some(Connection::Cql(connection)) => connection.run(call),
            Some(Connection::Thrift(connection)) => connection.run(call),
            None => Err(Error::new(Kind::Connection, "not connected")),
        };
        if result.as_ref().is_err_and(|error| error.fate != Fate::Usable) {
            self.open = None;
            // It accepts connections, maybe, but the next host may do better.
            self.first = (self.first + 1) % self.settings.hosts.len().max(1);
        }
        result
    }

    /// Microseconds since 1970, later than any before: the last write wins.
    fn next_time(&mut self) -> i64 {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let now = i64::try_from(now.as_micros()).unwrap_or(i64::MAX);
        self.written = now.max(self.written.saturating_add(1));
        self.written
    }
}

/// Whether another host may do better.
fn is_the_hosts(kind: Kind) -> bool {
    matches!(kind, Kind::Connection | Kind::Timeout | Kind::Unavailable | Kind::Protocol)
}

/// The error of all hosts that failed: the last one's class and every message.
fn summary(failures: Vec<Error>) -> Error {
    let kind = failures.last().map_or(Kind::Connection, |error| error.kind);
    let messages: Vec<String> = failures.into_iter().map(|error| error.message).collect();
    Error::broken(kind, messages.join("; "))
}

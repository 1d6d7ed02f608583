//! The interface to a library that blocks: the calls that a connection's thread makes.
//!
//! It is a trait because no server is available: the tests implement a fake database, with which
//! everything on this side is tested.

use drivers::request_error::RequestError;
use engine::clock;
use std::sync::Arc;

/// A library that opens connections.
pub(crate) trait Library: Clone + Send + 'static {
    /// One connection. It is dropped on the thread that opened it.
    type Link: Link;

    /// Opens a connection and logs in.
    fn connect(&self) -> Result<Self::Link, Fault>;
}

/// One connection. Every call waits for its answer.
pub(crate) trait Link {
    /// Requests rows, and puts them into the reply.
    fn query(
        &mut self,
        text: &str,
        bound: &[Bind],
        wants_cells: bool,
        reply: &mut Reply,
    ) -> Result<(), Fault>;

    /// Carries out a statement once for each of these rows of values. Returns how many rows it
    /// changed. Does not commit.
    fn change(&mut self, text: &str, rows: &[Vec<Bind>]) -> Result<u64, Fault>;

    fn commit(&mut self) -> Result<(), Fault>;

    fn rollback(&mut self) -> Result<(), Fault>;

    /// Checks whether the server still answers.
    fn ping(&mut self) -> Result<(), Fault>;
}

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) request_error: RequestError,
    /// The message, which may contain the server's own text.
    pub(crate) why: String,
}

/// A value for a placeholder of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Bind {
    Integer(i64),
    Text(String),
    Bytes(Vec<u8>),
}

/// The work of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    Query {
        text: Arc<str>,
        bound: Vec<Bind>,
        /// Whether the content of rows is needed, and not only its length.
        wants_cells: bool,
        commits: bool,
    },
    Change {
        text: Arc<str>,
        rows: Vec<Vec<Bind>>,
        commits: bool,
    },
    Commit,
    Rollback,
    Ping,
}

/// The result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reply {
    /// When it began, on the engine's clock; 0 if only its end is known.
    pub(crate) began: u64,
    pub(crate) rows: Vec<Fetched>,
    /// Rows that were changed.
    pub(crate) changed: u64,
}

/// A row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fetched {
    /// Length of all columns as text.
    pub(crate) bytes: usize,
    /// The columns, if they are needed: numbers as text, bytes unchanged. None is NULL.
    pub(crate) cells: Vec<Option<Vec<u8>>>,
}

impl Reply {
    /// Records that the reply begins.
    pub(crate) fn begins(&mut self) {
        self.began = clock::now();
    }

    /// Adds one row.
    pub(crate) fn row(&mut self, row: Fetched) {
        self.rows.push(row);
    }
}

impl Call {
    /// Carries it out on a connection.
    pub(crate) fn carry_out(self, link: &mut impl Link) -> Result<Reply, Fault> {
        let mut reply = Reply::default();
        match self {
            Call::Query { text, bound, wants_cells, commits } => {
                let result = link.query(&text, &bound, wants_cells, &mut reply);
                ends(link, result, commits)?;
            }
            Call::Change { text, rows, commits } => {
                let changed = link.change(&text, &rows);
                reply.changed = ends(link, changed, commits)?;
            }
            Call::Commit => link.commit()?,
            Call::Rollback => link.rollback()?,
            Call::Ping => link.ping()?,
        }
        Ok(reply)
    }
}

/// Ends the transaction of a call that is not part of a longer one. Rolls back if the call failed.
fn ends<T>(link: &mut impl Link, done: Result<T, Fault>, commits: bool) -> Result<T, Fault> {
    match done {
        Ok(done) if commits => link.commit().map(|()| done),
        Err(fault) if commits && !fault.request_error.closes() => match link.rollback() {
            Ok(()) => Err(fault),
            // The state of the session is unknown.
            Err(other) => Err(other),
        },
        done => done,
    }
}

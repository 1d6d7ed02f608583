//! The seam to a library that blocks: what a connection's thread has it do.
//!
//! A trait, since no server is at hand: behind it the tests put a database that is
//! made up, and everything on this side of it is tested with that.

use crate::trouble::Trouble;
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
    /// Asks for rows, and puts them into the reply.
    fn query(
        &mut self,
        text: &str,
        bound: &[Bind],
        wants_cells: bool,
        reply: &mut Reply,
    ) -> Result<(), Fault>;

    /// Carries out a statement once for each of these rows of values. Returns how many
    /// rows it changed. Nothing is committed by that.
    fn change(&mut self, text: &str, rows: &[Vec<Bind>]) -> Result<u64, Fault>;

    fn commit(&mut self) -> Result<(), Fault>;

    fn rollback(&mut self) -> Result<(), Fault>;

    /// Asks whether the server still answers.
    fn ping(&mut self) -> Result<(), Fault>;
}

/// Why a call came to nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) trouble: Trouble,
    /// In words, some of them the server's own.
    pub(crate) why: String,
}

/// A value for a place of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Bind {
    Integer(i64),
    Text(String),
    Bytes(Vec<u8>),
}

/// What a connection is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Call {
    Query {
        text: Arc<str>,
        bound: Vec<Bind>,
        /// What the rows hold is wanted, and not only how much it is.
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

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reply {
    /// When it began, on the engine's clock; 0: that is not known apart from its end.
    pub(super) began: u64,
    pub(super) rows: Vec<Fetched>,
    /// Rows that were changed.
    pub(super) changed: u64,
}

/// A row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fetched {
    /// In all columns, as text.
    pub(crate) bytes: usize,
    /// Where they are wanted: numbers as text, bytes as they are; none is NULL.
    pub(crate) cells: Vec<Option<Vec<u8>>>,
}

impl Reply {
    /// The reply begins.
    pub(crate) fn begins(&mut self) {
        self.began = clock::now();
    }

    /// One more row.
    pub(crate) fn row(&mut self, row: Fetched) {
        self.rows.push(row);
    }
}

impl Call {
    /// Has a connection do it.
    pub(super) fn carry_out(self, link: &mut impl Link) -> Result<Reply, Fault> {
        let mut reply = Reply::default();
        match self {
            Call::Query { text, bound, wants_cells, commits } => {
                let asked = link.query(&text, &bound, wants_cells, &mut reply);
                ends(link, asked, commits)?;
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

/// Ends the transaction of what stands alone: nobody else would. What was done of a
/// call that failed is undone.
fn ends<T>(link: &mut impl Link, done: Result<T, Fault>, commits: bool) -> Result<T, Fault> {
    match done {
        Ok(done) if commits => link.commit().map(|()| done),
        Err(fault) if commits && !fault.trouble.closes() => match link.rollback() {
            Ok(()) => Err(fault),
            // What state it is in nobody knows.
            Err(other) => Err(other),
        },
        done => done,
    }
}

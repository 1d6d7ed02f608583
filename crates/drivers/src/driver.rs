//! The seam to a client library.

use crate::own::worse;
use crate::serving::{Request, Row, Serving};
use crate::trouble::Trouble;
use engine::workload::Arguments;
use engine::{Memo, clock};
use record::Told;
use std::cell::RefCell;
use std::net::IpAddr;

/// A client library, as a lane uses it. All of it happens on one thread.
pub(crate) trait Driver: 'static {
    /// One connection.
    type Client: 'static;

    /// Opens a connection and logs in. `from`: the address to dial from; none: the
    /// system chooses. A library that cannot be told leaves it to the system.
    async fn connect(&self, from: Option<IpAddr>) -> Result<(Self::Client, Opening), Trouble>;

    /// Carries out one request, and tells `heard` of everything.
    async fn perform(
        &self,
        client: &mut Self::Client,
        request: &Request,
        heard: &mut Heard<'_>,
    ) -> Result<(), Trouble>;

    /// Writes rows, all or none of them; it may be that some are there already.
    async fn load(&self, client: &mut Self::Client, rows: &[Row]) -> Result<(), Trouble>;

    /// Writes rows into the table of this number, all or none of them; it may be that
    /// some are there already.
    async fn fill(
        &self,
        client: &mut Self::Client,
        table: u32,
        rows: &[&Arguments],
    ) -> Result<(), Trouble>;

    /// Asks whether the server still answers.
    async fn ping(&self, client: &mut Self::Client) -> Result<(), Trouble>;

    /// Sets the session back to what it was after the log-in.
    async fn reset(&self, client: &mut Self::Client) -> Result<(), Trouble>;

    /// Says goodbye. Whatever goes wrong then goes wrong unheard.
    async fn close(&self, client: Self::Client);

    /// The server closed the connection, as far as can be told without asking.
    fn is_closed(&self, client: &Self::Client) -> bool;

    /// CPU time of threads beside the lane's own, so far, in nanoseconds.
    fn threads_cpu_ns(&self) -> u64 {
        0
    }
}

/// How long the phases of opening a connection took, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Opening {
    /// None where the library does not tell: then it is part of the log-in.
    pub(crate) connect_ns: Option<u64>,
    pub(crate) tls_ns: Option<u64>,
    pub(crate) log_in_ns: u64,
}

/// What is heard of one request while it is carried out.
pub(crate) struct Heard<'a> {
    serving: &'a RefCell<Serving>,
    memo: &'a mut Memo,
    /// How long a statement took to be prepared, if one was.
    pub(crate) prepare_ns: Option<u64>,
    /// When it was sent; 0: it was not.
    pub(crate) asked: u64,
    /// When its reply began; 0: it did not.
    pub(crate) began: u64,
    pub(crate) rows: u32,
    pub(crate) bytes: u64,
    /// What statements of one's own came to; none: it was none of them.
    pub(crate) own: Option<Told>,
}

impl<'a> Heard<'a> {
    pub(crate) fn new(serving: &'a RefCell<Serving>, memo: &'a mut Memo) -> Heard<'a> {
        Heard { serving, memo, prepare_ns: None, asked: 0, began: 0, rows: 0, bytes: 0, own: None }
    }

    /// A statement was prepared for it, since `began`.
    pub(crate) fn prepared(&mut self, began: u64) {
        self.prepare_ns = Some(clock::now() - began);
    }

    /// The request is sent now.
    pub(crate) fn asks(&mut self) {
        self.asked = clock::now();
    }

    /// The reply begins, if it did not before.
    pub(crate) fn begins(&mut self) {
        if self.began == 0 {
            self.began = clock::now();
        }
    }

    /// The reply began at this time, of the engine's clock; 0: that is not known.
    pub(crate) fn began_at(&mut self, at: u64) {
        if self.began == 0 {
            self.began = at;
        }
    }

    /// A row of the workload's; its key where it names one.
    pub(crate) fn row(&mut self, key: Option<&[u8]>, value: &[u8]) {
        self.row_of(value.len());
        self.serving.borrow_mut().row(self.memo, key, value);
    }

    /// A row of the contender's one statement: so many bytes in all its columns, as
    /// text. How a protocol sends a number makes no difference between replies.
    pub(crate) fn row_of(&mut self, bytes: usize) {
        self.begins();
        self.rows += 1;
        self.bytes += bytes as u64;
    }
    /// Whether this, as text, is what the load wrote into a column (its table and its
    /// number there), in the row of the operation's key.
    pub(crate) fn is_loaded(&mut self, column: (u32, usize), text: &[u8]) -> bool {
        self.serving.borrow_mut().is_loaded(self.memo, column, text)
    }

    /// A statement of one's own was answered in full.
    pub(crate) fn statement_told(&mut self, told: Told) {
        self.own = Some(worse(self.own.unwrap_or(Told::Ok), told));
    }
}

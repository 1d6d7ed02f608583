//! The seam to a client library.

use crate::heard::Heard;
use crate::request::{Request, Row};
use crate::trouble::Trouble;
use engine::workload::Arguments;
use std::net::IpAddr;

/// A client library, as a lane uses it. All of it happens on one thread.
pub(crate) trait Driver: 'static {
    /// One connection.
    type Client: 'static;

    /// Opens a connection and logs in. `from`: the address to dial from. None if the
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

    /// Bytes of a reply at most, of a library that keeps no bound: then the lane watches what it
    /// reserves.
    fn unkept_reply_bytes(&self) -> Option<u64> {
        None
    }

    /// Drops what connections share: they are given up, all of them.
    fn forget_shared(&self) {}

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

//! The interface to a client library.

use crate::events::Events;
use crate::request::{Request, Row};
use crate::request_error::RequestError;
use engine::workload::Arguments;
use std::net::IpAddr;

/// A client library, as a lane uses it. All of it happens on one thread.
pub trait Driver: 'static {
    /// One connection.
    type Client: 'static;

    /// Opens a connection and logs in. `from` is the source address; None lets the system choose,
    /// as do libraries that have no such setting.
    fn connect(
        &self,
        from: Option<IpAddr>,
    ) -> impl Future<Output = Result<(Self::Client, Opening), Unopened>>;

    /// Carries out one request, and reports its progress and its reply to `events`.
    fn perform(
        &self,
        client: &mut Self::Client,
        request: &Request,
        events: &mut Events<'_>,
    ) -> impl Future<Output = Result<(), RequestError>>;

    /// Writes rows, all or none of them. Some may exist already.
    fn load(
        &self,
        client: &mut Self::Client,
        rows: &[Row],
    ) -> impl Future<Output = Result<(), RequestError>>;

    /// Writes rows into the table with this number, all or none of them. Some may exist already.
    fn fill(
        &self,
        client: &mut Self::Client,
        table: u32,
        rows: &[&Arguments],
    ) -> impl Future<Output = Result<(), RequestError>>;

    /// Checks whether the server still answers.
    fn ping(&self, client: &mut Self::Client) -> impl Future<Output = Result<(), RequestError>>;

    /// Resets the session to its state after the login.
    fn reset(&self, client: &mut Self::Client) -> impl Future<Output = Result<(), RequestError>>;

    /// Closes the connection in good order. Errors are ignored.
    fn close(&self, client: Self::Client) -> impl Future<Output = ()>;

    /// Whether the server closed the connection, as far as is known without asking it.
    fn is_closed(&self, client: &Self::Client) -> bool;

    /// Maximum length of a reply in bytes, for a library without such a limit: the lane then
    /// watches the memory that it reserves.
    fn unkept_reply_bytes(&self) -> Option<u64> {
        None
    }

    /// Drops what connections share, because all of them are abandoned.
    fn forget_shared(&self) {}

    /// CPU time of threads other than the lane's own so far, in nanoseconds.
    fn threads_cpu_ns(&self) -> u64 {
        0
    }
}

/// Why no connection could be opened.
#[derive(Debug)]
pub struct Unopened {
    /// The class of the failure.
    pub error: RequestError,
    /// What the server said when it refused the connection.
    pub said: Option<String>,
    /// Why tiebreak aborted the login.
    pub refusal: Option<String>,
}

impl Unopened {
    /// `words` are those of the library, which quotes the server if the server refused.
    pub fn new(error: RequestError, words: impl FnOnce() -> String) -> Unopened {
        let is_refused = matches!(error, RequestError::ServerError { .. });
        Unopened { error, said: is_refused.then(words), refusal: None }
    }

    /// tiebreak aborted the login.
    pub fn refused(error: RequestError, why: String) -> Unopened {
        Unopened { error, said: None, refusal: Some(why) }
    }
}

/// How long the phases of opening a connection took, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// None if the library does not report it: then it is part of the login.
    pub connect_ns: Option<u64>,
    /// None without TLS, or if the library does not report it.
    pub tls_ns: Option<u64>,
    /// The login.
    pub log_in_ns: u64,
}

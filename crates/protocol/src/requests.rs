//! Servers that answer requests.

use crate::Access;
use engine::workload::Feeds;
use engine::{Numbers, TlsAccess};
use std::sync::Arc;

/// The properties of a protocol of requests beyond those of every protocol.
pub struct Requests {
    /// The names by which TLS negotiates it (ALPN), the preferred one first.
    pub alpn: &'static [&'static [u8]],
    /// Checks that a request of a workload can be sent.
    pub check: fn(&RequestOperation<'_>) -> Result<(), String>,
    /// Makes the access to a server.
    pub connect: fn(RequestParts<'_>) -> Result<Box<dyn Access>, String>,
}

/// A request without its body. No `Debug`: headers and the query can be secret.
pub struct RequestHead<'a> {
    /// The method.
    pub method: &'a str,
    /// The path and the query.
    pub target: &'a str,
    /// The host, as the server is told it.
    pub host: &'a str,
    /// The user's headers.
    pub headers: Vec<(String, Vec<u8>)>,
}

/// What is needed to connect to a server of requests.
pub struct RequestParts<'a> {
    /// The request of all operations, unless the workload has some.
    pub head: RequestHead<'a>,
    /// Its body.
    pub body: Option<Arc<[u8]>>,
    /// Status codes that count as success; if empty, these are 200 to 299.
    pub expect: Vec<u16>,
    /// None means without TLS.
    pub tls: Option<TlsAccess>,
    /// The requests of the workload. None if there is only the one request.
    pub operations: Option<RequestOperations<RequestOperation<'a>>>,
}

/// The requests of a workload. No `Debug`: they can be secret.
#[derive(Clone)]
pub struct RequestOperations<T> {
    /// The requests, by number of the operation in [`record::Custom::operations`].
    pub each: Vec<T>,
    /// Rows of the feeds that the requests refer to.
    pub feeds: Feeds,
    /// The numbers from which operations continue in the next call of the engine.
    pub numbers: Numbers,
}

/// A request in which names of parameters in braces are placeholders.
pub struct RequestOperation<'a> {
    /// Its name.
    pub name: &'a str,
    /// All but its body.
    pub head: RequestHead<'a>,
    /// The body.
    pub body: Option<&'a str>,
    /// The names of its parameters.
    pub parameters: Vec<&'a str>,
}

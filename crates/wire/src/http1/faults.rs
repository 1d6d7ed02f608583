//! All faults of this codec. The texts name the remedy if there is one on the client's side; none
//! of them quotes the server.

use crate::Fault;

pub use crate::faults::{ANSWERS_NOTHING, CLOSED_BEFORE_REPLY, CLOSED_IN_REPLY};

/// The first bytes are not `HTTP/1.0` or `HTTP/1.1` and a status.
pub const NOT_HTTP1: Fault = Fault("not an HTTP/1.0 or HTTP/1.1 reply");
/// The rest of the status line is malformed.
pub const STATUS_LINE: Fault = Fault("malformed status line");
/// A header's name, value or line end is malformed, or a line is folded.
pub const HEADER: Fault = Fault("malformed header");
/// More than [`Limits::head_bytes`](super::Limits::head_bytes).
pub const HEAD_TOO_LONG: Fault = Fault("the head of the reply is longer than the limit");
/// More than [`Limits::headers`](super::Limits::headers).
pub const TOO_MANY_HEADERS: Fault = Fault("the reply has more headers than the limit");
/// More than [`Limits::informational`](super::Limits::informational).
pub const TOO_MANY_INFORMATIONAL: Fault = Fault("more 1xx replies than the limit");
/// 101 to a request that asked for no other protocol here.
pub const SWITCHED: Fault = Fault("the server switched protocols (101): omit the header Upgrade");

/// Not a decimal number, or one above 2⁶⁴ − 1.
pub const CONTENT_LENGTH: Fault = Fault("malformed Content-Length");
/// Several `Content-Length` headers differ.
pub const CONTENT_LENGTHS: Fault = Fault("conflicting Content-Length");
/// Both headers are present: readers that trust one or the other see different replies.
pub const LENGTH_AND_CODING: Fault = Fault("Content-Length together with Transfer-Encoding");
/// Any coding other than a single `chunked`.
pub const CODING: Fault = Fault("a Transfer-Encoding other than chunked");
/// HTTP/1.0 has no transfer codings (RFC 9112, 6.1: faulty framing).
pub const CODING_IN_HTTP10: Fault = Fault("Transfer-Encoding in an HTTP/1.0 reply");
/// A chunk's size line, or the line end after its data, is malformed.
pub const CHUNK: Fault = Fault("malformed chunk");
/// A chunk of more than 2⁶⁴ − 1 bytes.
pub const CHUNK_TOO_LARGE: Fault = Fault("the size of a chunk overflows");
/// A chunk's size line, extensions included, is longer than the limit.
pub const CHUNK_LINE_TOO_LONG: Fault = Fault("a chunk's size line is longer than 1024 bytes");
/// A trailer after the last chunk is malformed.
pub const TRAILER: Fault = Fault("malformed trailer");
/// More than [`Limits::head_bytes`](super::Limits::head_bytes) of them.
pub const TRAILERS_TOO_LONG: Fault = Fault("the trailers of the reply are longer than the limit");

/// An operation was written while another one is in flight.
pub const IN_FLIGHT: Fault = Fault("another operation is in flight on this connection");
/// An operation was written on a connection that must not be used again.
pub const NOT_REUSABLE: Fault = Fault("this connection must not be used again");

/// The method is empty or contains an invalid byte.
pub const METHOD: Fault = Fault("the method must be a token such as GET");
/// The reply to CONNECT is a tunnel, not a reply.
pub const CONNECT: Fault = Fault("CONNECT opens a tunnel and cannot be measured");
/// The path is not valid in a request line.
pub const PATH: Fault = Fault(
    "the path must start with / and must not contain a space, control byte, # or byte above \
           0x7e",
);
/// The host is not valid in a Host header.
pub const HOST: Fault = Fault("the host must be a name or an address, optionally with a port");
/// A header's name contains an invalid byte.
pub const HEADER_NAME: Fault = Fault("a header's name must be a token such as Accept");
/// A value would end its header, or start another.
pub const HEADER_VALUE: Fault =
    Fault("a header's value must not contain CR, LF, NUL or another control byte");
/// With two of them, two readers would see two different requests.
pub const TWO_HOSTS: Fault = Fault("the header Host is set twice");
/// The user set Transfer-Encoding, but bodies are sent whole.
pub const ASKED_CODING: Fault = Fault("Transfer-Encoding cannot be set: omit it");
/// The user set a Content-Length that is not the length of the body.
pub const ASKED_LENGTH: Fault =
    Fault("the Content-Length differs from the length of the body: omit it");

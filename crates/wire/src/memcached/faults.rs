//! All faults of this codec. The texts name the remedy if there is one on the client's side; none
//! of them quotes the server.

use crate::Fault;

/// The peer closed before the first byte of a reply. On a connection that was used before, the
/// server may have closed it while it was idle.
pub const CLOSED_BEFORE_REPLY: Fault = Fault("closed before a reply");
/// The peer closed after a part of a reply had come.
pub const CLOSED_IN_REPLY: Fault = Fault("closed in the middle of a reply");
/// Bytes came while nothing was in flight.
pub const ANSWERS_NOTHING: Fault = Fault("bytes that do not belong to any request");
/// The server refuses the connection ([`codes::TOO_MANY_CONNECTIONS`]).
///
/// [`codes::TOO_MANY_CONNECTIONS`]: super::codes::TOO_MANY_CONNECTIONS
pub const TOO_MANY_CONNECTIONS: Fault =
    Fault("the server has too many open connections: raise its -c or use fewer");

/// A line that is not a reply to the command.
pub const UNEXPECTED: Fault = Fault("a line that is not a reply to this command");
/// CR or LF alone.
pub const LINE_END: Fault = Fault("a line that does not end with CR LF");
/// More than [`MOST_LINE_BYTES`](super::MOST_LINE_BYTES).
pub const LINE_TOO_LONG: Fault = Fault("a line is longer than the limit");
/// A line that announces a value, or its flags, could not be read.
pub const VALUE_LINE: Fault = Fault("malformed line before a value");
/// A length that is not a decimal number, or is above 2⁶⁴ − 1.
pub const LENGTH: Fault = Fault("malformed length of a value");
/// More than [`Limits::value_bytes`](super::Limits::value_bytes).
pub const VALUE_TOO_LONG: Fault = Fault("a value is longer than the limit");
/// What follows the bytes of a value is not CR LF.
pub const VALUE_END: Fault = Fault("a value is not followed by CR LF");
/// A value for a key that was not requested, or that was given before.
pub const OTHER_KEY: Fault = Fault("a value for a key that was not requested");
/// The server did not know a command and read its value as further commands: its replies from then
/// on match no request.
pub const OUT_OF_STEP: Fault =
    Fault("the server did not read the value of a refused write: replies are out of order");

/// As many operations as the window allows are in flight.
pub const IN_FLIGHT: Fault = Fault("the window is full");
/// The server closed, or will close after the operations in flight.
pub const NOT_REUSABLE: Fault = Fault("the connection cannot be reused");
/// No key, or one that the server could not read back as one.
pub const KEY: Fault = Fault("a key must be 1 to 250 bytes without blanks and control bytes");
/// A multi-get without keys.
pub const NO_KEYS: Fault = Fault("a multi-get needs at least one key");
/// More than [`Limits::value_bytes`](super::Limits::value_bytes).
pub const ASKED_VALUE: Fault = Fault("the value to be written is longer than the limit");
/// The text protocol has no command that does nothing.
pub const NOOP: Fault = Fault("noop exists only in the meta protocol; use version instead");

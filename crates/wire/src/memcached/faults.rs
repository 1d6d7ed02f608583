//! All faults of this codec. The texts name the remedy if there is one on the client's side; none
//! of them quotes the server.

use crate::Fault;

pub use crate::faults::{
    ANSWERS_NOTHING, CLOSED_BEFORE_REPLY, CLOSED_IN_REPLY, IN_FLIGHT, NOT_REUSABLE,
};

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

/// No key, or one that the server could not read back as one.
pub const KEY: Fault = Fault("a key must be 1 to 250 bytes without blanks and control bytes");
/// A multi-get without keys.
pub const NO_KEYS: Fault = Fault("a multi-get needs at least one key");
/// More than [`Limits::value_bytes`](super::Limits::value_bytes).
pub const ASKED_VALUE: Fault = Fault("the value to be written is longer than the limit");

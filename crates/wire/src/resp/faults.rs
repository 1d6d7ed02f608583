//! All faults of this codec. The texts name the remedy if there is one on the client's side; none
//! of them quotes the server.

use super::codes;
use crate::Fault;

/// The peer closed before the first byte of a reply. On a connection that was used before, the
/// server may have closed it while it was idle.
pub const CLOSED_BEFORE_REPLY: Fault = Fault("closed before a reply");
/// The peer closed after a part of a reply or of a push had come.
pub const CLOSED_IN_REPLY: Fault = Fault("closed in the middle of a reply");
/// The peer closed before HELLO, AUTH and SELECT were answered.
pub const CLOSED_IN_OPENING: Fault = Fault("closed during the login");
/// Bytes came while nothing was in flight.
pub const ANSWERS_NOTHING: Fault = Fault("bytes that do not belong to any request");

/// The first byte of a value is not one of RESP's.
pub const NOT_RESP: Fault = Fault("not a RESP reply");
/// A reply of a type that its command never returns.
pub const UNEXPECTED: Fault = Fault("a reply of a type that this command never returns");
/// An MGET with more or fewer elements than keys.
pub const OTHER_COUNT: Fault = Fault(
    "a reply whose number of elements differs from the number of \
                                      keys",
);
/// CR or LF alone, or neither after a string.
pub const LINE_END: Fault = Fault("a line or a string that does not end with CR LF");
/// More than [`MOST_LINE_BYTES`](super::MOST_LINE_BYTES).
pub const LINE_TOO_LONG: Fault = Fault("a length or a number is longer than the limit");
/// A length or a count that is not a decimal number, or is too large.
pub const LENGTH: Fault = Fault("malformed length");
/// An integer that is not a decimal number of 64 bits.
pub const INTEGER: Fault = Fault("malformed integer");
/// A malformed double, big number, boolean or null.
pub const NUMBER: Fault = Fault("malformed number, boolean or null");
/// A verbatim string without its format.
pub const VERBATIM: Fault = Fault("malformed verbatim string");
/// More than [`Limits::bulk_bytes`](super::Limits::bulk_bytes).
pub const BULK_TOO_LONG: Fault = Fault("a string is longer than the limit");
/// More than [`MOST_DEEP`](super::MOST_DEEP).
pub const TOO_DEEP: Fault = Fault("aggregates are nested deeper than the limit");
/// A push is allowed only between replies.
pub const PUSH_INSIDE: Fault = Fault("a push in the middle of a reply");

/// HELLO, AUTH and SELECT are not answered yet.
pub const NOT_OPEN: Fault = Fault("the login is not complete");
/// As many operations as the window allows are in flight.
pub const IN_FLIGHT: Fault = Fault("the window is full");
/// The server closed, or will close after the operations in flight.
pub const NOT_REUSABLE: Fault = Fault("the connection cannot be reused");
/// A command without a name, or an MGET or DEL without keys.
pub const NO_ARGUMENTS: Fault = Fault("a command needs a name, and MGET and DEL a key");
/// See [`Op::Command`](super::Op::Command).
pub const COMMAND: Fault =
    Fault("this command changes the reply format or the login and cannot be measured");
/// RESP does not support a user without a password.
pub const USER_WITHOUT_PASSWORD: Fault = Fault("a user needs a password");

/// The server is loading ([`codes::LOADING`]).
pub const LOADING: Fault =
    Fault("LOADING: the server is loading its dataset; wait until it has finished");
/// [`codes::NOAUTH`].
pub const NOAUTH: Fault = Fault("NOAUTH: the server requires a password; add it to the address");
/// [`codes::WRONGPASS`].
pub const WRONGPASS: Fault = Fault("WRONGPASS: the server rejects the user or the password");
/// [`codes::NOPERM`].
pub const NOPERM: Fault = Fault("NOPERM: this user may not run the command; extend its ACL");
/// [`codes::NOPROTO`].
pub const NOPROTO: Fault = Fault("NOPROTO: the server does not support RESP3; use RESP2");
/// [`codes::DENIED`].
pub const DENIED: Fault = Fault("DENIED: the server is in protected mode; connect over loopback");
/// [`codes::MAX_CLIENTS`].
pub const MAX_CLIENTS: Fault =
    Fault("the server has reached maxclients; raise it or use fewer connections");
/// Any other error to HELLO.
pub const HELLO: Fault = Fault("the server rejects HELLO (it exists since Redis 6; use RESP2)");
/// Any other error to AUTH.
pub const AUTH: Fault = Fault("the server rejects AUTH (check whether it has a password)");
/// Any other error to SELECT.
pub const SELECT: Fault = Fault("the server rejects SELECT (check its number of databases)");

/// The fault of an error that refuses the connection; `otherwise` if the error has no fault of its
/// own.
pub(super) fn refusal(code: u16, otherwise: Fault) -> Fault {
    match code {
        codes::LOADING => LOADING,
        codes::NOAUTH => NOAUTH,
        codes::WRONGPASS => WRONGPASS,
        codes::NOPERM => NOPERM,
        codes::NOPROTO => NOPROTO,
        codes::DENIED => DENIED,
        codes::MAX_CLIENTS => MAX_CLIENTS,
        _ => otherwise,
    }
}

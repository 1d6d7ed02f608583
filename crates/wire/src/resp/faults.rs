//! All faults of this codec. The texts name the remedy if there is one on the client's side; none
//! of them quotes the server.

use super::codes;
use crate::Fault;

pub use crate::faults::{
    ANSWERS_NOTHING, CLOSED_BEFORE_REPLY, CLOSED_IN_OPENING, CLOSED_IN_REPLY, IN_FLIGHT, NOT_OPEN,
    NOT_REUSABLE,
};

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

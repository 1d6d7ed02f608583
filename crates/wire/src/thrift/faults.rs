//! All faults of this codec. None of the texts quotes the server.

use super::codes;
use crate::Fault;

pub use crate::faults::{
    ANSWERS_NOTHING, CLOSED_BEFORE_REPLY, CLOSED_IN_OPENING, CLOSED_IN_REPLY, IN_FLIGHT, NOT_OPEN,
    NOT_REUSABLE,
};

/// A frame's length is negative or above [`Limits::frame_bytes`](super::Limits).
pub const FRAME: Fault = Fault("a frame is longer than the limit, or not Thrift");
/// The message in a frame is shorter or longer than the frame.
pub const FRAME_END: Fault = Fault("a message does not fill its frame");
/// Not the binary protocol of version 1.
pub const VERSION: Fault = Fault("not a message of Thrift's binary protocol");
/// The reply to another call, or a message that is not a reply.
pub const OTHER_CALL: Fault = Fault("a reply to another call");
/// A type that Thrift does not have.
pub const TYPE: Fault = Fault("a value of an unknown type");
/// A negative length or count.
pub const LENGTH: Fault = Fault("malformed length");
/// More than [`MOST_DEEP`](super::MOST_DEEP).
pub const TOO_DEEP: Fault = Fault("values are nested deeper than the limit");
/// A result that its call does not have, or none of the required ones.
pub const UNEXPECTED: Fault = Fault("a result of a type that this call never returns");
/// A key that was not requested, or came twice.
pub const OTHER_KEY: Fault = Fault("a reply with a key that was not requested");

/// No keys.
pub const NO_ARGUMENTS: Fault = Fault("an operation needs a key");
/// 2 GiB or more.
pub const TOO_LONG: Fault = Fault("the request is longer than a frame can be");

/// [`codes::AUTHENTICATION`].
pub const AUTHENTICATION: Fault = Fault("the server rejects the user or the password");
/// [`codes::AUTHORIZATION`].
pub const AUTHORIZATION: Fault = Fault("this user may not use the keyspace");
/// `set_keyspace` was refused.
pub const KEYSPACE: Fault = Fault(
    "the server rejects set_keyspace (check that the keyspace \
                                   exists)",
);
/// `login` was refused for another reason.
pub const LOGIN: Fault = Fault("the server rejects login");

/// The fault of an exception that refuses the connection.
pub(super) fn refusal(code: u16, otherwise: Fault) -> Fault {
    match code {
        codes::AUTHENTICATION => AUTHENTICATION,
        codes::AUTHORIZATION => AUTHORIZATION,
        _ => otherwise,
    }
}

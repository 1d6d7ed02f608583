//! All faults of this codec. The texts name the remedy if there is one on the client's side; none
//! of them quotes the server.

use crate::Fault;

pub use crate::faults::{CLOSED_BEFORE_REPLY, IN_FLIGHT};

/// The peer closed after a part of a message had come.
pub const CLOSED_IN_REPLY: Fault = Fault("closed in the middle of a message");
/// The peer closed before the upgrade was complete.
pub const CLOSED_IN_UPGRADE: Fault = Fault("closed before the upgrade was complete");
/// The peer sent a close frame while operations were in flight.
pub const CLOSE_FRAME: Fault = Fault("the server sent a close frame");

/// A status other than 101.
pub const NOT_UPGRADED: Fault = Fault("the server does not upgrade to WebSocket");
/// 101 without `Upgrade: websocket` and `Connection: Upgrade`.
pub const OTHER_UPGRADE: Fault = Fault("101 without Upgrade: websocket and Connection: Upgrade");
/// `Sec-WebSocket-Accept` is missing, occurs twice, or does not follow from the key.
pub const ACCEPT: Fault = Fault("Sec-WebSocket-Accept does not follow from the key");
/// The server uses permessage-deflate, which was not requested.
pub const DEFLATE: Fault = Fault("the server uses permessage-deflate, which was not requested");
/// The server uses another extension, none of which was requested.
pub const EXTENSION: Fault = Fault("the server uses an extension that was not requested");
/// The server chose a subprotocol that was not offered, or none of those that were.
pub const SUBPROTOCOL: Fault = Fault("the server chose none of the subprotocols that were offered");

/// A reserved bit of a frame is set.
pub const RESERVED_BIT: Fault = Fault("a reserved bit is set, and no extension is in use");
/// Opcodes 3 to 7 and 11 to 15.
pub const OPCODE: Fault = Fault("a reserved opcode");
/// Only clients mask.
pub const MASKED: Fault = Fault("a masked frame from a server");
/// A length that could be encoded in fewer bytes.
pub const LONG_LENGTH: Fault = Fault("a frame's length in more bytes than it needs");
/// A length of 2⁶³ bytes or more.
pub const HUGE_LENGTH: Fault = Fault("a frame's length has its highest bit set");
/// More than [`Limits::frame_bytes`](super::Limits::frame_bytes).
pub const FRAME_TOO_LONG: Fault = Fault("a frame is longer than the limit");
/// More than [`Limits::message_bytes`](super::Limits::message_bytes).
pub const MESSAGE_TOO_LONG: Fault = Fault("a message is longer than the limit");
/// A control frame of more than 125 bytes.
pub const LONG_CONTROL: Fault = Fault("a control frame of more than 125 bytes");
/// A control frame without FIN.
pub const CUT_CONTROL: Fault = Fault("a control frame in fragments");
/// A continuation while no message is under way.
pub const NO_MESSAGE: Fault = Fault("a continuation frame without a message to continue");
/// A text or binary frame in the middle of a message.
pub const IN_MESSAGE: Fault = Fault("a new message in the middle of another");
/// A text message that is not UTF-8.
pub const NOT_UTF8: Fault = Fault("a text message that is not UTF-8");
/// A close frame of one byte, with a code that no frame may have, or with a reason that is not
/// UTF-8.
pub const CLOSE_PAYLOAD: Fault = Fault("a malformed close frame");
/// More than [`Limits::empty_frames`](super::Limits::empty_frames) in a row.
pub const EMPTY_FRAMES: Fault = Fault("too many frames in a row without a byte of a message");

/// A header that the upgrade itself has.
pub const OWN_HEADER: Fault = Fault(
    "leave out Upgrade, Connection and Sec-WebSocket-Key, -Version and -Accept: tiebreak writes them",
);
/// A request for an extension is refused.
pub const ASKED_EXTENSION: Fault =
    Fault("no extension (permessage-deflate) is supported: leave out Sec-WebSocket-Extensions");

/// The query names a room, and a workload with rooms names them itself.
pub const OWN_ROOM: Fault =
    Fault("leave out `room` from the query: tiebreak names the rooms itself");
/// A member of a room got text for binary messages, or binary messages for text.
pub const OTHER_KIND: Fault = Fault("text for binary, or binary for text");

/// The upgrade is not complete.
pub const NOT_OPEN: Fault = Fault("the upgrade is not complete");
/// The server is closing the connection.
pub const NOT_REUSABLE: Fault = Fault("the server is closing this connection");

/// The code of the close frame with which a client answers this fault (RFC 6455, 7.4.1).
pub(super) fn close_code(fault: Fault) -> u16 {
    match fault {
        NOT_UTF8 => 1007,
        FRAME_TOO_LONG | MESSAGE_TOO_LONG => 1009,
        EMPTY_FRAMES => 1008,
        OTHER_KIND => 1003,
        _ => 1002,
    }
}

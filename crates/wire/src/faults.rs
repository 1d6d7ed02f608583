//! Faults that several codecs have.

use crate::Fault;

/// The peer closed before the first byte of a reply. On a connection that was used before, the
/// server may have closed it while it was idle.
pub const CLOSED_BEFORE_REPLY: Fault = Fault("closed before a reply");
/// The peer closed after a part of a reply, of a push or of an HTTP 1xx had come.
pub const CLOSED_IN_REPLY: Fault = Fault("closed in the middle of a reply");
/// The peer closed before the login was answered.
pub const CLOSED_IN_OPENING: Fault = Fault("closed during the login");
/// Bytes came while nothing was in flight.
pub const ANSWERS_NOTHING: Fault = Fault("bytes that do not belong to any request");
/// The login is not answered yet.
pub const NOT_OPEN: Fault = Fault("the login is not complete");
/// As many operations as the window allows are in flight.
pub const IN_FLIGHT: Fault = Fault("the window is full");
/// The server closed, or will close after the operations in flight.
pub const NOT_REUSABLE: Fault = Fault("the connection cannot be reused");

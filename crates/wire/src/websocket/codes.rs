//! Numbers by which replies are counted, beside the statuses of HTTP (100 to 599), which are
//! those of a refused upgrade, and the codes of close frames (1000 to 4999).

/// A message came that answered nothing, before the message of this operation was sent.
pub const UNREQUESTED: u16 = 1;
/// A text was answered by a binary message, or the reverse.
pub const OTHER_KIND: u16 = 2;
/// 101 without `Upgrade: websocket` and `Connection: Upgrade`.
pub const OTHER_UPGRADE: u16 = 3;
/// `Sec-WebSocket-Accept` does not follow from the key.
pub const ACCEPT: u16 = 4;
/// The server uses permessage-deflate, which was not requested.
pub const DEFLATE: u16 = 5;
/// The server uses another extension.
pub const EXTENSION: u16 = 6;
/// The server chose none of the subprotocols that were offered.
pub const SUBPROTOCOL: u16 = 7;
/// A member of a room got its copy of a broadcast twice.
pub const COPY_TWICE: u16 = 8;
/// A member of a room got a copy of another broadcast: one of another room, or one that had
/// ended.
pub const OTHER_COPY: u16 = 9;
/// A close frame without a code.
pub const NO_CODE: u16 = 1005;

/// All that have names.
pub const TABLE: &[(u16, &str)] = &[
    (UNREQUESTED, "a message that answers nothing"),
    (OTHER_KIND, "text for binary, or binary for text"),
    (OTHER_UPGRADE, "101 to another protocol"),
    (ACCEPT, "wrong Sec-WebSocket-Accept"),
    (DEFLATE, "permessage-deflate, not requested"),
    (EXTENSION, "an extension, not requested"),
    (SUBPROTOCOL, "none of the subprotocols"),
    (COPY_TWICE, "a copy that was received twice"),
    (OTHER_COPY, "a copy of another broadcast"),
    (200, "HTTP 200"),
    (301, "HTTP 301"),
    (302, "HTTP 302"),
    (307, "HTTP 307"),
    (308, "HTTP 308"),
    (400, "HTTP 400"),
    (401, "HTTP 401"),
    (403, "HTTP 403"),
    (404, "HTTP 404"),
    (405, "HTTP 405"),
    (426, "HTTP 426"),
    (429, "HTTP 429"),
    (500, "HTTP 500"),
    (501, "HTTP 501"),
    (502, "HTTP 502"),
    (503, "HTTP 503"),
    (504, "HTTP 504"),
    (1000, "close 1000 (normal)"),
    (1001, "close 1001 (going away)"),
    (1002, "close 1002 (protocol error)"),
    (1003, "close 1003 (unsupported data)"),
    (NO_CODE, "close without a code"),
    (1007, "close 1007 (invalid payload)"),
    (1008, "close 1008 (policy violation)"),
    (1009, "close 1009 (message too big)"),
    (1010, "close 1010 (extension required)"),
    (1011, "close 1011 (internal error)"),
    (1012, "close 1012 (service restart)"),
    (1013, "close 1013 (try again later)"),
    (1014, "close 1014 (bad gateway)"),
];

/// The name of the number. Returns None for statuses and close codes without a name here.
pub fn name(code: u16) -> Option<&'static str> {
    TABLE.iter().find(|(known, _)| *known == code).map(|(_, name)| *name)
}

/// Whether a close frame may have this code (RFC 6455, 7.4; IANA's registry).
pub(super) fn may_close(code: u16) -> bool {
    matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999)
}

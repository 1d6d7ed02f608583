//! Explains what a server answers instead of upgrading to WebSocket and sending the message back.

use protocol::NotReady;
use wire::websocket::codes;

/// Explains this code: an HTTP status, the code of a close frame, or a code of the codec.
pub(super) fn not_ready(code: u16) -> NotReady {
    match code {
        200 => NotReady::Never(
            "it answers with HTTP 200 and does not upgrade to WebSocket: check the path",
        ),
        301..=308 => NotReady::Never(
            "it redirects (HTTP 3xx) and does not upgrade to WebSocket: use the address that it \
             redirects to",
        ),
        400 => NotReady::Never("it refuses the upgrade to WebSocket (HTTP 400)"),
        401 => NotReady::Never(
            "it requires a login (HTTP 401): ws://USER:PASSWORD@HOST/, or -H 'Authorization: …'",
        ),
        403 => NotReady::Never(
            "it forbids the upgrade to WebSocket (HTTP 403): it may require an Origin (-H \
             'Origin: …')",
        ),
        404 => NotReady::Never("it has no WebSocket at this path (HTTP 404): check the path"),
        426 => NotReady::Never("it requires an upgrade other than WebSocket version 13 (HTTP 426)"),
        429 => NotReady::NotYet("it reports too many requests (HTTP 429)"),
        502..=504 => NotReady::NotYet("it is not up yet (HTTP 502, 503 or 504)"),
        100..=599 => NotReady::Never("it answers the upgrade with a status other than 101"),
        codes::OTHER_UPGRADE => NotReady::Never("it upgrades to a protocol other than WebSocket"),
        codes::ACCEPT => NotReady::Never(
            "its Sec-WebSocket-Accept does not follow from the key: it may be a cached reply",
        ),
        codes::DEFLATE => {
            NotReady::Never("it compresses (permessage-deflate) although that was not asked for")
        }
        codes::EXTENSION => NotReady::Never("it uses an extension that was not asked for"),
        codes::SUBPROTOCOL => NotReady::Never(
            "it chose none of the subprotocols that were offered (-H 'Sec-WebSocket-Protocol: …')",
        ),
        codes::OTHER_KIND => NotReady::Never(
            "it sends a text message back as a binary message or the reverse: it must keep the \
             type",
        ),
        codes::COPY_TWICE => NotReady::Never("it sends a member of a room the same message twice"),
        codes::OTHER_COPY => {
            NotReady::Never("it sends a member of a room messages that nobody sent there")
        }
        codes::UNREQUESTED => NotReady::Never("it sends messages that are not replies"),
        1001 | 1012 | 1013 => NotReady::NotYet("it closes the WebSocket (1001, 1012 or 1013)"),
        1008 => NotReady::Never("it closes the WebSocket with 1008 (policy violation)"),
        1011 => NotReady::Never("it closes the WebSocket with 1011 (internal error)"),
        _ => NotReady::Never("it closes the WebSocket instead of sending the message back"),
    }
}

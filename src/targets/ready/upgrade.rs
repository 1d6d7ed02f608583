//! Explains what a server answers instead of upgrading to WebSocket and sending the message back.

use super::Answer;
use wire::websocket::codes;

/// The server sent another message.
pub(super) const NO_ECHO: Answer = Answer::Never(
    "its reply differs from the message that was sent: tiebreak requires a server \
                   that echoes",
);

/// The server sent the members of a room another message.
pub(super) const OTHER_COPY: Answer = Answer::Never(
    "it sends the members of a room (?room=NAME) a message that differs from what was sent",
);

/// Some members of a room got nothing in time.
pub(super) const NO_COPIES: Answer = Answer::Never(
    "not every member of a room (?room=NAME) got the message within the timeout: chat needs a \
     server that sends it to all of them, the sender included",
);

/// Explains this code: an HTTP status, the code of a close frame, or a code of the codec.
pub(super) fn refused(code: u16) -> Answer {
    match code {
        200 => Answer::Never(
            "it answers with HTTP 200 and does not upgrade to WebSocket: check the path",
        ),
        301..=308 => Answer::Never(
            "it redirects (HTTP 3xx) and does not upgrade to WebSocket: use the address that it \
             redirects to",
        ),
        400 => Answer::Never("it refuses the upgrade to WebSocket (HTTP 400)"),
        401 => Answer::Never(
            "it requires a login (HTTP 401): ws://USER:PASSWORD@HOST/, or -H 'Authorization: …'",
        ),
        403 => Answer::Never(
            "it forbids the upgrade to WebSocket (HTTP 403): it may require an Origin (-H \
             'Origin: …')",
        ),
        404 => Answer::Never("it has no WebSocket at this path (HTTP 404): check the path"),
        426 => Answer::Never("it requires an upgrade other than WebSocket version 13 (HTTP 426)"),
        429 => Answer::NotYet("it reports too many requests (HTTP 429)"),
        502..=504 => Answer::NotYet("it is not up yet (HTTP 502, 503 or 504)"),
        100..=599 => Answer::Never("it answers the upgrade with a status other than 101"),
        codes::OTHER_UPGRADE => Answer::Never("it upgrades to a protocol other than WebSocket"),
        codes::ACCEPT => Answer::Never(
            "its Sec-WebSocket-Accept does not follow from the key: it may be a cached reply",
        ),
        codes::DEFLATE => {
            Answer::Never("it compresses (permessage-deflate) although that was not asked for")
        }
        codes::EXTENSION => Answer::Never("it uses an extension that was not asked for"),
        codes::SUBPROTOCOL => Answer::Never(
            "it chose none of the subprotocols that were offered (-H 'Sec-WebSocket-Protocol: …')",
        ),
        codes::OTHER_KIND => Answer::Never(
            "it sends a text message back as a binary message or the reverse: it must keep the \
             type",
        ),
        codes::COPY_TWICE => Answer::Never("it sends a member of a room the same message twice"),
        codes::OTHER_COPY => {
            Answer::Never("it sends a member of a room messages that nobody sent there")
        }
        codes::UNREQUESTED => Answer::Never("it sends messages that are not replies"),
        1001 | 1012 | 1013 => Answer::NotYet("it closes the WebSocket (1001, 1012 or 1013)"),
        1008 => Answer::Never("it closes the WebSocket with 1008 (policy violation)"),
        1011 => Answer::Never("it closes the WebSocket with 1011 (internal error)"),
        _ => Answer::Never("it closes the WebSocket instead of sending the message back"),
    }
}

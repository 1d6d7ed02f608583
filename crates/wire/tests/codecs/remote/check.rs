//! What must hold for any bytes that another machine sends. The tests and the fuzz target (`fuzz/`)
//! share this file.

use wire::remote::agents::{FromAgent, FromCoordinator};
use wire::remote::handshake::{FromClient, FromServer};
use wire::remote::watch::{Answer, WatchQuestion};
use wire::remote::{FrameError, HEAD_BYTES, Message, decode, encode};

/// The messages of a stream, and why it ended, if it did before its last byte.
#[derive(Debug, PartialEq)]
pub(crate) struct DecodedStream<M> {
    pub(crate) messages: Vec<M>,
    pub(crate) error: Option<FrameError>,
    /// Bytes of the frame that is not complete.
    pub(crate) left: usize,
}

/// Reads a stream as a connection does: what is not decoded is shown again, with more behind it.
pub(crate) fn decode_stream<M: Message>(stream: &[u8], piece: usize) -> DecodedStream<M> {
    let mut decoded = DecodedStream { messages: Vec::new(), error: None, left: 0 };
    let (mut start, mut shown) = (0, 0);
    while shown < stream.len() && decoded.error.is_none() {
        shown = shown.saturating_add(piece).min(stream.len());
        loop {
            match decode(&stream[start..shown]) {
                Ok(Some((message, length))) => {
                    start += length;
                    decoded.messages.push(message);
                }
                Ok(None) => break,
                Err(error) => {
                    decoded.error = Some(error);
                    break;
                }
            }
        }
        decoded.left = shown - start;
        assert!(
            decoded.error.is_some() || decoded.left < HEAD_BYTES + M::MOST_BODY_BYTES,
            "{} bytes are held back",
            decoded.left
        );
    }
    decoded
}

/// All that must hold for a stream of one kind of messages: it is the same however it is cut, and
/// what was decoded has exactly one encoding.
pub(crate) fn check_as<M: Message + std::fmt::Debug + PartialEq>(stream: &[u8]) {
    let whole = decode_stream::<M>(stream, usize::MAX);
    for piece in [1, 7] {
        let cut = decode_stream::<M>(stream, piece);
        assert_eq!((&cut.messages, cut.error), (&whole.messages, whole.error), "cut into {piece}");
    }
    let mut again = Vec::new();
    whole.messages.iter().for_each(|message| encode(message, &mut again));
    assert_eq!(again, stream[..again.len()], "an encoding of its own");
}

/// Checks a stream as every kind of messages.
pub(crate) fn check(stream: &[u8]) {
    check_as::<FromClient>(stream);
    check_as::<FromServer>(stream);
    check_as::<WatchQuestion>(stream);
    check_as::<Answer>(stream);
    check_as::<FromAgent>(stream);
    check_as::<FromCoordinator>(stream);
}

//! What tiebreak on one machine says to tiebreak on another: questions to `tiebreak watch`, and the
//! messages of agents. `docs/remote-format.md` describes the bytes.
//!
//! A connection carries frames ([`frame`]): a head with the version of the format, the kind of the
//! message and the length of its body. The first four frames are the handshake ([`handshake`]), in
//! which both sides prove that they know a token, without sending it. Every frame that follows is
//! signed, and depends on the [`Purpose`] of the connection: [`watch`] for a watcher, [`agents`] for an
//! agent.
//!
//! # Adding kinds of messages
//!
//! 1. Make a module with one enum for each direction, such as `watch::Question` and
//!    `watch::Answer`, and give each variant a kind that no other module uses. The handshake has
//!    the kinds 1 to 15, `watch` has 16 to 31, `agents` has 32 to 63; 64 to 255 are free.
//! 2. Implement [`Message`] for both: `MOST_BODY_BYTES` is the limit of the longest variant,
//!    `write` encodes the body with the functions of [`fields`], and `read` decodes it with
//!    [`fields::Fields`], which refuses bodies that are too short or too long. Every list and text
//!    has a limit of its own.
//! 3. If it is for another use of a connection, add a [`Purpose`].
//! 4. Add the messages to `tests/codecs/remote/` (every message is decoded whole, byte by byte, cut
//!    short and with trailing bytes) and to `check.rs` there, which the fuzz target shares, and
//!    describe them in `docs/remote-format.md`.
//!
//! A body that has changed in any way requires a new [`VERSION`]: both sides must have the same,
//! and an error names both.

pub mod agents;
pub mod fields;
pub mod frame;
pub mod handshake;
pub mod watch;

pub use frame::{FrameError, HEAD_BYTES, SIGNATURE_BYTES, Signature, VERSION};

use crate::Fault;
use alloc::vec::Vec;
use fields::Fields;

/// A kind that this enum of messages does not have.
pub const UNKNOWN_KIND: Fault = Fault("a message of an unexpected kind");
/// A body that is shorter than its fields.
pub const TOO_SHORT: Fault = Fault("a message that is too short");
/// A body that is longer than its fields.
pub const TOO_LONG: Fault = Fault("a message that is too long");
/// A value that its field does not allow.
pub const BAD_VALUE: Fault = Fault("a message with a value that is not allowed");

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Questions to `tiebreak watch`.
    Watch,
    /// An agent that drives a share of the load.
    Agent,
}

impl Purpose {
    /// Its number in the handshake.
    pub fn code(self) -> u8 {
        match self {
            Purpose::Watch => 1,
            Purpose::Agent => 2,
        }
    }

    /// The purpose with this number. Returns None if there is no such purpose.
    pub fn of(code: u8) -> Option<Purpose> {
        match code {
            1 => Some(Purpose::Watch),
            2 => Some(Purpose::Agent),
            _ => None,
        }
    }
}

/// All messages in one direction of one part of a conversation.
pub trait Message: Sized {
    /// The longest body that a message of this type has, in bytes.
    const MOST_BODY_BYTES: usize;

    /// The kind of this message.
    fn kind(&self) -> u8;

    /// Appends the body.
    fn write(&self, body: &mut Vec<u8>);

    /// Reads the fields of a body.
    ///
    /// # Errors
    /// If the kind is not one of this type, or the fields are not those of that kind.
    fn read(kind: u8, fields: &mut Fields<'_>) -> Result<Self, Fault>;

    /// Decodes a body, which must have no more bytes than its fields.
    ///
    /// # Errors
    /// As [`Message::read`], or if bytes are left.
    fn from_body(kind: u8, body: &[u8]) -> Result<Self, Fault> {
        let mut fields = Fields::of(body);
        let message = Self::read(kind, &mut fields)?;
        fields.end()?;
        Ok(message)
    }
}

/// Appends a message as a frame.
///
/// # Panics
/// If the body is longer than the limit of its type: the code that makes a message keeps the
/// limits.
pub fn encode<M: Message>(message: &M, out: &mut Vec<u8>) {
    frame::encode(message.kind(), out, |body| write_body(message, body));
}

fn write_body<M: Message>(message: &M, body: &mut Vec<u8>) {
    let before = body.len();
    message.write(body);
    assert!(body.len() - before <= M::MOST_BODY_BYTES, "a message above its own limit");
}

/// Decodes the message at the beginning of the input, and says how many bytes it takes. Returns
/// None if more bytes are needed.
///
/// # Errors
/// If the bytes are not a frame of this version, or not a message of this type.
pub fn decode<M: Message>(input: &[u8]) -> Result<Option<(M, usize)>, FrameError> {
    let Some((frame, length)) = frame::decode(input, M::MOST_BODY_BYTES)? else { return Ok(None) };
    let message = M::from_body(frame.kind, frame.body).map_err(FrameError::Malformed)?;
    Ok(Some((message, length)))
}

/// Appends a message as a frame that ends with a signature, which `sign` makes of all bytes before it.
///
/// # Panics
/// As [`encode`].
pub fn encode_signed<M: Message>(
    message: &M,
    out: &mut Vec<u8>,
    sign: impl FnOnce(&[u8]) -> Signature,
) {
    let start = out.len();
    frame::encode(message.kind(), out, |body| {
        write_body(message, body);
        body.extend_from_slice(&[0; SIGNATURE_BYTES]);
    });
    let end = out.len() - SIGNATURE_BYTES;
    let signature = sign(&out[start..end]);
    out[end..].copy_from_slice(&signature);
}

/// Decodes the message at the beginning of the input, and says how many bytes it takes. Returns None
/// if more bytes are needed. Nothing of the body is read unless `is_signed` says that the signature is
/// that of the bytes before it.
///
/// # Errors
/// As [`decode`], or if the signature is wrong.
pub fn decode_signed<M: Message>(
    input: &[u8],
    is_signed: impl FnOnce(&[u8], &Signature) -> bool,
) -> Result<Option<(M, usize)>, FrameError> {
    let most = M::MOST_BODY_BYTES + SIGNATURE_BYTES;
    let Some((frame, length)) = frame::decode(input, most)? else { return Ok(None) };
    let (body, signature) =
        frame.body.split_last_chunk().ok_or(FrameError::Malformed(TOO_SHORT))?;
    if !is_signed(&input[..length - SIGNATURE_BYTES], signature) {
        return Err(FrameError::Forged);
    }
    let message = M::from_body(frame.kind, body).map_err(FrameError::Malformed)?;
    Ok(Some((message, length)))
}

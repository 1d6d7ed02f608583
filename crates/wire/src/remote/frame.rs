//! Frames: a head of eight bytes, and a body.

use crate::Fault;
use alloc::vec::Vec;
use core::fmt;

/// The version of the format: of heads, handshake and all messages.
pub const VERSION: u8 = 3;

/// The first bytes of every frame, in every version.
const MAGIC: [u8; 2] = *b"tb";

/// The length of a head: magic, version, kind, and the length of the body in four bytes, the most
/// significant first.
pub const HEAD_BYTES: usize = 8;

/// The length of a signature, in bytes.
pub const SIGNATURE_BYTES: usize = 32;

/// The signature at the end of a frame after the handshake.
pub type Signature = [u8; SIGNATURE_BYTES];

/// One frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The kind of its message.
    pub kind: u8,
    /// Its body.
    pub body: &'a [u8],
}

/// Why bytes are not a frame with a message that is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameError {
    /// Not this format in any version.
    NotThisFormat,
    /// The format in this other version.
    OtherVersion(u8),
    /// A body of this many bytes, which is above the limit.
    TooLong(u32),
    /// A body that is not the message that its kind says.
    Malformed(Fault),
    /// A signature that the peer has not made for this frame.
    Forged,
}

impl fmt::Display for FrameError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameError::NotThisFormat => out.write_str("bytes that are not tiebreak's format"),
            FrameError::OtherVersion(other) => {
                write!(out, "version {other} of tiebreak's format, while this is version {VERSION}")
            }
            FrameError::TooLong(bytes) => write!(out, "a message of {bytes} bytes"),
            FrameError::Malformed(Fault(why)) => out.write_str(why),
            FrameError::Forged => out.write_str("a message with a wrong signature"),
        }
    }
}

/// Appends a frame, whose body the closure appends.
///
/// # Panics
/// If the body has 4 GiB or more.
pub fn encode(kind: u8, out: &mut Vec<u8>, body: impl FnOnce(&mut Vec<u8>)) {
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&[VERSION, kind]);
    let length_at = out.len();
    out.extend_from_slice(&[0; 4]);
    body(out);
    let length = u32::try_from(out.len() - length_at - 4).expect("a body below 4 GiB");
    out[length_at..length_at + 4].copy_from_slice(&length.to_be_bytes());
}

/// Decodes the frame at the beginning of the input, and says how many bytes it takes. Returns None
/// if more bytes are needed. A bad head is refused as soon as its bytes are there, before any body.
///
/// # Errors
/// If the bytes are not a frame of this version, or its body is longer than the limit.
pub fn decode(
    input: &[u8],
    most_body_bytes: usize,
) -> Result<Option<(Frame<'_>, usize)>, FrameError> {
    if input.iter().zip(MAGIC).any(|(byte, magic)| *byte != magic) {
        return Err(FrameError::NotThisFormat);
    }
    if let Some(version) = input.get(2).filter(|version| **version != VERSION) {
        return Err(FrameError::OtherVersion(*version));
    }
    let Some((head, rest)) = input.split_first_chunk::<HEAD_BYTES>() else { return Ok(None) };
    let [_, _, _, kind, length @ ..] = *head;
    let length = u32::from_be_bytes(length);
    if length as usize > most_body_bytes {
        return Err(FrameError::TooLong(length));
    }
    let Some(body) = rest.get(..length as usize) else { return Ok(None) };
    Ok(Some((Frame { kind, body }, HEAD_BYTES + body.len())))
}

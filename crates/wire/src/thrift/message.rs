//! What messages consist of: types, kinds of messages, and how both are written.

use super::faults;
use crate::{Fault, Out};
use alloc::vec::Vec;

/// The version in the first bytes of a message.
pub(super) const VERSION_1: u32 = 0x8001_0000;

/// A kind of message.
pub(super) const CALL: u8 = 1;
pub(super) const REPLY: u8 = 2;
pub(super) const EXCEPTION: u8 = 3;

/// The types of values.
pub(super) mod types {
    pub(crate) const STOP: u8 = 0;
    pub(crate) const BOOL: u8 = 2;
    pub(crate) const BYTE: u8 = 3;
    pub(crate) const DOUBLE: u8 = 4;
    pub(crate) const I16: u8 = 6;
    pub(crate) const I32: u8 = 8;
    pub(crate) const I64: u8 = 10;
    pub(crate) const STRING: u8 = 11;
    pub(crate) const STRUCT: u8 = 12;
    pub(crate) const MAP: u8 = 13;
    pub(crate) const SET: u8 = 14;
    pub(crate) const LIST: u8 = 15;
}

/// Writes one frame with a call. `arguments` writes its fields.
///
/// # Errors
/// If the frame is too long for its length field; then nothing was appended.
pub(super) fn call(
    out: &mut Out,
    name: &str,
    number: u32,
    arguments: impl FnOnce(&mut Out),
) -> Result<(), Fault> {
    let (start, lent) = (out.bytes.len(), out.lent.len());
    // The length is known at the end.
    out.bytes.extend_from_slice(&[0; 4]);
    out.bytes.extend_from_slice(&(VERSION_1 | u32::from(CALL)).to_be_bytes());
    string(&mut out.bytes, name.as_bytes());
    out.bytes.extend_from_slice(&number.to_be_bytes());
    arguments(out);
    stop(&mut out.bytes);
    let bodies: usize = out.lent[lent..].iter().map(|(_, body)| body.len()).sum();
    // No length inside is longer than the frame's.
    let Ok(length) = i32::try_from(out.bytes.len() - start - 4 + bodies) else {
        out.bytes.truncate(start);
        out.lent.truncate(lent);
        return Err(faults::TOO_LONG);
    };
    out.bytes[start..start + 4].copy_from_slice(&length.to_be_bytes());
    Ok(())
}

/// The head of a field; its value follows.
pub(super) fn field(to: &mut Vec<u8>, of: u8, id: u16) {
    to.push(of);
    to.extend_from_slice(&id.to_be_bytes());
}

/// The end of a struct.
pub(super) fn stop(to: &mut Vec<u8>) {
    to.push(types::STOP);
}

/// Bytes and their length.
pub(super) fn string(to: &mut Vec<u8>, text: &[u8]) {
    length(to, text.len());
    to.extend_from_slice(text);
}

/// A length or a count.
pub(super) fn length(to: &mut Vec<u8>, length: usize) {
    to.extend_from_slice(&(length as u32).to_be_bytes());
}

/// The head of a list of this many values.
pub(super) fn list(to: &mut Vec<u8>, of: u8, count: usize) {
    to.push(of);
    length(to, count);
}

/// The head of a map of this many pairs.
pub(super) fn map(to: &mut Vec<u8>, from: u8, of: u8, count: usize) {
    to.push(from);
    to.push(of);
    length(to, count);
}

/// A field of bytes.
pub(super) fn string_field(to: &mut Vec<u8>, id: u16, text: &[u8]) {
    field(to, types::STRING, id);
    string(to, text);
}

/// A field of 32 bits.
pub(super) fn i32_field(to: &mut Vec<u8>, id: u16, number: u32) {
    field(to, types::I32, id);
    to.extend_from_slice(&number.to_be_bytes());
}

/// A field of 64 bits.
pub(super) fn i64_field(to: &mut Vec<u8>, id: u16, number: i64) {
    field(to, types::I64, id);
    to.extend_from_slice(&number.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::sync::Arc;

    /// Forty times 64 MiB, which are lent.
    #[test]
    fn what_no_frame_can_hold_is_refused_and_leaves_nothing() {
        let body: Arc<[u8]> = alloc::vec![0; 64 << 20].into();
        let mut out = Out::default();
        let called = call(&mut out, "insert", 0, |out| (0..40).for_each(|_| out.body(&body)));
        assert_eq!((called, out.is_empty()), (Err(faults::TOO_LONG), true));
    }
}

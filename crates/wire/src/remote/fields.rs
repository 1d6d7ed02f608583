//! The fields of bodies. Numbers have the most significant byte first.

use super::{BAD_VALUE, TOO_LONG, TOO_SHORT};
use crate::Fault;
use alloc::{string::String, vec::Vec};

/// Appends a number of four bytes.
pub fn push_u32(body: &mut Vec<u8>, number: u32) {
    body.extend_from_slice(&number.to_be_bytes());
}

/// Appends a number of eight bytes.
pub fn push_u64(body: &mut Vec<u8>, number: u64) {
    body.extend_from_slice(&number.to_be_bytes());
}

/// Appends a bool, as 0 or 1.
pub fn push_bool(body: &mut Vec<u8>, flag: bool) {
    body.push(u8::from(flag));
}

/// Appends a number that may be missing: 0, or 1 and eight bytes.
pub fn push_option(body: &mut Vec<u8>, number: Option<u64>) {
    push_bool(body, number.is_some());
    if let Some(number) = number {
        push_u64(body, number);
    }
}

/// Appends a text or other bytes: their number in four bytes, and the bytes.
pub fn push_bytes(body: &mut Vec<u8>, bytes: &[u8]) {
    push_u32(body, u32::try_from(bytes.len()).expect("bytes below 4 GiB"));
    body.extend_from_slice(bytes);
}

/// Appends a list: the number of its items in four bytes, and what `push` appends for each.
pub fn push_list<T: Copy>(body: &mut Vec<u8>, items: &[T], push: impl Fn(&mut Vec<u8>, T)) {
    push_u32(body, u32::try_from(items.len()).expect("a list below 4 Gi items"));
    items.iter().for_each(|item| push(body, *item));
}

/// Reads the fields of one body, in order. Each function fails if the body ends too early or the
/// value is not allowed.
#[derive(Debug)]
pub struct Fields<'a> {
    left: &'a [u8],
}

impl<'a> Fields<'a> {
    /// Starts with the first field.
    pub fn of(body: &'a [u8]) -> Self {
        Fields { left: body }
    }

    /// Fails unless all bytes were read.
    pub fn end(self) -> Result<(), Fault> {
        if self.left.is_empty() { Ok(()) } else { Err(TOO_LONG) }
    }

    /// A field of a fixed length.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let (first, rest) = self.left.split_first_chunk::<N>().ok_or(TOO_SHORT)?;
        self.left = rest;
        Ok(*first)
    }

    /// A number of one byte.
    pub fn u8(&mut self) -> Result<u8, Fault> {
        self.array().map(|[byte]| byte)
    }

    /// A number of four bytes.
    pub fn u32(&mut self) -> Result<u32, Fault> {
        self.array().map(u32::from_be_bytes)
    }

    /// A number of eight bytes.
    pub fn u64(&mut self) -> Result<u64, Fault> {
        self.array().map(u64::from_be_bytes)
    }

    /// A bool.
    pub fn bool(&mut self) -> Result<bool, Fault> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(BAD_VALUE),
        }
    }

    /// A number that may be missing.
    pub fn option(&mut self) -> Result<Option<u64>, Fault> {
        if self.bool()? { self.u64().map(Some) } else { Ok(None) }
    }

    /// At most `most` bytes.
    pub fn bytes(&mut self, most: usize) -> Result<&'a [u8], Fault> {
        let length = self.u32()? as usize;
        if length > most {
            return Err(BAD_VALUE);
        }
        let (bytes, rest) = self.left.split_at_checked(length).ok_or(TOO_SHORT)?;
        self.left = rest;
        Ok(bytes)
    }

    /// A text in UTF-8 of at most `most` bytes.
    pub fn text(&mut self, most: usize) -> Result<String, Fault> {
        let text = core::str::from_utf8(self.bytes(most)?).map_err(|_| BAD_VALUE)?;
        Ok(text.into())
    }

    /// A list of at most `most` items, each of which `read` reads.
    pub fn list<T>(
        &mut self,
        most: usize,
        read: impl Fn(&mut Self) -> Result<T, Fault>,
    ) -> Result<Vec<T>, Fault> {
        let length = self.u32()? as usize;
        if length > most {
            return Err(BAD_VALUE);
        }
        (0..length).map(|_| read(self)).collect()
    }
}

//! Big-endian numbers and counted strings, as both protocols write them.

use crate::error::{Error, Kind};
use crate::value::Value;
use std::cell::Cell;
use std::rc::Rc;

/// Reads the bytes of one reply, from which nothing is believed.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    /// How many bytes the values of the reply may still take in memory: a value of four bytes takes many more.
    memory: Rc<Cell<usize>>,
}

impl<'a> Reader<'a> {
    /// A reader of bytes that contain no values.
    pub(crate) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader::of_reply(bytes, usize::MAX)
    }

    /// A reader of a reply whose values take at most so many bytes in memory, besides their texts.
    pub(crate) fn of_reply(bytes: &'a [u8], max_reply: usize) -> Reader<'a> {
        Reader { rest: bytes, memory: Rc::new(Cell::new(max_reply)) }
    }

    /// A reader of a part of the same reply.
    pub(crate) fn part<'b>(&self, bytes: &'b [u8]) -> Reader<'b> {
        Reader { rest: bytes, memory: self.memory.clone() }
    }

    /// Takes the memory of so many values.
    pub(crate) fn hold(&self, values: usize) -> Result<(), Error> {
        let left = self.memory.get().checked_sub(values * size_of::<Value>()).ok_or_else(|| {
            Error::broken(
                Kind::TooLarge,
                "the values of a reply take more memory than max_reply allows",
            )
        })?;
        self.memory.set(left);
        Ok(())
    }

    /// How many bytes are left.
    pub(crate) fn left(&self) -> usize {
        self.rest.len()
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], Error> {
        let (taken, rest) =
            self.rest.split_at_checked(count).ok_or_else(|| Error::protocol("it ends early"))?;
        self.rest = rest;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let taken = self.take(N)?;
        taken.try_into().map_err(|_| Error::protocol("it ends early"))
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Error> {
        Ok(u8::from_be_bytes(self.array()?))
    }

    pub(crate) fn u16(&mut self) -> Result<u16, Error> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    pub(crate) fn i32(&mut self) -> Result<i32, Error> {
        Ok(i32::from_be_bytes(self.array()?))
    }

    pub(crate) fn i64(&mut self) -> Result<i64, Error> {
        Ok(i64::from_be_bytes(self.array()?))
    }

    /// A count of things that take `least` bytes each, at least: never more than can be there.
    pub(crate) fn count(&mut self, least: usize) -> Result<usize, Error> {
        let count = usize::try_from(self.i32()?).ok();
        let fits = |count: &usize| count.checked_mul(least).is_some_and(|all| all <= self.left());
        count.filter(fits).ok_or_else(|| Error::protocol("a count is larger than the reply"))
    }

    /// Bytes after a length of 16 bits.
    pub(crate) fn short_bytes(&mut self) -> Result<&'a [u8], Error> {
        let length = self.u16()?;
        self.take(usize::from(length))
    }

    /// Bytes after a length of 32 bits. Returns None if the length is negative: no value.
    pub(crate) fn bytes(&mut self) -> Result<Option<&'a [u8]>, Error> {
        match usize::try_from(self.i32()?) {
            Ok(length) => self.take(length).map(Some),
            Err(_) => Ok(None),
        }
    }
}

/// Appends bytes after a length of 32 bits.
pub(crate) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) -> Result<(), Error> {
    out.extend(length(bytes.len())?.to_be_bytes());
    out.extend_from_slice(bytes);
    Ok(())
}

/// Appends bytes after a length of 16 bits.
pub(crate) fn put_short_bytes(out: &mut Vec<u8>, bytes: &[u8]) -> Result<(), Error> {
    let length = u16::try_from(bytes.len())
        .map_err(|_| Error::new(Kind::TooLarge, "a name is longer than 65535 bytes"))?;
    out.extend(length.to_be_bytes());
    out.extend_from_slice(bytes);
    Ok(())
}

/// A length of 32 bits, as both protocols write it.
pub(crate) fn length(count: usize) -> Result<i32, Error> {
    i32::try_from(count).map_err(|_| Error::new(Kind::TooLarge, "the request is too large"))
}

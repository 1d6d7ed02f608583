//! Fields of structs, as the binary protocol writes them.

use crate::bytes::{Reader, put_bytes};
use crate::error::Error;

pub(crate) mod kind {
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

/// Structs within structs, at most.
const DEEPEST: u32 = 16;

/// Writes a message: each call appends.
#[derive(Default)]
pub(crate) struct Writer {
    pub(crate) bytes: Vec<u8>,
}

impl Writer {
    pub(crate) fn field(&mut self, kind: u8, id: i16) {
        self.bytes.push(kind);
        self.bytes.extend(id.to_be_bytes());
    }

    pub(crate) fn stop(&mut self) {
        self.bytes.push(kind::STOP);
    }

    pub(crate) fn i32(&mut self, number: i32) {
        self.bytes.extend(number.to_be_bytes());
    }

    pub(crate) fn string(&mut self, bytes: &[u8]) -> Result<(), Error> {
        put_bytes(&mut self.bytes, bytes)
    }

    pub(crate) fn i32_field(&mut self, id: i16, number: i32) {
        self.field(kind::I32, id);
        self.i32(number);
    }

    pub(crate) fn i64_field(&mut self, id: i16, number: i64) {
        self.field(kind::I64, id);
        self.bytes.extend(number.to_be_bytes());
    }

    pub(crate) fn bool_field(&mut self, id: i16, truth: bool) {
        self.field(kind::BOOL, id);
        self.bytes.push(u8::from(truth));
    }

    pub(crate) fn string_field(&mut self, id: i16, bytes: &[u8]) -> Result<(), Error> {
        self.field(kind::STRING, id);
        self.string(bytes)
    }

    pub(crate) fn list(&mut self, kind: u8, count: usize) -> Result<(), Error> {
        self.bytes.push(kind);
        self.i32(crate::bytes::length(count)?);
        Ok(())
    }

    pub(crate) fn map(&mut self, key: u8, value: u8, count: usize) -> Result<(), Error> {
        self.bytes.push(key);
        self.list(value, count)
    }
}

/// Kind and number of the next field. Returns None at the end of the struct.
pub(crate) fn next(reader: &mut Reader<'_>) -> Result<Option<(u8, u16)>, Error> {
    match reader.u8()? {
        kind::STOP => Ok(None),
        kind => Ok(Some((kind, reader.u16()?))),
    }
}

/// A string, which is never absent.
pub(crate) fn string<'a>(reader: &mut Reader<'a>) -> Result<&'a [u8], Error> {
    reader.bytes()?.ok_or_else(|| Error::protocol("the length of a string is negative"))
}

/// Kind of the elements of a list, and how many there are: never more than can be there.
pub(crate) fn list(reader: &mut Reader<'_>) -> Result<(u8, usize), Error> {
    Ok((reader.u8()?, reader.count(1)?))
}

/// Goes over a value of this kind.
pub(crate) fn skip(reader: &mut Reader<'_>, kind: u8) -> Result<(), Error> {
    skip_within(reader, kind, DEEPEST)
}

fn skip_within(reader: &mut Reader<'_>, of: u8, depth: u32) -> Result<(), Error> {
    let depth = depth.checked_sub(1).ok_or_else(|| Error::protocol("it is too deep"))?;
    match of {
        kind::BOOL | kind::BYTE => reader.take(1).map(|_| ()),
        kind::I16 => reader.take(2).map(|_| ()),
        kind::I32 => reader.take(4).map(|_| ()),
        kind::I64 | kind::DOUBLE => reader.take(8).map(|_| ()),
        kind::STRING => string(reader).map(|_| ()),
        kind::STRUCT => {
            while let Some((kind, _)) = next(reader)? {
                skip_within(reader, kind, depth)?;
            }
            Ok(())
        }
        kind::LIST | kind::SET => {
            let (element, count) = list(reader)?;
            (0..count).try_for_each(|_| skip_within(reader, element, depth))
        }
        kind::MAP => {
            let key = reader.u8()?;
            let (value, count) = list(reader)?;
            (0..count).try_for_each(|_| {
                skip_within(reader, key, depth)?;
                skip_within(reader, value, depth)
            })
        }
        _ => Err(Error::protocol("a value has an unknown type")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{cut_off, hostile};

    #[test]
    fn values_of_every_kind_are_skipped() {
        // A struct with a bool, a double, a map of i16 to i64 and a list of structs of a string.
        let all = b"\x02\0\x01\x01\x04\0\x02\x3f\xf0\0\0\0\0\0\0\
            \x0d\0\x03\x06\x0a\0\0\0\x01\0\x05\0\0\0\0\0\0\0\x06\
            \x0f\0\x04\x0c\0\0\0\x02\x0b\0\x01\0\0\0\x02hi\0\0\0";
        let read = |bytes: &[u8]| {
            let mut reader = Reader::new(bytes);
            skip(&mut reader, kind::STRUCT)?;
            assert_eq!(reader.left(), 0);
            Ok(())
        };
        cut_off(all, read);
        let read = |bytes: &[u8]| skip(&mut Reader::new(bytes), kind::STRUCT);
        hostile(all, read);
        assert!(read(&[kind::STRUCT, 0, 1].repeat(1000)).is_err());
        assert!(read(&[1, 0, 1]).is_err());
    }
}

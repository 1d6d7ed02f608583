//! Types of columns, and values in their form on the wire.

use crate::bytes::{Reader, put_bytes};
use crate::error::{Error, Kind};
use crate::value::Value;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The type of a column or of a bound value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Type {
    Text,
    Blob,
    Boolean,
    /// An integer of so many bytes.
    Int(u8),
    /// An integer of as many bytes as it needs. More than eight are not supported.
    Varint,
    Float,
    Double,
    Uuid,
    Inet,
    /// Days since 1970.
    Date,
    /// A list or a set.
    List(Box<Type>),
    Map(Box<Type>, Box<Type>),
    /// Any other, and its name.
    Other(&'static str),
}

/// Types within types, at most.
const DEEPEST: u32 = 8;

/// What a date has where 1970-01-01 is.
const DAYS: i64 = 1 << 31;

impl Type {
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Type, Error> {
        Type::read_within(reader, DEEPEST)
    }

    fn read_within(reader: &mut Reader<'_>, depth: u32) -> Result<Type, Error> {
        let depth = depth.checked_sub(1).ok_or_else(|| Error::protocol("types are too deep"))?;
        let inner = |reader: &mut Reader<'_>| Type::read_within(reader, depth).map(Box::new);
        Ok(match reader.u16()? {
            0x00 => {
                reader.short_bytes()?;
                Type::Other("custom")
            }
            0x01 | 0x0a | 0x0d => Type::Text,
            0x03 => Type::Blob,
            0x04 => Type::Boolean,
            // Timestamps are milliseconds since 1970, and times nanoseconds since midnight.
            0x02 | 0x05 | 0x0b | 0x12 => Type::Int(8),
            0x09 => Type::Int(4),
            0x13 => Type::Int(2),
            0x14 => Type::Int(1),
            0x06 => Type::Other("decimal"),
            0x07 => Type::Double,
            0x08 => Type::Float,
            0x0c | 0x0f => Type::Uuid,
            0x0e => Type::Varint,
            0x10 => Type::Inet,
            0x11 => Type::Date,
            0x15 => Type::Other("duration"),
            0x20 | 0x22 => Type::List(inner(reader)?),
            0x21 => Type::Map(inner(reader)?, inner(reader)?),
            0x30 => {
                reader.short_bytes()?;
                reader.short_bytes()?;
                for _ in 0..reader.u16()? {
                    reader.short_bytes()?;
                    inner(reader)?;
                }
                Type::Other("user-defined")
            }
            0x31 => {
                for _ in 0..reader.u16()? {
                    inner(reader)?;
                }
                Type::Other("tuple")
            }
            _ => Type::Other("unknown"),
        })
    }

    /// The value with these bytes of the reply.
    pub(crate) fn value(&self, bytes: Option<&[u8]>, reply: &Reader<'_>) -> Result<Value, Error> {
        reply.hold(1)?;
        let Some(bytes) = bytes else { return Ok(Value::Null) };
        let odd = || Error::protocol("a value has another size than its type");
        // Values of an old table may be empty, whatever their type is.
        if bytes.is_empty() && !matches!(self, Type::Text | Type::Blob) {
            return Ok(Value::Null);
        }
        Ok(match self {
            Type::Text | Type::Blob => Value::Bytes(bytes.to_vec()),
            Type::Boolean => Value::Bool(bytes.iter().any(|byte| *byte != 0)),
            Type::Int(size) if bytes.len() != usize::from(*size) => return Err(odd()),
            Type::Int(_) => Value::Int(integer(bytes)?),
            Type::Varint => Value::Int(integer(bytes)?),
            Type::Float => {
                let bits = bytes.try_into().map_err(|_| odd())?;
                Value::Float(f64::from(f32::from_be_bytes(bits)))
            }
            Type::Double => Value::Float(f64::from_be_bytes(bytes.try_into().map_err(|_| odd())?)),
            Type::Uuid => Value::text(&uuid_text(bytes.try_into().map_err(|_| odd())?)),
            Type::Inet => Value::text(&inet(bytes).ok_or_else(odd)?.to_string()),
            Type::Date => {
                let days = u32::from_be_bytes(bytes.try_into().map_err(|_| odd())?);
                Value::Int(i64::from(days) - DAYS)
            }
            Type::List(inner) => {
                let mut reader = reply.part(bytes);
                let count = reader.count(4)?;
                let item = |at| {
                    reader.hold(1)?;
                    Ok((Value::Int(at), inner.value(reader.bytes()?, &reader)?))
                };
                Value::Columns((0..).take(count).map(item).collect::<Result<_, Error>>()?)
            }
            Type::Map(key, value) => {
                let mut reader = reply.part(bytes);
                let count = reader.count(8)?;
                let mut pair = || {
                    let name = key.value(reader.bytes()?, &reader)?;
                    Ok((name, value.value(reader.bytes()?, &reader)?))
                };
                Value::Columns((0..count).map(|_| pair()).collect::<Result<_, Error>>()?)
            }
            Type::Other(name) => return Err(unsupported(name)),
        })
    }

    /// Appends the value with its length.
    pub(crate) fn put(&self, value: &Value, out: &mut Vec<u8>) -> Result<(), Error> {
        match (self, value) {
            (_, Value::Null) => {
                out.extend((-1_i32).to_be_bytes());
                Ok(())
            }
            (Type::Other(name), _) => Err(unsupported(name)),
            (Type::Text | Type::Blob, Value::Bytes(bytes)) => put_bytes(out, bytes),
            (Type::Text, Value::Int(number)) => put_bytes(out, number.to_string().as_bytes()),
            (Type::Boolean, Value::Bool(truth)) => put_bytes(out, &[u8::from(*truth)]),
            (Type::Int(size), _) => {
                let number = self.number(value)?;
                let bytes = number.to_be_bytes();
                let (rest, kept) = bytes.split_at(8 - usize::from(*size));
                if integer(kept)? != number {
                    let bits = 8 * u32::from(*size);
                    let message = format!("{number} needs more than the type's {bits} bits");
                    return Err(Error::invalid(message));
                }
                debug_assert!(rest.len() < 8);
                put_bytes(out, kept)
            }
            (Type::Varint, _) => put_bytes(out, shortest(&self.number(value)?.to_be_bytes())),
            (Type::Date, _) => {
                let days = self.number(value)?.checked_add(DAYS).map(u32::try_from);
                let Some(Ok(days)) = days else { return Err(self.mismatch(value)) };
                put_bytes(out, &days.to_be_bytes())
            }
            (Type::Float, _) => put_bytes(out, &(self.real(value)? as f32).to_be_bytes()),
            (Type::Double, _) => put_bytes(out, &self.real(value)?.to_be_bytes()),
            (Type::Uuid, Value::Bytes(text)) => {
                put_bytes(out, &uuid(text).ok_or_else(|| self.mismatch(value))?)
            }
            (Type::Inet, Value::Bytes(text)) => {
                match parsed(text).ok_or_else(|| self.mismatch(value))? {
                    IpAddr::V4(address) => put_bytes(out, &address.octets()),
                    IpAddr::V6(address) => put_bytes(out, &address.octets()),
                }
            }
            (Type::List(inner), Value::Columns(items)) => {
                let mut bytes = crate::bytes::length(items.len())?.to_be_bytes().to_vec();
                items.iter().try_for_each(|(_, item)| inner.put(item, &mut bytes))?;
                put_bytes(out, &bytes)
            }
            (Type::Map(key, inner), Value::Columns(pairs)) => {
                let mut bytes = crate::bytes::length(pairs.len())?.to_be_bytes().to_vec();
                for (name, value) in pairs {
                    key.put(name, &mut bytes)?;
                    inner.put(value, &mut bytes)?;
                }
                put_bytes(out, &bytes)
            }
            _ => Err(self.mismatch(value)),
        }
    }

    /// An integer, or a text that is one: PHP often has numbers as strings.
    fn number(&self, value: &Value) -> Result<i64, Error> {
        let number = match value {
            Value::Int(number) => Some(*number),
            Value::Bytes(text) => parsed(text),
            _ => None,
        };
        number.ok_or_else(|| self.mismatch(value))
    }

    fn real(&self, value: &Value) -> Result<f64, Error> {
        match value {
            Value::Float(number) => Ok(*number),
            _ => self.number(value).map(|number| number as f64),
        }
    }

    fn mismatch(&self, value: &Value) -> Error {
        let (wanted, given) = (self.wanted(), value.type_name());
        Error::invalid(format!(
            "{wanted} was expected instead of this value, of PHP's type {given}"
        ))
    }

    fn wanted(&self) -> &'static str {
        match self {
            Type::Text | Type::Blob => "a string",
            Type::Boolean => "a bool",
            Type::Int(_) | Type::Varint => "an int",
            Type::Float | Type::Double => "a float",
            Type::Uuid => "a UUID as text",
            Type::Inet => "an IP address as text",
            Type::Date => "a number of days since 1970 as int",
            Type::List(_) | Type::Map(..) => "an array",
            Type::Other(name) => name,
        }
    }
}

fn unsupported(name: &str) -> Error {
    Error::new(Kind::Unsupported, format!("values of the type {name} are not supported"))
}

/// A number in two's complement, of one to eight bytes.
fn integer(bytes: &[u8]) -> Result<i64, Error> {
    if bytes.len() > 8 {
        let message = "integers of more than 64 bits are not supported";
        return Err(Error::new(Kind::Unsupported, message));
    }
    let sign = if bytes.first().is_some_and(|byte| byte & 0x80 != 0) { -1 } else { 0 };
    Ok(bytes.iter().fold(sign, |number, byte| number << 8 | i64::from(*byte)))
}

/// The same number without leading bytes that only repeat the sign.
fn shortest(bytes: &[u8]) -> &[u8] {
    match bytes {
        [0, second, ..] if second & 0x80 == 0 => shortest(&bytes[1..]),
        [0xff, second, ..] if second & 0x80 != 0 => shortest(&bytes[1..]),
        _ => bytes,
    }
}

fn parsed<T: std::str::FromStr>(text: &[u8]) -> Option<T> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn inet(bytes: &[u8]) -> Option<IpAddr> {
    let v4 = |bytes: [u8; 4]| IpAddr::V4(Ipv4Addr::from(bytes));
    let v6 = |bytes: [u8; 16]| IpAddr::V6(Ipv6Addr::from(bytes));
    bytes.try_into().map(v4).or_else(|_| bytes.try_into().map(v6)).ok()
}

/// Where a UUID has its hyphens: after so many bytes.
const GROUPS: [usize; 4] = [4, 6, 8, 10];

fn uuid_text(bytes: [u8; 16]) -> String {
    let mut text = String::with_capacity(36);
    for (at, byte) in bytes.iter().enumerate() {
        if GROUPS.contains(&at) {
            text.push('-');
        }
        for digit in [byte >> 4, byte & 15] {
            text.extend(char::from_digit(u32::from(digit), 16));
        }
    }
    text
}

fn uuid(text: &[u8]) -> Option<[u8; 16]> {
    let mut bytes = [0; 16];
    let mut rest = text.iter();
    for (at, byte) in bytes.iter_mut().enumerate() {
        if GROUPS.contains(&at) && *rest.next()? != b'-' {
            return None;
        }
        for _ in 0..2 {
            let digit = char::from(*rest.next()?).to_digit(16)?;
            *byte = *byte << 4 | u8::try_from(digit).ok()?;
        }
    }
    rest.next().is_none().then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{cut_off, hostile, kind};

    fn put(of: &Type, value: &Value) -> Result<Vec<u8>, Error> {
        let mut out = Vec::new();
        of.put(value, &mut out)?;
        Ok(out)
    }

    fn pairs(items: &[(i64, &str)]) -> Value {
        let pair = |(name, text): &(i64, &str)| (Value::Int(*name), Value::text(text));
        Value::Columns(items.iter().map(pair).collect())
    }

    #[test]
    fn values_have_the_form_of_the_specification_and_come_back() {
        let map = Type::Map(Box::new(Type::Int(8)), Box::new(Type::Text));
        let reply = Reader::new(b"");
        let id = "00112233-4455-6677-8899-aabbccddeeff";
        let cases: [(Type, Value, &[u8]); 17] = [
            (Type::Text, Value::text("hé"), b"h\xc3\xa9"),
            (Type::Blob, Value::Bytes(vec![0, 255]), b"\0\xff"),
            (Type::Blob, Value::Bytes(vec![]), b""),
            (Type::Boolean, Value::Bool(true), b"\x01"),
            (Type::Int(1), Value::Int(-128), b"\x80"),
            (Type::Int(2), Value::Int(258), b"\x01\x02"),
            (Type::Int(4), Value::Int(-2), b"\xff\xff\xff\xfe"),
            (Type::Int(8), Value::Int(i64::MIN), b"\x80\0\0\0\0\0\0\0"),
            (Type::Varint, Value::Int(128), b"\0\x80"),
            (Type::Varint, Value::Int(-129), b"\xff\x7f"),
            (Type::Float, Value::Float(0.5), b"\x3f\0\0\0"),
            (Type::Double, Value::Float(-2.0), b"\xc0\0\0\0\0\0\0\0"),
            (
                Type::Uuid,
                Value::text(id),
                b"\0\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff",
            ),
            (Type::Inet, Value::text("127.0.0.1"), b"\x7f\0\0\x01"),
            (Type::Date, Value::Int(-1), b"\x7f\xff\xff\xff"),
            (
                Type::List(Box::new(Type::Text)),
                pairs(&[(0, "a"), (1, "b")]),
                b"\0\0\0\x02\0\0\0\x01a\0\0\0\x01b",
            ),
            (map, pairs(&[(7, "x")]), b"\0\0\0\x01\0\0\0\x08\0\0\0\0\0\0\0\x07\0\0\0\x01x"),
        ];
        for (of, value, bytes) in cases {
            let length = i32::try_from(bytes.len()).expect("short").to_be_bytes();
            assert_eq!(put(&of, &value), Ok([&length, bytes].concat()), "{of:?} {value:?}");
            assert_eq!(of.value(Some(bytes), &reply), Ok(value), "{of:?}");
            assert_eq!(of.value(None, &reply), Ok(Value::Null));
            assert_eq!(put(&of, &Value::Null), Ok(vec![255; 4]));
            hostile(bytes, |bytes| of.value(Some(bytes), &reply));
        }
        assert_eq!(Type::Inet.value(Some(&[0; 16]), &reply), Ok(Value::text("::")));
        assert_eq!(put(&Type::Int(4), &Value::text("12")), Ok(vec![0, 0, 0, 4, 0, 0, 0, 12]));
        assert_eq!(put(&Type::Text, &Value::Int(-1)), Ok(b"\0\0\0\x02-1".to_vec()));
    }

    #[test]
    fn what_does_not_fit_a_type_is_refused() {
        let cases = [
            (Type::Int(1), Value::Int(128), Kind::Invalid),
            (Type::Int(4), Value::Int(1 << 31), Kind::Invalid),
            (Type::Int(4), Value::text("12x"), Kind::Invalid),
            (Type::Int(4), Value::Float(1.0), Kind::Invalid),
            (Type::Boolean, Value::Int(1), Kind::Invalid),
            (Type::Uuid, Value::text("00112233"), Kind::Invalid),
            (Type::Uuid, Value::text("00112233-4455-6677-8899-aabbccddeeff0"), Kind::Invalid),
            (Type::Inet, Value::text("localhost"), Kind::Invalid),
            (Type::Date, Value::Int(1 << 31), Kind::Invalid),
            (Type::Date, Value::Int(i64::MAX), Kind::Invalid),
            (Type::Text, Value::Float(1.0), Kind::Invalid),
            (Type::Other("decimal"), Value::Int(1), Kind::Unsupported),
        ];
        for (of, value, wrong) in cases {
            assert_eq!(kind(put(&of, &value)), wrong, "{of:?} {value:?}");
        }
        for (of, bytes, wrong) in [
            (Type::Int(4), &[1, 2, 3][..], Kind::Protocol),
            (Type::Float, &[1], Kind::Protocol),
            (Type::Uuid, &[1], Kind::Protocol),
            (Type::Inet, &[1, 2], Kind::Protocol),
            (Type::Varint, &[1; 9], Kind::Unsupported),
            (Type::Other("decimal"), &[1], Kind::Unsupported),
            (Type::List(Box::new(Type::Int(4))), &[0x7f, 255, 255, 255], Kind::Protocol),
        ] {
            assert_eq!(kind(of.value(Some(bytes), &Reader::new(b""))), wrong, "{of:?}");
        }
    }

    #[test]
    fn elements_take_memory_whatever_they_take_on_the_wire() {
        let mut list = 1000_u32.to_be_bytes().to_vec();
        list.resize(4 + 4 * 1000, 0);
        let of = Type::List(Box::new(Type::Text));
        let limited = |most| of.value(Some(&list), &Reader::of_reply(&[], most));
        // The list, and a number and a text for each element.
        let all = 2001 * size_of::<Value>();
        assert!(limited(all).is_ok());
        assert_eq!(kind(limited(all - 1)), Kind::TooLarge);
    }

    #[test]
    fn types_are_read_and_those_too_deep_are_refused() {
        let read = |bytes: &[u8]| Type::read(&mut Reader::new(bytes));
        let map = b"\0\x21\0\x0d\0\x20\0\x09";
        let list = Type::List(Box::new(Type::Int(4)));
        assert_eq!(read(map), Ok(Type::Map(Box::new(Type::Text), Box::new(list))));
        let user = b"\0\x30\0\x01k\0\x01t\0\x02\0\x01a\0\x09\0\x01b\0\x31\0\x01\0\x0d";
        assert_eq!(read(user), Ok(Type::Other("user-defined")));
        for valid in [&map[..], user, b"\0\0\0\x03abc"] {
            cut_off(valid, read);
            hostile(valid, read);
        }
        assert_eq!(kind(read(&[0, 0x20].repeat(1000))), Kind::Protocol);
        assert_eq!(kind(read(&[0, 0x31, 0xff, 0xff].repeat(1000))), Kind::Protocol);
    }
}

//! `ColumnOrSuperColumn`, read and written.

use crate::bytes::Reader;
use crate::error::{Error, Kind};
use crate::thrift::fields::{self, Writer, kind};
use crate::value::{Columns, Value};

/// Fields of `ColumnOrSuperColumn`.
const COLUMN: u16 = 1;
const SUPER_COLUMN: u16 = 2;
const COUNTER: u16 = 3;

/// A list of columns or super columns.
pub(crate) fn read(returned: Option<(u8, Reader<'_>)>) -> Result<Columns, Error> {
    let Some((kind::LIST, mut reader)) = returned else {
        return Err(Error::protocol("it returns no list of columns"));
    };
    structs(&mut reader, either)
}

/// A list of structs that are read in this way.
fn structs<'a>(
    reader: &mut Reader<'a>,
    read: impl Fn(&mut Reader<'a>) -> Result<(Value, Value), Error>,
) -> Result<Columns, Error> {
    let (of, count) = fields::list(reader)?;
    if of != kind::STRUCT && count > 0 {
        return Err(Error::protocol("a list holds no columns"));
    }
    let pair = |_| {
        reader.hold(2)?;
        read(reader)
    };
    (0..count).map(pair).collect()
}

fn either(reader: &mut Reader<'_>) -> Result<(Value, Value), Error> {
    let mut found = None;
    while let Some((of, id)) = fields::next(reader)? {
        match (of, id) {
            (kind::STRUCT, COLUMN | COUNTER) => found = Some(column(reader)?),
            (kind::STRUCT, SUPER_COLUMN) => found = Some(super_column(reader)?),
            _ => fields::skip(reader, of)?,
        }
    }
    found.ok_or_else(|| Error::new(Kind::Unsupported, "counters in super columns"))
}

/// A column, or a counter: that one's value is a number.
fn column(reader: &mut Reader<'_>) -> Result<(Value, Value), Error> {
    let (mut name, mut value) = (None, Value::Null);
    while let Some((of, id)) = fields::next(reader)? {
        match (of, id) {
            (kind::STRING, 1) => name = Some(text(reader)?),
            (kind::STRING, 2) => value = text(reader)?,
            (kind::I64, 2) => value = Value::Int(reader.i64()?),
            _ => fields::skip(reader, of)?,
        }
    }
    Ok((name.ok_or_else(nameless)?, value))
}

fn super_column(reader: &mut Reader<'_>) -> Result<(Value, Value), Error> {
    let (mut name, mut columns) = (None, Columns::new());
    while let Some((of, id)) = fields::next(reader)? {
        match (of, id) {
            (kind::STRING, 1) => name = Some(text(reader)?),
            (kind::LIST, 2) => columns = structs(reader, column)?,
            _ => fields::skip(reader, of)?,
        }
    }
    Ok((name.ok_or_else(nameless)?, Value::Columns(columns)))
}

fn text(reader: &mut Reader<'_>) -> Result<Value, Error> {
    Ok(Value::Bytes(fields::string(reader)?.to_vec()))
}

fn nameless() -> Error {
    Error::protocol("a column has no name")
}

/// The list of mutations that writes these columns.
pub(crate) fn write(out: &mut Writer, columns: &Columns, time: i64) -> Result<(), Error> {
    out.list(kind::STRUCT, columns.len())?;
    for (name, value) in columns {
        // Mutation: its field 1 is a ColumnOrSuperColumn.
        out.field(kind::STRUCT, 1);
        match value {
            Value::Columns(inner) => {
                out.field(kind::STRUCT, 2);
                out.string_field(1, &bytes(name)?)?;
                out.field(kind::LIST, 2);
                out.list(kind::STRUCT, inner.len())?;
                inner.iter().try_for_each(|(name, value)| write_column(out, name, value, time))?;
            }
            _ => {
                out.field(kind::STRUCT, 1);
                write_column(out, name, value, time)?;
                out.stop();
                out.stop();
                continue;
            }
        }
        out.stop();
        out.stop();
        out.stop();
    }
    Ok(())
}

fn write_column(out: &mut Writer, name: &Value, value: &Value, time: i64) -> Result<(), Error> {
    out.string_field(1, &bytes(name)?)?;
    out.string_field(2, &bytes(value)?)?;
    out.i64_field(3, time);
    out.stop();
    Ok(())
}

/// Thrift knows bytes alone: an integer is written as decimal text.
pub(crate) fn bytes(value: &Value) -> Result<Vec<u8>, Error> {
    match value {
        Value::Bytes(bytes) => Ok(bytes.clone()),
        Value::Int(number) => Ok(number.to_string().into_bytes()),
        _ => Err(Error::invalid(format!(
            "over Thrift, names and values are strings or ints: this one is of PHP's type {}",
            value.type_name()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{cut_off, hostile, kind};

    /// A column, a super column of two columns (one with a time to live), and a counter.
    const THREE: &[u8] = b"\x0c\0\0\0\x03\
        \x0c\0\x01\x0b\0\x01\0\0\0\x01a\x0b\0\x02\0\0\0\x01x\x0a\0\x03\0\0\0\0\0\0\0\x01\0\0\
        \x0c\0\x02\x0b\0\x01\0\0\0\x01s\x0f\0\x02\x0c\0\0\0\x02\
        \x0b\0\x01\0\0\0\x01b\x0b\0\x02\0\0\0\0\0\
        \x0b\0\x01\0\0\0\x01c\x0b\0\x02\0\0\0\x01y\x08\0\x04\0\0\0\x09\0\0\0\
        \x0c\0\x03\x0b\0\x01\0\0\0\x01n\x0a\0\x02\0\0\0\0\0\0\0\x07\0\0";

    fn list(bytes: &[u8]) -> Result<Columns, Error> {
        read(Some((kind::LIST, Reader::new(bytes))))
    }

    fn pair(name: &str, value: Value) -> (Value, Value) {
        (Value::text(name), value)
    }

    #[test]
    fn columns_super_columns_and_counters_are_read() {
        let inner = vec![pair("b", Value::text("")), pair("c", Value::text("y"))];
        let all = vec![
            pair("a", Value::text("x")),
            pair("s", Value::Columns(inner)),
            pair("n", Value::Int(7)),
        ];
        assert_eq!(list(THREE), Ok(all));
        assert_eq!(list(b"\x0c\0\0\0\0"), Ok(vec![]));
        assert_eq!(kind(read(None)), Kind::Protocol);
        assert_eq!(kind(list(b"\x08\0\0\0\x01\0\0\0\x01")), Kind::Protocol);
        assert_eq!(kind(list(b"\x0c\0\0\0\x01\0")), Kind::Unsupported);
        assert_eq!(kind(list(b"\x0c\x7f\xff\xff\xff\0")), Kind::Protocol);
        let five = 2 * 5 * size_of::<Value>();
        let limited = |most| read(Some((kind::LIST, Reader::of_reply(THREE, most))));
        assert!(limited(five).is_ok());
        assert_eq!(kind(limited(five - 1)), Kind::TooLarge);
        cut_off(THREE, list);
        hostile(THREE, list);
    }

    #[test]
    fn what_is_written_has_the_form_of_the_interface() {
        let mut out = Writer::default();
        let inner = vec![pair("b", Value::Int(-5))];
        let columns = vec![pair("a", Value::text("x")), pair("s", Value::Columns(inner))];
        write(&mut out, &columns, 1).expect("short");
        let time = b"\x0a\0\x03\0\0\0\0\0\0\0\x01\0";
        let expected = [
            &b"\x0c\0\0\0\x02"[..],
            b"\x0c\0\x01\x0c\0\x01\x0b\0\x01\0\0\0\x01a\x0b\0\x02\0\0\0\x01x",
            time,
            b"\0\0",
            b"\x0c\0\x01\x0c\0\x02\x0b\0\x01\0\0\0\x01s\x0f\0\x02\x0c\0\0\0\x01",
            b"\x0b\0\x01\0\0\0\x01b\x0b\0\x02\0\0\0\x02-5",
            time,
            b"\0\0\0",
        ];
        assert_eq!(out.bytes, expected.concat());
        let null = vec![pair("a", Value::Null)];
        assert_eq!(kind(write(&mut Writer::default(), &null, 1)), Kind::Invalid);
    }
}

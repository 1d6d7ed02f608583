//! What is in a RESULT.

use crate::bytes::Reader;
use crate::cql::frame::opcode;
use crate::cql::types::Type;
use crate::error::Error;
use crate::value::Value;

/// Kinds of a result.
const ROWS: i32 = 2;
const PREPARED: i32 = 4;

/// Flags of the description of columns.
const SAME_TABLE: i32 = 0x01;
const MORE_PAGES: i32 = 0x02;
const NO_COLUMNS: i32 = 0x04;

/// The fewest bytes that describe a column: two lengths of a name, and its type.
const LEAST: usize = 4;

/// Columns of a result, and its rows.
#[derive(Debug, PartialEq)]
pub(crate) struct Rows {
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<Value>>,
}

/// What the server knows a prepared statement by, and what it binds.
#[derive(Debug, PartialEq)]
pub(crate) struct Prepared {
    pub(crate) id: Vec<u8>,
    pub(crate) binds: Vec<Type>,
}

/// The rows of a reply to a statement. Returns no rows for a statement that has none.
pub(crate) fn rows((opcode, mut body): (u8, Reader<'_>)) -> Result<Rows, Error> {
    match result_kind(opcode, &mut body)? {
        ROWS => read_rows(&mut body),
        _ => Ok(Rows { columns: Vec::new(), rows: Vec::new() }),
    }
}

fn read_rows(body: &mut Reader<'_>) -> Result<Rows, Error> {
    let flags = body.i32()?;
    let count = body.count(LEAST)?;
    if flags & (MORE_PAGES | NO_COLUMNS) != 0 {
        return Err(Error::protocol("it has pages, or no columns, which nobody asked for"));
    }
    let described = columns(body, flags, count)?;
    // A row takes at least the length of each of its values.
    let count = body.count(4 * described.len())?;
    if described.is_empty() && count > 0 {
        return Err(Error::protocol("its rows have no columns"));
    }
    let mut rows = Vec::new();
    for _ in 0..count {
        body.hold(1)?;
        let row = described.iter().map(|(_, of)| of.value(body.bytes()?, body));
        rows.push(row.collect::<Result<Vec<Value>, Error>>()?);
    }
    Ok(Rows { columns: described.into_iter().map(|(name, _)| name).collect(), rows })
}

/// A reply to PREPARE. What the result will look like comes with each result again, since a
/// table may be altered between.
pub(crate) fn prepared((opcode, mut body): (u8, Reader<'_>)) -> Result<Prepared, Error> {
    if result_kind(opcode, &mut body)? != PREPARED {
        return Err(Error::protocol("it prepares nothing"));
    }
    let id = body.short_bytes()?.to_vec();
    let flags = body.i32()?;
    let count = body.count(LEAST)?;
    for _ in 0..body.count(2)? {
        body.u16()?;
    }
    let binds = columns(&mut body, flags, count)?.into_iter().map(|(_, of)| of).collect();
    Ok(Prepared { id, binds })
}

fn result_kind(opcode: u8, body: &mut Reader<'_>) -> Result<i32, Error> {
    match opcode {
        opcode::RESULT => body.i32(),
        _ => Err(Error::protocol("it is no result")),
    }
}

/// Names and types of so many columns.
fn columns(body: &mut Reader<'_>, flags: i32, count: usize) -> Result<Vec<(String, Type)>, Error> {
    let table = |body: &mut Reader<'_>| {
        body.short_bytes()?;
        body.short_bytes().map(|_| ())
    };
    if flags & SAME_TABLE != 0 {
        table(body)?;
    }
    let mut column = || {
        if flags & SAME_TABLE == 0 {
            table(body)?;
        }
        // A name and a type take no more than two values.
        body.hold(2)?;
        let name = String::from_utf8_lossy(body.short_bytes()?).into_owned();
        Ok((name, Type::read(body)?))
    };
    (0..count).map(|_| column()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{cut_off, hostile};

    const TWO_ROWS: &[u8] = b"\0\0\0\x02\0\0\0\x01\0\0\0\x02\0\x01k\0\x01t\
        \0\x01a\0\x09\0\x01b\0\x0d\
        \0\0\0\x02\
        \0\0\0\x04\0\0\0\x07\0\0\0\x02hi\
        \xff\xff\xff\xff\0\0\0\0";

    /// Each column names its table: it has no flag.
    const NAMED: &[u8] = b"\0\0\0\x02\0\0\0\0\0\0\0\x01\0\x01k\0\x01t\0\x01a\0\x14\
        \0\0\0\x01\0\0\0\x01\x05";

    const BINDS_ONE: &[u8] = b"\0\0\0\x04\0\x02id\0\0\0\x01\0\0\0\x01\0\0\0\x01\0\0\
        \0\x01k\0\x01t\0\x03key\0\x0d";

    fn read(bytes: &[u8]) -> Result<Rows, Error> {
        rows((opcode::RESULT, Reader::new(bytes)))
    }

    fn read_prepared(bytes: &[u8]) -> Result<Prepared, Error> {
        prepared((opcode::RESULT, Reader::new(bytes)))
    }

    #[test]
    fn rows_are_read_with_their_names() {
        let two = Rows {
            columns: vec!["a".to_owned(), "b".to_owned()],
            rows: vec![vec![Value::Int(7), Value::text("hi")], vec![Value::Null, Value::text("")]],
        };
        assert_eq!(read(TWO_ROWS), Ok(two));
        let named = read(NAMED).expect("rows");
        assert_eq!((named.columns, named.rows), (vec!["a".to_owned()], vec![vec![Value::Int(5)]]));
        assert_eq!(read(b"\0\0\0\x01").expect("void").rows.len(), 0);
    }

    #[test]
    fn a_prepared_statement_is_read_with_what_it_binds() {
        let statement = Prepared { id: b"id".to_vec(), binds: vec![Type::Text] };
        assert_eq!(read_prepared(BINDS_ONE), Ok(statement));
        assert!(read_prepared(TWO_ROWS).is_err());
        assert!(prepared((opcode::READY, Reader::new(BINDS_ONE))).is_err());
    }

    #[test]
    fn hostile_results_are_errors() {
        cut_off(TWO_ROWS, read);
        cut_off(NAMED, read);
        cut_off(BINDS_ONE, read_prepared);
        for valid in [TWO_ROWS, NAMED, BINDS_ONE] {
            hostile(valid, read);
            hostile(valid, read_prepared);
        }
        // Two thousand million rows of no columns, and as many columns, in a few bytes.
        assert!(read(b"\0\0\0\x02\0\0\0\0\0\0\0\0\x7f\xff\xff\xff").is_err());
        assert!(read(b"\0\0\0\x02\0\0\0\x01\x7f\xff\xff\xff").is_err());
    }
}

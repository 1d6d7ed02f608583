//! The requests that are sent, and their bodies.

use crate::bytes::{length, put_bytes, put_short_bytes};
use crate::cql::frame::{Request, opcode};
use crate::cql::reply::Prepared;
use crate::error::{Error, Kind};
use crate::settings::Login;
use crate::value::Value;

/// Flags of a statement.
const VALUES: u8 = 0x01;
const TIMESTAMP: u8 = 0x20;

/// Consistency of what tables look like.
const ONE: u16 = 1;

/// A batch that is not logged: its rows are all of one partition.
const UNLOGGED: u8 = 1;

/// A prepared statement and what it binds.
pub(crate) struct Bound<'a> {
    pub(crate) statement: &'a Prepared,
    pub(crate) values: Vec<&'a Value>,
}

pub(crate) fn startup() -> Result<Request, Error> {
    let mut request = Request::new(opcode::STARTUP);
    request.bytes.extend(1_u16.to_be_bytes());
    put_short_bytes(&mut request.bytes, b"CQL_VERSION")?;
    put_short_bytes(&mut request.bytes, b"3.0.0")?;
    Ok(request)
}

/// User and password as PasswordAuthenticator wants them.
pub(crate) fn login(login: &Login) -> Result<Request, Error> {
    let mut request = Request::new(opcode::AUTH_RESPONSE);
    let plain = format!("\0{}\0{}", login.user, login.password);
    put_bytes(&mut request.bytes, plain.as_bytes())?;
    Ok(request)
}

pub(crate) fn prepare(statement: &str) -> Result<Request, Error> {
    let mut request = Request::new(opcode::PREPARE);
    put_bytes(&mut request.bytes, statement.as_bytes())?;
    Ok(request)
}

/// A statement that is not prepared, with texts as values.
pub(crate) fn query(statement: &str, texts: &[&str]) -> Result<Request, Error> {
    let mut request = Request::new(opcode::QUERY);
    let out = &mut request.bytes;
    put_bytes(out, statement.as_bytes())?;
    out.extend(ONE.to_be_bytes());
    out.push(VALUES);
    put_count(out, texts.len())?;
    texts.iter().try_for_each(|text| put_bytes(out, text.as_bytes()))?;
    Ok(request)
}

pub(crate) fn execute(bound: &Bound<'_>, consistency: u16, time: i64) -> Result<Request, Error> {
    let mut request = Request::new(opcode::EXECUTE);
    let out = &mut request.bytes;
    put_short_bytes(out, &bound.statement.id)?;
    out.extend(consistency.to_be_bytes());
    out.push(VALUES | TIMESTAMP);
    put_values(out, bound)?;
    out.extend(time.to_be_bytes());
    Ok(request)
}

pub(crate) fn batch(all: &[Bound<'_>], consistency: u16, time: i64) -> Result<Request, Error> {
    let mut request = Request::new(opcode::BATCH);
    let out = &mut request.bytes;
    out.push(UNLOGGED);
    put_count(out, all.len())?;
    for bound in all {
        let prepared = 1;
        out.push(prepared);
        put_short_bytes(out, &bound.statement.id)?;
        put_values(out, bound)?;
    }
    out.extend(consistency.to_be_bytes());
    out.push(TIMESTAMP);
    out.extend(time.to_be_bytes());
    Ok(request)
}

fn put_values(out: &mut Vec<u8>, bound: &Bound<'_>) -> Result<(), Error> {
    let types = &bound.statement.binds;
    if types.len() != bound.values.len() {
        return Err(Error::protocol("a statement binds another number of values"));
    }
    put_count(out, types.len())?;
    for (of, value) in types.iter().zip(&bound.values) {
        let start = out.len();
        of.put(value, out)?;
        // Checked once more as a whole frame.
        length(out.len() - start)?;
    }
    Ok(())
}

fn put_count(out: &mut Vec<u8>, count: usize) -> Result<(), Error> {
    let count = u16::try_from(count)
        .map_err(|_| Error::new(Kind::TooLarge, "more than 65535 values or rows in one request"))?;
    out.extend(count.to_be_bytes());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cql::types::Type;

    #[test]
    fn requests_have_the_form_of_the_specification() {
        let body = |request: Result<Request, Error>| request.expect("a request").bytes;
        let start = b"\x04\0\0\0\x01\0\0\0\0\0\x01\0\x0bCQL_VERSION\0\x053.0.0";
        assert_eq!(body(startup()), start);
        let of = Login { user: "u".to_owned(), password: "p".to_owned() };
        assert_eq!(body(login(&of)), b"\x04\0\0\0\x0f\0\0\0\0\0\0\0\x04\0u\0p");
        assert_eq!(body(prepare("S")), b"\x04\0\0\0\x09\0\0\0\0\0\0\0\x01S");
        let asked = b"\x04\0\0\0\x07\0\0\0\0\0\0\0\x01S\0\x01\x01\0\x01\0\0\0\x01k";
        assert_eq!(body(query("S", &["k"])), asked);
    }

    #[test]
    fn values_are_bound_with_the_types_of_the_statement() {
        let statement = Prepared { id: b"id".to_vec(), binds: vec![Type::Text, Type::Int(4)] };
        let (key, number) = (Value::text("k"), Value::Int(5));
        let bound = || Bound { statement: &statement, values: vec![&key, &number] };
        let request = execute(&bound(), 4, 7).expect("a request").bytes;
        let values = b"\0\x02\0\0\0\x01k\0\0\0\x04\0\0\0\x05";
        let time = 7_i64.to_be_bytes();
        let expected = [&b"\x04\0\0\0\x0a\0\0\0\0\0\x02id\0\x04\x21"[..], values, &time].concat();
        assert_eq!(request, expected);
        let request = batch(&[bound(), bound()], 4, 7).expect("a request").bytes;
        let one = [&b"\x01\0\x02id"[..], values].concat();
        let head = b"\x04\0\0\0\x0d\0\0\0\0\x01\0\x02";
        assert_eq!(request, [&head[..], &one, &one, b"\0\x04\x20", &time].concat());
        let few = Bound { statement: &statement, values: vec![&key] };
        assert!(execute(&few, 1, 1).is_err());
    }
}

//! A call of a method and its reply.

use crate::bytes::Reader;
use crate::error::{Error, Kind};
use crate::stream::Stream;
use crate::thrift::fields::{self, Writer, kind};

/// Version of the protocol, in the upper half of a message's first word.
const VERSION: u32 = 0x8001_0000;
const CALL: u32 = 1;
const REPLY: u32 = 2;
const EXCEPTION: u32 = 3;

/// Bytes of a frame before the message.
const HEADER: usize = 4;

/// An exception that a method declares: its class, what it is called, and which of its fields
/// says why.
pub(crate) type Declared = (Kind, &'static str);

pub(crate) const INVALID: Declared = (Kind::Invalid, "invalid request");
pub(crate) const UNAVAILABLE: Declared =
    (Kind::Unavailable, "unavailable: too few replicas are alive");
pub(crate) const TIMED_OUT: Declared =
    (Kind::Timeout, "the server waited in vain for its replicas");
pub(crate) const AUTHENTICATION: Declared = (Kind::Authentication, "bad credentials");
pub(crate) const AUTHORIZATION: Declared = (Kind::Authorization, "unauthorized");

/// A method of the interface.
pub(crate) struct Method {
    pub(crate) name: &'static str,
    /// Its exceptions: the fields 1, 2 … of a reply.
    pub(crate) throws: &'static [Declared],
}

/// Calls a method with these arguments, and returns the reader of what it returns: None if it
/// returns nothing.
pub(crate) fn call<'a>(
    stream: &'a mut Stream,
    method: &Method,
    sequence: i32,
    arguments: &Writer,
) -> Result<Option<(u8, Reader<'a>)>, Error> {
    stream.send(&message(method, sequence, arguments)?)?;
    let max_reply = stream.max_reply();
    let frame = stream.reply(HEADER, |header| {
        let length = Reader::new(header).i32()?;
        usize::try_from(length).map_err(|_| Error::protocol("its length is negative"))
    })?;
    returned(Reader::of_reply(&frame[HEADER..], max_reply), method, sequence)
}

/// A framed call. The arguments are the fields of a struct without its end.
fn message(method: &Method, sequence: i32, arguments: &Writer) -> Result<Vec<u8>, Error> {
    let mut message = Writer { bytes: vec![0; HEADER] };
    message.bytes.extend((VERSION | CALL).to_be_bytes());
    message.string(method.name.as_bytes())?;
    message.i32(sequence);
    message.bytes.extend_from_slice(&arguments.bytes);
    message.stop();
    let length = crate::bytes::length(message.bytes.len() - HEADER)?;
    message.bytes[..HEADER].copy_from_slice(&length.to_be_bytes());
    Ok(message.bytes)
}

/// What this reply returns: the kind of its value, and a reader that stands before it.
fn returned<'a>(
    mut reader: Reader<'a>,
    method: &Method,
    sequence: i32,
) -> Result<Option<(u8, Reader<'a>)>, Error> {
    let version = u32::from_be_bytes(reader.array()?);
    let of = version & 0xff;
    if version & 0xffff_0000 != VERSION || !matches!(of, REPLY | EXCEPTION) {
        return Err(Error::protocol("it is no reply of the binary protocol"));
    }
    if fields::string(&mut reader)? != method.name.as_bytes() || reader.i32()? != sequence {
        return Err(Error::protocol("it answers another call"));
    }
    if of == EXCEPTION {
        return Err(reported(Kind::Server, "the server refuses the call", &mut reader)?);
    }
    while let Some((kind, id)) = fields::next(&mut reader)? {
        match (usize::from(id).checked_sub(1).map(|at| method.throws.get(at)), kind) {
            (None, kind) => return Ok(Some((kind, reader))),
            (Some(Some((class, name))), kind::STRUCT) => {
                return Err(reported(*class, name, &mut reader)?);
            }
            _ => fields::skip(&mut reader, kind)?,
        }
    }
    Ok(None)
}

/// An exception: its first field is its text, if it has one.
fn reported(class: Kind, name: &str, reader: &mut Reader<'_>) -> Result<Error, Error> {
    let mut why: &[u8] = b"";
    while let Some((kind, id)) = fields::next(reader)? {
        match (kind, id) {
            (kind::STRING, 1) => why = fields::string(reader)?,
            _ => fields::skip(reader, kind)?,
        }
    }
    Ok(Error::reported(class, name, why))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{hostile, kind};

    const METHOD: Method = Method { name: "get", throws: &[INVALID, UNAVAILABLE, TIMED_OUT] };

    fn reply(of: u8, body: &[u8]) -> Vec<u8> {
        [&[0x80, 1, 0, of][..], b"\0\0\0\x03get\0\0\0\x07", body].concat()
    }

    fn read(bytes: &[u8]) -> Result<Option<(u8, usize)>, Error> {
        returned(Reader::new(bytes), &METHOD, 7)
            .map(|it| it.map(|(kind, reader)| (kind, reader.left())))
    }

    #[test]
    fn calls_have_the_form_of_the_protocol() {
        let mut arguments = Writer::default();
        arguments.string_field(1, b"k").expect("short");
        let bytes = message(&METHOD, 7, &arguments).expect("short");
        let expected = b"\0\0\0\x18\x80\x01\0\x01\0\0\0\x03get\0\0\0\x07\x0b\0\x01\0\0\0\x01k\0";
        assert_eq!(bytes, expected);
    }

    #[test]
    fn replies_are_values_exceptions_or_nothing() {
        assert_eq!(read(&reply(2, b"\x08\0\0\0\0\0\x05\0")), Ok(Some((kind::I32, 5))));
        assert_eq!(read(&reply(2, b"\0")), Ok(None));
        // A field that is not declared.
        assert_eq!(read(&reply(2, b"\x08\0\x09\0\0\0\x05\0")), Ok(None));
        let invalid = read(&reply(2, b"\x0c\0\x01\x0b\0\x01\0\0\0\x02no\0\0")).expect_err("it");
        assert_eq!(
            (invalid.kind, invalid.message.as_str()),
            (Kind::Invalid, "invalid request: no")
        );
        let cases = [
            (reply(2, b"\x0c\0\x02\0\0"), Kind::Unavailable),
            (reply(2, b"\x0c\0\x03\x02\0\x01\x01\0\0"), Kind::Timeout),
            (reply(3, b"\x0b\0\x01\0\0\0\x02no\x08\0\x02\0\0\0\x01\0"), Kind::Server),
            (reply(1, b"\0"), Kind::Protocol),
            (b"\x80\x01\0\x02\0\0\0\x03set\0\0\0\x07\0".to_vec(), Kind::Protocol),
            (b"\x80\x01\0\x02\0\0\0\x03get\0\0\0\x08\0".to_vec(), Kind::Protocol),
            (b"HTTP/1.1 400 Bad Request\r\n".to_vec(), Kind::Protocol),
        ];
        for (bytes, wrong) in cases {
            assert_eq!(kind(read(&bytes)), wrong, "{bytes:?}");
        }
    }

    #[test]
    fn hostile_replies_are_errors() {
        for body in [
            &b"\x0c\0\x01\x0b\0\x01\0\0\0\x02no\0\0"[..],
            b"\x0f\0\x09\x0c\0\0\0\x01\0\x0c\0\x02\0\0",
        ] {
            hostile(&reply(2, body), read);
            hostile(&reply(3, body), read);
        }
    }
}

//! Frames: nine bytes of header, then the body.

use crate::bytes::Reader;
use crate::cql::errors;
use crate::error::{Error, Kind};
use crate::stream::Stream;

/// Version of the protocol, as a request and as a reply.
const REQUEST: u8 = 0x04;
const REPLY: u8 = 0x84;

/// Bytes of a header: version, flags, stream (2), opcode, length of the body (4).
const HEADER: usize = 9;

/// Flags of a reply. What comes before the body proper is skipped.
const COMPRESSED: u8 = 0x01;
const TRACED: u8 = 0x02;
const PAYLOAD: u8 = 0x04;
const WARNED: u8 = 0x08;

pub(crate) mod opcode {
    pub(crate) const ERROR: u8 = 0x00;
    pub(crate) const STARTUP: u8 = 0x01;
    pub(crate) const READY: u8 = 0x02;
    pub(crate) const AUTHENTICATE: u8 = 0x03;
    pub(crate) const QUERY: u8 = 0x07;
    pub(crate) const RESULT: u8 = 0x08;
    pub(crate) const PREPARE: u8 = 0x09;
    pub(crate) const EXECUTE: u8 = 0x0a;
    pub(crate) const BATCH: u8 = 0x0d;
    pub(crate) const AUTH_RESPONSE: u8 = 0x0f;
    pub(crate) const AUTH_SUCCESS: u8 = 0x10;
}

/// A request: its body is appended to `bytes`.
pub(crate) struct Request {
    pub(crate) bytes: Vec<u8>,
}

impl Request {
    pub(crate) fn new(opcode: u8) -> Request {
        // Flags and stream are zero: nothing is compressed, and one request is on the way.
        Request { bytes: vec![REQUEST, 0, 0, 0, opcode, 0, 0, 0, 0] }
    }

    /// Sends it, and returns the opcode of the reply and its body. An error of the server is
    /// an error here.
    pub(crate) fn ask(mut self, stream: &mut Stream) -> Result<(u8, Reader<'_>), Error> {
        let length = crate::bytes::length(self.bytes.len() - HEADER)?;
        self.bytes[5..HEADER].copy_from_slice(&length.to_be_bytes());
        stream.send(&self.bytes)?;
        let max_reply = stream.max_reply();
        opened(Reader::of_reply(stream.reply(HEADER, body_length)?, max_reply))
    }
}

/// How long the body after this header is.
fn body_length(header: &[u8]) -> Result<usize, Error> {
    let mut header = Reader::new(header);
    let version = header.u8()?;
    if version & 0x7f != REQUEST {
        let message = format!("the server speaks version {} of CQL, not 4", version & 0x7f);
        return Err(Error::broken(Kind::Unsupported, message));
    }
    let [_flags, stream_high, stream_low, _opcode] = header.array()?;
    if version != REPLY || (stream_high, stream_low) != (0, 0) {
        return Err(Error::protocol("it answers no request of this connection"));
    }
    usize::try_from(header.i32()?).map_err(|_| Error::protocol("its length is negative"))
}

/// Opcode and body of a whole frame.
fn opened(mut reader: Reader<'_>) -> Result<(u8, Reader<'_>), Error> {
    let [_version, flags, _, _, opcode] = reader.array()?;
    reader.take(4)?;
    if flags & COMPRESSED != 0 {
        return Err(Error::protocol("it is compressed, which was not agreed on"));
    }
    if flags & TRACED != 0 {
        reader.take(16)?;
    }
    if flags & WARNED != 0 {
        for _ in 0..reader.u16()? {
            reader.short_bytes()?;
        }
    }
    if flags & PAYLOAD != 0 {
        for _ in 0..reader.u16()? {
            reader.short_bytes()?;
            reader.bytes()?;
        }
    }
    match opcode {
        opcode::ERROR => Err(errors::read(&mut reader)?),
        _ => Ok((opcode, reader)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{hostile, kind};

    fn frame(flags: u8, opcode: u8, body: &[u8]) -> Vec<u8> {
        let length = u32::try_from(body.len()).expect("short").to_be_bytes();
        [&[REPLY, flags, 0, 0, opcode][..], &length, body].concat()
    }

    #[test]
    fn the_header_is_checked() {
        let length = |bytes: [u8; 9]| body_length(&bytes);
        assert_eq!(length([0x84, 0, 0, 0, 8, 0, 0, 1, 2]), Ok(258));
        let cases = [
            ([0x04, 0, 0, 0, 8, 0, 0, 0, 0], Kind::Protocol),
            ([0x84, 0, 0, 1, 8, 0, 0, 0, 0], Kind::Protocol),
            ([0x84, 0, 0xff, 0xff, 8, 0, 0, 0, 0], Kind::Protocol),
            ([0x84, 0, 0, 0, 8, 0x80, 0, 0, 0], Kind::Protocol),
            ([0x83, 0, 0, 0, 8, 0, 0, 0, 0], Kind::Unsupported),
            ([0x85, 0, 0, 0, 8, 0, 0, 0, 0], Kind::Unsupported),
        ];
        for (bytes, wrong) in cases {
            assert_eq!(kind(length(bytes)), wrong, "{bytes:?}");
        }
    }

    #[test]
    fn what_comes_before_the_body_is_skipped() {
        let warned = b"\0\x01\0\x02hi";
        let payload = b"\0\x01\0\x01k\0\0\0\x01v";
        let all = [&[7; 16][..], warned, payload, b"body"].concat();
        for (flags, body) in [
            (0, b"body".to_vec()),
            (WARNED, [&warned[..], b"body"].concat()),
            (TRACED | WARNED | PAYLOAD, all),
        ] {
            let bytes = frame(flags, opcode::RESULT, &body);
            let (opcode, mut reader) = opened(Reader::new(&bytes)).expect("a frame");
            let left = reader.left();
            assert_eq!((opcode, reader.take(left)), (opcode::RESULT, Ok(&b"body"[..])));
        }
        assert_eq!(
            kind(opened(Reader::new(&frame(COMPRESSED, 8, b"body"))).map(|_| ())),
            Kind::Protocol
        );
    }

    #[test]
    fn hostile_frames_are_errors() {
        let error = [&0x2200_u32.to_be_bytes()[..], b"\0\x02no"].concat();
        let extras = b"\0\x01\0\x02hi\0\x01\0\x01k\0\0\0\x01vbody";
        for valid in [frame(0, opcode::ERROR, &error), frame(WARNED | PAYLOAD, 8, extras)] {
            hostile(&valid, |bytes| opened(Reader::new(bytes)).map(|_| ()));
        }
    }
}

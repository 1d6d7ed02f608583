//! ERROR: a number, a text, and for some numbers more.

use crate::bytes::Reader;
use crate::error::{Error, Kind};

/// The server does not know the prepared statement any more.
pub(crate) const UNPREPARED: &str = "unprepared";

/// Number, class, name.
const ERRORS: [(i32, Kind, &str); 18] = [
    (0x0000, Kind::Server, "server error"),
    (0x000a, Kind::Protocol, "protocol error"),
    (0x0100, Kind::Authentication, "bad credentials"),
    (0x1000, Kind::Unavailable, "unavailable"),
    (0x1001, Kind::Unavailable, "overloaded"),
    (0x1002, Kind::Unavailable, "bootstrapping"),
    (0x1003, Kind::Server, "truncate error"),
    (0x1100, Kind::Timeout, "write timeout"),
    (0x1200, Kind::Timeout, "read timeout"),
    (0x1300, Kind::Server, "read failure"),
    (0x1400, Kind::Server, "function failure"),
    (0x1500, Kind::Server, "write failure"),
    (0x2000, Kind::Invalid, "syntax error"),
    (0x2100, Kind::Authorization, "unauthorized"),
    (0x2200, Kind::Invalid, "invalid request"),
    (0x2300, Kind::Invalid, "configuration error"),
    (0x2400, Kind::Invalid, "already exists"),
    (0x2500, Kind::Server, UNPREPARED),
];

/// The error in this body.
pub(crate) fn read(body: &mut Reader<'_>) -> Result<Error, Error> {
    let number = body.i32()?;
    let text = body.short_bytes()?;
    let known = ERRORS.iter().find(|error| error.0 == number);
    let (kind, name) = known.map_or((Kind::Server, "unknown error"), |it| (it.1, it.2));
    let error = Error::reported(kind, name, text);
    Ok(match kind {
        // The two sides do not agree on what was sent.
        Kind::Protocol => Error::broken(kind, error.message),
        _ => error,
    })
}

/// Whether the statement must be prepared again.
pub(crate) fn is_unprepared(error: &Error) -> bool {
    error.kind == Kind::Server && error.message.starts_with(UNPREPARED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_reported_by_class_and_without_control_characters() {
        let body = |number: i32, text: &[u8]| {
            let length = u16::try_from(text.len()).expect("short").to_be_bytes();
            [&number.to_be_bytes()[..], &length, text].concat()
        };
        let cases = [
            (0x1000, &b"two of three"[..], Kind::Unavailable, "unavailable: two of three"),
            (0x2200, b"a\nb\0c", Kind::Invalid, "invalid request: a b c"),
            (0x1200, b"", Kind::Timeout, "read timeout"),
            (0x7777, b"x", Kind::Server, "unknown error: x"),
        ];
        for (number, text, kind, message) in cases {
            let error = read(&mut Reader::new(&body(number, text))).expect("an error");
            assert_eq!((error.kind, error.message.as_str()), (kind, message));
        }
        let error = read(&mut Reader::new(&body(0x2500, b"id"))).expect("an error");
        assert!(is_unprepared(&error));
        let long = read(&mut Reader::new(&body(0, &[b'x'; 60_000]))).expect("an error");
        assert!(long.message.len() < 1100);
    }
}

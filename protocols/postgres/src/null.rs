//! What a null PostgreSQL answers: every login is accepted, and every statement returns one row
//! with one number. Pure.
//!
//! Messages: <https://www.postgresql.org/docs/current/protocol-message-formats.html>.

use testserver::null::{Consumed, NullService};

/// Version 3.0 of the protocol, where a start-up message names it.
const VERSION: [u8; 4] = [0, 3, 0, 0];
const READY: &[u8] = b"Z\0\0\0\x05I";
const LOGGED_IN: &[u8] = b"R\0\0\0\x08\0\0\0\0";
const PARSED: &[u8] = b"1\0\0\0\x04";
const BOUND: &[u8] = b"2\0\0\0\x04";
const CLOSED: &[u8] = b"3\0\0\0\x04";
const NO_PARAMETERS: &[u8] = b"t\0\0\0\x06\0\0";
/// One column of the type int4.
const COLUMNS: &[u8] = b"T\0\0\0\x1a\0\x01n\0\0\0\0\0\0\0\0\0\0\x17\0\x04\xff\xff\xff\xff\0\0";
/// The number 1, in binary and as text.
const ROW: &[u8] = b"D\0\0\0\x0e\0\x01\0\0\0\x04\0\0\0\x01";
const ROW_AS_TEXT: &[u8] = b"D\0\0\0\x0b\0\x01\0\0\0\x011";
const DONE: &[u8] = b"C\0\0\0\x0dSELECT 1\0";

/// A service of the null server.
pub(crate) struct Postgres;

impl NullService for Postgres {
    fn answer(&mut self, input: &[u8], out: &mut Vec<u8>) -> Consumed {
        // The first message has no letter.
        let starts = input[0] == 0;
        let letters = usize::from(!starts);
        let Some(length) = input.get(letters..letters + 4) else { return Consumed::NotAll };
        let length = u32::from_be_bytes(length.try_into().expect("four bytes")) as usize;
        if length < 4 {
            return Consumed::Unknown;
        }
        let whole = letters + length;
        if input.len() < whole {
            return Consumed::NotAll;
        }
        let body = &input[letters + 4..whole];
        let replies: &[&[u8]] = match input[0] {
            0 if body.starts_with(&VERSION) => &[LOGGED_IN, READY],
            b'Q' => &[COLUMNS, ROW_AS_TEXT, DONE, READY],
            b'P' => &[PARSED],
            b'D' if body.first() == Some(&b'S') => &[NO_PARAMETERS, COLUMNS],
            b'D' => &[COLUMNS],
            b'B' => &[BOUND],
            b'E' => &[ROW, DONE],
            b'S' => &[READY],
            b'C' => &[CLOSED],
            b'X' | b'H' => &[],
            _ => return Consumed::Unknown,
        };
        replies.iter().for_each(|reply| out.extend_from_slice(reply));
        Consumed::Bytes(whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_answered_message_by_message() {
        let start = b"\0\0\0\x11\0\x03\0\0user\0me\0\0";
        let query = b"Q\0\0\0\x0dSELECT 1\0";
        let execute = b"E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04";
        for (input, consumed, replies) in [
            (&start[..], start.len(), &[LOGGED_IN, READY][..]),
            (query, query.len(), &[COLUMNS, ROW_AS_TEXT, DONE, READY]),
            (execute, 10, &[ROW, DONE]),
            (&execute[10..], 5, &[READY]),
        ] {
            let mut out = Vec::new();
            assert_eq!(Postgres.answer(input, &mut out), Consumed::Bytes(consumed));
            assert_eq!(out, replies.concat());
            for cut in 1..consumed {
                assert_eq!(
                    Postgres.answer(&input[..cut], &mut Vec::new()),
                    Consumed::NotAll,
                    "{cut}"
                );
            }
        }
        for unknown in [&b"?\0\0\0\x04"[..], b"Q\0\0\0\x03", b"\0\0\0\x08\x04\xd2\x16\x2f"] {
            assert_eq!(Postgres.answer(unknown, &mut Vec::new()), Consumed::Unknown);
        }
    }

    /// Every message contains its length.
    #[test]
    fn replies_are_as_long_as_they_say() {
        let all = [
            READY,
            LOGGED_IN,
            PARSED,
            BOUND,
            CLOSED,
            NO_PARAMETERS,
            COLUMNS,
            ROW,
            ROW_AS_TEXT,
            DONE,
        ];
        for reply in all {
            let length = u32::from_be_bytes(reply[1..5].try_into().expect("four bytes"));
            assert_eq!(length as usize + 1, reply.len(), "{}", reply.escape_ascii());
        }
    }
}

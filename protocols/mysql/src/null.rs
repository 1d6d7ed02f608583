//! What a null MySQL answers: every login is accepted, and every statement returns one row with one
//! number. Pure.
//!
//! Packets: <https://dev.mysql.com/doc/dev/mysql-server/latest/PAGE_PROTOCOL.html>.

use testserver::null::{Consumed, NullService};

/// The greeting: version 10 of the protocol, MySQL 5.7, a login with `mysql_native_password` in the
/// format of 4.1.
const GREETING: &[u8] = b"\x0a5.7.0-null\0\x01\0\0\0abcdefgh\0\x0d\xa2\x21\x02\0\x08\0\x15\
                          \0\0\0\0\0\0\0\0\0\0abcdefghijkl\0mysql_native_password\0";
/// No rows changed, no insert ID, no transaction, no warnings.
const OK: &[u8] = b"\0\0\0\x02\0\0\0";
const END_OF_ROWS: &[u8] = b"\xfe\0\0\x02\0";
const ONE_COLUMN: &[u8] = b"\x01";
/// A column `1` of eight bytes.
const COLUMN: &[u8] = b"\x03def\0\0\0\x011\0\x0c\x3f\0\x01\0\0\0\x08\x81\0\0\0\0";
const ROW_AS_TEXT: &[u8] = b"\x011";
const ROW: &[u8] = b"\0\0\x01\0\0\0\0\0\0\0";
/// Statement 1, of one column and no parameters.
const PREPARED: &[u8] = b"\0\x01\0\0\0\x01\0\0\0\0\0\0";

/// Bytes before the payload of a packet: its length, and its number.
const HEAD: usize = 4;

/// A service of the null server.
pub(crate) struct Mysql;

impl NullService for Mysql {
    fn greeting(&self) -> Vec<u8> {
        let mut out = Vec::new();
        packets(&[GREETING], 0, &mut out);
        out
    }

    fn answer(&mut self, input: &[u8], out: &mut Vec<u8>) -> Consumed {
        let Some(&[a, b, c, number]) = input.first_chunk::<HEAD>() else { return Consumed::NotAll };
        let whole = HEAD + u32::from_le_bytes([a, b, c, 0]) as usize;
        if input.len() < whole {
            return Consumed::NotAll;
        }
        let replies: &[&[u8]] = match (number, input.get(HEAD)) {
            // Commands restart the numbering; the reply to the greeting continues it.
            (1, _) => &[OK],
            (0, Some(0x03)) => &[ONE_COLUMN, COLUMN, END_OF_ROWS, ROW_AS_TEXT, END_OF_ROWS],
            (0, Some(0x17)) => &[ONE_COLUMN, COLUMN, END_OF_ROWS, ROW, END_OF_ROWS],
            (0, Some(0x16)) => &[PREPARED, COLUMN, END_OF_ROWS],
            // Ping, and resetting the session.
            (0, Some(0x0e | 0x1f)) => &[OK],
            // Quit, and closing a statement.
            (0, Some(0x01 | 0x19)) => &[],
            _ => return Consumed::Unknown,
        };
        packets(replies, number + 1, out);
        Consumed::Bytes(whole)
    }
}

/// Appends packets, numbered from this number on.
fn packets(payloads: &[&[u8]], first: u8, out: &mut Vec<u8>) {
    for (number, payload) in (first..).zip(payloads) {
        let [a, b, c, _] = (payload.len() as u32).to_le_bytes();
        out.extend_from_slice(&[a, b, c, number]);
        out.extend_from_slice(payload);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_answered_packet_by_packet() {
        let log_in = b"\x02\0\0\x01xx";
        let query = b"\x09\0\0\0\x03SELECT 1";
        let execute = b"\x01\0\0\0\x17";
        let rows = |row: &'static [u8]| [ONE_COLUMN, COLUMN, END_OF_ROWS, row, END_OF_ROWS];
        for (input, first, replies) in [
            (&log_in[..], 2, &[OK][..]),
            (query, 1, &rows(ROW_AS_TEXT)),
            (execute, 1, &rows(ROW)),
            (b"\x01\0\0\0\x01", 1, &[]),
        ] {
            let (mut out, mut wanted) = (Vec::new(), Vec::new());
            assert_eq!(Mysql.answer(input, &mut out), Consumed::Bytes(input.len()));
            packets(replies, first, &mut wanted);
            assert_eq!(out, wanted);
            for cut in 1..input.len() {
                assert_eq!(Mysql.answer(&input[..cut], &mut Vec::new()), Consumed::NotAll, "{cut}");
            }
        }
        for unknown in [&b"\x01\0\0\0\x02"[..], b"\0\0\0\0", b"\x01\0\0\x05\x03"] {
            assert_eq!(Mysql.answer(unknown, &mut Vec::new()), Consumed::Unknown);
        }
        assert_eq!(Mysql.greeting()[..5], [GREETING.len() as u8, 0, 0, 0, 0x0a]);
    }
}

//! Runs tables of operations, streams and of what must be heard.

use crate::common;
use crate::resp::check::Asking;
use wire::resp::{Op, faults};

/// What it is, what is asked, what the server sends, what is heard.
pub(crate) type Case = (&'static str, &'static [Op<'static>], &'static [u8], &'static str);

/// Every case whole and in pieces, cut in two at every place, and with bytes
/// behind it.
pub(crate) fn run(cases: &[Case]) {
    for (name, ops, stream, expected) in cases {
        let asking = Asking::new(ops);
        common::expect(&asking, name, stream, expected);
        for behind in [b"+OK\r\n".as_slice(), b"$-1\r\n", b"-ERR x\r\n", b"\r\n", b"x"] {
            common::with_bytes_behind(&asking, name, stream, behind, faults::ANSWERS_NOTHING);
        }
    }
}

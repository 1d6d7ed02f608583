//! Runs tables of operations, streams and of the expected events.

use crate::common;
use crate::resp::check::Exchange;
use wire::resp::{Op, faults};

/// The name of the case, the operations, what the server sends, and the expected events.
pub(crate) type Case = (&'static str, &'static [Op<'static>], &'static [u8], &'static str);

/// Every case whole and in pieces, cut in two at every place, and with bytes
/// behind it.
pub(crate) fn run(cases: &[Case]) {
    for (name, ops, stream, expected) in cases {
        let exchange = Exchange::new(ops);
        common::expect(&exchange, name, stream, expected);
        for behind in [b"+OK\r\n".as_slice(), b"$-1\r\n", b"-ERR x\r\n", b"\r\n", b"x"] {
            common::with_bytes_behind(&exchange, name, stream, behind, faults::ANSWERS_NOTHING);
        }
    }
}

//! Runs tables of streams and of the expected events.

use crate::common;
use crate::http1::check::{self, Exchange};
use wire::http1::{Limits, faults};

/// The name of the case, what the server sends, and the expected events.
pub(crate) type Case = (&'static str, &'static [u8], &'static str);

/// Every case whole and in pieces, cut in two at every place, and with bytes
/// behind it.
pub(crate) fn run(head_only: bool, cases: &[Case]) {
    run_with(head_only, b"", cases);
}

/// The same with `head` before the stream of every case.
pub(crate) fn run_behind(head: &[u8], cases: &[Case]) {
    run_with(false, head, cases);
}

fn run_with(head_only: bool, head: &[u8], cases: &[Case]) {
    let exchange = Exchange { limits: Limits::default(), head_only };
    for (name, stream, expected) in cases {
        let stream = &[head, stream].concat();
        common::expect(&exchange, name, stream, expected);
        let more = b"HTTP/1.1 200 OK\r\n\r\n";
        common::with_bytes_behind(&exchange, name, stream, more, faults::ANSWERS_NOTHING);
        check::check(stream);
    }
}

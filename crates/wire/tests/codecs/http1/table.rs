//! Runs tables of streams and of what must be heard.

use crate::common;
use crate::http1::check::{self, Asking};
use wire::http1::{Limits, faults};

/// What it is, what the server sends, what is heard.
pub(crate) type Case = (&'static str, &'static [u8], &'static str);

/// Every case whole and in pieces, cut in two at every place, and with bytes
/// behind it.
pub(crate) fn run(head_only: bool, cases: &[Case]) {
    let asking = Asking { limits: Limits::default(), head_only };
    for (name, stream, expected) in cases {
        common::expect(&asking, name, stream, expected);
        let more = b"HTTP/1.1 200 OK\r\n\r\n";
        common::with_bytes_behind(&asking, name, stream, more, faults::ANSWERS_NOTHING);
        check::check(stream);
    }
}

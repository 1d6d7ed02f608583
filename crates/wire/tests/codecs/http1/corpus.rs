//! The corpus, as it is and mutated: no panic, no event after a fault, and the
//! same whatever the cuts.

use crate::http1::check::check;
use crate::replay;

#[test]
fn as_it_is() {
    replay::as_it_is("http1", check);
}

#[test]
fn mutated() {
    replay::mutated("http1", &TOKENS, 4000, check);
}

/// What parsers trip over.
const TOKENS: [&[u8]; 14] = [
    b"\r\n",
    b"\n",
    b"\r",
    b"\0",
    b"0\r\n\r\n",
    b"HTTP/1.1 100 Continue\r\n\r\n",
    b"Content-Length: 18446744073709551615\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"Connection: close\r\n",
    b"ffffffffffffffff",
    b": ",
    b";",
    b"\xff",
    b" ",
];

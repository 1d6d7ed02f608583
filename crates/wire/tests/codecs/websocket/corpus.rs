//! The corpus, as it is and mutated: no panic, no event after a fault, and the same whatever
//! the cuts.

use crate::replay;
use crate::websocket::check::check;

#[test]
fn as_it_is() {
    replay::as_it_is("websocket", check);
}

#[test]
fn mutated() {
    replay::mutated("websocket", &TOKENS, 1500, check);
}

/// What parsers trip over.
const TOKENS: [&[u8]; 16] = [
    b"\x81\x05hello",
    b"\x01\x02he",
    b"\x80\0",
    b"\0\0",
    b"\x89\0",
    b"\x8a\0",
    b"\x88\x02\x03\xe8",
    b"\x88\0",
    b"\x82\x7e\0\x7e",
    b"\x82\x7f\0\0\0\0\0\x01\0\0",
    b"\x82\x7f\xff\xff\xff\xff\xff\xff\xff\xff",
    b"\xc3",
    b"\xff",
    b"\r\n\r\n",
    b"\r\nUpgrade: websocket",
    b"\r\nConnection: Upgrade",
];

//! The corpus, as it is and mutated: no panic, no event after a fault, and the same whatever
//! the cuts.

use super::check::check;
use crate::replay;

#[test]
fn as_it_is() {
    replay::as_it_is("thrift", check);
}

#[test]
fn mutated() {
    replay::mutated("thrift", &TOKENS, 1500, check);
}

/// What parsers trip over.
const TOKENS: [&[u8]; 16] = [
    b"\0",
    b"\xff",
    b"\0\0\0\0",
    b"\0\0\0\x01",
    b"\x7f\xff\xff\xff",
    b"\x80\0\0\0",
    b"\xff\xff\xff\xff",
    b"\x80\x01\0\x02",
    b"\x80\x01\0\x03",
    b"\x0c\0\0",
    b"\x0c\0\x01",
    b"\x0b\0\x02",
    b"\x0f\0\0\x0c\0\0\0\x01",
    b"\x0d\0\0\x0b\x0f\0\0\0\x01",
    b"\x0e\0\0\x02\0\0\0\x08",
    b"\x08\0\x02\0\0\0\x01",
];

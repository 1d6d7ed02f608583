//! The corpus, as it is and mutated: no panic, no event after a fault, and the
//! same whatever the cuts.

use crate::memcached::check::check;
use crate::replay;

#[test]
fn as_it_is() {
    replay::as_it_is("memcached", check);
}

#[test]
fn mutated() {
    replay::mutated("memcached", &TOKENS, 1000, check);
}

/// What parsers trip over.
const TOKENS: [&[u8]; 14] = [
    b"\r\n",
    b"\n",
    b"\r",
    b"\0",
    b"END\r\n",
    b"VALUE a 0 1\r\n!\r\n",
    b"VA 1 O1\r\n!\r\n",
    b"MN\r\n",
    b"STORED\r\n",
    b"ERROR\r\n",
    b"18446744073709551616",
    b"-1",
    b"\xff",
    b" ",
];

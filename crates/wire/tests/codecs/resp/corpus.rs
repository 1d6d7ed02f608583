//! The corpus, as it is and mutated: no panic, no event after a fault, and the
//! same whatever the cuts.

use crate::replay;
use crate::resp::check::check;

#[test]
fn as_it_is() {
    replay::as_it_is("resp", check);
}

#[test]
fn mutated() {
    replay::mutated("resp", &TOKENS, 1500, check);
}

/// What parsers trip over.
const TOKENS: [&[u8]; 20] = [
    b"\r\n",
    b"\n",
    b"\r",
    b"\0",
    b"$-1\r\n",
    b"*-1\r\n",
    b"*0\r\n",
    b"*2\r\n",
    b"*?\r\n",
    b"$?\r\n",
    b";1\r\n",
    b".\r\n",
    b"|1\r\n",
    b">1\r\n",
    b"%1\r\n",
    b"!1\r\n",
    b"=4\r\n",
    b"-ERR x\r\n",
    b"18446744073709551616",
    b"\xff",
];

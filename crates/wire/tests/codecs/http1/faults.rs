//! Replies that are refused, and why.

use crate::http1::check;
use crate::http1::table::{Case, run, run_behind};
use wire::Fault;
use wire::http1::{Limits, faults};

#[test]
fn to_get() {
    run(false, NOT_HTTP);
    run(false, HEADS);
    run(false, FRAMING);
    run_behind(CHUNKED, CHUNKS);
    run(false, CUT_SHORT);
}

#[test]
fn to_head() {
    run(true, TO_HEAD);
}

const NO_HTTP: &str = "fault: not an HTTP/1.0 or HTTP/1.1 reply";
const STATUS_LINE: &str = "began | fault: malformed status line";
const HEADER: &str = "began | fault: malformed header";
const LENGTH: &str = "began | fault: malformed Content-Length";
const TWO_LENGTHS: &str = "began | fault: conflicting Content-Length";
const LENGTH_AND_CODING: &str = "began | fault: Content-Length together with Transfer-Encoding";
const CODING: &str = "began | fault: a Transfer-Encoding other than chunked";
const CHUNK: &str = "began | fault: malformed chunk";
const CHUNK_BEHIND_HI: &str = "began | body hi | fault: malformed chunk";
const CHUNK_SIZE: &str = "began | fault: the size of a chunk overflows";
const TRAILER: &str = "began | body hi | fault: malformed trailer";
const CUT: &str = "began | Ready | end: closed in the middle of a reply";
const CUT_BEHIND_HI: &str = "began | body hi | Ready | end: closed in the middle of a reply";

const NOT_HTTP: &[Case] = &[
    ("another protocol", b"SSH-2.0-OpenSSH_9.6\r\n", NO_HTTP),
    ("a page without a head", b"<html>hello</html>", NO_HTTP),
    ("HTTP/2", b"\x00\x00\x12\x04\x00\x00\x00\x00\x00", NO_HTTP),
    ("HTTP/1.2", b"HTTP/1.2 200 OK\r\n\r\n", NO_HTTP),
    ("HTTP/2.0 in words", b"HTTP/2.0 200 OK\r\n\r\n", NO_HTTP),
    ("small letters", b"http/1.1 200 OK\r\n\r\n", NO_HTTP),
    ("an empty line first", b"\r\nHTTP/1.1 200 OK\r\n\r\n", NO_HTTP),
    ("two blanks", b"HTTP/1.1  200 OK\r\n\r\n", NO_HTTP),
    ("a status below 100", b"HTTP/1.1 099 Odd\r\n\r\n", NO_HTTP),
    ("a status in words", b"HTTP/1.1 OK\r\n\r\n", NO_HTTP),
    ("one wrong byte", b"X", NO_HTTP),
];

const HEADS: &[Case] = &[
    ("a status of two digits", b"HTTP/1.1 20 OK\r\n\r\n", STATUS_LINE),
    ("a status of four digits", b"HTTP/1.1 2000 OK\r\n\r\n", STATUS_LINE),
    ("a control byte in the reason", b"HTTP/1.1 200 O\x00K\r\n\r\n", STATUS_LINE),
    ("a 1xx of two digits", b"HTTP/1.1 1x OK\r\n\r\n", "fault: malformed status line"),
    ("a blank before the colon", b"HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\n", HEADER),
    ("a folded line", b"HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n", HEADER),
    ("a line without a colon", b"HTTP/1.1 200 OK\r\nhello\r\n\r\n", HEADER),
    ("no name", b"HTTP/1.1 200 OK\r\n: x\r\n\r\n", HEADER),
    ("NUL in a value", b"HTTP/1.1 200 OK\r\nX: a\x00b\r\n\r\n", HEADER),
    ("CR alone in a value", b"HTTP/1.1 200 OK\r\nX: a\rContent-Length: 2\r\n\r\n", HEADER),
    ("a name that is not ASCII", b"HTTP/1.1 200 OK\r\nN\xe4me: x\r\n\r\n", HEADER),
    (
        "101",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n",
        "fault: the server switched protocols (101): omit the header Upgrade",
    ),
];

const FRAMING: &[Case] = &[
    ("no length", b"HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n", LENGTH),
    ("a negative length", b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", LENGTH),
    ("a length with a plus", b"HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n", LENGTH),
    ("a length in hexadecimal", b"HTTP/1.1 200 OK\r\nContent-Length: 0x10\r\n\r\n", LENGTH),
    ("a length with a fraction", b"HTTP/1.1 200 OK\r\nContent-Length: 1.0\r\n\r\n", LENGTH),
    ("a length with a blank inside", b"HTTP/1.1 200 OK\r\nContent-Length: 1 0\r\n\r\n", LENGTH),
    ("a length in words", b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n", LENGTH),
    (
        "a length of 2^64",
        b"HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551616\r\n\r\n",
        LENGTH,
    ),
    (
        "a length of thirty digits",
        b"HTTP/1.1 200 OK\r\nContent-Length: 999999999999999999999999999999\r\n\r\n",
        LENGTH,
    ),
    ("a list with an empty element", b"HTTP/1.1 200 OK\r\nContent-Length: 2,\r\n\r\n", LENGTH),
    (
        "two lengths",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nhi",
        TWO_LENGTHS,
    ),
    ("two lengths in a list", b"HTTP/1.1 200 OK\r\nContent-Length: 2, 3\r\n\r\n", TWO_LENGTHS),
    (
        "length and coding",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n",
        LENGTH_AND_CODING,
    ),
    (
        "coding and length",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n",
        LENGTH_AND_CODING,
    ),
    ("gzip", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", CODING),
    ("gzip, then chunked", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", CODING),
    (
        "chunked twice in a list",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n\r\n",
        CODING,
    ),
    (
        "chunked twice",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
        CODING,
    ),
    ("identity", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\n", CODING),
    ("no coding", b"HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n\r\n", CODING),
    ("nearly chunked", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: \x0bchunked\r\n\r\n", HEADER),
    ("chunked in quotes", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: \"chunked\"\r\n\r\n", CODING),
    (
        "coding in HTTP/1.0",
        b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "began | fault: Transfer-Encoding in an HTTP/1.0 reply",
    ),
    (
        "bytes behind a 204",
        b"HTTP/1.1 204 No Content\r\n\r\nhi",
        "began | ok 204, 0 bytes | fault: bytes that do not belong to any request",
    ),
    (
        "bytes behind a 304",
        b"HTTP/1.1 304 Not Modified\r\nContent-Length: 2\r\n\r\nhi",
        "began | error 304, 0 bytes | fault: bytes that do not belong to any request",
    ),
    (
        "more than the length",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi!",
        "began | body hi | ok 200, 2 bytes | fault: bytes that do not belong to any request",
    ),
    (
        "a line end behind the body",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi\r\n",
        "began | body hi | ok 200, 2 bytes | fault: bytes that do not belong to any request",
    ),
    (
        "bytes behind a reply that closes",
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi!",
        "began | body hi | ok 200, 2 bytes | fault: bytes that do not belong to any request",
    ),
];

/// Behind a head that announces chunks.
const CHUNKS: &[Case] = &[
    ("no size", b"\r\nhi", CHUNK),
    ("no size, an extension", b";x\r\nhi", CHUNK),
    ("a size that is no number", b"xyz\r\n", CHUNK),
    ("a negative size", b"-1\r\n", CHUNK),
    ("a size with 0x", b"0x2\r\nhi", CHUNK),
    ("a blank before the size", b" 2\r\nhi", CHUNK),
    ("a digit behind a blank", b"2 2\r\nhi", CHUNK),
    ("a size of 2^64", b"10000000000000000\r\n", CHUNK_SIZE),
    ("a size of seventeen digits", b"fffffffffffffffff\r\n", CHUNK_SIZE),
    ("LF alone behind the size", b"2\nhi\r\n0\r\n\r\n", CHUNK),
    ("CR alone behind the size", b"2\rhi", CHUNK),
    ("LF in an extension", b"2;a\nb\r\nhi", CHUNK),
    ("NUL in an extension", b"2;\x00\r\nhi", CHUNK),
    ("more data than the size", b"2\r\nhi!\r\n0\r\n\r\n", CHUNK_BEHIND_HI),
    ("no line end behind the data", b"2\r\nhi0\r\n\r\n", CHUNK_BEHIND_HI),
    ("LF alone behind the data", b"2\r\nhi\n0\r\n\r\n", CHUNK_BEHIND_HI),
    ("CR alone behind the data", b"2\r\nhi\r0\r\n\r\n", CHUNK_BEHIND_HI),
    ("a trailer without a colon", b"2\r\nhi\r\n0\r\nhello\r\n\r\n", TRAILER),
    ("a folded trailer", b"2\r\nhi\r\n0\r\nX: a\r\n b\r\n\r\n", TRAILER),
    ("a trailer without a name", b"2\r\nhi\r\n0\r\n: a\r\n\r\n", TRAILER),
    ("a trailer with NUL", b"2\r\nhi\r\n0\r\nX: \x00\r\n\r\n", TRAILER),
    ("LF alone behind a trailer", b"2\r\nhi\r\n0\r\nX: a\n\r\n", TRAILER),
    ("LF alone at the end", b"2\r\nhi\r\n0\r\n\n", TRAILER),
    (
        "a second body",
        b"0\r\n\r\n2\r\nhi\r\n",
        "began | ok 200, 0 bytes | fault: bytes that do not belong to any request",
    ),
];

const CUT_SHORT: &[Case] = &[
    ("before the first byte", b"", "Ready | end: closed before a reply"),
    ("behind the first byte", b"H", "Ready | end: closed in the middle of a reply"),
    ("in the status line", b"HTTP/1.1 2", CUT),
    ("in the head", b"HTTP/1.1 200 OK\r\nContent-Le", CUT),
    ("in a malformed head", b"HTTP/1.1 200 OK\r\nhello\r\nContent-Le", CUT),
    ("before the blank line's last byte", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r", CUT),
    ("in a 1xx", b"HTTP/1.1 100 Cont", "Ready | end: closed in the middle of a reply"),
    ("behind the head", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", CUT),
    ("in the body", b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi", CUT_BEHIND_HI),
    (
        "in a body of 2^64 - 1 bytes",
        b"HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\nhi",
        CUT_BEHIND_HI,
    ),
    ("in a size", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nf", CUT),
    ("in a chunk", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhi", CUT_BEHIND_HI),
    (
        "in a chunk of 2^64 - 1 bytes",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nhi",
        CUT_BEHIND_HI,
    ),
    (
        "behind a chunk",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi",
        CUT_BEHIND_HI,
    ),
    (
        "before the last chunk",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n",
        CUT_BEHIND_HI,
    ),
    (
        "in the last chunk",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n",
        CUT_BEHIND_HI,
    ),
    (
        "in the trailers",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX: a\r\n",
        CUT_BEHIND_HI,
    ),
    (
        "in the body of a reply that closes",
        b"HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\nhi",
        "began | body hi | Closing | end: closed in the middle of a reply",
    ),
];

const TO_HEAD: &[Case] = &[
    (
        "length and coding, though no body follows",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n",
        LENGTH_AND_CODING,
    ),
    (
        "a malformed length, though no body follows",
        b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        LENGTH,
    ),
    ("cut in the head", b"HTTP/1.1 200 OK\r\n", CUT),
];

/// A stream at its limit is accepted; with one more of what is limited it is a fault.
fn limited(limits: Limits, stream: impl Fn(usize) -> Vec<u8>, most: usize, fault: Fault) {
    let at = check::same_however_cut(limits, false, &stream(most));
    assert!(at.to_string().ends_with("| Ready | end"), "at the limit: {at}");
    let above = check::same_however_cut(limits, false, &stream(most + 1));
    assert_eq!(above.state, Err(fault), "above the limit");
}

fn padded(head_bytes: usize) -> Vec<u8> {
    let mut head = b"HTTP/1.1 204 No Content\r\nPad: ".to_vec();
    head.resize(head_bytes - 4, b'x');
    head.extend_from_slice(b"\r\n\r\n");
    head
}

#[test]
fn a_head_has_a_limit() {
    for head_bytes in [64, 4096, Limits::default().head_bytes] {
        let limits = Limits { head_bytes, ..Limits::default() };
        limited(limits, padded, head_bytes, faults::HEAD_TOO_LONG);
    }
}

#[test]
fn a_head_without_an_end_is_given_up_at_the_limit() {
    let limits = Limits { head_bytes: 256, ..Limits::default() };
    let endless = [b"HTTP/1.1 200 OK\r\n".as_slice(), &b"no colon\r\n".repeat(100)].concat();
    let seen_events = check::same_however_cut(limits, false, &endless);
    assert_eq!(seen_events.state, Err(faults::HEAD_TOO_LONG));
}

#[test]
fn headers_are_counted() {
    let stream = |n| [b"HTTP/1.1 204 No Content\r\n", &*b"X: y\r\n".repeat(n), b"\r\n"].concat();
    for headers in [0, 3, 128] {
        let limits = Limits { headers, ..Limits::default() };
        limited(limits, stream, headers, faults::TOO_MANY_HEADERS);
    }
    // More than there is room for is as much as there is room for.
    let limits = Limits { headers: 1000, ..Limits::default() };
    limited(limits, stream, 128, faults::TOO_MANY_HEADERS);
}

#[test]
fn informational_replies_are_counted() {
    let stream =
        |n| [&*b"HTTP/1.1 100 Continue\r\n\r\n".repeat(n), b"HTTP/1.1 204 No\r\n\r\n"].concat();
    for informational in [0, 1, 16] {
        let limits = Limits { informational, ..Limits::default() };
        limited(limits, stream, informational as usize, faults::TOO_MANY_INFORMATIONAL);
    }
}

const CHUNKED: &[u8] = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

#[test]
fn a_size_line_has_a_limit() {
    let stream = |line: usize| {
        let extension = vec![b'x'; line - 4];
        [CHUNKED, b"1;", &extension, b"\r\n!\r\n0\r\n\r\n"].concat()
    };
    limited(Limits::default(), stream, 1024, faults::CHUNK_LINE_TOO_LONG);
    let zeros = [CHUNKED, &[b'0'; 2000]].concat();
    let seen_events = check::same_however_cut(Limits::default(), false, &zeros);
    assert_eq!(seen_events.state, Err(faults::CHUNK_LINE_TOO_LONG));
}

#[test]
fn trailers_have_a_limit() {
    let stream = |bytes: usize| {
        let value = vec![b'x'; bytes - 12];
        [CHUNKED, b"0\r\nA: b\r\nC:", &value, b"\r\n\r\n"].concat()
    };
    for head_bytes in [64, 4096] {
        let limits = Limits { head_bytes, ..Limits::default() };
        limited(limits, stream, head_bytes, faults::TRAILERS_TOO_LONG);
    }
}

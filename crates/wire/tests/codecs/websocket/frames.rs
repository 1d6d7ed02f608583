//! Frames of messages: the events that they cause, and what is refused.

use crate::common;
use crate::websocket::check::{BINARY, Exchange, SMALL, TEXT};
use wire::websocket::Op;

/// The name of the case, the operations, what the server sends, and the expected events.
type Case = (&'static str, &'static [Op<'static>], &'static [u8], &'static str);

#[test]
fn messages() {
    for (name, ops, stream, expected) in MESSAGES {
        common::expect(&Exchange::new(ops), name, stream, expected);
    }
}

#[test]
fn frames_that_break_the_standard() {
    for (name, ops, stream, expected) in BROKEN {
        common::expect(&Exchange::new(ops), name, stream, expected);
    }
}

#[test]
fn lengths_at_their_edges() {
    for (length, head) in [
        (125, b"\x82\x7d".to_vec()),
        (126, b"\x82\x7e\0\x7e".to_vec()),
        (0xFFFF, b"\x82\x7e\xff\xff".to_vec()),
        (0x1_0000, b"\x82\x7f\0\0\0\0\0\x01\0\0".to_vec()),
    ] {
        let stream = [head, vec![b'.'; length]].concat();
        let seen_events = common::check(&Exchange::new(&[BINARY]), &stream);
        let text = seen_events.to_string();
        assert!(text.ends_with(&format!(" | ok, {length} bytes | Ready | end")), "{length}");
    }
}

#[test]
fn limits() {
    let exchange = |ops| Exchange { limits: SMALL, ..Exchange::new(ops) };
    let frame = [b"\x82\x7e\0\xc8".as_slice(), &[b'.'; 200]].concat();
    let seen_events = common::check(&exchange(&[BINARY]), &frame);
    assert!(seen_events.to_string().ends_with(" | ok, 200 bytes | Ready | end"), "{seen_events}");
    common::expect(
        &exchange(&[BINARY]),
        "one byte more",
        b"\x82\x7e\0\xc9",
        "fault: a frame is longer than the limit",
    );
    let first = [b"\x02\x7e\0\xc8".as_slice(), &[b'.'; 200]].concat();
    for (more, sound) in [(100u8, true), (101, false)] {
        let rest = [b"\x80".as_slice(), &[more], &vec![b'.'; more.into()]].concat();
        let seen_events = common::check(&exchange(&[BINARY]), &[first.clone(), rest].concat());
        let fault = "fault: a message is longer than the limit";
        assert_eq!(!seen_events.to_string().ends_with(fault), sound, "{seen_events}");
    }
    for (name, stream) in [
        ("pings", b"\x89\0\x89\0\x8a\0\x89\0".as_slice()),
        ("empty fragments", b"\x02\0\0\0\0\0\0\0"),
    ] {
        let seen_events = common::check(&exchange(&[BINARY]), stream);
        let fault = "fault: too many frames in a row without a byte of a message";
        assert!(seen_events.to_string().ends_with(fault), "{name}: {seen_events}");
    }
    let between = b"\x89\0\x89\0\x89\0\x02\x01a\x89\0\x89\0\x89\0\x80\x01b";
    let seen_events = common::check(&exchange(&[BINARY]), between);
    assert!(seen_events.to_string().ends_with("ok, 2 bytes | Ready | end"), "{seen_events}");
}

const MESSAGES: &[Case] = &[
    ("a text", &[TEXT], b"\x81\x05hello", "began | body hello | ok, 5 bytes | Ready | end"),
    ("binary", &[BINARY], b"\x82\x01\xff", "began | body \\xff | ok, 1 bytes | Ready | end"),
    ("an empty one", &[TEXT], b"\x81\0", "began | ok, 0 bytes | Ready | end"),
    (
        "two, in their order",
        &[TEXT, BINARY],
        b"\x81\x01a\x82\x01b",
        "began | body a | ok, 1 bytes | began#1 | body#1 b | ok#1, 1 bytes | Ready | end",
    ),
    (
        "in fragments, one of them empty",
        &[TEXT],
        b"\x01\x02he\0\x01l\0\0\x80\x02lo",
        "began | body hello | ok, 5 bytes | Ready | end",
    ),
    (
        "in fragments that are all empty",
        &[TEXT],
        b"\x01\0\0\0\x80\0",
        "began | ok, 0 bytes | Ready | end",
    ),
    (
        "pings and pongs between fragments",
        &[TEXT],
        b"\x01\x02he\x89\x01p\x8a\0\x80\x03llo",
        "began | body hello | ok, 5 bytes | Ready | end",
    ),
    (
        "binary for a text",
        &[TEXT],
        b"\x82\x05hello",
        "began | body hello | error 2, 5 bytes | Ready | end",
    ),
    ("no operation was sent", &[], b"\x81\x02hi", "pushed hi | Ready | end"),
    ("no operation was sent, in fragments", &[], b"\x01\x01h\x80\x01i", "pushed hi | Ready | end"),
    (
        "one more than the operations",
        &[TEXT],
        b"\x81\x05hello\x81\x05hello",
        "began | body hello | ok, 5 bytes | pushed hello | Ready | end",
    ),
    ("nothing", &[TEXT], b"", "Ready | end: closed before a reply"),
    ("half a head", &[TEXT], b"\x81", "Ready | end: closed in the middle of a message"),
    ("half a head at rest", &[], b"\x81", "Ready | end: closed in the middle of a message"),
    (
        "half a payload",
        &[TEXT],
        b"\x81\x05he",
        "began | body he | Ready | end: closed in the middle of a message",
    ),
    (
        "half a message",
        &[TEXT],
        b"\x01\x02he",
        "began | body he | Ready | end: closed in the middle of a message",
    ),
    ("half a ping", &[TEXT], b"\x89\x02p", "Ready | end: closed in the middle of a message"),
];

const BROKEN: &[Case] = &[
    (
        "compressed",
        &[TEXT],
        b"\xc1\x02hi",
        "fault: a reserved bit is set, and no extension is in use",
    ),
    (
        "the second reserved bit",
        &[TEXT],
        b"\xa1\x02hi",
        "fault: a reserved bit is set, and no extension is in use",
    ),
    (
        "the third reserved bit",
        &[TEXT],
        b"\x91\x02hi",
        "fault: a reserved bit is set, and no extension is in use",
    ),
    ("opcode 3", &[TEXT], b"\x83\x02hi", "fault: a reserved opcode"),
    ("opcode 7", &[TEXT], b"\x87\0", "fault: a reserved opcode"),
    ("opcode 11", &[TEXT], b"\x8b\0", "fault: a reserved opcode"),
    ("opcode 15", &[TEXT], b"\x8f\0", "fault: a reserved opcode"),
    ("masked", &[TEXT], b"\x81\x82\0\0\0\0hi", "fault: a masked frame from a server"),
    ("a masked ping", &[TEXT], b"\x89\x80\0\0\0\0", "fault: a masked frame from a server"),
    ("a ping in fragments", &[TEXT], b"\x09\0\x80\0", "fault: a control frame in fragments"),
    ("a close in fragments", &[TEXT], b"\x08\0\x80\0", "fault: a control frame in fragments"),
    (
        "a ping of 126 bytes",
        &[TEXT],
        b"\x89\x7e\0\x7e",
        "fault: a control frame of more than 125 bytes",
    ),
    (
        "125 in 2 bytes",
        &[TEXT],
        b"\x81\x7e\0\x7d",
        "fault: a frame's length in more bytes than it needs",
    ),
    (
        "65535 in 8 bytes",
        &[TEXT],
        b"\x81\x7f\0\0\0\0\0\0\xff\xff",
        "fault: a frame's length in more bytes than it needs",
    ),
    (
        "2^63 bytes",
        &[TEXT],
        b"\x81\x7f\x80\0\0\0\0\0\0\0",
        "fault: a frame's length has its highest bit set",
    ),
    (
        "2^63 - 1 bytes",
        &[TEXT],
        b"\x81\x7f\x7f\xff\xff\xff\xff\xff\xff\xff",
        "fault: a frame is longer than the limit",
    ),
    (
        "a continuation first",
        &[TEXT],
        b"\x80\x02hi",
        "fault: a continuation frame without a message to continue",
    ),
    (
        "a continuation behind a message",
        &[TEXT, TEXT],
        b"\x81\x01a\x80\x01b",
        "began | body a | ok, 1 bytes | fault: a continuation frame without a message to continue",
    ),
    (
        "a new message in another",
        &[TEXT],
        b"\x01\x02he\x81\x03llo",
        "began | body he | fault: a new message in the middle of another",
    ),
    (
        "HTTP",
        &[TEXT],
        b"HTTP/1.1 400 Bad Request\r\n",
        "fault: a reserved bit is set, and no extension is in use",
    ),
];

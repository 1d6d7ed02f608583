//! Texts are UTF-8, across fragments too, and are refused at their first wrong byte.

use crate::common;
use crate::websocket::check::{BINARY, Exchange, TEXT};

#[test]
fn characters_cut_by_fragments() {
    let stream = b"\x01\x01\xc3\0\x02\xa9\xf0\x89\0\0\x01\x9f\x80\x02\x98\x80";
    let expected = "began | body \\xc3\\xa9\\xf0\\x9f\\x98\\x80 | ok, 6 bytes | Ready | end";
    common::expect(&Exchange::new(&[TEXT]), "cut characters", stream, expected);
}

#[test]
fn wrong_bytes_are_refused_before_the_frame_is_complete() {
    // How many bytes are reported before the wrong one.
    for (text, seen_events) in [
        (b"ab\xff".as_slice(), "ab"),
        (b"\x80", ""),
        (b"\xc0\x80", ""),
        (b"\xc1", ""),
        (b"\xc3\x28", "\\xc3"),
        (b"\xe0\x9f", "\\xe0"),
        (b"\xed\xa0", "\\xed"),
        (b"\xf0\x8f", "\\xf0"),
        (b"\xf4\x90", "\\xf4"),
        (b"\xf5", ""),
        (b"a\xe2\x82\x28", "a\\xe2\\x82"),
        (b"12345678abcdefg\xfe", "12345678abcdefg"),
    ] {
        let body =
            if seen_events.is_empty() { String::new() } else { format!("body {seen_events} | ") };
        let expected = format!("began | {body}fault: a text message that is not UTF-8");
        let name = text.escape_ascii().to_string();
        // The frame announces more than comes.
        let stream = [b"\x81\x7d", text].concat();
        common::expect(&Exchange::new(&[TEXT]), &name, &stream, &expected);
        // The wrong byte is in a fragment of its own.
        let (last, before) = text.split_last().expect("a byte");
        let first = [b"\x01".as_slice(), &[before.len() as u8], before].concat();
        let stream = [first.as_slice(), b"\0\x7d", &[*last]].concat();
        common::expect(&Exchange::new(&[TEXT]), &name, &stream, &expected);
    }
}

#[test]
fn a_text_that_ends_inside_a_character_is_refused() {
    for stream in [b"\x81\x01\xc3".as_slice(), b"\x01\x01\xc3\x80\0"] {
        let expected = "began | body \\xc3 | fault: a text message that is not UTF-8";
        common::expect(&Exchange::new(&[TEXT]), "cut", stream, expected);
    }
}

#[test]
fn binary_messages_may_hold_anything() {
    let expected = "began | body \\xff\\xc3 | ok, 2 bytes | Ready | end";
    common::expect(&Exchange::new(&[BINARY]), "binary", b"\x82\x02\xff\xc3", expected);
}

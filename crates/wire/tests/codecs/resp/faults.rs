//! Replies that are refused, and why. All are made up.

use crate::common;
use crate::resp::check::{ANY, DEL, Exchange, GET, INCR, MGET, SET};
use crate::resp::table::{Case, run};
use wire::resp::{Limits, MOST_DEEP, MOST_LINE_BYTES, Op, faults};

#[test]
fn lines() {
    run(LINES);
}

#[test]
fn lengths() {
    run(LENGTHS);
}

#[test]
fn numbers() {
    run(NUMBERS);
}

#[test]
fn streamed() {
    run(STREAMED);
}

#[test]
fn out_of_step() {
    run(OUT_OF_STEP);
}

#[test]
fn cut_short() {
    run(CUT_SHORT);
}

const C: &[Op<'_>] = &[ANY];

const LENGTH: &str = "began | fault: malformed length";
const NEVER_RETURNED: &str = "began | fault: a reply of a type that this command never returns";
const INTEGER: &str = "began | fault: malformed integer";
const SCALAR: &str = "began | fault: malformed number, boolean or null";
const NO_RESP: &str = "began | fault: not a RESP reply";
const LINE_END: &str = "began | fault: a line or a string that does not end with CR LF";
const NO_END: &str = "began | body ! | fault: a line or a string that does not end with CR LF";
const TOO_LONG: &str = "began | fault: a string is longer than the limit";
const VERBATIM: &str = "began | fault: malformed verbatim string";
const COUNT: &str =
    "began | fault: a reply whose number of elements differs from the number of keys";
const CUT: &str = "began | Ready | end: closed in the middle of a reply";
const CUT_BEHIND_1: &str = "began | body 1 | Ready | end: closed in the middle of a reply";

const LINES: &[Case] = &[
    ("another protocol", C, b"HTTP/1.1 400 Bad Request\r\n", NO_RESP),
    ("memcached", C, b"ERROR\r\n", NO_RESP),
    ("an empty line", C, b"\r\n", NO_RESP),
    ("NUL", C, b"\0", NO_RESP),
    ("LF alone", C, b"+OK\n", LINE_END),
    ("CR alone", C, b"+O\rK\r\n", LINE_END),
    ("LF alone behind a length", C, b"$5\nhello\r\n", LINE_END),
    (
        "a string that is longer than its length",
        C,
        b"$2\r\nhello\r\n",
        "began | body he | fault: a line or a string that does not end with CR LF",
    ),
    (
        "a string that is shorter than its length",
        C,
        b"$6\r\nhello\r\n+OK\r\n",
        "began | body hello\\r | fault: a line or a string that does not end with CR LF",
    ),
    ("CR alone behind a string", C, b"$1\r\n!\r+OK\r\n", NO_END),
];

const LENGTHS: &[Case] = &[
    ("no length", C, b"$\r\n", LENGTH),
    ("a length below -1", C, b"$-2\r\n", LENGTH),
    ("a length of -0", C, b"$-0\r\n", LENGTH),
    ("a length with a plus", C, b"$+1\r\n", LENGTH),
    ("a length with a blank", C, b"$ 1\r\n", LENGTH),
    ("a length in hexadecimal", C, b"$0x1\r\n", LENGTH),
    ("a length of 2^64", C, b"$18446744073709551616\r\n", LENGTH),
    ("a length of 2^64 - 1", C, b"$18446744073709551615\r\n", TOO_LONG),
    ("a length above the limit by 1", C, b"$536870913\r\n", TOO_LONG),
    ("a bulk error's", C, b"!536870913\r\n", TOO_LONG),
    ("a negative bulk error's", C, b"!-1\r\n", LENGTH),
    ("a negative verbatim string's", C, b"=-1\r\n", LENGTH),
    ("a count below -1", C, b"*-2\r\n", LENGTH),
    ("a count in words", C, b"*many\r\n", LENGTH),
    ("a null set", C, b"~-1\r\n", LENGTH),
    ("a null map", C, b"%-1\r\n", LENGTH),
    ("a map of 2^63 pairs", C, b"%9223372036854775808\r\n", LENGTH),
    ("a streamed attribute", C, b"|?\r\n", LENGTH),
    ("an array that never ends", C, b"*18446744073709551615\r\n:1\r\n", CUT_BEHIND_1),
];

const NUMBERS: &[Case] = &[
    ("no digits", C, b":\r\n", INTEGER),
    ("only a sign", C, b":-\r\n", INTEGER),
    ("two signs", C, b":--1\r\n", INTEGER),
    ("a fraction", C, b":1.5\r\n", INTEGER),
    ("2^63", C, b":9223372036854775808\r\n", INTEGER),
    ("-2^63 - 1", C, b":-9223372036854775809\r\n", INTEGER),
    ("a double of nothing", C, b",\r\n", SCALAR),
    ("a double in words", C, b",one\r\n", SCALAR),
    ("a double without digits", C, b",.\r\n", SCALAR),
    ("a boolean in words", C, b"#true\r\n", SCALAR),
    ("a big fraction", C, b"(1.5\r\n", SCALAR),
    ("a null of something", C, b"_x\r\n", SCALAR),
    ("a verbatim string too short", C, b"=3\r\ntxt\r\n", VERBATIM),
    ("a verbatim string without format", C, b"=5\r\nhello\r\n", VERBATIM),
];

/// From the specification of RESP3: no server sends these.
const STREAMED: &[Case] = &[
    ("a streamed string", C, b"$?\r\n;1\r\n!\r\n;0\r\n", LENGTH),
    ("a streamed array", C, b"*?\r\n:1\r\n.\r\n", LENGTH),
    ("a streamed set", C, b"~?\r\n.\r\n", LENGTH),
    ("a streamed map", C, b"%?\r\n.\r\n", LENGTH),
    ("a streamed bulk error", C, b"!?\r\n", LENGTH),
    ("an end of nothing", C, b".\r\n", NO_RESP),
    ("a chunk of nothing", C, b";1\r\n", NO_RESP),
];

const OUT_OF_STEP: &[Case] = &[
    ("an integer to GET", &[GET], b":1\r\n", NEVER_RETURNED),
    ("a status to GET", &[GET], b"+OK\r\n", NEVER_RETURNED),
    ("an array to GET", &[GET], b"*1\r\n:1\r\n", NEVER_RETURNED),
    ("a value to SET", &[SET], b"$1\r\n!\r\n", NEVER_RETURNED),
    ("a value to INCR", &[INCR], b"$1\r\n1\r\n", NEVER_RETURNED),
    ("null to DEL", &[DEL], b"$-1\r\n", NEVER_RETURNED),
    ("a value to MGET", &[MGET], b"$1\r\n1\r\n", NEVER_RETURNED),
    ("too few to MGET", &[MGET], b"*2\r\n$-1\r\n$-1\r\n", COUNT),
    ("too many to MGET", &[MGET], b"*4\r\n$-1\r\n", COUNT),
];

const CUT_SHORT: &[Case] = &[
    ("nothing", C, b"", "Ready | end: closed before a reply"),
    ("one byte", C, b"$", CUT),
    ("a line without LF", C, b"+OK\r", CUT),
    (
        "in a string",
        C,
        b"$5\r\nhel",
        "began | body hel | Ready | end: closed in the middle of a reply",
    ),
    (
        "behind a string",
        C,
        b"$5\r\nhello",
        "began | body hello | Ready | end: closed in the middle of a reply",
    ),
    ("in an array", C, b"*2\r\n:1\r\n", CUT_BEHIND_1),
    ("behind an attribute", C, b"|1\r\n+a\r\n:1\r\n", CUT),
    ("a push's first byte", &[], b">", "Ready | end: closed in the middle of a reply"),
    ("an error's first byte, unasked", &[], b"-", "Ready | end: closed in the middle of a reply"),
];

#[test]
fn nesting_has_a_limit() {
    for (depth, sound) in [(MOST_DEEP, true), (MOST_DEEP + 1, false)] {
        for one in ["*1\r\n", "|1\r\n:1\r\n"] {
            let stream = one.repeat(depth);
            let seen_events = common::same_however_cut(&Exchange::new(C), stream.as_bytes());
            assert_eq!(seen_events.state.is_ok(), sound, "{depth} times {one}");
            assert!(sound || seen_events.state == Err(faults::TOO_DEEP));
        }
    }
}

#[test]
fn a_length_has_a_limit() {
    for (zeros, sound) in [(MOST_LINE_BYTES - 4, true), (MOST_LINE_BYTES - 3, false)] {
        let stream = format!("${}1\r\n!\r\n", "0".repeat(zeros));
        let seen_events = common::check(&Exchange::new(C), stream.as_bytes());
        assert_eq!(seen_events.state.is_ok(), sound);
        assert!(sound || seen_events.state == Err(faults::LINE_TOO_LONG));
    }
    for sign in ["$", "*", ":", ",", "(", "="] {
        let stream = format!("{sign}{}", "1".repeat(2 * MOST_LINE_BYTES));
        let seen_events = common::check(&Exchange::new(C), stream.as_bytes());
        assert_eq!(seen_events.state, Err(faults::LINE_TOO_LONG), "{sign}");
    }
}

#[test]
fn a_string_has_the_limit_that_was_given() {
    for (bulk_bytes, sound) in [(5, true), (4, false)] {
        for stream in ["$5\r\nhello\r\n", "!5\r\nERR x\r\n"] {
            let exchange = Exchange { limits: Limits { bulk_bytes }, ..Exchange::new(C) };
            let seen_events = common::check(&exchange, stream.as_bytes());
            assert_eq!(seen_events.state.is_ok(), sound);
            assert!(sound || seen_events.state == Err(faults::BULK_TOO_LONG));
        }
    }
}

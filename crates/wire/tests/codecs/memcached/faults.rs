//! Replies that are refused, and why. All but the last table are made up.

use crate::common;
use crate::memcached::check::{A, Exchange, KEYS, store};
use crate::memcached::table::{Case, run};
use wire::Codec;
use wire::memcached::{Dialect, Limits, MOST_LINE_BYTES, Mode, Op, codes, faults};

#[test]
fn in_text() {
    run(Dialect::Text, LINES);
    run(Dialect::Text, VALUES);
    run(Dialect::Text, OTHERS);
    run(Dialect::Text, CUT_SHORT);
}

#[test]
fn in_meta() {
    run(Dialect::Meta, META);
}

#[test]
fn out_of_step() {
    run(Dialect::Text, OUT_OF_STEP);
    run(Dialect::Meta, OUT_OF_STEP_IN_META);
}

const GET: &[Op<'_>] = &[Op::Get(A)];
const SET: &[Op<'_>] = &[store(Mode::Set)];
const MULTI: &[Op<'_>] = &[Op::MultiGet(KEYS)];

const NO_REPLY: &str = "began | fault: a line that is not a reply to this command";
const BEFORE_VALUE: &str = "began | fault: malformed line before a value";
const LENGTH: &str = "began | fault: malformed length of a value";
const TOO_LONG: &str = "began | fault: a value is longer than the limit";
const OTHER_KEY: &str = "began | fault: a value for a key that was not requested";
const OTHER_KEY_AGAIN: &str = "began | body[1] ! | fault: a value for a key that was not requested";
const LINE_END: &str = "began | fault: a line that does not end with CR LF";
const NO_END_BEHIND_HE: &str = "began | body he | fault: a value is not followed by CR LF";
const NO_END: &str = "began | body ! | fault: a value is not followed by CR LF";
const CUT: &str = "began | Ready | end: closed in the middle of a reply";
const CUT_BEHIND_HELLO: &str = "began | body hello | Ready | end: closed in the middle of a reply";
const VALUE_NOT_READ: &str = "began | body ERROR | error 1001, 5 bytes, 0 items | fault: the \
     server did not read the value of a refused write: replies are out of order";

const LINES: &[Case] = &[
    ("LF alone", GET, b"END\n", LINE_END),
    ("CR alone", GET, b"END\rEND\r\n", LINE_END),
    ("an empty line", GET, b"\r\n", NO_REPLY),
    ("another protocol", GET, b"HTTP/1.1 400 Bad Request\r\n", NO_REPLY),
    ("small letters", GET, b"end\r\n", NO_REPLY),
    ("blanks behind", GET, b"END \r\n", NO_REPLY),
    ("NUL", GET, b"\0\r\n", NO_REPLY),
];

const VALUES: &[Case] = &[
    ("no length", GET, b"VALUE a 0\r\n", BEFORE_VALUE),
    ("no key", GET, b"VALUE  0 5\r\n", BEFORE_VALUE),
    ("no flags", GET, b"VALUE a  5\r\n", BEFORE_VALUE),
    ("flags in words", GET, b"VALUE a x 5\r\n", BEFORE_VALUE),
    ("negative flags", GET, b"VALUE a -1 5\r\n", BEFORE_VALUE),
    ("two blanks", GET, b"VALUE a 0 5 \r\n", BEFORE_VALUE),
    ("a word too many", GET, b"VALUE a 0 5 1 1\r\n", BEFORE_VALUE),
    ("no unique number", GET, b"VALUE a 0 5 x\r\n", BEFORE_VALUE),
    ("a negative length", GET, b"VALUE a 0 -1\r\n", LENGTH),
    ("a length with a plus", GET, b"VALUE a 0 +1\r\n", LENGTH),
    ("a length in hexadecimal", GET, b"VALUE a 0 0x1\r\n", LENGTH),
    ("a length of 2^64", GET, b"VALUE a 0 18446744073709551616\r\n", LENGTH),
    ("a length of 2^64 - 1", GET, b"VALUE a 0 18446744073709551615\r\n", TOO_LONG),
    ("a length above the limit by 1", GET, b"VALUE a 0 1073741825\r\n", TOO_LONG),
    (
        "a value that is longer than its length",
        GET,
        b"VALUE a 0 2\r\nhello\r\nEND\r\n",
        NO_END_BEHIND_HE,
    ),
    (
        "a value that is shorter than its length",
        GET,
        b"VALUE a 0 6\r\nhello\r\nEND\r\n",
        "began | body hello\\r | fault: a value is not followed by CR LF",
    ),
    ("CR alone behind a value", GET, b"VALUE a 0 1\r\n!\rEND\r\n", NO_END),
    ("LF alone behind a value", GET, b"VALUE a 0 1\r\n!\nEND\r\n", NO_END),
];

const OTHERS: &[Case] = &[
    ("another key", GET, b"VALUE b 0 1\r\n!\r\nEND\r\n", OTHER_KEY),
    ("a key that begins like ours", GET, b"VALUE ab 0 1\r\n!\r\nEND\r\n", OTHER_KEY),
    (
        "the value twice",
        GET,
        b"VALUE a 0 1\r\n!\r\nVALUE a 0 1\r\n!\r\nEND\r\n",
        "began | body ! | fault: a value for a key that was not requested",
    ),
    (
        "the value of one key of several twice",
        MULTI,
        b"VALUE bb 0 1\r\n!\r\nVALUE bb 0 1\r\n!\r\nEND\r\n",
        OTHER_KEY_AGAIN,
    ),
    ("STORED to get", GET, b"STORED\r\n", NO_REPLY),
    ("END to set", SET, b"END\r\n", NO_REPLY),
    ("a value to set", SET, b"VALUE a 0 1\r\n!\r\nEND\r\n", NO_REPLY),
    ("NOT_FOUND to get", &[Op::Get(A)], b"NOT_FOUND\r\n", NO_REPLY),
    ("a negative sum", &[Op::Incr { key: A, by: 1 }], b"-1\r\n", NO_REPLY),
    ("meta to text", GET, b"EN\r\n", NO_REPLY),
    ("HD to set in text", SET, b"HD\r\n", NO_REPLY),
];

const CUT_SHORT: &[Case] = &[
    ("nothing", GET, b"", "Ready | end: closed before a reply"),
    ("one byte", GET, b"E", CUT),
    ("a line without LF", GET, b"END\r", CUT),
    (
        "in a value",
        GET,
        b"VALUE a 0 5\r\nhel",
        "began | body hel | Ready | end: closed in the middle of a reply",
    ),
    ("behind a value", GET, b"VALUE a 0 5\r\nhello", CUT_BEHIND_HELLO),
    ("before END", GET, b"VALUE a 0 5\r\nhello\r\n", CUT_BEHIND_HELLO),
    (
        "in counters",
        &[Op::Stats],
        b"STAT pid 1\r\n",
        "began | body pid 1 | Ready | end: closed in the middle of a reply",
    ),
];

const META: &[Case] = &[
    ("no length", GET, b"VA \r\n", LENGTH),
    ("no blank", GET, b"VA\r\n", NO_REPLY),
    ("a negative length", GET, b"VA -1\r\n", LENGTH),
    ("a length of 2^64", GET, b"VA 18446744073709551616\r\n", LENGTH),
    ("too long", GET, b"VA 1073741825\r\n", TOO_LONG),
    ("no unique number", GET, b"VA 1 cx\r\n", BEFORE_VALUE),
    ("a value that is longer than its length", GET, b"VA 2\r\nhello\r\n", NO_END_BEHIND_HE),
    ("HD to mg with v", GET, b"HD\r\n", NO_REPLY),
    ("text to meta", GET, b"END\r\n", NO_REPLY),
    ("a number that was not given", MULTI, b"VA 1 O4\r\n!\r\nMN\r\n", OTHER_KEY),
    ("a number twice", MULTI, b"VA 1 O1\r\n!\r\nVA 1 O1\r\n!\r\nMN\r\n", OTHER_KEY_AGAIN),
    ("no number", MULTI, b"VA 1\r\n!\r\nMN\r\n", OTHER_KEY),
    ("a miss that should be quiet", MULTI, b"EN\r\n", NO_REPLY),
];

/// Real: an unknown or malformed command, and its value read as a command.
const OUT_OF_STEP: &[Case] = &[
    (
        "a value that was not read",
        SET,
        b"CLIENT_ERROR bad command line format\r\nERROR\r\n",
        "began | body CLIENT_ERROR bad command line format | error 1011, 36 bytes, 0 items | \
         fault: the server did not read the value of a refused write: replies are out of order",
    ),
    (
        "a value of another length",
        SET,
        b"CLIENT_ERROR bad data chunk\r\nERROR\r\n",
        "began | body CLIENT_ERROR bad data chunk | error 1010, 27 bytes, 0 items | fault: the \
         server did not read the value of a refused write: replies are out of order",
    ),
    (
        "with operations behind it",
        &[store(Mode::Set), Op::Get(A)],
        b"ERROR\r\nERROR\r\nEND\r\n",
        VALUE_NOT_READ,
    ),
];

const OUT_OF_STEP_IN_META: &[Case] =
    &[("a server that does not know ms", SET, b"ERROR\r\nERROR\r\n", VALUE_NOT_READ)];

#[test]
fn a_line_has_a_limit() {
    for (length, sound) in [(MOST_LINE_BYTES, true), (MOST_LINE_BYTES + 1, false)] {
        let text = vec![b'x'; length - b"SERVER_ERROR \r\n".len()];
        let stream = [b"SERVER_ERROR ", text.as_slice(), b"\r\n"].concat();
        let seen_events = common::check(&Exchange::new(Dialect::Text, GET), &stream);
        assert_eq!(seen_events.state.is_ok(), sound);
        assert!(sound || seen_events.state == Err(faults::LINE_TOO_LONG));
    }
}

#[test]
fn a_value_has_the_limit_that_was_given() {
    for (value_bytes, sound) in [(5, true), (4, false)] {
        let exchange =
            Exchange { limits: Limits { value_bytes }, ..Exchange::new(Dialect::Text, GET) };
        let seen_events = common::check(&exchange, b"VALUE a 0 5\r\nhello\r\nEND\r\n");
        assert_eq!(seen_events.state.is_ok(), sound);
        assert!(sound || seen_events.state == Err(faults::VALUE_TOO_LONG));
    }
}

/// What the server sends on a connection above its limit, before any operation.
#[test]
fn a_refused_connection_is_named() {
    let exchange = Exchange::new(Dialect::Text, &[]);
    let refusal = b"ERROR Too many open connections\r\n";
    let seen_events = common::check(&exchange, refusal);
    assert_eq!(seen_events.state, Err(faults::TOO_MANY_CONNECTIONS));
    let mut codec = common::Subject::fresh(&exchange);
    assert_eq!(codec.refused(), None);
    common::feed(&exchange, &mut codec, refusal, common::CUTS[0]);
    assert_eq!(codec.refused(), Some(codes::TOO_MANY_CONNECTIONS));
    codec.reset();
    assert_eq!(codec.refused(), None);
    for unexpected in [b"STORED\r\n".as_slice(), b"ERROR\r\n", b"ERROR x\r\n", b"\r\n", b"x"] {
        assert_eq!(common::check(&exchange, unexpected).state, Err(faults::ANSWERS_NOTHING));
    }
    let cut = common::check(&exchange, b"ERR");
    assert_eq!(cut.ended, Some(Err(faults::ANSWERS_NOTHING)));
}

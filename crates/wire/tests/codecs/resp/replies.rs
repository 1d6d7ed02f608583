//! Replies that are understood, of RESP2 and RESP3.

use crate::resp::check::{ANY, DEL, GET, INCR, MGET, SET};
use crate::resp::table::{Case, run};
use wire::resp::Op;

#[test]
fn typed() {
    run(TYPED);
}

#[test]
fn scalars() {
    run(SCALARS);
}

#[test]
fn aggregates() {
    run(AGGREGATES);
}

#[test]
fn pipelines() {
    run(PIPELINES);
}

const GETS: &[Op<'_>] = &[GET];
const SETS: &[Op<'_>] = &[SET];
const MGETS: &[Op<'_>] = &[MGET];
const COMMAND: &[Op<'_>] = &[ANY];

const MISS: &str = "began | miss, 0 bytes, 0 items | Ready | end";
const EMPTY: &str = "began | ok, 0 bytes | Ready | end";
const DONE: &str = "began | ok, 0 bytes, 0 items | Ready | end";

const TYPED: &[Case] = &[
    ("a value", GETS, b"$5\r\nhello\r\n", "began | body hello | ok, 5 bytes | Ready | end"),
    ("an empty value", GETS, b"$0\r\n\r\n", EMPTY),
    (
        "a value that holds replies",
        GETS,
        b"$9\r\n+OK\r\n:1\r\n\r\n",
        "began | body +OK\\r\\n:1\\r\\n | ok, 9 bytes | Ready | end",
    ),
    ("none", GETS, b"$-1\r\n", MISS),
    ("none in RESP3", GETS, b"_\r\n", MISS),
    ("set", SETS, b"+OK\r\n", DONE),
    ("not set", SETS, b"$-1\r\n", "began | error 2026, 0 bytes, 0 items | Ready | end"),
    ("not set in RESP3", SETS, b"_\r\n", "began | error 2026, 0 bytes, 0 items | Ready | end"),
    ("a sum", &[INCR], b":1\r\n", "began | body 1 | ok, 1 bytes | Ready | end"),
    (
        "the smallest sum (made up)",
        &[INCR],
        b":-9223372036854775808\r\n",
        "began | body -9223372036854775808 | ok, 20 bytes | Ready | end",
    ),
    ("deleted", &[DEL], b":1\r\n", DONE),
    ("nothing to delete", &[DEL], b":0\r\n", MISS),
    (
        "several, one missing, one empty",
        MGETS,
        b"*3\r\n$3\r\nnew\r\n$-1\r\n$0\r\n\r\n",
        "began | body new | ok, 3 bytes, 2 items | Ready | end",
    ),
    (
        "several in RESP3",
        MGETS,
        b"*3\r\n_\r\n$3\r\nnew\r\n$1\r\n!\r\n",
        "began | body[1] new | body[2] ! | ok, 4 bytes, 2 items | Ready | end",
    ),
    ("several, all missing", MGETS, b"*3\r\n$-1\r\n$-1\r\n$-1\r\n", MISS),
];

const SCALARS: &[Case] = &[
    ("a simple string", COMMAND, b"+PONG\r\n", "began | body PONG | ok, 4 bytes | Ready | end"),
    ("an empty one (made up)", COMMAND, b"+\r\n", EMPTY),
    ("an integer", COMMAND, b":42\r\n", "began | body 42 | ok, 2 bytes | Ready | end"),
    ("with a plus (made up)", COMMAND, b":+42\r\n", "began | body +42 | ok, 3 bytes | Ready | end"),
    ("null", COMMAND, b"$-1\r\n", MISS),
    ("a null array", COMMAND, b"*-1\r\n", MISS),
    ("a double", COMMAND, b",3.25\r\n", "began | body 3.25 | ok, 4 bytes | Ready | end"),
    (
        "a double with an exponent (made up)",
        COMMAND,
        b",-1.5e-7\r\n",
        "began | body -1.5e-7 | ok, 7 bytes | Ready | end",
    ),
    ("infinity (made up)", COMMAND, b",-inf\r\n", "began | body -inf | ok, 4 bytes | Ready | end"),
    ("no number (made up)", COMMAND, b",nan\r\n", "began | body nan | ok, 3 bytes | Ready | end"),
    ("true", COMMAND, b"#t\r\n", "began | body t | ok, 1 bytes | Ready | end"),
    ("false (made up)", COMMAND, b"#f\r\n", "began | body f | ok, 1 bytes | Ready | end"),
    (
        "a big number",
        COMMAND,
        b"(1234567999999999999999999999999999999\r\n",
        "began | body 1234567999999999999999999999999999999 | ok, 37 bytes | Ready | end",
    ),
    (
        "a verbatim string",
        COMMAND,
        b"=29\r\ntxt:This is a verbatim\nstring\r\n",
        "began | body This is a verbatim\\nstring | ok, 25 bytes | Ready | end",
    ),
    ("an empty one (made up)", COMMAND, b"=4\r\ntxt:\r\n", EMPTY),
];

const AGGREGATES: &[Case] = &[
    (
        "an array",
        COMMAND,
        b"*3\r\n$1\r\n3\r\n$1\r\n2\r\n$1\r\n1\r\n",
        "began | body 3 | body[1] 2 | body[2] 1 | ok, 3 bytes, 3 items | Ready | end",
    ),
    ("an empty array", COMMAND, b"*0\r\n", MISS),
    (
        "arrays in an array",
        COMMAND,
        b"*4\r\n:1\r\n*3\r\n:2\r\n$1\r\nx\r\n*0\r\n$-1\r\n$1\r\ny\r\n",
        "began | body 1 | body[1] 2x | body[3] y | ok, 4 bytes, 3 items | Ready | end",
    ),
    (
        "a hash in RESP2",
        COMMAND,
        b"*4\r\n$1\r\nf\r\n$1\r\n1\r\n$1\r\ng\r\n$1\r\n2\r\n",
        "began | body f | body[1] 1 | body[2] g | body[3] 2 | ok, 4 bytes, 4 items | Ready | end",
    ),
    (
        "the same hash in RESP3",
        COMMAND,
        b"%2\r\n$1\r\nf\r\n$1\r\n1\r\n$1\r\ng\r\n$1\r\n2\r\n",
        "began | body f | body[1] 1 | body[2] g | body[3] 2 | ok, 4 bytes, 4 items | Ready | end",
    ),
    ("a set", COMMAND, b"~1\r\n$1\r\n1\r\n", "began | body 1 | ok, 1 bytes | Ready | end"),
    (
        "doubles in arrays",
        COMMAND,
        b"*1\r\n*2\r\n$1\r\nm\r\n,1.5\r\n",
        "began | body m1.5 | ok, 4 bytes | Ready | end",
    ),
    (
        "a part of COMMAND INFO",
        COMMAND,
        b"*1\r\n*3\r\n$3\r\nget\r\n~2\r\n+readonly\r\n+fast\r\n~1\r\n%1\r\n$5\r\nflags\r\n~0\r\n",
        "began | body getreadonlyfastflags | ok, 20 bytes | Ready | end",
    ),
    (
        "an attribute before a reply",
        COMMAND,
        b"|1\r\n$14\r\nkey-popularity\r\n*2\r\n$7\r\nkey:123\r\n:90\r\n$39\r\n\
          Some real reply following the attribute\r\n",
        "began | body Some real reply following the attribute | ok, 39 bytes | Ready | end",
    ),
    (
        "attributes inside (made up)",
        COMMAND,
        b"*3\r\n|1\r\n+ttl\r\n:3600\r\n:1\r\n|0\r\n:2\r\n|1\r\n+a\r\n|1\r\n+b\r\n-ERR c\r\n*0\r\n_\r\n",
        "began | body 1 | body[1] 2 | ok, 2 bytes, 2 items | Ready | end",
    ),
];

const PIPELINES: &[Case] = &[
    (
        "of every kind",
        &[SET, GET, INCR, MGET, DEL, GET],
        b"+OK\r\n$1\r\n1\r\n:2\r\n*3\r\n$1\r\n2\r\n$-1\r\n$-1\r\n:1\r\n$-1\r\n",
        "began | ok, 0 bytes, 0 items | began#1 | body#1 1 | ok#1, 1 bytes | \
         began#2 | body#2 2 | ok#2, 1 bytes | began#3 | body#3 2 | ok#3, 1 bytes | \
         began#4 | ok#4, 0 bytes, 0 items | began#5 | miss#5, 0 bytes, 0 items | Ready | end",
    ),
    (
        "of which the last is not answered",
        &[GET, GET],
        b"$-1\r\n",
        "began | miss, 0 bytes, 0 items | Ready | end: closed before a reply",
    ),
];

/// A text that does not fit on a short line is streamed, and means the same.
#[test]
fn long_texts() {
    use crate::common;
    use crate::resp::check::Exchange;
    for length in [1000, 1020, 1021, 1022, 1023, 1024, 1025, 5000] {
        let text = "x".repeat(length);
        let seen_events = common::check(&Exchange::new(COMMAND), format!("+{text}\r\n").as_bytes());
        let expected = format!("began | body {text} | ok, {length} bytes | Ready | end");
        assert_eq!(seen_events.to_string(), expected);
        let seen_events =
            common::check(&Exchange::new(GETS), format!("-OOM {text}\r\n").as_bytes());
        let length = length + 4;
        let expected =
            format!("began | body OOM {text} | error 2003, {length} bytes, 0 items | Ready | end");
        assert_eq!(seen_events.to_string(), expected);
    }
}

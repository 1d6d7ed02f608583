//! Replies of the text protocol that are understood.

use crate::memcached::check::{A, KEYS, store};
use crate::memcached::table::{Case, run};
use wire::List;
use wire::memcached::{Dialect, Mode, Op};

#[test]
fn values() {
    run(Dialect::Text, VALUES);
}

#[test]
fn several_keys() {
    run(Dialect::Text, SEVERAL);
}

#[test]
fn words() {
    run(Dialect::Text, WORDS);
}

#[test]
fn errors() {
    run(Dialect::Text, ERRORS);
}

#[test]
fn pipelines() {
    run(Dialect::Text, PIPELINES);
}

const GET: &[Op<'_>] = &[Op::Get(A)];
const SET: &[Op<'_>] = &[store(Mode::Set)];
const INCR: &[Op<'_>] = &[Op::Incr { key: A, by: 5 }];
const TOUCH: &[Op<'_>] = &[Op::Touch { key: A, expires: 100 }];

const DONE: &str = "began | ok, 0 bytes, 0 items | Ready | end";
const REFUSED: &str = "began | miss 1008, 0 bytes, 0 items | Ready | end";
const MISS: &str = "began | miss, 0 bytes, 0 items | Ready | end";

const VALUES: &[Case] = &[
    (
        "a value",
        GET,
        b"VALUE a 0 5\r\nhello\r\nEND\r\n",
        "began | body hello | ok, 5 bytes | Ready | end",
    ),
    ("none", GET, b"END\r\n", MISS),
    (
        "an empty value with flags",
        GET,
        b"VALUE a 7 0\r\n\r\nEND\r\n",
        "began | ok, 0 bytes | Ready | end",
    ),
    (
        "a value that holds line ends",
        GET,
        b"VALUE a 0 5\r\nab\r\nc\r\nEND\r\n",
        "began | body ab\\r\\nc | ok, 5 bytes | Ready | end",
    ),
    (
        "a value that looks like a reply",
        GET,
        b"VALUE a 0 14\r\nEND\r\nVALUE a 0\r\nEND\r\n",
        "began | body END\\r\\nVALUE a 0 | ok, 14 bytes | Ready | end",
    ),
    (
        "the largest flags (made up)",
        GET,
        b"VALUE a 4294967295 1\r\n!\r\nEND\r\n",
        "began | body ! | ok, 1 bytes | Ready | end",
    ),
    (
        "with its unique number",
        &[Op::Gets(A)],
        b"VALUE a 0 7 4\r\n!hello!\r\nEND\r\n",
        "began | body !hello! | ok, 7 bytes | Ready | end",
    ),
    (
        "the largest unique number (made up)",
        &[Op::Gets(A)],
        b"VALUE a 0 1 18446744073709551615\r\n1\r\nEND\r\n",
        "began | body 1 | ok, 1 bytes | Ready | end",
    ),
    ("a sum", INCR, b"15\r\n", "began | body 15 | ok, 2 bytes | Ready | end"),
    ("0", &[Op::Decr { key: A, by: 100 }], b"0\r\n", "began | body 0 | ok, 1 bytes | Ready | end"),
    (
        "the version",
        &[Op::Version],
        b"VERSION 1.6.18\r\n",
        "began | body 1.6.18 | ok, 6 bytes | Ready | end",
    ),
    (
        "counters (a part of them)",
        &[Op::Stats],
        b"STAT pid 15758\r\nSTAT libevent 2.1.12-stable\r\nSTAT evictions 0\r\nEND\r\n",
        "began | body pid 15758 | body[1] libevent 2.1.12-stable | body[2] evictions 0 | \
         ok, 42 bytes, 3 items | Ready | end",
    ),
    ("no counters", &[Op::Stats], b"END\r\n", DONE),
];

const MULTI: &[Op<'_>] = &[Op::MultiGet(KEYS)];

const SEVERAL: &[Case] = &[
    (
        "all (one twice)",
        MULTI,
        b"VALUE a 0 5\r\nhello\r\nVALUE bb 7 0\r\n\r\nVALUE a 0 5\r\nhello\r\nVALUE zz 0 1\r\n!\r\nEND\r\n",
        "began | body hello | body[2] hello | body[3] ! | ok, 11 bytes, 4 items | Ready | end",
    ),
    (
        "some",
        MULTI,
        b"VALUE bb 0 2\r\nhi\r\nVALUE zz 0 1\r\n!\r\nEND\r\n",
        "began | body[1] hi | body[3] ! | ok, 3 bytes, 2 items | Ready | end",
    ),
    ("none", MULTI, b"END\r\n", MISS),
    (
        "in another order, as some proxies do",
        MULTI,
        b"VALUE zz 0 1\r\n1\r\nVALUE a 0 1\r\n2\r\nVALUE bb 0 1\r\n3\r\nEND\r\n",
        "began | body[3] 1 | body 2 | body[1] 3 | ok, 3 bytes, 3 items | Ready | end",
    ),
    (
        "packed keys",
        &[Op::MultiGet(List::Packed { bytes: b"abba", ends: &[1, 3, 4] })],
        b"VALUE a 0 1\r\n1\r\nVALUE bb 0 1\r\n2\r\nVALUE a 0 1\r\n3\r\nEND\r\n",
        "began | body 1 | body[1] 2 | body[2] 3 | ok, 3 bytes, 3 items | Ready | end",
    ),
    (
        "an error in the middle (made up)",
        MULTI,
        b"VALUE bb 0 2\r\nhi\r\nSERVER_ERROR out of memory writing get response\r\n",
        "began | body[1] hiSERVER_ERROR out of memory writing get response | \
         error 1004, 49 bytes | Ready | end",
    ),
];

const WORDS: &[Case] = &[
    ("stored", SET, b"STORED\r\n", DONE),
    (
        "add of a key that is there",
        &[store(Mode::Add)],
        b"NOT_STORED\r\n",
        "began | error 1006, 0 bytes, 0 items | Ready | end",
    ),
    (
        "cas of a value that was changed",
        &[store(Mode::Cas(1))],
        b"EXISTS\r\n",
        "began | error 1007, 0 bytes, 0 items | Ready | end",
    ),
    ("cas of a key that is absent", &[store(Mode::Cas(1))], b"NOT_FOUND\r\n", REFUSED),
    ("deleted", &[Op::Delete(A)], b"DELETED\r\n", DONE),
    ("delete of a key that is absent", &[Op::Delete(A)], b"NOT_FOUND\r\n", REFUSED),
    ("touched", TOUCH, b"TOUCHED\r\n", DONE),
    ("touch of a key that is absent", TOUCH, b"NOT_FOUND\r\n", REFUSED),
    ("incr of a key that is absent", INCR, b"NOT_FOUND\r\n", REFUSED),
];

const ERRORS: &[Case] = &[
    (
        "a command that the server does not know",
        GET,
        b"ERROR\r\n",
        "began | body ERROR | error 1001, 5 bytes, 0 items | Ready | end",
    ),
    (
        "a command that is off",
        GET,
        b"ERROR: shutdown not enabled\r\n",
        "began | body ERROR: shutdown not enabled | error 1001, 27 bytes, 0 items | Ready | end",
    ),
    (
        "no number",
        INCR,
        b"CLIENT_ERROR cannot increment or decrement non-numeric value\r\n",
        "began | body CLIENT_ERROR cannot increment or decrement non-numeric value | \
         error 1012, 60 bytes, 0 items | Ready | end",
    ),
    (
        "no number to add",
        INCR,
        b"CLIENT_ERROR invalid numeric delta argument\r\n",
        "began | body CLIENT_ERROR invalid numeric delta argument | \
         error 1002, 43 bytes, 0 items | Ready | end",
    ),
    (
        "a form that the server does not accept",
        GET,
        b"CLIENT_ERROR bad command line format\r\n",
        "began | body CLIENT_ERROR bad command line format | error 1011, 36 bytes, 0 items | \
         Ready | end",
    ),
    (
        "no login",
        GET,
        b"CLIENT_ERROR unauthenticated\r\n",
        "began | body CLIENT_ERROR unauthenticated | error 1013, 28 bytes, 0 items | Ready | end",
    ),
    (
        "too large",
        SET,
        b"SERVER_ERROR object too large for cache\r\n",
        "began | body SERVER_ERROR object too large for cache | error 1005, 39 bytes, 0 items | \
         Ready | end",
    ),
    (
        "out of memory",
        SET,
        b"SERVER_ERROR out of memory storing object\r\n",
        "began | body SERVER_ERROR out of memory storing object | \
         error 1004, 41 bytes, 0 items | Ready | end",
    ),
    (
        "another error of the server (made up)",
        SET,
        b"SERVER_ERROR backend timed out\r\n",
        "began | body SERVER_ERROR backend timed out | error 1003, 30 bytes, 0 items | \
         Ready | end",
    ),
    (
        "busy (made up)",
        &[Op::Stats],
        b"BUSY currently processing crawler request\r\n",
        "began | body BUSY currently processing crawler request | \
         error 1009, 41 bytes, 0 items | Ready | end",
    ),
    (
        "too many connections",
        &[Op::Version],
        b"ERROR Too many open connections\r\n",
        "began | body ERROR Too many open connections | error 1014, 31 bytes, 0 items | \
         Closing | end",
    ),
];

const PIPELINES: &[Case] = &[
    (
        "of every kind",
        &[store(Mode::Set), Op::Get(A), Op::Incr { key: A, by: 2 }, Op::Delete(A), Op::Get(A)],
        b"STORED\r\nVALUE a 0 1\r\n1\r\nEND\r\n3\r\nDELETED\r\nEND\r\n",
        "began | ok, 0 bytes, 0 items | began#1 | body#1 1 | ok#1, 1 bytes | \
         began#2 | body#2 3 | ok#2, 1 bytes | began#3 | ok#3, 0 bytes, 0 items | \
         began#4 | miss#4, 0 bytes, 0 items | Ready | end",
    ),
    (
        "with an error in the middle",
        &[store(Mode::Set), Op::Get(A)],
        b"SERVER_ERROR out of memory storing object\r\nEND\r\n",
        "began | body SERVER_ERROR out of memory storing object | \
         error 1004, 41 bytes, 0 items | began#1 | miss#1, 0 bytes, 0 items | Ready | end",
    ),
    (
        "of which the last is not answered",
        &[Op::Get(A), Op::Get(A)],
        b"END\r\n",
        "began | miss, 0 bytes, 0 items | Ready | end: closed before a reply",
    ),
];

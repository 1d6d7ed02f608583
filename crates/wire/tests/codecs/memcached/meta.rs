//! Replies of the meta protocol that are understood.

use crate::memcached::check::{A, KEYS, store};
use crate::memcached::table::{Case, run};
use wire::memcached::{Dialect, Mode, Op};

#[test]
fn values() {
    run(Dialect::Meta, VALUES);
}

#[test]
fn several_keys() {
    run(Dialect::Meta, SEVERAL);
}

#[test]
fn words() {
    run(Dialect::Meta, WORDS);
}

#[test]
fn pipelines() {
    run(Dialect::Meta, PIPELINES);
}

const GET: &[Op<'_>] = &[Op::Get(A)];
const INCR: &[Op<'_>] = &[Op::Incr { key: A, by: 5 }];
const TOUCH: &[Op<'_>] = &[Op::Touch { key: A, expires: 100 }];

const DONE: &str = "began | ok, 0 bytes, 0 items | Ready | end";
const REFUSED: &str = "began | miss 1008, 0 bytes, 0 items | Ready | end";
const MISS: &str = "began | miss, 0 bytes, 0 items | Ready | end";

const VALUES: &[Case] = &[
    ("a value", GET, b"VA 5\r\nhello\r\n", "began | body hello | ok, 5 bytes | Ready | end"),
    ("none", GET, b"EN\r\n", MISS),
    ("an empty value", GET, b"VA 0\r\n\r\n", "began | ok, 0 bytes | Ready | end"),
    (
        "a value with flags that were not requested",
        GET,
        b"VA 2 X W f0 t-1 s5 ka\r\n12\r\n",
        "began | body 12 | ok, 2 bytes | Ready | end",
    ),
    (
        "with its unique number",
        &[Op::Gets(A)],
        b"VA 3 c2006\r\nabc\r\n",
        "began | body abc | ok, 3 bytes | Ready | end",
    ),
    ("a sum", INCR, b"VA 2\r\n17\r\n", "began | body 17 | ok, 2 bytes | Ready | end"),
    (
        "no number",
        INCR,
        b"CLIENT_ERROR cannot increment or decrement non-numeric value\r\n",
        "began | body CLIENT_ERROR cannot increment or decrement non-numeric value | \
         error 1012, 60 bytes, 0 items | Ready | end",
    ),
    (
        "the version",
        &[Op::Version],
        b"VERSION 1.6.18\r\n",
        "began | body 1.6.18 | ok, 6 bytes | Ready | end",
    ),
    (
        "a counter",
        &[Op::Stats],
        b"STAT evictions 12\r\nEND\r\n",
        "began | body evictions 12 | ok, 12 bytes | Ready | end",
    ),
];

const MULTI: &[Op<'_>] = &[Op::MultiGet(KEYS)];

const SEVERAL: &[Case] = &[
    (
        "all",
        MULTI,
        b"VA 1 O0\r\n1\r\nVA 0 O1\r\n\r\nVA 1 O2\r\n3\r\nVA 1 O3\r\n4\r\nMN\r\n",
        "began | body 1 | body[2] 3 | body[3] 4 | ok, 3 bytes, 4 items | Ready | end",
    ),
    ("one", MULTI, b"VA 1 O1\r\nx\r\nMN\r\n", "began | body[1] x | ok, 1 bytes | Ready | end"),
    ("none", MULTI, b"MN\r\n", MISS),
    (
        "one is refused (made up)",
        MULTI,
        b"VA 1 O1\r\nx\r\nSERVER_ERROR out of memory\r\nMN\r\n",
        "began | body[1] xSERVER_ERROR out of memory | error 1004, 27 bytes | Ready | end",
    ),
    (
        "a server that does not know the commands (made up)",
        MULTI,
        b"ERROR\r\nERROR\r\nERROR\r\nERROR\r\nERROR\r\n",
        "began | body ERRORERRORERRORERRORERROR | error 1001, 25 bytes, 0 items | Ready | end",
    ),
];

const WORDS: &[Case] = &[
    ("stored", &[store(Mode::Set)], b"HD\r\n", DONE),
    ("stored, with a flag that was not requested", &[store(Mode::Set)], b"HD c13\r\n", DONE),
    ("stored, in the words of 1.6.9", &[store(Mode::Set)], b"OK\r\n", DONE),
    (
        "add of a key that is there",
        &[store(Mode::Add)],
        b"NS\r\n",
        "began | error 1006, 0 bytes, 0 items | Ready | end",
    ),
    (
        "cas of a value that was changed",
        &[store(Mode::Cas(1))],
        b"EX\r\n",
        "began | error 1007, 0 bytes, 0 items | Ready | end",
    ),
    ("cas of a key that is absent", &[store(Mode::Cas(1))], b"NF\r\n", REFUSED),
    (
        "too large",
        &[store(Mode::Set)],
        b"SERVER_ERROR object too large for cache\r\n",
        "began | body SERVER_ERROR object too large for cache | error 1005, 39 bytes, 0 items | \
         Ready | end",
    ),
    ("deleted", &[Op::Delete(A)], b"HD\r\n", DONE),
    ("delete of a key that is absent", &[Op::Delete(A)], b"NF\r\n", REFUSED),
    ("touched", TOUCH, b"HD\r\n", DONE),
    ("touch of a key that is absent", TOUCH, b"EN\r\n", REFUSED),
    ("incr of a key that is absent", INCR, b"NF\r\n", REFUSED),
];

const PIPELINES: &[Case] = &[(
    "of every kind",
    &[
        store(Mode::Set),
        Op::Get(A),
        Op::Incr { key: A, by: 2 },
        Op::Delete(A),
        Op::Get(A),
        Op::Version,
    ],
    b"HD\r\nVA 1\r\n1\r\nVA 1\r\n3\r\nHD\r\nEN\r\nVERSION 1\r\n",
    "began | ok, 0 bytes, 0 items | began#1 | body#1 1 | ok#1, 1 bytes | \
     began#2 | body#2 3 | ok#2, 1 bytes | began#3 | ok#3, 0 bytes, 0 items | \
     began#4 | miss#4, 0 bytes, 0 items | began#5 | body#5 1 | ok#5, 1 bytes | Ready | end",
)];

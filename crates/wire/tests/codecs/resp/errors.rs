//! Errors, each with its code.

use crate::common;
use crate::resp::check::{ANY, DEL, Exchange, GET, INCR, SET};
use crate::resp::table::{Case, run};
use wire::resp::codes;

/// Text and code. Real, but those that need a cluster or a full disk.
const ERRORS: [(&str, u16); 27] = [
    ("ERR unknown command 'NOPE', with args beginning with: 'a  b' ", codes::ERR),
    ("ERR value is not an integer or out of range", codes::ERR),
    ("WRONGTYPE Operation against a key holding the wrong kind of value", codes::WRONGTYPE),
    ("OOM command not allowed when used memory > 'maxmemory'.", codes::OOM),
    ("LOADING Redis is loading the dataset in memory", codes::LOADING),
    ("NOAUTH Authentication required.", codes::NOAUTH),
    ("WRONGPASS invalid username-password pair or user is disabled.", codes::WRONGPASS),
    ("NOPERM this user has no permissions to run the 'set' command", codes::NOPERM),
    ("NOPROTO unsupported protocol version", codes::NOPROTO),
    ("MOVED 3999 127.0.0.1:6381", codes::MOVED),
    ("ASK 3999 127.0.0.1:6381", codes::ASK),
    ("TRYAGAIN Multiple keys request during rehashing of slot", codes::TRYAGAIN),
    ("CROSSSLOT Keys in request don't hash to the same slot", codes::CROSSSLOT),
    ("CLUSTERDOWN Hash slot not served", codes::CLUSTERDOWN),
    ("READONLY You can't write against a read only replica.", codes::READONLY),
    (
        "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
        codes::MASTERDOWN,
    ),
    ("NOREPLICAS Not enough good replicas to write.", codes::NOREPLICAS),
    (
        "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
        codes::BUSY,
    ),
    ("NOSCRIPT No matching script. Please use EVAL.", codes::NOSCRIPT),
    (
        "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
        codes::MISCONF,
    ),
    ("EXECABORT Transaction discarded because of previous errors.", codes::EXECABORT),
    ("BUSYKEY Target key name already exists.", codes::BUSYKEY),
    ("BUSYGROUP Consumer Group name already exists", codes::BUSYGROUP),
    (
        "NOGROUP No such key 'x' or consumer group 'g' in XREADGROUP with GROUP option",
        codes::NOGROUP,
    ),
    ("DENIED Redis is running in protected mode", codes::DENIED),
    ("NOTBUSY No scripts in execution right now.", codes::OTHER),
    ("MINE own", codes::OTHER),
];

#[test]
fn each_has_its_code() {
    for (text, code) in ERRORS {
        for op in [&[GET] as &[_], &[SET], &[INCR], &[DEL], &[ANY]] {
            let exchange = Exchange::new(op);
            let expected = format!(
                "began | body {text} | error {code}, {} bytes, 0 items | Ready | end",
                text.len()
            )
            .replace('\'', "\\'");
            let simple = format!("-{text}\r\n");
            common::expect(&exchange, text, simple.as_bytes(), &expected);
            let bulk = format!("!{}\r\n{text}\r\n", text.len());
            common::expect(&exchange, text, bulk.as_bytes(), &expected);
        }
    }
}

#[test]
fn special_places() {
    run(PLACES);
}

const NO_TEXT: &str = "began | error 2000, 0 bytes, 0 items | Ready | end";

const PLACES: &[Case] = &[
    ("no word", &[GET], b"-\r\n", NO_TEXT),
    ("an empty bulk error", &[GET], b"!0\r\n\r\n", NO_TEXT),
    (
        "a word in small letters",
        &[GET],
        b"-oom x\r\n",
        "began | body oom x | error 2000, 5 bytes, 0 items | Ready | end",
    ),
    (
        "a word that begins like another",
        &[GET],
        b"-OOMPH x\r\n",
        "began | body OOMPH x | error 2000, 7 bytes, 0 items | Ready | end",
    ),
    (
        "only the word",
        &[GET],
        b"-OOM\r\n",
        "began | body OOM | error 2003, 3 bytes, 0 items | Ready | end",
    ),
    (
        "too many clients",
        &[GET],
        b"-ERR max number of clients reached\r\n",
        "began | body ERR max number of clients reached | error 2025, 33 bytes, 0 items | \
         Closing | end",
    ),
    (
        "of one command of a transaction",
        &[ANY],
        b"*2\r\n+OK\r\n-WRONGTYPE Operation\r\n",
        "began | body OK | body[1] WRONGTYPE Operation | error 2002, 21 bytes | Ready | end",
    ),
    (
        "of two: the first one counts",
        &[ANY],
        b"*2\r\n-ERR a\r\n-WRONGTYPE b\r\n",
        "began | body ERR a | body[1] WRONGTYPE b | error 2001, 16 bytes, 0 items | Ready | end",
    ),
    (
        "in a pipeline: the next is not touched",
        &[SET, GET],
        b"-OOM command not allowed\r\n$1\r\n1\r\n",
        "began | body OOM command not allowed | error 2003, 23 bytes, 0 items | \
         began#1 | body#1 1 | ok#1, 1 bytes | Ready | end",
    ),
];

/// Codes are in journals: they stay what they are.
#[test]
fn codes_are_stable() {
    let table: Vec<String> =
        codes::TABLE.iter().map(|(code, name)| format!("{code} {name}")).collect();
    let expected = "2000 other_error, 2001 err, 2002 wrongtype, 2003 oom, 2004 loading, \
        2005 noauth, 2006 wrongpass, 2007 noperm, 2008 noproto, 2009 moved, 2010 ask, \
        2011 tryagain, 2012 crossslot, 2013 clusterdown, 2014 readonly, 2015 masterdown, \
        2016 noreplicas, 2017 busy, 2018 noscript, 2019 misconf, 2020 execabort, 2021 busykey, \
        2022 busygroup, 2023 nogroup, 2024 denied, 2025 max_clients, 2026 not_set";
    assert_eq!(table.join(", "), expected);
    assert_eq!(codes::name(2003), Some("oom"));
    assert_eq!(codes::name(1003), None);
}

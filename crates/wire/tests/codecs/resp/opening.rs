//! HELLO, AUTH and SELECT: what is sent, what is understood, what is refused.

use crate::common::{self, CUTS, Subject};
use crate::resp::check::{Exchange, GET};
use wire::resp::{Limits, Login, Opening, Protocol, Resp, codes, faults};
use wire::{Codec, ConnectionState, Fault, Out};

const RESP2: Login<'_> =
    Login { protocol: Protocol::Resp2, user: None, password: None, database: 0 };
const RESP3: Login<'_> = Login { protocol: Protocol::Resp3, ..RESP2 };

const HELLO: &str = "%7\r\n$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$6\r\n7.0.15\r\n\
    $5\r\nproto\r\n:3\r\n$2\r\nid\r\n:3\r\n$4\r\nmode\r\n$10\r\nstandalone\r\n\
    $4\r\nrole\r\n$6\r\nmaster\r\n$7\r\nmodules\r\n*0\r\n";

#[test]
fn what_is_sent() {
    for (login, expected, state) in [
        (RESP2, "", ConnectionState::Ready),
        (RESP3, "*2 $5 HELLO $1 3 ", ConnectionState::Opening),
        (
            Login { password: Some("pass word"), ..RESP2 },
            "*2 $4 AUTH $9 pass word ",
            ConnectionState::Opening,
        ),
        (
            Login { user: Some("bob"), password: Some("pw"), database: 12, ..RESP2 },
            "*3 $4 AUTH $3 bob $2 pw *2 $6 SELECT $2 12 ",
            ConnectionState::Opening,
        ),
        (
            Login { password: Some(""), database: 1, ..RESP3 },
            "*5 $5 HELLO $1 3 $4 AUTH $7 default $0  *2 $6 SELECT $1 1 ",
            ConnectionState::Opening,
        ),
        (
            Login { user: Some("bob"), password: Some("pw"), ..RESP3 },
            "*5 $5 HELLO $1 3 $4 AUTH $3 bob $2 pw ",
            ConnectionState::Opening,
        ),
        (
            Login { database: 4_000_000_000, ..RESP2 },
            "*2 $6 SELECT $10 4000000000 ",
            ConnectionState::Opening,
        ),
    ] {
        let mut codec = Resp::new(Opening::new(&login).unwrap(), Limits::default(), 1);
        for _ in 0..2 {
            let mut out = Out::default();
            assert_eq!(codec.open(&mut out), state);
            assert_eq!(String::from_utf8(out.bytes).unwrap().replace("\r\n", " "), expected);
            codec.reset();
        }
    }
    let no_password = Login { user: Some("bob"), ..RESP2 };
    assert_eq!(Opening::new(&no_password).err(), Some(faults::USER_WITHOUT_PASSWORD));
}

#[test]
fn a_login_is_not_an_operation() {
    let with_database = Login { password: Some("p"), database: 1, ..RESP3 };
    let auth = Login { password: Some("p"), ..RESP2 };
    for (login, stream, expected) in [
        (RESP2, String::new(), "Ready | end"),
        (RESP3, HELLO.into(), "Ready | end"),
        (auth, "+OK\r\n".into(), "Ready | end"),
        (with_database, format!("{HELLO}+OK\r\n"), "Ready | end"),
        (with_database, HELLO.into(), "Opening | end: closed during the login"),
        (with_database, String::new(), "Opening | end: closed during the login"),
        (auth, "+O".into(), "Opening | end: closed during the login"),
        (auth, "x".into(), "fault: not a RESP reply"),
        (auth, "+OK\r\n+OK\r\n".into(), "fault: bytes that do not belong to any request"),
        (auth, ">1\r\n+hi\r\n+OK\r\n".into(), "pushed >1\\r\\n+hi\\r\\n | Ready | end"),
        (auth, "|1\r\n+a\r\n-ERR b\r\n+OK\r\n".into(), "Ready | end"),
        // The old RESP2 shape of HELLO's map, with an error inside: no refusal.
        (auth, "*2\r\n-ERR x\r\n:1\r\n".into(), "Ready | end"),
    ] {
        let exchange = Exchange::logging_in(login);
        common::expect(&exchange, "login", stream.as_bytes(), expected);
    }
}

#[test]
fn no_operation_is_sent_before_the_login_ends() {
    let exchange = Exchange::logging_in(Login { database: 1, ..RESP2 });
    let mut codec = exchange.fresh();
    let mut out = Out::default();
    assert_eq!(codec.write(&GET, &mut out), Err(faults::NOT_OPEN));
    assert!(out.is_empty());
    common::feed(&exchange, &mut codec, b"+OK\r\n", CUTS[1]);
    assert!(codec.write(&GET, &mut out).is_ok());
}

/// What the server sends, the fault in words, and its code.
const REFUSALS: [(&str, Fault, u16); 12] = [
    ("-LOADING Redis is loading the dataset in memory", faults::LOADING, codes::LOADING),
    (
        "-NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO \
         AUTH <user> <pass> option can be used to authenticate the client and select the RESP \
         protocol version at the same time",
        faults::NOAUTH,
        codes::NOAUTH,
    ),
    (
        "-WRONGPASS invalid username-password pair or user is disabled.",
        faults::WRONGPASS,
        codes::WRONGPASS,
    ),
    (
        "-NOPERM this user has no permissions to run the 'select' command",
        faults::NOPERM,
        codes::NOPERM,
    ),
    ("-NOPROTO unsupported protocol version", faults::NOPROTO, codes::NOPROTO),
    ("-DENIED Redis is running in protected mode", faults::DENIED, codes::DENIED),
    ("-ERR max number of clients reached", faults::MAX_CLIENTS, codes::MAX_CLIENTS),
    ("-ERR unknown command 'HELLO'", faults::HELLO, codes::ERR),
    ("-MASTERDOWN Link with MASTER is down", faults::HELLO, codes::MASTERDOWN),
    ("-BUSY Redis is busy", faults::HELLO, codes::BUSY),
    ("-WHAT ever", faults::HELLO, codes::OTHER),
    ("!8\r\nERR long", faults::HELLO, codes::ERR),
];

#[test]
fn refusals_are_named() {
    let exchange = Exchange::logging_in(Login { database: 9, ..RESP3 });
    for (text, fault, code) in REFUSALS {
        refused(&exchange, &format!("{text}\r\n"), fault, code);
    }
    let select = "-ERR DB index is out of range\r\n";
    refused(&exchange, &format!("{HELLO}{select}"), faults::SELECT, codes::ERR);
    let auth = Exchange::logging_in(Login { password: Some("p"), ..RESP2 });
    let text = "-ERR AUTH <password> called without any password configured for the default user. \
        Are you sure your configuration is correct?\r\n";
    refused(&auth, text, faults::AUTH, codes::ERR);
    // Without a request: no login is needed here.
    let open = Exchange::logging_in(RESP2);
    refused(
        &open,
        "-ERR max number of clients reached\r\n",
        faults::MAX_CLIENTS,
        codes::MAX_CLIENTS,
    );
    refused(&open, "-DENIED Redis is running in\r\n", faults::DENIED, codes::DENIED);
    refused(&open, "-ERR Protocol error\r\n", faults::ANSWERS_NOTHING, codes::ERR);
}

fn refused(exchange: &Exchange, stream: &str, fault: Fault, code: u16) {
    let seen_events = common::check(exchange, stream.as_bytes());
    assert_eq!((seen_events.state, seen_events.events.len()), (Err(fault), 0), "{stream}");
    let mut codec = exchange.fresh();
    assert_eq!(codec.refused(), None);
    common::feed(exchange, &mut codec, stream.as_bytes(), CUTS[1]);
    assert_eq!(codec.refused(), Some(code), "{stream}");
    codec.reset();
    assert_eq!(codec.refused(), None);
}

//! Login and keyspace.

use super::build::{exception, reply};
use super::check::{Exchange, GET};
use crate::common::{self, Subject};
use wire::thrift::{Login, Opening, Thrift, codes, faults};
use wire::{Codec, ConnectionState, Out};

const BOTH: Login<'_> = Login { user: Some(("me", "secret")), keyspace: Some("app") };

#[test]
fn what_is_sent() {
    let mut out = Out::default();
    let mut codec = Thrift::new(Opening::new(&BOTH).expect("short"), Default::default(), 1);
    assert_eq!(codec.open(&mut out), ConnectionState::Opening);
    let login =
        b"\0\0\0\x47\x80\x01\0\x01\0\0\0\x05login\0\0\0\0\x0c\0\x01\x0d\0\x01\x0b\x0b\0\0\0\
        \x02\0\0\0\x08username\0\0\0\x02me\0\0\0\x08password\0\0\0\x06secret\0\0";
    let keyspace =
        b"\0\0\0\x23\x80\x01\0\x01\0\0\0\x0cset_keyspace\0\0\0\0\x0b\0\x01\0\0\0\x03app\0";
    assert_eq!(out.bytes, [&login[..], keyspace].concat());
    assert_eq!(codec.write(&GET, &mut out), Err(faults::NOT_OPEN));

    out.clear();
    let nothing = Login { user: None, keyspace: None };
    let mut codec = Thrift::new(Opening::new(&nothing).expect("short"), Default::default(), 1);
    assert_eq!((codec.open(&mut out), out.is_empty()), (ConnectionState::Ready, true));
}

#[test]
fn what_is_answered() {
    let exchange = Exchange::logging_in(BOTH);
    let login = reply("login", 0, &[]);
    let both = [login.clone(), reply("set_keyspace", 0, &[])].concat();
    common::expect(&exchange, "both", &both, "Ready | end");
    common::expect(&exchange, "cut", &login, "Opening | end: closed during the login");
    let refusals = [
        (reply("login", 0, &[exception(1, "x")]), faults::AUTHENTICATION, codes::AUTHENTICATION),
        (reply("login", 0, &[exception(2, "x")]), faults::AUTHORIZATION, codes::AUTHORIZATION),
        (
            [login, reply("set_keyspace", 0, &[exception(1, "x")])].concat(),
            faults::KEYSPACE,
            codes::INVALID_REQUEST,
        ),
    ];
    for (stream, fault, code) in refusals {
        let expected = format!("fault: {}", fault.0);
        common::expect(&exchange, fault.0, &stream, &expected);
        let mut codec = exchange.fresh();
        common::feed(&exchange, &mut codec, &stream, &[usize::MAX]);
        assert_eq!(codec.refused(), Some(code));
    }
}

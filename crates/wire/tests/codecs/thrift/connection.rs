//! Ends of connections, and what is refused before anything is sent.

use super::build::{STRUCT, column, field, reply};
use super::check::{Exchange, GET, INSERT, PARENT, VERSION};
use crate::common::{self, Subject};
use wire::thrift::{Columns, Consistency, Op, faults};
use wire::{Codec, List, Out};

#[test]
fn the_peer_closes() {
    let exchange = Exchange::new(&[GET]);
    common::expect(&exchange, "unanswered", b"", "Ready | end: closed before a reply");
    let stream = reply("get", 0, &[field(STRUCT, 0, &column(b"c", b"v"))]);
    for at in 1..stream.len() {
        let seen_events = common::check(&exchange, &stream[..at]);
        assert_eq!(seen_events.ended, Some(Err(faults::CLOSED_IN_REPLY)), "cut at byte {at}");
    }
}

#[test]
fn no_more_operations_than_the_window() {
    let exchange = Exchange::new(&[GET, GET]);
    let mut codec = exchange.fresh();
    assert_eq!((codec.window(), codec.tags()), (2, 2));
    let mut out = Out::default();
    exchange.ask(&mut codec).expect("both");
    assert_eq!(codec.write(&GET, &mut out), Err(faults::IN_FLIGHT));
    assert!(out.is_empty());
}

#[test]
fn an_operation_without_keys_is_refused() {
    let (parent, consistency) = (PARENT, Consistency::One);
    let columns = Columns::Named(List::Slices(&[]));
    let op = Op::MultiSlice { keys: List::Slices(&[]), parent, columns, consistency };
    let (mut codec, mut out) = (Exchange::new(&[VERSION]).fresh(), Out::default());
    assert_eq!(codec.write(&op, &mut out), Err(faults::NO_ARGUMENTS));
    assert!(out.is_empty());
    codec.write(&INSERT, &mut Out::default()).expect("the connection goes on");
}

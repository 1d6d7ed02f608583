//! What a connection does beside understanding.

use crate::common::{SeenEvents, Subject};
use crate::websocket::check::{BINARY, Exchange, TEXT, fresh};
use crate::websocket::closing::unmasked;
use wire::websocket::{Limits, faults};
use wire::{Codec, Out, Tag};

#[test]
fn messages_are_masked_each_with_a_key_of_its_own() {
    let mut codec = Exchange::new(&[TEXT, TEXT, BINARY]).fresh();
    let mut sent = Vec::new();
    for op in [TEXT, TEXT, BINARY] {
        let mut out = Out::default();
        codec.write(&op, &mut out).expect("open");
        sent.push(out.bytes);
    }
    assert_eq!(unmasked(&sent[0]), b"\x81\x05hello");
    assert_eq!(unmasked(&sent[1]), b"\x81\x05hello");
    assert_eq!(unmasked(&sent[2]), b"\x82\x01\xff");
    assert_ne!(sent[0][2..6], sent[1][2..6], "keys differ");
    assert_ne!(&sent[0][6..], b"hello", "it is masked");
}

#[test]
fn as_many_are_in_flight_as_the_depth_allows() {
    let exchange = Exchange::new(&[TEXT, TEXT]);
    let mut codec = exchange.fresh();
    assert_eq!((codec.window(), codec.tags()), (2, 2));
    assert_eq!(exchange.ask(&mut codec), Ok(Tag(1)));
    assert_eq!(exchange.ask_one(&mut codec), Err(faults::IN_FLIGHT));
    codec.read(b"\x81\x05hello", &mut Out::default(), &mut SeenEvents::default()).expect("sound");
    assert_eq!(exchange.ask_one(&mut codec), Ok(Tag(0)), "the tag is used again");
}

#[test]
fn the_operation_after_a_message_that_answers_nothing_is_informed() {
    let exchange = Exchange::new(&[TEXT]);
    let mut codec = exchange.fresh();
    let mut receive = |stream: &[u8]| {
        let mut seen_events = SeenEvents::default();
        exchange.ask(&mut codec).expect("open");
        codec.read(stream, &mut Out::default(), &mut seen_events).expect("sound");
        seen_events.to_string()
    };
    let doubled = b"\x81\x05hello\x81\x05hello";
    assert_eq!(receive(doubled), "began | body hello | ok, 5 bytes | pushed hello | Ready");
    assert_eq!(receive(b"\x81\x05hello"), "began | body hello | error 1, 5 bytes | Ready");
    assert_eq!(receive(b"\x81\x05hello"), "began | body hello | ok, 5 bytes | Ready");
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let bytes = || {
        let mut codec = fresh(Limits::default(), 1, &[]);
        let mut out = Out::default();
        codec.open(&mut out);
        out.bytes
    };
    assert_eq!(bytes(), bytes());
}

//! Close frames, and what is sent before a connection is closed.

use crate::common::{self, SeenEvents, Subject};
use crate::websocket::check::{Exchange, SMALL, TEXT};
use wire::websocket::Op;
use wire::{Codec, ConnectionState, Fault, Out};

/// The events, the code, and what the codec answers, unmasked.
fn close(ops: &'static [Op<'static>], stream: &[u8]) -> (String, Option<u16>, Vec<u8>) {
    let exchange = Exchange::new(ops);
    let seen_events = common::check(&exchange, stream);
    let mut codec = exchange.fresh();
    exchange.ask(&mut codec).expect("fresh");
    let mut out = Out::default();
    let _ = codec.read(stream, &mut out, &mut SeenEvents::default());
    (seen_events.to_string(), codec.refused(), unmasked(&out.bytes))
}

/// A frame of a client's, its mask taken off: first byte, length, payload.
pub(super) fn unmasked(frame: &[u8]) -> Vec<u8> {
    let Some((head, rest)) = frame.split_first_chunk::<2>() else { return frame.to_vec() };
    let (key, payload) = rest.split_first_chunk::<4>().expect("a key");
    assert_eq!(head[1], 0x80 | payload.len() as u8, "masked, and nothing behind it");
    let bytes = payload.iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key);
    [head[0], head[1] & 0x7f].into_iter().chain(bytes).collect()
}

#[test]
fn at_rest_a_close_is_answered_with_its_code() {
    for (stream, answer) in [
        (b"\x88\x02\x03\xe8".as_slice(), b"\x88\x02\x03\xe8".as_slice()),
        (b"\x88\x05\x03\xe9bye", b"\x88\x02\x03\xe9"),
        (b"\x88\0", b"\x88\0"),
        // What comes behind it means nothing.
        (b"\x88\x02\x0f\xa0\xff\xff", b"\x88\x02\x0f\xa0"),
        // A ping before it is not answered any more.
        (b"\x89\x01p\x88\0", b"\x88\0"),
    ] {
        let expected = ("Closing | end".to_owned(), None, answer.to_vec());
        assert_eq!(close(&[], stream), expected, "{}", stream.escape_ascii());
    }
}

#[test]
fn in_flight_a_close_is_an_error_with_its_code() {
    for (stream, code, answer) in [
        (b"\x88\x02\x03\xe8".as_slice(), 1000, b"\x88\x02\x03\xe8".as_slice()),
        (b"\x88\x02\x03\xe9", 1001, b"\x88\x02\x03\xe9"),
        (b"\x88\x05\x03\xf0foo", 1008, b"\x88\x02\x03\xf0"),
        (b"\x88\x02\x03\xf3", 1011, b"\x88\x02\x03\xf3"),
        (b"\x88\x02\x13\x87", 4999, b"\x88\x02\x13\x87"),
        (b"\x88\0", 1005, b"\x88\0"),
    ] {
        let expected =
            ("fault: the server sent a close frame".to_owned(), Some(code), answer.to_vec());
        assert_eq!(close(&[TEXT], stream), expected, "{code}");
    }
    let (seen_events, code, _) = close(&[TEXT], b"\x01\x02he\x88\x02\x03\xe9");
    assert_eq!(seen_events, "began | body he | fault: the server sent a close frame");
    assert_eq!(code, Some(1001), "in the middle of a message");
    let (seen_events, code, _) = close(&[TEXT, TEXT], b"\x81\x05hello\x88\x02\x03\xe9");
    assert_eq!(
        seen_events,
        "began | body hello | ok, 5 bytes | fault: the server sent a close frame"
    );
    assert_eq!(code, Some(1001), "one was answered, and one was not");
}

#[test]
fn malformed_close_frames_are_answered_by_1002() {
    for stream in [
        b"\x88\x01\x03".as_slice(),
        b"\x88\x02\0\0",
        b"\x88\x02\x03\xe7",
        b"\x88\x02\x03\xec",
        b"\x88\x02\x03\xed",
        b"\x88\x02\x03\xee",
        b"\x88\x02\x03\xf7",
        b"\x88\x02\x0b\xb7",
        b"\x88\x02\x13\x88",
        b"\x88\x03\x03\xe8\xff",
        b"\x88\x03\x03\xe8\xc3",
    ] {
        let expected =
            ("fault: a malformed close frame".to_owned(), None, b"\x88\x02\x03\xea".to_vec());
        assert_eq!(close(&[], stream), expected, "{}", stream.escape_ascii());
    }
}

#[test]
fn faults_are_reported_to_the_server() {
    for (stream, code) in [
        (b"\x83\0".as_slice(), 1002u16),
        (b"\x81\x01\xff", 1007),
        (b"\x82\x7f\0\0\0\0\xff\0\0\0", 1009),
    ] {
        let (_, refused, answer) = close(&[TEXT], stream);
        let [high, low] = code.to_be_bytes();
        assert_eq!((refused, answer), (None, vec![0x88, 2, high, low]));
    }
    let exchange = Exchange { limits: SMALL, ..Exchange::new(&[]) };
    let mut codec = exchange.fresh();
    let mut out = Out::default();
    let read = codec.read(b"\x89\0\x89\0\x89\0\x89\0", &mut out, &mut SeenEvents::default());
    assert!(read.is_err());
    assert_eq!(unmasked(&out.bytes), [0x88, 2, 0x03, 0xf0]);
}

#[test]
fn pings_are_answered_and_of_many_at_once_the_last() {
    let exchange = Exchange::new(&[TEXT]);
    let mut codec = exchange.fresh();
    let mut answer = |stream: &[u8]| {
        let mut out = Out::default();
        let read = codec.read(stream, &mut out, &mut SeenEvents::default()).expect("sound");
        assert_eq!((read.consumed, read.state), (stream.len(), ConnectionState::Ready));
        unmasked(&out.bytes)
    };
    assert_eq!(answer(b"\x89\x04ping"), b"\x8a\x04ping");
    assert_eq!(answer(b"\x89\0"), b"\x8a\0");
    assert_eq!(answer(b"\x89\x01a\x89\x01b\x8a\x01c\x89\x01d"), b"\x8a\x01d");
    assert_eq!(answer(b"\x8a\x01x"), b"", "a pong needs no answer");
}

#[test]
fn a_farewell_is_for_connections_that_are_open() {
    let exchange = Exchange::new(&[TEXT]);
    let mut codec = exchange.fresh();
    assert_eq!(unmasked(codec.farewell()), [0x88, 2, 0x03, 0xe8]);
    codec.read(b"\x88\0", &mut Out::default(), &mut SeenEvents::default()).expect("sound");
    assert_eq!(codec.farewell(), b"", "it is closed");
    let write = exchange.ask(&mut codec);
    assert_eq!(write, Err(Fault("the server is closing this connection")));
    let mut codec = Exchange { upgrades: true, ..exchange }.fresh();
    assert_eq!(codec.farewell(), b"", "it is not upgraded");
    let write = exchange.ask(&mut codec);
    assert_eq!(write, Err(Fault("the upgrade is not complete")));
}

//! Many operations on one connection, and what may be written when.

use crate::common::{self, CUTS, Subject, feed};
use crate::memcached::check::{A, Exchange, KEYS, store};
use wire::memcached::{Dialect, Memcached, Mode, Op, codes, faults};
use wire::{Codec, ConnectionState, Out, Tag};

const NOTHING: &[Op<'_>] = &[];

fn exchange() -> Exchange {
    Exchange::new(Dialect::Text, NOTHING)
}

fn codec(depth: u32) -> Memcached {
    Memcached::new(Dialect::Text, wire::memcached::Limits::default(), depth)
}

#[test]
fn a_fresh_connection_is_ready_without_a_greeting() {
    let mut out = Out::default();
    assert_eq!(codec(1).open(&mut out), ConnectionState::Ready);
    assert!(out.is_empty());
    for (depth, window) in [(0, 1), (1, 1), (16, 16)] {
        assert_eq!((codec(depth).window(), codec(depth).tags()), (window, window));
    }
}

#[test]
fn as_many_are_in_flight_as_the_window_allows() {
    let mut codec = codec(3);
    let mut out = Out::default();
    for round in 0..4u32 {
        let first = round * 2;
        let free = if round == 0 { 3 } else { 2 };
        for n in 0..free {
            let before = if round == 0 { 0 } else { 1 };
            let tag = codec.write(&Op::Get(A), &mut out);
            assert_eq!(tag, Ok(Tag((first + before + n) % 3)));
        }
        let written = out.bytes.len();
        assert_eq!(codec.write(&Op::Get(A), &mut out), Err(faults::IN_FLIGHT));
        assert_eq!(out.bytes.len(), written, "nothing was appended");
        let (seen_events, _) = feed(&exchange(), &mut codec, b"END\r\nEND\r\n", CUTS[0]);
        let replies = [first % 3, (first + 1) % 3];
        let event = |tag: u32| {
            let tag = if tag == 0 { String::new() } else { format!("#{tag}") };
            format!("began{tag} | miss{tag}, 0 bytes, 0 items | ")
        };
        assert_eq!(
            seen_events.to_string(),
            format!("{}{}Ready", event(replies[0]), event(replies[1]))
        );
    }
}

#[test]
fn keys_of_an_operation_before_are_forgotten() {
    let mut codec = codec(1);
    let mut out = Out::default();
    codec.write(&Op::MultiGet(KEYS), &mut out).unwrap();
    feed(&exchange(), &mut codec, b"VALUE bb 0 1\r\n!\r\nEND\r\n", CUTS[0]);
    codec.write(&Op::Get(b"b"), &mut out).unwrap();
    let (seen_events, _) = feed(&exchange(), &mut codec, b"VALUE bb 0 1\r\n!\r\nEND\r\n", CUTS[0]);
    assert_eq!(seen_events.state, Err(faults::OTHER_KEY));
}

#[test]
fn a_connection_that_closes_takes_no_more() {
    let mut codec = codec(1);
    codec.write(&Op::Version, &mut Out::default()).unwrap();
    let refusal = b"ERROR Too many open connections\r\n";
    let (seen_events, _) = feed(&exchange(), &mut codec, refusal, CUTS[0]);
    assert_eq!(seen_events.state, Ok(ConnectionState::Closing));
    assert_eq!(codec.write(&Op::Version, &mut Out::default()), Err(faults::NOT_REUSABLE));
    codec.reset();
    assert_eq!(codec.write(&Op::Version, &mut Out::default()), Ok(Tag(0)));
}

#[test]
fn a_connection_that_the_peer_closed_at_rest_takes_no_more() {
    let mut codec = codec(1);
    let (mut seen_events, _) = feed(&exchange(), &mut codec, b"", CUTS[0]);
    common::end(&exchange(), &mut codec, &mut seen_events);
    assert_eq!(seen_events.ended, Some(Ok(())));
    assert_eq!(codec.write(&Op::Version, &mut Out::default()), Err(faults::NOT_REUSABLE));
}

#[test]
fn a_reset_forgets_a_half_read_reply() {
    let mut codec = codec(2);
    let halves: [&[u8]; 4] = [b"VALUE a", b"VALUE a 0 5\r\nhe", b"VALUE a 0 1\r\n!", b"nonsense\n"];
    for half in halves {
        codec.write(&Op::Get(A), &mut Out::default()).unwrap();
        feed(&exchange(), &mut codec, half, &[5]);
        codec.reset();
        codec.write(&store(Mode::Set), &mut Out::default()).unwrap();
        let (seen_events, _) = feed(&exchange(), &mut codec, b"STORED\r\n", CUTS[1]);
        assert_eq!(seen_events.to_string(), "began | ok, 0 bytes, 0 items | Ready");
        codec.reset();
    }
}

#[test]
fn the_first_byte_is_reported_at_once() {
    for stream in [b"E".as_slice(), b"VALUE a", b"VALUE a 0 5\r\n"] {
        let exchange = Exchange::new(Dialect::Text, &[Op::Get(A)]);
        let mut codec = exchange.fresh();
        exchange.ask(&mut codec).unwrap();
        assert_eq!(feed(&exchange, &mut codec, stream, CUTS[1]).0.to_string(), "began | Ready");
    }
}

/// What was looked through is not looked through again, so a line that comes
/// byte by byte costs no more than its length. Shown by breaking the caller's
/// promise: an end planted in the part that was shown before goes unseen.
#[test]
fn a_partial_line_is_searched_once() {
    let mut codec = codec(1);
    codec.write(&Op::Get(A), &mut Out::default()).unwrap();
    let mut seen_events = feed(&exchange(), &mut codec, b"", CUTS[0]).0;
    for shown in [b"END X".as_slice(), b"END\r\n"] {
        let progress = codec.read(shown, &mut Out::default(), &mut seen_events).unwrap();
        assert_eq!(progress.consumed, 0);
    }
}

/// Codes are in journals: they stay what they are.
#[test]
fn codes_are_stable() {
    let table: Vec<String> =
        codes::TABLE.iter().map(|(code, name)| format!("{code} {name}")).collect();
    let expected = "1001 error, 1002 client_error, 1003 server_error, 1004 out_of_memory, \
        1005 too_large, 1006 not_stored, 1007 exists, 1008 not_found, 1009 busy, \
        1010 bad_data_chunk, 1011 bad_command, 1012 non_numeric, 1013 unauthenticated, \
        1014 too_many_connections";
    assert_eq!(table.join(", "), expected);
    assert_eq!(codes::name(1004), Some("out_of_memory"));
    assert_eq!(codes::name(2004), None);
}

/// What is known of the value that the first operation read, when its reply came in pieces
/// of every size.
fn unique_of(dialect: Dialect, ops: &'static [Op<'static>], stream: &[u8]) -> u64 {
    let exchange = Exchange::new(dialect, ops);
    let numbers = CUTS.map(|cuts| {
        let mut codec = exchange.fresh();
        exchange.ask(&mut codec).expect("a fresh connection takes a request");
        feed(&exchange, &mut codec, stream, cuts);
        codec.unique(Tag(0))
    });
    assert!(numbers.iter().all(|number| *number == numbers[0]), "{numbers:?}");
    numbers[0]
}

#[test]
fn the_unique_number_is_known_by_the_tag_of_the_gets() {
    const GETS: &[Op<'_>] = &[Op::Gets(A)];
    let text = |stream: &[u8]| unique_of(Dialect::Text, GETS, stream);
    assert_eq!(text(b"VALUE a 0 1 4\r\n!\r\nEND\r\n"), 4);
    assert_eq!(text(b"VALUE a 0 1 18446744073709551615\r\n!\r\nEND\r\n"), u64::MAX);
    assert_eq!(text(b"VALUE a 0 1\r\n!\r\nEND\r\n"), 0, "none was given");
    assert_eq!(text(b"END\r\n"), 0, "a miss has none");
    assert_eq!(unique_of(Dialect::Meta, GETS, b"VA 3 c2006\r\nabc\r\n"), 2006);
}

#[test]
fn a_unique_number_is_kept_until_another_gets_has_its_tag() {
    let mut codec = codec(2);
    let mut out = Out::default();
    for _ in 0..2 {
        codec.write(&Op::Gets(A), &mut out).unwrap();
    }
    let values = b"VALUE a 0 1 7\r\n!\r\nEND\r\nVALUE a 0 1 8\r\n!\r\nEND\r\n";
    feed(&exchange(), &mut codec, values, CUTS[0]);
    assert_eq!([0, 1].map(|tag| codec.unique(Tag(tag))), [7, 8]);
    for unique in [7, 8] {
        codec.write(&store(Mode::Cas(unique)), &mut out).unwrap();
    }
    assert_eq!([0, 1].map(|tag| codec.unique(Tag(tag))), [7, 8], "other operations have the tags");
    feed(&exchange(), &mut codec, b"STORED\r\nSTORED\r\n", CUTS[0]);
    codec.write(&Op::Gets(A), &mut out).unwrap();
    assert_eq!([0, 1].map(|tag| codec.unique(Tag(tag))), [0, 8]);
    assert_eq!(codec.unique(Tag(2)), 0, "no operation can have this tag");
}

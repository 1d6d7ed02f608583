//! Many operations on one connection, and what may be written when.

use crate::common::{self, CUTS, Subject, feed};
use crate::resp::check::{ANY, Exchange, GET, SET};
use wire::resp::{Limits, Login, Op, Opening, Resp, faults};
use wire::{Codec, ConnectionState, Out, Tag};

const GETS: &[Op<'_>] = &[GET];

fn codec(depth: u32) -> Resp {
    Resp::new(Opening::new(&Login::default()).unwrap(), Limits::default(), depth)
}

#[test]
fn as_many_are_in_flight_as_the_window_allows() {
    for (depth, window) in [(0, 1), (1, 1), (16, 16)] {
        let mut codec = codec(depth);
        assert_eq!(codec.window(), window);
        let mut out = Out::default();
        for n in 0..window {
            assert_eq!(codec.write(&GET, &mut out), Ok(Tag(n)));
        }
        let written = out.bytes.len();
        assert_eq!(codec.write(&GET, &mut out), Err(faults::IN_FLIGHT));
        assert_eq!(out.bytes.len(), written, "nothing was appended");
        // One is answered: its place is free again, no other.
        let (seen_events, _) = feed(&Exchange::new(GETS), &mut codec, b"$1\r\n!\r\n", CUTS[0]);
        assert_eq!(seen_events.to_string(), "began | body ! | ok, 1 bytes | Ready");
        assert_eq!(codec.write(&GET, &mut out), Ok(Tag(0)));
        assert_eq!(codec.write(&GET, &mut out), Err(faults::IN_FLIGHT));
    }
}

#[test]
fn a_connection_that_closes_takes_no_more() {
    let mut codec = codec(1);
    codec.write(&GET, &mut Out::default()).unwrap();
    let refusal = b"-ERR max number of clients reached\r\n";
    let (seen_events, _) = feed(&Exchange::new(GETS), &mut codec, refusal, CUTS[0]);
    assert_eq!(seen_events.state, Ok(ConnectionState::Closing));
    assert_eq!(codec.write(&GET, &mut Out::default()), Err(faults::NOT_REUSABLE));
    codec.reset();
    assert_eq!(codec.write(&GET, &mut Out::default()), Ok(Tag(0)));
}

#[test]
fn a_connection_that_the_peer_closed_at_rest_takes_no_more() {
    let exchange = Exchange::new(GETS);
    let mut codec = codec(1);
    let (mut seen_events, _) = feed(&exchange, &mut codec, b"", CUTS[0]);
    common::end(&exchange, &mut codec, &mut seen_events);
    assert_eq!(seen_events.ended, Some(Ok(())));
    assert_eq!(codec.write(&GET, &mut Out::default()), Err(faults::NOT_REUSABLE));
}

#[test]
fn a_reset_forgets_a_half_read_reply() {
    let exchange = Exchange::new(&[ANY]);
    let mut codec = codec(2);
    let halves: [&[u8]; 6] =
        [b"$1", b"$5\r\nhe", b"*2\r\n:1\r\n", b"|1\r\n+a", b">2\r\n:1\r\n", b"no"];
    for half in halves {
        codec.write(&ANY, &mut Out::default()).unwrap();
        feed(&exchange, &mut codec, half, &[5]);
        codec.reset();
        codec.write(&SET, &mut Out::default()).unwrap();
        let (seen_events, _) = feed(&exchange, &mut codec, b"+OK\r\n", CUTS[1]);
        assert_eq!(seen_events.to_string(), "began | ok, 0 bytes, 0 items | Ready");
        codec.reset();
    }
}

#[test]
fn the_first_byte_is_reported_at_once() {
    for stream in [b"$".as_slice(), b"$5\r\n", b"*2\r\n", b"|1\r\n"] {
        let exchange = Exchange::new(&[ANY]);
        let mut codec = exchange.fresh();
        exchange.ask(&mut codec).unwrap();
        assert_eq!(feed(&exchange, &mut codec, stream, CUTS[1]).0.to_string(), "began | Ready");
    }
    // A push is not the reply.
    let exchange = Exchange::new(&[ANY]);
    let mut codec = exchange.fresh();
    exchange.ask(&mut codec).unwrap();
    assert_eq!(feed(&exchange, &mut codec, b">", CUTS[1]).0.to_string(), "Ready");
}

/// What was looked through is not looked through again. Shown by breaking the
/// caller's promise: an end planted in the part that was shown before goes
/// unseen.
#[test]
fn a_partial_line_is_searched_once() {
    let mut codec = codec(1);
    codec.write(&GET, &mut Out::default()).unwrap();
    let mut seen_events = feed(&Exchange::new(GETS), &mut codec, b"", CUTS[0]).0;
    for shown in [b"$-111".as_slice(), b"$-1\r\n"] {
        let progress = codec.read(shown, &mut Out::default(), &mut seen_events).unwrap();
        assert_eq!(progress.consumed, 0);
    }
}

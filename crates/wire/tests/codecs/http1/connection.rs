//! Many operations on one connection, and what may be written when.

use crate::http1::check::{CUTS, SeenEvent, ask, end, feed};
use std::sync::Arc;
use wire::http1::{COPIED_BODY_BYTES, Http1, Limits, Op, faults};
use wire::{Codec, ConnectionState, Out, Tag};

const REPLY: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
const CLOSING: &[u8] = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi";

fn fresh() -> Http1 {
    Http1::new(Limits::default())
}

#[test]
fn a_fresh_connection_is_ready_without_a_greeting() {
    let mut out = Out::default();
    assert_eq!(fresh().open(&mut out), ConnectionState::Ready);
    assert!(out.is_empty());
    assert_eq!(fresh().window(), 1);
}

#[test]
fn replies_of_every_framing_follow_each_other() {
    let mut codec = fresh();
    let streams: [&[u8]; 5] = [
        REPLY,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;x\r\n!\r\n0\r\nA: b\r\n\r\n",
        b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 204 No Content\r\n\r\n",
        CLOSING,
    ];
    let expected = [
        "began | body hi | ok 200, 2 bytes | Ready",
        "began | body ! | ok 200, 1 bytes | Ready",
        "began | error 404, 0 bytes | Ready",
        "began | ok 204, 0 bytes | Ready",
        "began | body hi | ok 200, 2 bytes | Closing",
    ];
    for (stream, expected) in streams.into_iter().zip(expected) {
        assert_eq!(ask(&mut codec, false), Ok(Tag(0)));
        let (seen_events, _) = feed(&mut codec, stream, &[3, 1, 9]);
        assert_eq!(seen_events.to_string(), expected);
    }
}

#[test]
fn only_the_operation_in_flight_is_a_head() {
    let mut codec = fresh();
    let to_head = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n";
    for _ in 0..2 {
        ask(&mut codec, true).unwrap();
        let (seen_events, _) = feed(&mut codec, to_head, CUTS[0]);
        assert_eq!(seen_events.to_string(), "began | ok 200, 0 bytes | Ready");
        ask(&mut codec, false).unwrap();
        let (seen_events, _) = feed(&mut codec, REPLY, CUTS[0]);
        assert_eq!(seen_events.to_string(), "began | body hi | ok 200, 2 bytes | Ready");
    }
}

/// Servers say why they end an idle connection, and nobody asked.
#[test]
fn a_408_without_a_request_ends_the_connection() {
    for version in ["HTTP/1.1", "HTTP/1.0"] {
        let idle_end = format!("{version} 408 Request Timeout\r\nContent-Length: 3\r\n\r\nbye");
        for cuts in CUTS {
            let mut codec = fresh();
            ask(&mut codec, false).unwrap();
            feed(&mut codec, REPLY, cuts);
            let (mut seen_events, _) = feed(&mut codec, idle_end.as_bytes(), cuts);
            assert_eq!(seen_events.to_string(), "Closing");
            end(&mut codec, &mut seen_events);
            assert_eq!(seen_events.ended, Some(Ok(())));
        }
    }
    let mut codec = fresh();
    ask(&mut codec, false).unwrap();
    feed(&mut codec, REPLY, CUTS[0]);
    let (seen_events, _) = feed(&mut codec, b"HTTP/1.1 404 No\r\n\r\n", CUTS[0]);
    assert_eq!(seen_events.state, Err(faults::ANSWERS_NOTHING));
}

#[test]
fn informational_replies_are_counted_per_operation() {
    let mut codec = Http1::new(Limits { informational: 1, ..Limits::default() });
    let stream = [b"HTTP/1.1 100 Continue\r\n\r\n", REPLY].concat();
    for _ in 0..3 {
        ask(&mut codec, false).unwrap();
        assert_eq!(feed(&mut codec, &stream, CUTS[0]).0.state, Ok(ConnectionState::Ready));
    }
}

#[test]
fn the_first_byte_is_reported_before_the_head_is_complete() {
    let mut codec = fresh();
    ask(&mut codec, false).unwrap();
    let start = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 2";
    for cut in 0..start.len() {
        let mut codec = fresh();
        ask(&mut codec, false).unwrap();
        let (seen_events, _) = feed(&mut codec, &start[..cut], CUTS[0]);
        assert_eq!(seen_events.events, [], "{cut} bytes without the status cause no event");
    }
    let (seen_events, held) = feed(&mut codec, start, CUTS[0]);
    assert_eq!((seen_events.events.as_slice(), held), ([SeenEvent::Began(Tag(0))].as_slice(), 10));
}

#[test]
fn a_reply_that_ends_with_the_connection_is_done_at_its_end_and_not_before() {
    let mut codec = fresh();
    ask(&mut codec, false).unwrap();
    let (mut seen_events, _) = feed(&mut codec, b"HTTP/1.1 200 OK\r\n\r\nhi", CUTS[0]);
    assert_eq!(seen_events.to_string(), "began | body hi | Closing");
    end(&mut codec, &mut seen_events);
    assert_eq!(seen_events.to_string(), "began | body hi | ok 200, 2 bytes | Closing | end");
}

#[test]
fn one_operation_at_a_time() {
    let mut codec = fresh();
    let mut out = Out::default();
    let op = Op { head: b"GET / HTTP/1.1\r\n\r\n", body: None, head_only: false };
    assert_eq!(codec.write(&op, &mut out), Ok(Tag(0)));
    assert_eq!(codec.write(&op, &mut out), Err(faults::IN_FLIGHT));
    assert_eq!(out.bytes, op.head, "nothing was appended by the second");
    // The first is still answered.
    let (seen_events, _) = feed(&mut codec, REPLY, CUTS[0]);
    assert_eq!(seen_events.to_string(), "began | body hi | ok 200, 2 bytes | Ready");
    assert_eq!(codec.write(&op, &mut out), Ok(Tag(0)));
}

#[test]
fn a_connection_that_closes_takes_no_more() {
    let mut codec = fresh();
    ask(&mut codec, false).unwrap();
    feed(&mut codec, CLOSING, CUTS[0]);
    assert_eq!(ask(&mut codec, false), Err(faults::NOT_REUSABLE));
    codec.reset();
    assert_eq!(ask(&mut codec, false), Ok(Tag(0)));
}

#[test]
fn a_connection_that_the_peer_closed_at_rest_takes_no_more() {
    let mut codec = fresh();
    ask(&mut codec, false).unwrap();
    let (mut seen_events, _) = feed(&mut codec, REPLY, CUTS[0]);
    end(&mut codec, &mut seen_events);
    assert_eq!(seen_events.ended, Some(Ok(())));
    assert_eq!(ask(&mut codec, false), Err(faults::NOT_REUSABLE));
}

#[test]
fn bytes_before_any_request_are_a_fault() {
    let mut codec = fresh();
    let (seen_events, _) = feed(&mut codec, b"HTTP/1.1 200 OK\r\n\r\n", CUTS[0]);
    assert_eq!(seen_events.to_string(), "fault: bytes that do not belong to any request");
}

#[test]
fn a_reset_forgets_a_half_read_reply() {
    let mut codec = fresh();
    let halves: [&[u8]; 4] = [
        b"HTTP/1.1 200 OK\r\nConte",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\nhi",
        b"nonsense",
    ];
    for half in halves {
        ask(&mut codec, true).unwrap();
        feed(&mut codec, half, &[5]);
        codec.reset();
        ask(&mut codec, false).unwrap();
        let (seen_events, _) = feed(&mut codec, REPLY, CUTS[1]);
        assert_eq!(seen_events.to_string(), "began | body hi | ok 200, 2 bytes | Ready");
        codec.reset();
    }
}

/// What was looked through is not looked through again, so a head that comes
/// byte by byte costs no more than its length. Shown by breaking the caller's
/// promise: an end planted in the part that was shown before goes unseen.
#[test]
fn a_partial_head_is_searched_once() {
    let mut codec = fresh();
    ask(&mut codec, false).unwrap();
    let mut out = Out::default();
    let mut seen_events = feed(&mut codec, b"", CUTS[0]).0;
    let honest = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: abcdefgh";
    assert_eq!(codec.read(honest, &mut out, &mut seen_events).unwrap().consumed, 0);
    let planted = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nabcdefgh";
    assert_eq!(codec.read(planted, &mut out, &mut seen_events).unwrap().consumed, 0);
    assert_eq!(seen_events.events, [SeenEvent::Began(Tag(0))]);
}

#[test]
fn small_bodies_are_copied_and_big_ones_are_lent() {
    let head = b"PUT / HTTP/1.1\r\n\r\n";
    for (len, copied) in
        [(0, true), (1, true), (COPIED_BODY_BYTES, true), (COPIED_BODY_BYTES + 1, false)]
    {
        let body: Arc<[u8]> = vec![b'b'; len].into();
        let mut out = Out::default();
        out.bytes.extend_from_slice(b"before");
        let op = Op { head, body: Some(&body), head_only: false };
        assert_eq!(fresh().write(&op, &mut out), Ok(Tag(0)));
        let written = [b"before".as_slice(), head].concat();
        if copied {
            assert_eq!(out.bytes, [&written, &*body].concat());
            assert!(out.lent.is_empty());
        } else {
            assert_eq!(out.bytes, written);
            let [(at, lent)] = out.lent.as_slice() else { panic!("{:?}", out.lent.len()) };
            assert_eq!(*at, written.len());
            assert!(Arc::ptr_eq(lent, &body), "lent, not copied");
        }
    }
}

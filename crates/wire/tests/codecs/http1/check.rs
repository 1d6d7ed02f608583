//! What must hold for any bytes that an HTTP server sends. The tests and the
//! fuzz target (`fuzz/`) share this file.

use crate::common::{self, Held, SeenEvents, Subject};
pub(crate) use crate::common::{CUTS, SeenEvent};
use wire::http1::{Http1, Limits, Op};
use wire::{Class, Codec, ConnectionState, Fault, Out, Reply, Tag};

/// Limits that small streams can reach.
pub(crate) const TIGHT: Limits = Limits { head_bytes: 64, headers: 2, informational: 1 };

/// One request on a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exchange {
    pub(crate) limits: Limits,
    pub(crate) head_only: bool,
}

impl Subject for Exchange {
    type Codec = Http1;

    fn fresh(&self) -> Http1 {
        Http1::new(self.limits)
    }

    fn ask(&self, codec: &mut Http1) -> Result<Tag, Fault> {
        ask(codec, self.head_only)
    }

    fn reply(&self) -> &[u8] {
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    }

    fn holds(&self) -> usize {
        self.limits.head_bytes
    }

    fn inspect(&self, seen_events: &SeenEvents) {
        for event in &seen_events.events {
            let SeenEvent::Done(reply) = event else { continue };
            let class = match reply.code {
                200..300 => Class::Ok,
                code => Class::Error(code),
            };
            assert!((200..1000).contains(&reply.code), "status {}", reply.code);
            assert_eq!(*reply, Reply { tag: Tag(0), class, items: 1, ..*reply });
        }
    }
}

pub(crate) fn ask(codec: &mut Http1, head_only: bool) -> Result<Tag, Fault> {
    codec.write(&Op { head: b"GET / HTTP/1.1\r\n\r\n", body: None, head_only }, &mut Out::default())
}

/// Feeds the stream in pieces to a connection with default limits.
pub(crate) fn feed(codec: &mut Http1, stream: &[u8], cuts: &[usize]) -> (SeenEvents, Held) {
    common::feed(&Exchange { limits: Limits::default(), head_only: false }, codec, stream, cuts)
}

/// The peer closes.
pub(crate) fn end(codec: &mut Http1, seen_events: &mut SeenEvents) {
    common::end(&Exchange { limits: Limits::default(), head_only: false }, codec, seen_events);
}

/// Asserts that the cuts do not matter, and returns the events.
pub(crate) fn same_however_cut(limits: Limits, head_only: bool, stream: &[u8]) -> SeenEvents {
    common::same_however_cut(&Exchange { limits, head_only }, stream)
}

/// All that must hold for any stream.
pub(crate) fn check(stream: &[u8]) {
    for limits in [Limits::default(), TIGHT] {
        for head_only in [false, true] {
            let exchange = Exchange { limits, head_only };
            let whole = common::check(&exchange, stream);
            if whole.state == Ok(ConnectionState::Ready)
                && matches!(whole.events.last(), Some(SeenEvent::Done(_)))
            {
                same_when_requested_again(&exchange, stream);
            }
        }
    }
}

/// A connection that is ready reports the same events again.
fn same_when_requested_again(exchange: &Exchange, stream: &[u8]) {
    let mut codec = exchange.fresh();
    exchange.ask(&mut codec).expect("fresh");
    let (first, _) = common::feed(exchange, &mut codec, stream, CUTS[0]);
    exchange.ask(&mut codec).expect("ready");
    assert_eq!(common::feed(exchange, &mut codec, stream, CUTS[2]).0, first, "requested again");
}

//! What must hold for any bytes that a server sends which speaks WebSocket. The tests and the
//! fuzz target (`fuzz/`) share this file.

use crate::common::{self, SeenEvent, SeenEvents, Subject};
use wire::websocket::{Kind, Limits, Op, Upgrade, WebSocket, accept, codes};
use wire::{Codec, ConnectionState, Fault, Out, Tag};

/// Operations on one connection, all sent before the first reply.
#[derive(Clone, Copy)]
pub(crate) struct Exchange {
    pub(crate) limits: Limits,
    pub(crate) ops: &'static [Op<'static>],
    /// The stream begins with the answer to the upgrade. Otherwise a valid answer was read
    /// before.
    pub(crate) upgrades: bool,
}

pub(crate) const TEXT: Op<'_> = Op { kind: Kind::Text, parts: [b"hel", b"lo"] };
pub(crate) const BINARY: Op<'_> = Op { kind: Kind::Binary, parts: [b"\xff", b""] };
/// Limits that a short stream reaches.
pub(crate) const SMALL: Limits = Limits {
    head: wire::http1::Limits { head_bytes: 300, headers: 8, informational: 2 },
    frame_bytes: 200,
    message_bytes: 300,
    empty_frames: 3,
};
const SEED: u64 = 1;

impl Exchange {
    pub(crate) fn new(ops: &'static [Op<'static>]) -> Exchange {
        Exchange { limits: Limits::default(), ops, upgrades: false }
    }

    fn open(&self, codec: &mut WebSocket) {
        assert_eq!(codec.open(&mut Out::default()), ConnectionState::Opening);
        if !self.upgrades {
            let mut seen_events = SeenEvents::default();
            let welcome = welcome(&accept(codec.key()));
            let read =
                codec.read(&welcome, &mut Out::default(), &mut seen_events).expect("welcome");
            assert_eq!((read.consumed, read.state), (welcome.len(), ConnectionState::Ready));
            assert_eq!(seen_events.events, [], "an upgrade is no operation");
        }
    }
}

/// The answer of a server that accepts the upgrade.
pub(crate) fn welcome(accept: &[u8]) -> Vec<u8> {
    let head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                Sec-WebSocket-Accept: ";
    [head.as_bytes(), accept, b"\r\n\r\n"].concat()
}

/// A codec of a fresh connection.
pub(crate) fn fresh(limits: Limits, depth: u32, headers: &[(&str, &str)]) -> WebSocket {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), value.as_bytes().to_vec());
    let headers: Vec<_> = headers.iter().map(owned).collect();
    let upgrade = Upgrade::new("/chat?x=1", "h:81", &headers).expect("an upgrade");
    WebSocket::new(upgrade, limits, depth, SEED)
}

impl Subject for Exchange {
    type Codec = WebSocket;

    fn fresh(&self) -> WebSocket {
        let mut codec = fresh(self.limits, self.ops.len() as u32, &[]);
        self.open(&mut codec);
        codec
    }

    fn renew(&self, codec: &mut WebSocket) {
        codec.reset();
        self.open(codec);
    }

    fn ask(&self, codec: &mut WebSocket) -> Result<Tag, Fault> {
        common::write_all(codec, self.ops)
    }

    fn ask_one(&self, codec: &mut WebSocket) -> Result<Tag, Fault> {
        codec.write(&TEXT, &mut Out::default())
    }

    fn reply(&self) -> &[u8] {
        b"\x81\x02hi"
    }

    fn holds(&self) -> usize {
        if self.upgrades { self.limits.head.head_bytes } else { 2 + 125 }
    }

    fn answers(&self) -> bool {
        true
    }

    fn inspect(&self, seen_events: &SeenEvents) {
        common::inspect_codes(seen_events, codes::name);
        for event in &seen_events.events {
            let SeenEvent::Done(reply) = event else { continue };
            assert!(reply.body_len <= self.limits.message_bytes);
        }
    }
}

/// The operations that streams of the corpus and the fuzzer may answer.
const OPERATIONS: &[&[Op<'static>]] = &[&[], &[TEXT], &[BINARY], &[TEXT, BINARY, TEXT, TEXT]];

/// All that must hold for any stream.
pub(crate) fn check(stream: &[u8]) {
    for ops in OPERATIONS {
        for limits in [Limits::default(), SMALL] {
            common::check(&Exchange { limits, ..Exchange::new(ops) }, stream);
        }
    }
    for limits in [Limits::default(), SMALL] {
        // The next connection has another key.
        let upgrading = Exchange { limits, upgrades: true, ops: &[] };
        common::same_however_cut(&upgrading, stream);
    }
}

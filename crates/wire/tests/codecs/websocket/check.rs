//! What must hold for any bytes that a server sends which speaks WebSocket. The tests and the
//! fuzz target (`fuzz/`) share this file.

use crate::common::{self, SeenEvent, SeenEvents, Subject};
use wire::websocket::{Kind, Limits, Op, Upgrade, WebSocket, accept, codes};
use wire::{Class, Codec, Fault, Out, State, Tag};

/// Operations on one connection, all sent before the first reply.
#[derive(Clone, Copy)]
pub(crate) struct Asking {
    pub(crate) limits: Limits,
    pub(crate) ops: &'static [Op<'static>],
    /// The stream begins with the answer to the upgrade. Else that has come before, and it
    /// was sound.
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

impl Asking {
    pub(crate) fn new(ops: &'static [Op<'static>]) -> Asking {
        Asking { limits: Limits::default(), ops, upgrades: false }
    }

    fn open(&self, codec: &mut WebSocket) {
        assert_eq!(codec.open(&mut Out::default()), State::Opening);
        if !self.upgrades {
            let mut seen_events = SeenEvents::default();
            let welcome = welcome(&accept(codec.key()));
            let read =
                codec.read(&welcome, &mut Out::default(), &mut seen_events).expect("welcome");
            assert_eq!((read.consumed, read.state), (welcome.len(), State::Ready));
            assert_eq!(seen_events.said, [], "an upgrade is no operation");
        }
    }
}

/// The answer of a server that accepts the upgrade.
pub(crate) fn welcome(accept: &[u8]) -> Vec<u8> {
    let head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                Sec-WebSocket-Accept: ";
    [head.as_bytes(), accept, b"\r\n\r\n"].concat()
}

/// A codec on which nothing was said.
pub(crate) fn fresh(limits: Limits, depth: u32, headers: &[(&str, &str)]) -> WebSocket {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), value.as_bytes().to_vec());
    let headers: Vec<_> = headers.iter().map(owned).collect();
    let upgrade = Upgrade::new("/chat?x=1", "h:81", &headers).expect("an upgrade");
    WebSocket::new(upgrade, limits, depth, SEED)
}

impl Subject for Asking {
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
        let mut last = Ok(Tag(0));
        for op in self.ops {
            last = codec.write(op, &mut Out::default());
            last?;
        }
        last
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
        for said in &seen_events.said {
            let SeenEvent::Done(reply) = said else { continue };
            assert!(reply.code == 0 || codes::name(reply.code).is_some(), "{reply:?}");
            assert_eq!(reply.code != 0, matches!(reply.class, Class::Error(_)));
            assert!(reply.body_len <= self.limits.message_bytes);
        }
    }
}

/// What the streams of corpus and fuzzer are taken to answer.
const ASKED: &[&[Op<'static>]] = &[&[], &[TEXT], &[BINARY], &[TEXT, BINARY, TEXT, TEXT]];

/// All that must hold for any stream.
pub(crate) fn check(stream: &[u8]) {
    for ops in ASKED {
        for limits in [Limits::default(), SMALL] {
            common::check(&Asking { limits, ..Asking::new(ops) }, stream);
        }
    }
    for limits in [Limits::default(), SMALL] {
        // The next connection has another key.
        let upgrading = Asking { limits, upgrades: true, ops: &[] };
        common::same_however_cut(&upgrading, stream);
    }
}

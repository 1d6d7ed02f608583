//! What must hold for any bytes that a server sends which speaks RESP. The
//! tests and the fuzz target (`fuzz/`) share this file.

use crate::common::{self, SeenEvent, SeenEvents, Subject};
use wire::resp::{Expires, Limits, Login, MOST_LINE_BYTES, Op, Opening, Resp, Set, When, codes};
use wire::{Class, Codec, Fault, List, Out, Tag, Value};

/// Operations on one connection, all sent before the first reply.
#[derive(Clone, Copy)]
pub(crate) struct Asking {
    pub(crate) limits: Limits,
    pub(crate) ops: &'static [Op<'static>],
    /// What is said on a fresh connection.
    pub(crate) login: Login<'static>,
    /// The server's answer to it, heard before anything is asked. None if
    /// the stream holds it.
    pub(crate) welcome: Option<&'static [u8]>,
}

const NO_LOGIN: Login<'_> =
    Login { protocol: wire::resp::Protocol::Resp2, user: None, password: None, database: 0 };

impl Asking {
    pub(crate) fn new(ops: &'static [Op<'static>]) -> Asking {
        Asking { limits: Limits::default(), ops, login: NO_LOGIN, welcome: Some(b"") }
    }

    /// The stream answers the login; nothing is asked.
    pub(crate) fn logging_in(login: Login<'static>) -> Asking {
        Asking { login, welcome: None, ..Asking::new(&[]) }
    }

    fn open(&self, codec: &mut Resp) {
        codec.open(&mut Out::default());
        if let Some(welcome) = self.welcome {
            let mut seen_events = SeenEvents::default();
            codec.read(welcome, &mut Out::default(), &mut seen_events).expect("welcome");
            assert_eq!(seen_events.said, [], "a login is not an operation");
        }
    }
}

impl Subject for Asking {
    type Codec = Resp;

    fn fresh(&self) -> Resp {
        let opening = Opening::new(&self.login).expect("a login");
        let mut codec = Resp::new(opening, self.limits, self.ops.len() as u32);
        self.open(&mut codec);
        codec
    }

    fn renew(&self, codec: &mut Resp) {
        codec.reset();
        self.open(codec);
    }

    fn ask(&self, codec: &mut Resp) -> Result<Tag, Fault> {
        let mut last = Ok(Tag(0));
        for op in self.ops {
            last = codec.write(op, &mut Out::default());
            last?;
        }
        last
    }

    fn ask_one(&self, codec: &mut Resp) -> Result<Tag, Fault> {
        codec.write(&GET, &mut Out::default())
    }

    fn reply(&self) -> &[u8] {
        b"+OK\r\n"
    }

    fn holds(&self) -> usize {
        MOST_LINE_BYTES
    }

    fn inspect(&self, seen_events: &SeenEvents) {
        for said in &seen_events.said {
            let SeenEvent::Done(reply) = said else { continue };
            assert!(reply.code == 0 || codes::name(reply.code).is_some(), "{reply:?}");
            assert_eq!(reply.code != 0, matches!(reply.class, Class::Error(_)));
            if reply.class == Class::Miss {
                assert_eq!((reply.items, reply.body_len), (0, 0), "a miss holds nothing");
            }
        }
    }
}

pub(crate) const GET: Op<'_> = Op::Get(b"a");
pub(crate) const DEL: Op<'_> = Op::Del(List::Slices(&[b"a"]));
pub(crate) const MGET: Op<'_> = Op::MGet(List::Slices(&[b"a", b"zz", b"e"]));
pub(crate) const INCR: Op<'_> = Op::Incr(b"n");
pub(crate) const ANY: Op<'_> = Op::Command(List::Slices(&[b"HGETALL", b"h"]));
pub(crate) const SET: Op<'_> = Op::Set(Set {
    key: b"a",
    value: Value { head: b"hello", tail: None },
    when: When::Always,
    expires: Expires::Never,
});

/// What the streams of corpus and fuzzer are taken to answer.
const ASKED: &[&[Op<'static>]] =
    &[&[GET], &[SET], &[MGET], &[ANY], &[ANY, ANY, ANY, ANY], &[SET, GET, INCR, MGET, DEL, GET]];

/// All that must hold for any stream.
pub(crate) fn check(stream: &[u8]) {
    for ops in ASKED {
        common::check(&Asking::new(ops), stream);
    }
    for limits in [Limits { bulk_bytes: 3 }, Limits { bulk_bytes: u64::MAX }] {
        common::check(&Asking { limits, ..Asking::new(&[ANY, ANY]) }, stream);
    }
    let login = Login { password: Some("p"), database: 1, ..NO_LOGIN };
    common::check(&Asking::logging_in(login), stream);
}

//! What must hold for any bytes that a server sends which speaks RESP. The
//! tests and the fuzz target (`fuzz/`) share this file.

use crate::common::{self, SeenEvents, Subject};
use wire::resp::{Limits, Login, MOST_LINE_BYTES, Op, Opening, Resp, Set, When, codes};
use wire::{Codec, Fault, List, Out, Tag, Value};

/// Operations on one connection, all sent before the first reply.
#[derive(Clone, Copy)]
pub(crate) struct Exchange {
    pub(crate) limits: Limits,
    pub(crate) ops: &'static [Op<'static>],
    /// What is sent on a fresh connection.
    pub(crate) login: Login<'static>,
    /// The server's answer to the login, which is read before an operation is sent. None if
    /// the stream holds it.
    pub(crate) welcome: Option<&'static [u8]>,
}

const NO_LOGIN: Login<'_> =
    Login { protocol: wire::resp::Protocol::Resp2, user: None, password: None, database: 0 };

impl Exchange {
    pub(crate) fn new(ops: &'static [Op<'static>]) -> Exchange {
        Exchange { limits: Limits::default(), ops, login: NO_LOGIN, welcome: Some(b"") }
    }

    /// The stream answers the login; no operation is sent.
    pub(crate) fn logging_in(login: Login<'static>) -> Exchange {
        Exchange { login, welcome: None, ..Exchange::new(&[]) }
    }
}

impl Subject for Exchange {
    type Codec = Resp;

    fn fresh(&self) -> Resp {
        let opening = Opening::new(&self.login).expect("a login");
        let mut codec = Resp::new(opening, self.limits, self.ops.len() as u32);
        common::open(&mut codec, self.welcome);
        codec
    }

    fn renew(&self, codec: &mut Resp) {
        codec.reset();
        common::open(codec, self.welcome);
    }

    fn ask(&self, codec: &mut Resp) -> Result<Tag, Fault> {
        common::write_all(codec, self.ops)
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
        common::inspect_codes(seen_events, codes::name);
    }
}

pub(crate) const GET: Op<'_> = Op::Get(b"a");
pub(crate) const DEL: Op<'_> = Op::Del(List::Slices(&[b"a"]));
pub(crate) const MGET: Op<'_> = Op::MGet(List::Slices(&[b"a", b"zz", b"e"]));
pub(crate) const INCR: Op<'_> = Op::Incr(b"n");
pub(crate) const ANY: Op<'_> = Op::Command(List::Slices(&[b"HGETALL", b"h"]));
pub(crate) const SET: Op<'_> =
    Op::Set(Set { key: b"a", value: Value { head: b"hello", tail: None }, when: When::Always });

/// The operations that streams of the corpus and the fuzzer may answer.
const OPERATIONS: &[&[Op<'static>]] =
    &[&[GET], &[SET], &[MGET], &[ANY], &[ANY, ANY, ANY, ANY], &[SET, GET, INCR, MGET, DEL, GET]];

/// All that must hold for any stream.
pub(crate) fn check(stream: &[u8]) {
    for ops in OPERATIONS {
        common::check(&Exchange::new(ops), stream);
    }
    for limits in [Limits { bulk_bytes: 3 }, Limits { bulk_bytes: u64::MAX }] {
        common::check(&Exchange { limits, ..Exchange::new(&[ANY, ANY]) }, stream);
    }
    let login = Login { password: Some("p"), database: 1, ..NO_LOGIN };
    common::check(&Exchange::logging_in(login), stream);
}

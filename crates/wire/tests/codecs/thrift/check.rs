//! What must hold for any bytes that a server sends which speaks Thrift. The tests and the
//! fuzz target (`fuzz/`) share this file.

use crate::common::{self, SeenEvents, Subject};
use wire::thrift::{
    Admin, Column, Columns, Consistency, Limits, Login, MOST_HEAD_BYTES, Op, Opening, Parent,
    Thrift, codes,
};
use wire::{Codec, Fault, List, Out, Tag, Value};

/// Operations on one connection, all sent before the first reply.
#[derive(Clone)]
pub(crate) struct Exchange {
    pub(crate) limits: Limits,
    pub(crate) ops: &'static [Op<'static>],
    /// What is sent on a fresh connection.
    pub(crate) login: Login<'static>,
    /// The server's answer to the login, which is read before an operation is sent. None if
    /// the stream holds it.
    pub(crate) welcome: Option<Vec<u8>>,
}

impl Exchange {
    pub(crate) fn new(ops: &'static [Op<'static>]) -> Exchange {
        let login = Login { user: None, keyspace: None };
        Exchange { limits: Limits::default(), ops, login, welcome: Some(Vec::new()) }
    }

    /// The stream answers the login; no operation is sent.
    pub(crate) fn logging_in(login: Login<'static>) -> Exchange {
        Exchange { login, welcome: None, ..Exchange::new(&[]) }
    }
}

impl Subject for Exchange {
    type Codec = Thrift;

    fn fresh(&self) -> Thrift {
        let opening = Opening::new(&self.login).expect("a login");
        let mut codec = Thrift::new(opening, self.limits, self.ops.len() as u32);
        common::open(&mut codec, self.welcome.as_deref());
        codec
    }

    fn renew(&self, codec: &mut Thrift) {
        codec.reset();
        common::open(codec, self.welcome.as_deref());
    }

    fn ask(&self, codec: &mut Thrift) -> Result<Tag, Fault> {
        common::write_all(codec, self.ops)
    }

    fn ask_one(&self, codec: &mut Thrift) -> Result<Tag, Fault> {
        codec.write(&GET, &mut Out::default())
    }

    /// An empty reply to an insert.
    fn reply(&self) -> &[u8] {
        b"\0\0\0\x13\x80\x01\0\x02\0\0\0\x06insert\0\0\0\0\0"
    }

    fn holds(&self) -> usize {
        MOST_HEAD_BYTES
    }

    fn inspect(&self, seen_events: &SeenEvents) {
        common::inspect_codes(seen_events, codes::name);
    }
}

pub(crate) const PARENT: Parent<'_> = Parent { family: b"F", super_column: None };
pub(crate) const FIRST: Columns<'_> =
    Columns::Range { start: b"", finish: b"", reversed: false, count: 20 };
pub(crate) const GET: Op<'_> =
    Op::Get { key: b"k", parent: PARENT, column: b"c", consistency: Consistency::One };
pub(crate) const SLICE: Op<'_> = Op::Slice {
    key: b"k",
    parent: PARENT,
    columns: FIRST,
    names: false,
    consistency: Consistency::One,
};
pub(crate) const NAMED: Op<'_> = Op::Slice {
    key: b"k",
    parent: PARENT,
    columns: FIRST,
    names: true,
    consistency: Consistency::One,
};
pub(crate) const MULTI: Op<'_> = Op::MultiSlice {
    keys: List::Slices(&[b"a", b"zz", b"e"]),
    parent: PARENT,
    columns: FIRST,
    consistency: Consistency::One,
};
pub(crate) const INSERT: Op<'_> = Op::Insert {
    key: b"k",
    parent: PARENT,
    column: Column {
        name: b"c",
        value: Value { head: b"hello", tail: None },
        timestamp: 7,
        ttl: None,
    },
    consistency: Consistency::One,
};
pub(crate) const VERSION: Op<'_> = Op::DescribeVersion;
/// The same key twice.
pub(crate) const TWICE: Op<'_> = Op::MultiSlice {
    keys: List::Slices(&[b"a", b"zz", b"a"]),
    parent: PARENT,
    columns: FIRST,
    consistency: Consistency::One,
};
pub(crate) const KEYSPACE: Op<'_> = Op::Admin(Admin::Keyspace("app"));
pub(crate) const VERSIONS: Op<'_> = Op::Admin(Admin::SchemaVersions);
pub(crate) const TOKENS: Op<'_> = Op::Admin(Admin::TokenMap);
pub(crate) const CLUSTER: Op<'_> = Op::Admin(Admin::ClusterName);
pub(crate) const CQL: Op<'_> = Op::Admin(Admin::Cql("SELECT release_version FROM system.local"));

/// The operations that streams of the corpus and the fuzzer may answer.
const OPERATIONS: &[&[Op<'static>]] = &[
    &[GET],
    &[SLICE],
    &[NAMED],
    &[MULTI],
    &[INSERT],
    &[VERSION],
    &[KEYSPACE],
    &[VERSIONS],
    &[TOKENS],
    &[CLUSTER],
    &[CQL],
    &[TWICE, INSERT],
    &[INSERT, GET, SLICE, MULTI, GET],
];

/// All that must hold for any stream.
pub(crate) fn check(stream: &[u8]) {
    for ops in OPERATIONS {
        common::check(&Exchange::new(ops), stream);
    }
    for limits in [Limits { frame_bytes: 40 }, Limits { frame_bytes: u32::MAX }] {
        common::check(&Exchange { limits, ..Exchange::new(&[SLICE, GET]) }, stream);
    }
    let login = Login { user: Some(("u", "p")), keyspace: Some("app") };
    common::check(&Exchange::logging_in(login), stream);
}

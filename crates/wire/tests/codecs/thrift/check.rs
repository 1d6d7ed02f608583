//! What must hold for any bytes that a server sends which speaks Thrift. The tests and the
//! fuzz target (`fuzz/`) share this file.

use crate::common::{self, SeenEvent, SeenEvents, Subject};
use wire::thrift::{
    Admin, Column, Columns, Consistency, Limits, Login, MOST_HEAD_BYTES, Op, Opening, Parent,
    Thrift, codes,
};
use wire::{Class, Codec, Fault, List, Out, Tag, Value};

/// Operations on one connection, all sent before the first reply.
#[derive(Clone)]
pub(crate) struct Asking {
    pub(crate) limits: Limits,
    pub(crate) ops: &'static [Op<'static>],
    /// What is sent on a fresh connection.
    pub(crate) login: Login<'static>,
    /// The server's answer to it, heard before anything is asked. None if the stream holds
    /// it.
    pub(crate) welcome: Option<Vec<u8>>,
}

impl Asking {
    pub(crate) fn new(ops: &'static [Op<'static>]) -> Asking {
        let login = Login { user: None, keyspace: None };
        Asking { limits: Limits::default(), ops, login, welcome: Some(Vec::new()) }
    }

    /// The stream answers the login; nothing is asked.
    pub(crate) fn logging_in(login: Login<'static>) -> Asking {
        Asking { login, welcome: None, ..Asking::new(&[]) }
    }

    fn open(&self, codec: &mut Thrift) {
        codec.open(&mut Out::default());
        if let Some(welcome) = &self.welcome {
            let mut seen_events = SeenEvents::default();
            codec.read(welcome, &mut Out::default(), &mut seen_events).expect("welcome");
            assert_eq!(seen_events.said, [], "a login is not an operation");
        }
    }
}

impl Subject for Asking {
    type Codec = Thrift;

    fn fresh(&self) -> Thrift {
        let opening = Opening::new(&self.login).expect("a login");
        let mut codec = Thrift::new(opening, self.limits, self.ops.len() as u32);
        self.open(&mut codec);
        codec
    }

    fn renew(&self, codec: &mut Thrift) {
        codec.reset();
        self.open(codec);
    }

    fn ask(&self, codec: &mut Thrift) -> Result<Tag, Fault> {
        let mut last = Ok(Tag(0));
        for op in self.ops {
            last = codec.write(op, &mut Out::default());
            last?;
        }
        last
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

/// What the streams of corpus and fuzzer are taken to answer.
const ASKED: &[&[Op<'static>]] = &[
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
    for ops in ASKED {
        common::check(&Asking::new(ops), stream);
    }
    for limits in [Limits { frame_bytes: 40 }, Limits { frame_bytes: u32::MAX }] {
        common::check(&Asking { limits, ..Asking::new(&[SLICE, GET]) }, stream);
    }
    let login = Login { user: Some(("u", "p")), keyspace: Some("app") };
    common::check(&Asking::logging_in(login), stream);
}

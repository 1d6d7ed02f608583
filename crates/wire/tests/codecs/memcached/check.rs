//! What must hold for any bytes that a memcached sends. The tests and the fuzz
//! target (`fuzz/`) share this file.

use crate::common::{self, SeenEvent, SeenEvents, Subject};
use wire::memcached::{Dialect, Limits, MOST_LINE_BYTES, Memcached, Mode, Op, Store, codes};
use wire::{Class, Codec, Fault, List, Out, Tag, Value};

/// Operations on one connection, all sent before the first reply.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exchange {
    pub(crate) dialect: Dialect,
    pub(crate) limits: Limits,
    pub(crate) ops: &'static [Op<'static>],
}

impl Exchange {
    pub(crate) fn new(dialect: Dialect, ops: &'static [Op<'static>]) -> Exchange {
        Exchange { dialect, limits: Limits::default(), ops }
    }
}

impl Subject for Exchange {
    type Codec = Memcached;

    fn fresh(&self) -> Memcached {
        Memcached::new(self.dialect, self.limits, self.ops.len() as u32)
    }

    fn ask(&self, codec: &mut Memcached) -> Result<Tag, Fault> {
        common::write_all(codec, self.ops)
    }

    fn ask_one(&self, codec: &mut Memcached) -> Result<Tag, Fault> {
        codec.write(&Op::Version, &mut Out::default())
    }

    fn reply(&self) -> &[u8] {
        b"STORED\r\n"
    }

    fn holds(&self) -> usize {
        MOST_LINE_BYTES
    }

    fn inspect(&self, seen_events: &SeenEvents) {
        for event in &seen_events.events {
            let SeenEvent::Done(reply) = event else { continue };
            assert!(reply.code == 0 || codes::name(reply.code).is_some(), "{reply:?}");
            if reply.class == Class::Miss {
                assert_eq!((reply.items, reply.body_len), (0, 0), "a miss holds nothing");
            }
        }
    }
}

pub(crate) const A: &[u8] = b"a";
pub(crate) const KEYS: List<'static> = List::Slices(&[b"a", b"bb", b"a", b"zz"]);

pub(crate) const fn store(mode: Mode) -> Op<'static> {
    let value = Value { head: b"hello", tail: None };
    Op::Store(Store { mode, key: A, value })
}

/// The operations that streams of the corpus and the fuzzer may answer.
const OPERATIONS: &[&[Op<'static>]] = &[
    &[Op::Get(A)],
    &[Op::MultiGet(KEYS)],
    &[store(Mode::Set)],
    &[Op::Stats],
    &[Op::Gets(A), Op::Incr { key: A, by: 1 }, Op::Delete(A), Op::Version],
    &[Op::Touch { key: A, expires: 1 }, store(Mode::Cas(1)), Op::MultiGet(KEYS), Op::Get(A)],
];

/// All that must hold for any stream.
pub(crate) fn check(stream: &[u8]) {
    for dialect in [Dialect::Text, Dialect::Meta] {
        for ops in OPERATIONS {
            for limits in [Limits::default(), Limits { value_bytes: 3 }] {
                let limits = if ops.iter().any(|op| matches!(op, Op::Store(_))) {
                    Limits { value_bytes: limits.value_bytes.max(5) }
                } else {
                    limits
                };
                common::check(&Exchange { dialect, limits, ops }, stream);
            }
        }
    }
}

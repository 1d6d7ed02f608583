//! A lane for memcached's protocol.

use engine::store::{NO_ORDER, StoreEncoding, store_lanes};
use engine::workload::{Drawn, Feeds};
use engine::{MakeLane, NO_COMMANDS, NOT_WIDE, Numbers, Parts, Sharded};
use record::{DriveOrder, Kind};
use wire::memcached::{Dialect, Limits, Memcached, Mode, Op, Store, codes};
use wire::{Class, List, Reply, Tag};

/// The time to live in seconds that `Touch` sets.
const LIFE: u32 = 2_000_000;

/// How to access a memcached.
#[derive(Clone)]
pub struct MemcachedAccess {
    /// The text or the meta protocol.
    pub dialect: Dialect,
    /// The number of the next operation, kept from one call of the engine to the next.
    pub numbers: Numbers,
    /// Several servers. None if there is only one.
    pub sharded: Option<Sharded>,
}

pub(crate) struct MemcachedWords {
    dialect: Dialect,
}

impl StoreEncoding for MemcachedWords {
    type Codec = Memcached;

    fn codec(&self, depth: u32) -> Memcached {
        Memcached::new(self.dialect, Limits::default(), depth)
    }

    fn ready(&self) -> Op<'_> {
        Op::Version
    }

    fn lacks(kind: Kind) -> Option<&'static str> {
        match kind {
            Kind::Scan(_) => Some(NO_ORDER),
            Kind::Command(_) | Kind::Custom(_) => Some(NO_COMMANDS),
            _ if kind.is_wide() => Some(NOT_WIDE),
            _ => None,
        }
    }

    #[inline]
    fn operation<'a>(&'a mut self, drawn: &Drawn, parts: Parts<'a>) -> Op<'a> {
        let key = parts.key();
        let store = |mode| {
            let value = parts.value.into();
            Op::Store(Store { mode, key, value })
        };
        match drawn.kind {
            Kind::Get => Op::Get(key),
            Kind::MultiGet(_) => Op::MultiGet(List::Packed { bytes: parts.keys, ends: parts.ends }),
            Kind::Set | Kind::Insert => store(Mode::Set),
            Kind::Add => store(Mode::Add),
            Kind::Replace => store(Mode::Replace),
            Kind::Append => store(Mode::Append),
            Kind::Delete => Op::Delete(key),
            Kind::Incr => Op::Incr { key, by: 1 },
            Kind::Decr => Op::Decr { key, by: 1 },
            Kind::Touch => Op::Touch { key, expires: LIFE },
            Kind::Cas | Kind::ReadModifyWrite => unreachable!("sent as two requests"),
            Kind::Scan(_)
            | Kind::Command(_)
            | Kind::Custom(_)
            | Kind::Newest
            | Kind::OneColumn
            | Kind::InsertColumn => unreachable!("refused when the lane was made"),
        }
    }

    #[inline]
    fn gets<'a>(&'a mut self, parts: Parts<'a>) -> Op<'a> {
        Op::Gets(parts.key())
    }

    #[inline]
    fn cas<'a>(&'a mut self, codec: &Memcached, read: Tag, parts: Parts<'a>) -> Op<'a> {
        let (key, value) = (parts.key(), parts.value.into());
        let mode = Mode::Cas(codec.unique(read));
        Op::Store(Store { mode, key, value })
    }

    const CONFLICT: Option<u16> = Some(codes::EXISTS);

    #[inline]
    fn class(kind: Kind, reply: &Reply) -> Class {
        match (kind, reply.class) {
            (Kind::Add, Class::Error(codes::NOT_STORED)) => Class::Ok,
            (Kind::Replace, Class::Error(codes::NOT_STORED)) => Class::Miss,
            (_, class) => class,
        }
    }
}

/// Returns the lanes of one contender of the order, one for each worker.
///
/// # Panics
/// Panics if the order has no such contender.
pub fn memcached_lanes(
    order: &DriveOrder,
    contender: usize,
    access: &MemcachedAccess,
) -> Vec<MakeLane> {
    let dialect = access.dialect;
    let (numbers, sharded) = (&access.numbers, access.sharded.as_ref());
    store_lanes(order, contender, numbers, &Feeds::default(), sharded, move || MemcachedWords {
        dialect,
    })
}

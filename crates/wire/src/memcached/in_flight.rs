//! The state of an operation in flight.

use super::{Dialect, Op};
use crate::{Events, Tag};
use alloc::vec::Vec;

/// Which lines can answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum RequestKind {
    /// `get`, `gets`: values, then `END`.
    #[default]
    Get,
    /// `mg`: one value or none.
    MetaGet,
    /// Several `mg` and an `mn`.
    MetaMulti,
    Store,
    Delete,
    Count,
    Touch,
    Version,
    Stats,
}

/// One operation in flight.
#[derive(Debug, Default)]
pub struct InFlight {
    pub(super) kind: RequestKind,
    keys: Keys,
    /// A byte of the reply was seen.
    pub(super) began: bool,
    /// Values, or lines of `stats`, so far.
    pub(super) items: u32,
    /// Bytes of them.
    pub(super) body_len: u64,
    /// Commands of a meta multi-get that were answered with an error.
    pub(super) refused: u32,
    /// The first error among several replies; 0: none.
    pub(super) code: u16,
    /// The unique number that the value of a `gets` had, see
    /// [`Memcached::unique`](super::Memcached::unique).
    pub(super) unique: u64,
}

/// The keys that were requested, copied end to end: the caller's are gone when
/// the reply comes.
#[derive(Debug, Default)]
struct Keys {
    bytes: Vec<u8>,
    /// Where each ends in `bytes`, and whether its value came.
    ends: Vec<(u32, bool)>,
    /// The index after the key whose value came last. Servers answer in order, so the next is
    /// nearly always found at once; some proxies do not.
    next: usize,
}

impl InFlight {
    /// Takes the slot for an operation; its memory is reused.
    pub(super) fn renew(&mut self, op: &Op<'_>, dialect: Dialect) {
        let Keys { mut bytes, mut ends, .. } = core::mem::take(&mut self.keys);
        bytes.clear();
        ends.clear();
        let unique = if matches!(op, Op::Gets(_)) { 0 } else { self.unique };
        *self = InFlight { kind: kind(op, dialect), unique, ..InFlight::default() };
        self.keys = Keys { bytes, ends, next: 0 };
        match op {
            Op::Get(key) | Op::Gets(key) if dialect == Dialect::Text => self.keys.push(key),
            Op::MultiGet(keys) if dialect == Dialect::Text => {
                keys.iter().for_each(|key| self.keys.push(key));
            }
            // Known by their numbers.
            Op::MultiGet(keys) => self.keys.ends.resize(keys.len(), (0, false)),
            _ => {}
        }
    }

    /// How many keys were requested.
    pub(super) fn keys(&self) -> usize {
        self.keys.ends.len()
    }

    /// The index of this key among those whose value has not come.
    pub(super) fn item(&mut self, key: &[u8]) -> Option<u32> {
        let Keys { bytes, ends, next } = &mut self.keys;
        let start = |at: usize| at.checked_sub(1).map_or(0, |before| ends[before].0 as usize);
        let at = (*next..ends.len()).chain(0..*next).find(|at| {
            let (end, given) = ends[*at];
            !given && bytes[start(*at)..end as usize] == *key
        })?;
        *next = at + 1;
        ends[at].1 = true;
        Some(at as u32)
    }

    /// Reports a value that was on the line itself.
    pub(super) fn item_on_line(&mut self, tag: Tag, piece: &[u8], seen: &mut impl Events) {
        if !piece.is_empty() {
            seen.body(tag, self.items, piece);
        }
        self.items += 1;
        self.body_len += piece.len() as u64;
    }

    /// The key of this number, if its value has not come.
    pub(super) fn numbered(&mut self, number: u64) -> Option<u32> {
        let (_, given) = self.keys.ends.get_mut(usize::try_from(number).ok()?)?;
        (!core::mem::replace(given, true)).then_some(number as u32)
    }
}

impl Keys {
    fn push(&mut self, key: &[u8]) {
        self.bytes.extend_from_slice(key);
        self.ends.push((self.bytes.len() as u32, false));
    }
}

fn kind(op: &Op<'_>, dialect: Dialect) -> RequestKind {
    match (op, dialect) {
        (Op::Get(_) | Op::Gets(_) | Op::MultiGet(_), Dialect::Text) => RequestKind::Get,
        (Op::Get(_) | Op::Gets(_), Dialect::Meta) => RequestKind::MetaGet,
        (Op::MultiGet(_), Dialect::Meta) => RequestKind::MetaMulti,
        (Op::Store(_), _) => RequestKind::Store,
        (Op::Delete(_), _) => RequestKind::Delete,
        (Op::Incr { .. } | Op::Decr { .. }, _) => RequestKind::Count,
        (Op::Touch { .. }, _) => RequestKind::Touch,
        (Op::Version, _) => RequestKind::Version,
        (Op::Stats, _) => RequestKind::Stats,
    }
}

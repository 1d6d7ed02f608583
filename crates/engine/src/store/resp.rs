//! A lane that speaks RESP, to Redis or Valkey.

use super::lane::{NO_ORDER, Words, lanes};
use super::numbers::Numbers;
use super::said::Parts;
use super::template::{Filling, Template};
use crate::MakeLane;
use crate::workload::Drawn;
use record::{Asked, Doing, Kind};
use wire::resp::{Expires, Limits, Op, Opening, Resp, Set, When, codes};
use wire::{Class, List, Reply};

/// Seconds that `Touch` gives a key to live.
const LIFE: &[u8] = b"2000000";

/// How to talk to a server that speaks RESP. No `Debug`: the opening holds a
/// password.
#[derive(Clone)]
pub struct RespAccess {
    /// What is said on every fresh connection.
    pub opening: Opening,
    /// Where operations go on from one call of the engine to the next.
    pub numbers: Numbers,
}

struct Spoken {
    opening: Opening,
    /// A command that has no form of its own, end to end.
    command: Vec<u8>,
    ends: Vec<u32>,
    templates: Vec<Template>,
}

impl Spoken {
    fn command(&mut self, words: &[&[u8]]) -> Op<'_> {
        self.command.clear();
        self.ends.clear();
        for word in words {
            self.command.extend_from_slice(word);
            self.ends.push(self.command.len() as u32);
        }
        Op::Command(List::Packed { bytes: &self.command, ends: &self.ends })
    }

    fn fill(&mut self, number: u32, with: &Filling<'_>) -> Op<'_> {
        self.command.clear();
        self.ends.clear();
        self.templates[number as usize].fill(with, &mut self.command, &mut self.ends);
        Op::Command(List::Packed { bytes: &self.command, ends: &self.ends })
    }
}

/// Why Redis has no such operation; none: it has.
pub fn resp_lacks(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Scan(_) => Some(NO_ORDER),
        Kind::Cas => Some(
            "it has no cas: WATCH, MULTI and EXEC take four requests, and would be compared with \
             two; ask for read-modify-write, which has no condition, or for memcached",
        ),
        _ => None,
    }
}

impl Words for Spoken {
    type Codec = Resp;

    fn codec(&self, depth: u32) -> Resp {
        Resp::new(self.opening.clone(), Limits::default(), depth)
    }

    fn renew(&self, codec: &mut Resp) {
        codec.reset();
    }

    /// A key that no workload has: PING is answered while data is loading, GET is
    /// not.
    fn ready(&self) -> Op<'_> {
        Op::Command(List::Slices(&[b"EXISTS", b"tiebreak:ready"]))
    }

    fn lacks(kind: Kind) -> Option<&'static str> {
        resp_lacks(kind)
    }

    #[inline]
    fn operation<'a>(&'a mut self, drawn: &Drawn, parts: Parts<'a>) -> Op<'a> {
        let key = parts.key();
        let keys = List::Packed { bytes: parts.keys, ends: parts.ends };
        let set =
            |when| Op::Set(Set { key, value: parts.value.into(), when, expires: Expires::Never });
        match drawn.kind {
            Kind::Get => Op::Get(key),
            Kind::MultiGet(_) => Op::MGet(keys),
            Kind::Set | Kind::Insert => set(When::Always),
            Kind::Add => set(When::Absent),
            Kind::Replace => set(When::Present),
            Kind::Append => self.command(&[b"APPEND", key, parts.value]),
            Kind::Delete => Op::Del(keys),
            Kind::Incr => Op::Incr(key),
            Kind::Decr => self.command(&[b"DECR", key]),
            Kind::Touch => self.command(&[b"EXPIRE", key, LIFE]),
            Kind::Command(number) => {
                let with = Filling { key, value: parts.value, number: drawn.n };
                self.fill(number, &with)
            }
            Kind::ReadModifyWrite => unreachable!("said by halves"),
            Kind::Cas | Kind::Scan(_) => unreachable!("refused when the lane was made"),
        }
    }

    fn gets<'a>(&'a mut self, _parts: Parts<'a>) -> Op<'a> {
        unreachable!("refused when the lane was made")
    }

    fn cas<'a>(&'a mut self, _parts: Parts<'a>, _unique: u64) -> Op<'a> {
        unreachable!("refused when the lane was made")
    }

    const CONFLICT: Option<u16> = None;

    #[inline]
    fn class(kind: Kind, reply: &Reply) -> Class {
        match (kind, reply.class) {
            (Kind::Add, Class::Error(codes::NOT_SET)) => Class::Ok,
            (Kind::Replace, Class::Error(codes::NOT_SET)) => Class::Miss,
            (_, class) => class,
        }
    }
}

/// The lanes of one contender of the order: one for each worker.
///
/// # Panics
/// When the order has no such contender.
pub fn resp_lanes(order: &Asked, contender: usize, access: &RespAccess) -> Vec<MakeLane> {
    let opening = access.opening.clone();
    let templates: Vec<Template> = match &order.lanes[contender].doing {
        Doing::Drive(of) => of.commands.iter().map(|words| Template::new(words)).collect(),
        Doing::Ask | Doing::Load(_) => Vec::new(),
    };
    let words = move || Spoken {
        opening: opening.clone(),
        command: Vec::new(),
        ends: Vec::new(),
        templates: templates.clone(),
    };
    lanes(order, contender, &access.numbers, words)
}

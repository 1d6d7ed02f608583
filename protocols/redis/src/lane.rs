//! A lane for RESP, the protocol of Redis and Valkey.

use engine::store::{NO_ORDER, StoreEncoding, store_lanes};
use engine::workload::{Arguments, Drawn, Feeds};
use engine::{MakeLane, NOT_WIDE, Numbers, Parts, Template};
use record::{CustomOperation, DriveOrder, Kind, LaneTask, OperationText, Workload};
use wire::resp::{Limits, Op, Opening, Resp, Set, When, codes};
use wire::{Class, List, Reply};

/// The time to live in seconds that `Touch` sets.
const LIFE: &[u8] = b"2000000";

/// How to access a server that speaks RESP. No `Debug`: the opening holds a password.
#[derive(Clone)]
pub struct RespAccess {
    /// What is sent on every new connection.
    pub opening: Opening,
    /// The number of the next operation, kept from one call of the engine to the next.
    pub numbers: Numbers,
    /// Rows of the feeds that its workload refers to.
    pub feeds: Feeds,
}

pub(crate) struct RespWords {
    opening: Opening,
    /// A command without a form of its own, its words without separators.
    command: Vec<u8>,
    ends: Vec<u32>,
    /// By number of the command and of the user-defined operation.
    commands: Vec<Template>,
    custom: Vec<Template>,
}

impl RespWords {
    fn command(&mut self, words: &[&[u8]]) -> Op<'_> {
        self.command.clear();
        self.ends.clear();
        for word in words {
            self.command.extend_from_slice(word);
            self.ends.push(self.command.len() as u32);
        }
        Op::Command(List::Packed { bytes: &self.command, ends: &self.ends })
    }

    fn fill(&mut self, number: u32, drawn: &Drawn, parts: &Parts<'_>) -> Op<'_> {
        self.command.clear();
        self.ends.clear();
        let put = |index: usize, to: &mut Vec<u8>| match index {
            0 => to.extend_from_slice(parts.key()),
            1 => to.extend_from_slice(parts.value),
            _ => wire::push_decimal(to, drawn.n),
        };
        let ends = &mut self.ends;
        self.commands[number as usize].fill(&mut self.command, put, |end| ends.push(end));
        Op::Command(List::Packed { bytes: &self.command, ends: &self.ends })
    }

    fn fill_own(&mut self, number: u32, with: &Arguments) -> Op<'_> {
        self.command.clear();
        self.ends.clear();
        let put = |index: usize, to: &mut Vec<u8>| with.get(index).write(to);
        let ends = &mut self.ends;
        self.custom[number as usize].fill(&mut self.command, put, |end| ends.push(end));
        Op::Command(List::Packed { bytes: &self.command, ends: &self.ends })
    }
}

impl StoreEncoding for RespWords {
    type Codec = Resp;

    fn codec(&self, depth: u32) -> Resp {
        Resp::new(self.opening.clone(), Limits::default(), depth)
    }

    /// Reads a key that no workload has. PING is answered while data is loading, GET is not.
    fn ready(&self) -> Op<'_> {
        Op::Command(List::Slices(&[b"EXISTS", b"tiebreak:ready"]))
    }

    fn lacks(kind: Kind) -> Option<&'static str> {
        match kind {
            Kind::Scan(_) => Some(NO_ORDER),
            Kind::Cas => Some(
                "it has no cas: WATCH, MULTI and EXEC take four requests where memcached's cas takes \
                 two; use read-modify-write, which has no condition, or memcached",
            ),
            _ if kind.is_wide() => Some(NOT_WIDE),
            _ => None,
        }
    }

    #[inline]
    fn operation<'a>(&'a mut self, drawn: &Drawn, parts: Parts<'a>) -> Op<'a> {
        let key = parts.key();
        let keys = List::Packed { bytes: parts.keys, ends: parts.ends };
        let set = |when| Op::Set(Set { key, value: parts.value.into(), when });
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
            Kind::Command(number) => self.fill(number, drawn, &parts),
            Kind::Custom(number) => self.fill_own(number, parts.arguments),
            Kind::ReadModifyWrite => unreachable!("sent as two requests"),
            Kind::Cas | Kind::Scan(_) | Kind::Newest | Kind::OneColumn | Kind::InsertColumn => {
                unreachable!("refused when the lane was made")
            }
        }
    }

    #[inline]
    fn class(kind: Kind, reply: &Reply) -> Class {
        match (kind, reply.class) {
            (Kind::Add, Class::Error(codes::NOT_SET)) => Class::Ok,
            (Kind::Replace, Class::Error(codes::NOT_SET)) => Class::Miss,
            (_, class) => class,
        }
    }
}

/// Returns the lanes of one contender of the order, one for each worker.
///
/// # Panics
/// Panics if the order has no such contender.
pub fn resp_lanes(order: &DriveOrder, contender: usize, access: &RespAccess) -> Vec<MakeLane> {
    let opening = access.opening.clone();
    let workload = match &order.lanes[contender].doing {
        LaneTask::Drive(of) => Some(of),
        LaneTask::Ask | LaneTask::Load(_) => None,
    };
    let commands: Vec<Template> = workload.map(commands).unwrap_or_default();
    let custom: Vec<Template> = workload.map(custom).unwrap_or_default();
    let words = move || RespWords {
        opening: opening.clone(),
        command: Vec::new(),
        ends: Vec::new(),
        commands: commands.clone(),
        custom: custom.clone(),
    };
    store_lanes(order, contender, &access.numbers, &access.feeds, None, words)
}

fn commands(of: &Workload) -> Vec<Template> {
    // `fill` supplies the value of each placeholder.
    let places = ["key", "value", "number"].into_iter();
    of.commands.iter().map(|words| Template::new(words, places.clone())).collect()
}

fn custom(of: &Workload) -> Vec<Template> {
    let template = |of: &CustomOperation| match &of.says {
        OperationText::Command(words) => {
            Template::new(words, of.parameters.iter().map(|of| &*of.name))
        }
        // The plan refuses them for these stores; they are never sent.
        OperationText::Sql(_) | OperationText::Request { .. } => {
            Template::new(&[], std::iter::empty())
        }
    };
    of.custom.operations.iter().map(template).collect()
}

//! What all stores have in common: operations are sent and replies verified. A protocol adds its
//! requests.
//!
//! Most operations are one request. A read-modify-write and a cas are two on one connection, a
//! read and the write that follows from it, but they count as one operation: each half is
//! encoded and verified like the get and the set that it is, and any reply to the read other
//! than a value ends the operation.

use super::encoder::{Encoder, Parts, Task};
use super::numbers::Numbers;
use super::sharding::Router;
use super::verify::{Memo, Verifier};
use crate::codec_lane::{Dialogue, codec_lanes};
use crate::workload::{Drawn, Feeds};
use crate::{EngineError, MakeLane, Seat};
use record::{DriveOrder, Kind, LaneTask, Moments, Outcome, Recorder, Sharding, Share, Verify};
use wire::{Class, Codec, Reply, Tag};

/// The requests and replies of a protocol.
pub trait StoreEncoding {
    /// The codec of a connection.
    type Codec: Codec;

    /// Creates a codec; see [`Dialogue::codec`].
    fn codec(&self, depth: u32) -> Self::Codec;

    /// Returns a request that checks whether the store answers, and touches no data.
    fn ready(&self) -> <Self::Codec as Codec>::Op<'_>;

    /// Returns why such an operation is not supported, or None if it is.
    fn lacks(kind: Kind) -> Option<&'static str>;

    /// Returns the request of an operation that has one, or of half an operation that has two.
    /// Called only for supported kinds.
    fn operation<'a>(
        &'a mut self,
        drawn: &Drawn,
        parts: Parts<'a>,
    ) -> <Self::Codec as Codec>::Op<'a>;

    /// Returns the read of a cas. Called only if that is supported.
    fn gets<'a>(&'a mut self, _parts: Parts<'a>) -> <Self::Codec as Codec>::Op<'a> {
        unreachable!("refused when the lane was made")
    }

    /// Returns the write of a cas whose read had this tag on the connection of `codec`.
    fn cas<'a>(
        &'a mut self,
        _codec: &Self::Codec,
        _read: Tag,
        _parts: Parts<'a>,
    ) -> <Self::Codec as Codec>::Op<'a> {
        unreachable!("refused when the lane was made")
    }

    /// The code of a cas that failed because another write came first.
    const CONFLICT: Option<u16> = None;

    /// Returns the meaning of a reply to an operation of this kind.
    #[inline]
    fn class(_kind: Kind, reply: &Reply) -> Class {
        reply.class
    }
}

/// Runs a workload with the requests of a protocol.
struct Store<W> {
    words: W,
    /// None if only the readiness of the store is checked.
    work: Option<StoreWork>,
    /// Finds the server of a key. None if there is only one server, or if the protocol's nodes
    /// find keys themselves.
    router: Option<Router>,
}

/// What is remembered of an operation until it is answered.
#[derive(Clone, Copy, Default)]
struct Remembered {
    verified: Memo,
    half: Half,
}

/// Which request of its operation was sent last.
#[derive(Clone, Copy, Default, PartialEq)]
enum Half {
    /// The only one.
    #[default]
    Whole,
    /// The read of an operation of this kind.
    Read(Kind),
    /// Its read was answered; the write is next or was sent.
    Write(Kind, Answered),
}

/// The reply to the first half of an operation.
#[derive(Clone, Copy, PartialEq)]
struct Answered {
    at: u64,
    tag: Tag,
}

impl Half {
    /// Returns when the read was answered.
    fn read(self) -> Option<u64> {
        match self {
            Half::Write(_, read) => Some(read.at),
            Half::Whole | Half::Read(_) => None,
        }
    }
}

struct StoreWork {
    encoder: Encoder,
    verifier: Verifier,
    numbers: Numbers,
    index: usize,
}

impl<W: StoreEncoding> Dialogue for Store<W> {
    type Codec = W::Codec;
    type Memo = Remembered;

    fn codec(&self, depth: u32) -> W::Codec {
        self.words.codec(depth)
    }

    fn first(&self, seat: &Seat) -> u64 {
        self.work.as_ref().map_or(seat.worker as u64, |work| work.numbers.next(seat.index()))
    }

    fn step(&self, seat: &Seat) -> u64 {
        seat.count() as u64
    }

    fn closes(&mut self, next: u64) {
        if let Some(work) = &self.work {
            work.numbers.keep(work.index, next);
        }
    }

    fn servers(&self) -> u32 {
        self.router.as_ref().map_or(1, Router::servers)
    }

    fn server_of(&mut self, number: u64, is_down: impl Fn(u32) -> bool) -> u32 {
        match (&mut self.router, &mut self.work) {
            (Some(router), Some(work)) => {
                let drawn = work.encoder.drawn(number);
                router.server_of(work.encoder.key(&drawn), is_down)
            }
            // Readiness is checked on one server after the other.
            (Some(router), None) => (number % u64::from(router.servers())) as u32,
            (None, _) => 0,
        }
    }

    #[inline]
    fn operation(
        &mut self,
        codec: &W::Codec,
        number: u64,
        memo: &mut Remembered,
    ) -> <W::Codec as Codec>::Op<'_> {
        let Some(work) = &mut self.work else { return self.words.ready() };
        let drawn = match (memo.half, memo.verified.drawn()) {
            (Half::Write(kind, _), Some(read)) => read.write_half(kind),
            _ => match work.encoder.drawn(number) {
                whole if whole.kind.has_halves() => {
                    memo.half = Half::Read(whole.kind);
                    whole.read_half()
                }
                whole => whole,
            },
        };
        work.verifier.sent(drawn, &mut memo.verified);
        let parts = work.encoder.parts(&drawn);
        match memo.half {
            Half::Write(Kind::Cas, read) => self.words.cas(codec, read.tag, parts),
            Half::Read(Kind::Cas) => self.words.gets(parts),
            Half::Whole | Half::Read(_) | Half::Write(..) => self.words.operation(&drawn, parts),
        }
    }

    #[inline]
    fn piece(&self, _number: u64, memo: &mut Remembered, item: u32, piece: &[u8]) {
        if let Some(work) = &self.work {
            work.verifier.piece(&work.encoder, &mut memo.verified, item, piece);
        }
    }

    #[inline]
    fn outcome(
        &mut self,
        _number: u64,
        at: &Moments,
        memo: &mut Remembered,
        reply: &Reply,
        seen: &mut Recorder,
    ) -> Option<Outcome> {
        let (Some(work), Some(drawn)) = (&mut self.work, memo.verified.drawn()) else {
            return Some(if reply.class == Class::Ok { Outcome::Ok } else { Outcome::Unexpected });
        };
        let outcome = work.outcome::<W>(drawn.kind, &mut memo.verified, reply);
        if let (Half::Read(kind), Outcome::Ok) = (memo.half, outcome) {
            memo.half = Half::Write(kind, Answered { at: at.done, tag: reply.tag });
            return None;
        }
        seen.replied_of_kind(drawn.share, at, outcome, memo.half.read());
        Some(outcome)
    }

    fn lost(&self, number: u64, memo: &Remembered, at: Option<&Moments>, seen: &mut Recorder) {
        if let Some(work) = &self.work {
            // The operation is drawn again because one that was never sent has no memo.
            seen.lost_of_kind(work.encoder.drawn(number).share, at, memo.half.read());
        }
    }
}

impl StoreWork {
    /// Returns the outcome of the reply to a request of this kind.
    #[inline]
    fn outcome<W: StoreEncoding>(&mut self, kind: Kind, memo: &mut Memo, reply: &Reply) -> Outcome {
        match W::class(kind, reply) {
            Class::Error(code) if W::CONFLICT == Some(code) => {
                self.verifier.refused(memo);
                Outcome::Conflict
            }
            Class::Error(_) => Outcome::Unexpected,
            // Removing an absent key is a success.
            Class::Miss if kind == Kind::Delete => Outcome::Ok,
            Class::Miss => {
                self.verifier.refused(memo);
                Outcome::Miss
            }
            Class::Ok => self.verifier.outcome(&self.encoder, memo, reply.items),
        }
    }
}

/// Why a store that hashes its keys cannot read keys in order.
pub const NO_ORDER: &str = "it stores keys by their hash and cannot scan them in order; use \
     a store that sorts its keys, such as a database with an index";

/// Why several keys on several servers cannot be read at once.
pub const SEVERAL_KEYS: &str = "the keys of a multi-get are on different servers, and reading \
     from several servers at once is not supported yet: use get, or one server";

/// Why a store with one value per key does not support operations on wide rows.
pub const NOT_WIDE: &str = "each of its keys has one value";

/// Why a store does not support user-defined commands.
pub const NO_COMMANDS: &str = "it has no user-defined commands";

/// Several servers, among which a client distributes its keys.
#[derive(Clone)]
pub struct Sharded {
    /// The rule of the distribution.
    pub sharding: Sharding,
    /// Host and port of each, in the order in which a client adds them: most rules hash these
    /// names.
    pub servers: Vec<(String, u16)>,
}

/// Returns the lanes of one contender, one for each worker, with the protocol that `words`
/// creates.
pub fn store_lanes<W: StoreEncoding + 'static>(
    order: &DriveOrder,
    contender: usize,
    numbers: &Numbers,
    feeds: &Feeds,
    sharded: Option<&Sharded>,
    words: impl Fn() -> W + Clone + Send + 'static,
) -> Vec<MakeLane> {
    let sharded = sharded.cloned();
    let (doing, seed) = (order.lanes[contender].doing.clone(), order.seed);
    let (numbers, feeds) = (numbers.clone(), feeds.clone());
    codec_lanes(order, contender, None, move |seat| {
        let numbers = numbers.clone();
        let work = work::<W>(&doing, seed, numbers, &feeds, sharded.is_some(), seat)?;
        let router = sharded.as_ref().map(|of| Router::new(of.sharding, &of.servers));
        Ok(Store { words: words(), work, router })
    })
}

fn work<W: StoreEncoding>(
    doing: &LaneTask,
    seed: u64,
    numbers: Numbers,
    feeds: &Feeds,
    is_sharded: bool,
    seat: &Seat,
) -> Result<Option<StoreWork>, EngineError> {
    // A load reads nothing back, and has numbers of its own.
    let (workload, task, verify, numbers) = match doing {
        LaneTask::Ask => return Ok(None),
        LaneTask::Load(of) => {
            let numbers = Numbers::starting(of.from, seat.workers);
            (&of.workload, Task::Load, Verify::Off, numbers)
        }
        LaneTask::Drive(of) => (of, Task::Drive, of.verify, numbers),
    };
    let lacks = |share: &Share| match share.kind {
        Kind::MultiGet(_) if is_sharded => Some(SEVERAL_KEYS),
        kind => W::lacks(kind),
    };
    if let Some(why) = workload.mix.iter().find_map(lacks) {
        return Err(EngineError::order(format!("the store cannot run its workload: {why}")));
    }
    let encoder = Encoder::new(workload, seed, seat.count(), task)?.with_feeds(feeds)?;
    let verifier = Verifier::new(verify, workload, seat.index(), seat.count());
    Ok(Some(StoreWork { encoder, verifier, numbers, index: seat.index() }))
}

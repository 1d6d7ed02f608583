//! What all stores have in common: operations in, verified replies out. A
//! protocol brings the words.
//!
//! Most operations are one request. A read-modify-write and a cas are two on one
//! connection, a read and the write that follows from it, and yet one operation:
//! each half is worded and verified like the get and the set that it is, and
//! whatever the read says but its value ends the whole.

use super::numbers::Numbers;
use super::said::{Parts, Said, Task};
use super::verify::{Memo, Verifier};
use crate::event_loop::{EventLane, Speech};
use crate::lane::for_workers;
use crate::workload::{Drawn, Feeds};
use crate::{Broken, MakeLane, Seat};
use record::{Asked, Doing, Kind, Moments, Recorder, Told, Verify};
use wire::{Class, Codec, Reply};

/// The words of a protocol.
pub(super) trait Words {
    type Codec: Codec;

    /// See [`Speech::codec`].
    fn codec(&self, depth: u32) -> Self::Codec;

    /// See [`Speech::renew`].
    fn renew(&self, codec: &mut Self::Codec);

    /// Asks whether the store answers, and touches no data.
    fn ready(&self) -> <Self::Codec as Codec>::Op<'_>;

    /// Why such an operation cannot be said; none: it can.
    fn lacks(kind: Kind) -> Option<&'static str>;

    /// An operation of one request, or half of one that has two. Only of kinds
    /// that are not lacking.
    fn operation<'a>(
        &'a mut self,
        drawn: &Drawn,
        parts: Parts<'a>,
    ) -> <Self::Codec as Codec>::Op<'a>;

    /// The read of a cas: it brings the number that [`Words::cas`] wants.
    fn gets<'a>(&'a mut self, parts: Parts<'a>) -> <Self::Codec as Codec>::Op<'a>;

    /// The write of a cas.
    fn cas<'a>(&'a mut self, parts: Parts<'a>, unique: u64) -> <Self::Codec as Codec>::Op<'a>;

    /// The code of a cas that came too late.
    const CONFLICT: Option<u16>;

    /// What a reply means to an operation of this kind.
    fn class(kind: Kind, reply: &Reply) -> Class;
}

/// Speaks a workload in the words of a protocol.
struct Store<W> {
    words: W,
    /// None: nothing but whether the store answers is asked.
    work: Option<Work>,
}

/// What is remembered of an operation until it is answered.
#[derive(Clone, Copy, Default)]
struct Remembered {
    verified: Memo,
    half: Half,
    /// Of the value that a cas read.
    unique: u64,
}

/// Which request of its operation was asked last.
#[derive(Clone, Copy, Default, PartialEq)]
enum Half {
    /// The only one.
    #[default]
    Whole,
    /// The read of an operation of this kind.
    Read(Kind),
    /// Its read was answered at this moment; the write is next, or was asked.
    Write(Kind, u64),
}

impl Half {
    /// When the read was answered.
    fn read(self) -> Option<u64> {
        match self {
            Half::Write(_, at) => Some(at),
            _ => None,
        }
    }

    fn is_of_cas(self) -> bool {
        matches!(self, Half::Read(Kind::Cas) | Half::Write(Kind::Cas, _))
    }
}

struct Work {
    said: Said,
    verifier: Verifier,
    numbers: Numbers,
    place: usize,
}

impl<W: Words> Speech for Store<W> {
    type Codec = W::Codec;
    type Memo = Remembered;

    fn codec(&self, depth: u32) -> W::Codec {
        self.words.codec(depth)
    }

    fn renew(&self, codec: &mut W::Codec) {
        self.words.renew(codec);
    }

    fn first(&self, seat: &Seat) -> u64 {
        self.work.as_ref().map_or(seat.worker as u64, |work| work.numbers.next(seat.place()))
    }

    fn step(&self, seat: &Seat) -> u64 {
        seat.places() as u64
    }

    fn closes(&mut self, next: u64) {
        if let Some(work) = &self.work {
            work.numbers.keep(work.place, next);
        }
    }

    #[inline]
    fn operation(&mut self, number: u64, memo: &mut Remembered) -> <W::Codec as Codec>::Op<'_> {
        let Some(work) = &mut self.work else { return self.words.ready() };
        let drawn = match (memo.half, memo.verified.drawn()) {
            (Half::Write(kind, _), Some(read)) => read.write_half(kind),
            _ => match work.said.drawn(number) {
                whole if whole.kind.has_halves() => {
                    memo.half = Half::Read(whole.kind);
                    whole.read_half()
                }
                whole => whole,
            },
        };
        work.verifier.sent(drawn, &mut memo.verified);
        let parts = work.said.parts(&drawn);
        match drawn.kind {
            Kind::Cas => self.words.cas(parts, memo.unique),
            Kind::Get if memo.half.is_of_cas() => self.words.gets(parts),
            _ => self.words.operation(&drawn, parts),
        }
    }

    #[inline]
    fn piece(&self, _number: u64, memo: &mut Remembered, item: u32, piece: &[u8]) {
        if let Some(work) = &self.work {
            work.verifier.piece(&work.said, &mut memo.verified, item, piece);
        }
    }

    #[inline]
    fn unique(&self, memo: &mut Remembered, unique: u64) {
        memo.unique = unique;
    }

    #[inline]
    fn told(
        &mut self,
        _number: u64,
        at: &Moments,
        memo: &mut Remembered,
        reply: &Reply,
        seen: &mut Recorder,
    ) -> Option<Told> {
        let (Some(work), Some(drawn)) = (&mut self.work, memo.verified.drawn()) else {
            return Some(if reply.class == Class::Ok { Told::Ok } else { Told::Unexpected });
        };
        let told = work.told::<W>(drawn.kind, &mut memo.verified, reply);
        if let (Half::Read(kind), Told::Ok) = (memo.half, told) {
            memo.half = Half::Write(kind, at.done);
            return None;
        }
        seen.replied_of_kind(drawn.share, at, told, memo.half.read());
        Some(told)
    }

    fn lost(&self, number: u64, memo: &Remembered, at: Option<&Moments>, seen: &mut Recorder) {
        if let Some(work) = &self.work {
            // Drawn again: one that was never asked has no memo.
            seen.lost_of_kind(work.said.drawn(number).share, at, memo.half.read());
        }
    }
}

impl Work {
    /// What the reply to a request of this kind says.
    #[inline]
    fn told<W: Words>(&mut self, kind: Kind, memo: &mut Memo, reply: &Reply) -> Told {
        match W::class(kind, reply) {
            Class::Error(code) if W::CONFLICT == Some(code) => {
                self.verifier.refused(memo);
                Told::Conflict
            }
            Class::Error(_) => Told::Unexpected,
            // To remove what is not there is no failure to find it.
            Class::Miss if kind == Kind::Delete => Told::Ok,
            Class::Miss => {
                self.verifier.refused(memo);
                Told::Miss
            }
            Class::Ok => self.verifier.told(&self.said, memo, reply.items),
        }
    }
}

/// Reads of keys in order are no operation of a store that hashes its keys.
pub(super) const NO_ORDER: &str = "it keeps keys by their hash, and so has no scan over keys in \
     order; a store that sorts its keys has one, such as a database with an index";

/// The lanes of one contender, one for each worker, in the words that `words`
/// makes.
pub(super) fn lanes<W: Words + 'static>(
    order: &Asked,
    contender: usize,
    numbers: &Numbers,
    feeds: &Feeds,
    words: impl Fn() -> W + Clone + Send + 'static,
) -> Vec<MakeLane> {
    let (asked, seed) = (order.lanes[contender].clone(), order.seed);
    let (numbers, feeds) = (numbers.clone(), feeds.clone());
    for_workers(order, move |seat| {
        let work = work::<W>(&asked.doing, seed, numbers.clone(), &feeds, seat).map_err(Broken)?;
        let speech = Store { words: words(), work };
        Ok(Box::new(EventLane::new(speech, None, asked.clone(), seed, seat)?))
    })
}

fn work<W: Words>(
    doing: &Doing,
    seed: u64,
    numbers: Numbers,
    feeds: &Feeds,
    seat: &Seat,
) -> Result<Option<Work>, String> {
    // A load reads nothing back, and counts for itself.
    let (workload, task, verify, numbers) = match doing {
        Doing::Ask => return Ok(None),
        Doing::Load(of) => {
            let numbers = Numbers::starting(of.from, seat.workers);
            (&of.workload, Task::Load, Verify::Off, numbers)
        }
        Doing::Drive(of) => (of, Task::Drive, of.verify, numbers),
    };
    if let Some(why) = workload.mix.iter().find_map(|share| W::lacks(share.kind)) {
        return Err(format!("a store cannot do its workload: {why}"));
    }
    let said = Said::new(workload, seed, seat.places(), task)?.with_feeds(feeds)?;
    let verifier = Verifier::new(verify, workload.keys, seat.place(), seat.places());
    Ok(Some(Work { said, verifier, numbers, place: seat.place() }))
}

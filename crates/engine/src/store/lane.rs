//! What all stores have in common: operations in, verified replies out. A
//! protocol brings the words.

use super::numbers::Numbers;
use super::said::{Parts, Said, Task};
use super::verify::{Memo, Verifier};
use crate::event_loop::{EventLane, Speech};
use crate::lane::for_workers;
use crate::workload::Drawn;
use crate::{Broken, MakeLane, Seat};
use record::{Asked, Doing, Kind, Recorder, Told, Verify};
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

    /// An operation. Only of kinds that [`stores_do`].
    fn operation<'a>(
        &'a mut self,
        drawn: &Drawn,
        parts: Parts<'a>,
    ) -> <Self::Codec as Codec>::Op<'a>;

    /// What a reply means to an operation of this kind.
    fn class(kind: Kind, reply: &Reply) -> Class;
}

/// Speaks a workload in the words of a protocol.
struct Store<W> {
    words: W,
    /// None: nothing but whether the store answers is asked.
    work: Option<Work>,
}

struct Work {
    said: Said,
    verifier: Verifier,
    numbers: Numbers,
    worker: usize,
}

impl<W: Words> Speech for Store<W> {
    type Codec = W::Codec;
    type Memo = Memo;

    fn codec(&self, depth: u32) -> W::Codec {
        self.words.codec(depth)
    }

    fn renew(&self, codec: &mut W::Codec) {
        self.words.renew(codec);
    }

    fn first(&self, seat: &Seat) -> u64 {
        self.work.as_ref().map_or(seat.worker as u64, |work| work.numbers.next(seat.worker))
    }

    fn closes(&mut self, next: u64) {
        if let Some(work) = &self.work {
            work.numbers.keep(work.worker, next);
        }
    }

    #[inline]
    fn operation(&mut self, number: u64, memo: &mut Memo) -> <W::Codec as Codec>::Op<'_> {
        let Some(work) = &mut self.work else { return self.words.ready() };
        let drawn = work.said.drawn(number);
        work.verifier.sent(drawn, memo);
        self.words.operation(&drawn, work.said.parts(&drawn))
    }

    #[inline]
    fn piece(&self, _number: u64, memo: &mut Memo, item: u32, piece: &[u8]) {
        if let Some(work) = &self.work {
            work.verifier.piece(&work.said, memo, item, piece);
        }
    }

    #[inline]
    fn told(&mut self, _number: u64, memo: &mut Memo, reply: &Reply, _seen: &mut Recorder) -> Told {
        let (Some(work), Some(kind)) = (&mut self.work, memo.kind()) else {
            return if reply.class == Class::Ok { Told::Ok } else { Told::Unexpected };
        };
        match W::class(kind, reply) {
            Class::Error(_) => Told::Unexpected,
            // To remove what is not there is no failure to find it.
            Class::Miss if kind == Kind::Delete => Told::Ok,
            Class::Miss => Told::Miss,
            Class::Ok => work.verifier.told(&work.said, memo, reply.items),
        }
    }
}

/// Whether stores have such an operation here.
pub fn stores_do(kind: Kind) -> bool {
    !matches!(kind, Kind::Cas | Kind::Scan(_) | Kind::ReadModifyWrite)
}

/// The lanes of one contender, one for each worker, in the words that `words`
/// makes.
pub(super) fn lanes<W: Words + 'static>(
    order: &Asked,
    contender: usize,
    numbers: &Numbers,
    words: impl Fn() -> W + Clone + Send + 'static,
) -> Vec<MakeLane> {
    let (asked, seed) = (order.lanes[contender].clone(), order.seed);
    let numbers = numbers.clone();
    for_workers(order, move |seat| {
        let work = work(&asked.doing, seed, numbers.clone(), seat).map_err(Broken)?;
        let speech = Store { words: words(), work };
        Ok(Box::new(EventLane::new(speech, None, asked.clone(), seed, seat)?))
    })
}

fn work(doing: &Doing, seed: u64, numbers: Numbers, seat: &Seat) -> Result<Option<Work>, String> {
    // A load reads nothing back, and counts for itself.
    let (workload, task, verify, numbers) = match doing {
        Doing::Ask => return Ok(None),
        Doing::Load(of) => {
            let numbers = Numbers::starting(of.from, seat.workers);
            (&of.workload, Task::Load, Verify::Off, numbers)
        }
        Doing::Drive(of) => (of, Task::Drive, of.verify, numbers),
    };
    if let Some(share) = workload.mix.iter().find(|share| !stores_do(share.kind)) {
        return Err(format!("this store has no operation {:?}", share.kind));
    }
    let said = Said::new(workload, seed, seat.workers, task)?;
    let verifier = Verifier::new(verify, workload.keys, seat.worker, seat.workers);
    Ok(Some(Work { said, verifier, numbers, worker: seat.worker }))
}

//! Nothing depends on the position of a contender: who is first to open connections, to be warmed up, to be
//! driven and to get other connections is drawn, each for itself.

use engine::{EngineError, Lane, MakeLane, Opened, SliceEnd, Stop, Turn, for_workers};
use protocol::testing::{lane_without_address, order};
use record::{DriveOrder, Recorder, WarmUp};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

/// What is done to a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Opens,
    IsDriven,
    Closes,
}

type Steps = Arc<Mutex<Vec<(Step, usize)>>>;

/// Tells what is done to it, and drives nothing.
struct Telling {
    contender: usize,
    steps: Steps,
}

impl Telling {
    fn tell(&self, step: Step) {
        let mut steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        steps.push((step, self.contender));
    }
}

impl Lane for Telling {
    fn open(&mut self, _seen: &mut Recorder) -> Result<Opened, EngineError> {
        self.tell(Step::Opens);
        Ok(Opened { requested: 1, established: 1 })
    }

    fn slice(&mut self, turn: &Turn, _seen: &mut Recorder) -> Result<SliceEnd, EngineError> {
        self.tell(Step::IsDriven);
        Ok(turn.sends_until.into())
    }

    fn rest(&mut self, _until: u64, _seen: &mut Recorder) -> Result<(), EngineError> {
        Ok(())
    }

    fn end_connections(&mut self, _waiting: u32) -> bool {
        self.tell(Step::Closes);
        true
    }

    fn close(&mut self, _seen: &mut Recorder) {}
}

/// Who of two contenders is first to open connections, to be warmed up, to be driven in the first and in the
/// second round, and to open its connections again.
fn firsts(seed: u64) -> [usize; 5] {
    let steps = Steps::default();
    let lanes = vec![lane_without_address(), lane_without_address()];
    let (round_ns, slice_ns, warm_up) = (2, 1, WarmUp::fixed(1));
    let order = DriveOrder { seed, rounds: 2, round_ns, slice_ns, warm_up, ..order(lanes) };
    let made: Vec<Vec<MakeLane>> = (0..2)
        .map(|contender| {
            let steps = steps.clone();
            for_workers(&order, move |_| Ok(Box::new(Telling { contender, steps: steps.clone() })))
        })
        .collect();
    let stop = Stop::new().expect("a descriptor");
    engine::run(&order, made, Vec::new(), &stop, &mut |_| ControlFlow::Continue(()))
        .expect("the engine holds");
    let steps = steps.lock().unwrap_or_else(PoisonError::into_inner);
    let of = |step| steps.iter().filter(move |(other, _)| *other == step).map(|(_, of)| *of);
    let (opened, driven): (Vec<usize>, Vec<usize>) =
        (of(Step::Opens).collect(), of(Step::IsDriven).collect());
    assert_eq!((opened.len(), driven.len(), of(Step::Closes).count()), (4, 10, 2), "{steps:?}");
    // Both are warmed up once, and each round has two slices of both.
    [opened[0], driven[0], driven[2], driven[6], opened[2]]
}

#[test]
fn whatever_is_done_to_one_contender_after_the_other_has_an_order_of_its_own() {
    const SEEDS: u64 = 640;
    let all: Vec<[usize; 5]> = (1..=SEEDS).map(firsts).collect();
    // The standard deviation of these counts is 12.6 (halves) and 11 (quarters).
    for at in 0..5 {
        let first = all.iter().filter(|firsts| firsts[at] == 0).count();
        assert!((257..384).contains(&first), "{at}: the first of {first} in {SEEDS}");
        for other in at + 1..5 {
            let mut patterns: BTreeMap<[usize; 2], usize> = BTreeMap::new();
            all.iter().for_each(|of| *patterns.entry([of[at], of[other]]).or_default() += 1);
            let even = patterns.values().all(|many| (105..216).contains(many));
            assert!(patterns.len() == 4 && even, "{at} and {other}: {patterns:?}");
        }
    }
}

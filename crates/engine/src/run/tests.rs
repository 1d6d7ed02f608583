//! How trials pass from the workers to the thread that called the engine, in every order of the
//! threads' steps: none is lost, repeated, out of order or made of the wrong parts, and no thread
//! waits for ever.

use super::*;
use crate::schedules::{Schedule, announce, explore, remember_only, step};
use crate::{Lane, Opened, SliceEnd, Turn, for_workers};
use record::{Address, LaneOrder, Phase, Recorder, TrialRecord, WarmUp};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What happens in a run, and when.
#[derive(Clone, Copy, Debug)]
struct Case {
    workers: usize,
    contenders: usize,
    rounds: u32,
    warm_up: WarmUp,
    /// Somebody stops the run, at any time.
    stopped: bool,
    /// Worker 0 fails in its slice with this number, from 0; its lanes cannot be made if it is
    /// `u64::MAX`.
    fails_in: Option<u64>,
    /// The receiver breaks off at this trial, from 1.
    breaks_at: Option<usize>,
    /// The receiver leaves out the lane of this trial, from 1.
    leaves_out_at: Option<usize>,
}

/// How a worker's part of a sum is recognised.
fn mark(worker: usize) -> u64 {
    10_u64.pow(worker as u32)
}

/// Counts what it drives, and contacts nobody.
struct CountingLane {
    worker: usize,
    can_stop: bool,
    fails_in: Option<u64>,
    /// Slices of this worker so far, over all its lanes.
    slices: Arc<AtomicU64>,
    /// What all workers have driven.
    driven: Arc<AtomicU64>,
}

impl Lane for CountingLane {
    fn open(&mut self, _seen: &mut Recorder) -> Result<Opened, EngineError> {
        Ok(Opened { requested: mark(self.worker), established: 0 })
    }

    fn slice(&mut self, turn: &Turn, seen: &mut Recorder) -> Result<SliceEnd, EngineError> {
        // The others may end this slice first; that can be seen only if the run is stopped between.
        if self.can_stop {
            step();
        }
        let slices = self.slices.fetch_add(1, Ordering::Relaxed);
        // All workers have met: which of them led, or was late, has no influence any more.
        remember_only(slices);
        if self.fails_in == Some(slices) {
            return Err(EngineError::helper("a planted failure"));
        }
        seen.unsent(mark(self.worker));
        self.driven.fetch_add(mark(self.worker), Ordering::Relaxed);
        Ok(turn.starts.into())
    }

    fn rest(&mut self, _until: u64, _seen: &mut Recorder) -> Result<(), EngineError> {
        Ok(())
    }

    fn close(&mut self, _seen: &mut Recorder) {}
}

impl Case {
    fn order(&self) -> DriveOrder {
        let lane = LaneOrder::closed(Address::Unix(String::new()), 1);
        DriveOrder {
            seed: 1,
            // Only their number counts: the lanes are made here, and no test needs two cores.
            cores: vec![0; self.workers],
            warm_up: self.warm_up,
            rounds: self.rounds,
            first_round: 1,
            round_ns: 1,
            slice_ns: 1,
            requests: 0,
            lanes: vec![lane; self.contenders],
        }
    }

    /// The lanes of all workers, and the sum of what they have driven.
    fn lanes(
        &self,
        order: &DriveOrder,
        schedule: &Arc<Schedule>,
    ) -> (Vec<Vec<MakeLane>>, Arc<AtomicU64>) {
        let driven = Arc::new(AtomicU64::new(0));
        let slices: Arc<[_]> = (0..self.workers).map(|_| Arc::new(AtomicU64::new(0))).collect();
        let Case { fails_in, contenders, .. } = *self;
        let can_stop = self.stopped || self.breaks_at.or(self.leaves_out_at).is_some();
        let (schedule, total) = (schedule.clone(), driven.clone());
        let make = move |seat: &Seat| {
            schedule.enter(1 + seat.worker);
            let fails_in = fails_in.filter(|_| seat.worker == 0);
            if fails_in == Some(u64::MAX) {
                return Err(EngineError::helper("a planted failure"));
            }
            let (worker, driven) = (seat.worker, total.clone());
            let slices = slices[worker].clone();
            Ok(Box::new(CountingLane { worker, can_stop, fails_in, slices, driven }) as _)
        };
        let lanes = (0..contenders).map(|_| for_workers(order, make.clone())).collect();
        (lanes, driven)
    }

    /// Drives the order once, and checks what the caller of the engine got.
    fn run(&self, schedule: &Arc<Schedule>) -> Result<(), String> {
        let (order, stop) = (self.order(), Stop::new().expect("a descriptor"));
        let (lanes, driven) = self.lanes(&order, schedule);
        let (mut trials, left_out) = (Vec::new(), LeftOut::default());
        let result = std::thread::scope(|scope| {
            if self.stopped {
                scope.spawn(|| {
                    schedule.enter(1 + self.workers);
                    announce();
                    stop.raise();
                });
            }
            let each = &mut |trial: TrialRecord| {
                if self.leaves_out_at == Some(trials.len() + 1) {
                    announce();
                    left_out.add(trial.contender);
                }
                trials.push(trial);
                if self.breaks_at != Some(trials.len()) {
                    return ControlFlow::Continue(());
                }
                announce();
                ControlFlow::Break(())
            };
            let shown = (&stop, &Driving::default(), &left_out);
            let result = run_shown(&order, lanes, Vec::new(), shown, each);
            schedule.leave();
            result
        });
        self.check(&trials, driven.load(Ordering::Relaxed))?;
        let whole =
            trials.len() == self.expected(&trials).count() && !trials.iter().any(|it| it.cut_short);
        match result {
            // One that is stopped may not have come to its failure.
            Ok(()) if self.fails_in.is_some() && !self.stopped => {
                Err("a failure was not reported".to_owned())
            }
            Err(error) if self.fails_in.is_none() => Err(format!("the engine failed: {error}")),
            Ok(()) if !whole && !self.stopped && self.breaks_at.is_none() => {
                Err(format!("{} trials, some of them cut short", trials.len()))
            }
            _ => Ok(()),
        }
    }

    /// All trials, in order.
    fn all(&self) -> impl Iterator<Item = (Phase, u32, u32)> {
        let contenders = self.contenders as u32;
        let of = move |phase, round| (0..contenders).map(move |lane| (phase, round, lane));
        let warm_up = (self.warm_up.most_ns > 0).then_some((Phase::WarmUp, 0)).into_iter();
        let rounds = (1..=self.rounds).map(|round| (Phase::Round, round));
        warm_up.chain(rounds).flat_map(move |(phase, round)| of(phase, round))
    }

    /// All trials that there must be if these were seen: a lane that is left out has none after its last one.
    fn expected(&self, seen: &[TrialRecord]) -> impl Iterator<Item = (Phase, u32, u32)> {
        let out = self.leaves_out_at.and_then(|at| seen.get(at - 1)).map(|it| it.contender);
        let last = seen.iter().rev().find(|it| Some(it.contender) == out).map(|it| it.round);
        self.all().filter(move |(_, round, lane)| Some(*lane) != out || Some(*round) <= last)
    }

    fn check(&self, trials: &[TrialRecord], driven: u64) -> Result<(), String> {
        let keys: Vec<_> = trials.iter().map(|it| (it.phase, it.round, it.contender)).collect();
        if !self.expected(trials).take(keys.len()).eq(keys.iter().copied()) {
            return Err(format!("trials are repeated or out of order: {keys:?}"));
        }
        if self.leaves_out_at.is_none() && !trials.len().is_multiple_of(self.contenders) {
            return Err(format!("some contenders have no trial: {keys:?}"));
        }
        let of_all: u64 = (0..self.workers).map(mark).sum();
        for trial in trials {
            let (parts, seen) = (trial.seen.connections.requested, trial.seen.unsent);
            if parts != of_all || !trial.cut_short && seen != of_all {
                return Err(format!("a trial has the parts {parts} with the slices {seen}"));
            }
        }
        let handed_over: u64 = trials.iter().map(|it| it.seen.unsent).sum();
        if handed_over != driven {
            return Err(format!("{driven} was driven, and {handed_over} handed over"));
        }
        Ok(())
    }

    fn explore(&self) -> Result<usize, String> {
        let threads = 1 + self.workers + usize::from(self.stopped);
        let states = explore(threads, |schedule| self.run(schedule));
        states.map_err(|wrong| format!("{self:?}: {wrong}"))
    }
}

/// Every slice allocates histograms of megabytes. Without this, most of the time is the kernel's,
/// for pages that were returned to it a moment before.
#[cfg(target_env = "gnu")]
fn keep_memory() {
    // SAFETY: these calls only set parameters of the allocator.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
        libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 30);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 1 << 30);
    }
}

#[cfg(not(target_env = "gnu"))]
fn keep_memory() {}

fn explore_all(cases: &[Case]) {
    keep_memory();
    for case in cases {
        let states = case.explore().unwrap_or_else(|wrong| panic!("{wrong}"));
        // Even without a slice, the workers can end in several orders.
        assert!(states > 10, "{case:?} has only {states} states");
    }
}

const TWO: Case = Case {
    workers: 2,
    contenders: 1,
    rounds: 2,
    warm_up: WarmUp { least_ns: 0, most_ns: 0 },
    stopped: false,
    fails_in: None,
    breaks_at: None,
    leaves_out_at: None,
};
const WIDE: Case = Case { contenders: 2, rounds: 1, ..TWO };
const THREE: Case = Case { workers: 3, rounds: 1, ..TWO };

#[test]
fn trials_of_two_workers_arrive_once_in_order_and_whole() {
    explore_all(&[
        TWO,
        WIDE,
        Case { warm_up: WarmUp::fixed(1), rounds: 1, ..TWO },
        // The first slices take longer than the most.
        Case { warm_up: WarmUp { least_ns: 0, most_ns: 1 }, rounds: 1, ..TWO },
        Case { fails_in: Some(u64::MAX), ..TWO },
        Case { fails_in: Some(1), ..TWO },
        Case { fails_in: Some(1), ..WIDE },
    ]);
}

#[test]
fn trials_of_three_workers_arrive_once_in_order_and_whole() {
    explore_all(&[THREE, Case { fails_in: Some(0), ..THREE }]);
}

#[test]
fn a_stop_at_any_time_loses_nothing() {
    explore_all(&[
        Case { stopped: true, ..TWO },
        Case { stopped: true, fails_in: Some(0), rounds: 1, ..TWO },
    ]);
}

#[test]
fn a_receiver_that_breaks_off_loses_nothing() {
    explore_all(&[Case { breaks_at: Some(1), ..TWO }, Case { breaks_at: Some(1), ..WIDE }]);
}

#[test]
fn a_lane_that_is_left_out_at_any_time_takes_nothing_from_the_others() {
    explore_all(&[Case { leaves_out_at: Some(1), workers: 1, rounds: 3, ..WIDE }]);
    // Two workers, and a lane that was left out before the first round: it has the trial of that round alone.
    let order = Case { rounds: 4, ..WIDE }.order();
    let left_out = LeftOut::default();
    left_out.add(1);
    let make = |seat: &Seat| -> Result<Box<dyn Lane>, EngineError> {
        let count = || Arc::new(AtomicU64::new(0));
        let (slices, driven) = (count(), count());
        Ok(Box::new(CountingLane {
            worker: seat.worker,
            can_stop: false,
            fails_in: None,
            slices,
            driven,
        }))
    };
    let lanes = (0..2).map(|_| for_workers(&order, make)).collect();
    let (stop, mut rounds) = (Stop::new().expect("a descriptor"), [Vec::new(), Vec::new()]);
    let each = &mut |trial: TrialRecord| {
        rounds[trial.contender as usize].push(trial.round);
        ControlFlow::Continue(())
    };
    let shown = (&stop, &Driving::default(), &left_out);
    run_shown(&order, lanes, Vec::new(), shown, each).expect("no lane fails");
    assert_eq!(rounds, [vec![1, 2, 3, 4], vec![1]]);
}

/// The check above finds what a wrong hand-over would do.
#[test]
fn lost_repeated_mixed_and_disordered_trials_are_found() {
    let case = TWO;
    let whole = mark(0) + mark(1);
    let trial = |round, parts, slices| {
        let mut seen = Seen { unsent: slices, ..Seen::default() };
        seen.connections.requested = parts;
        let lane_order = case.order().lanes.remove(0);
        let phase = Phase::Round;
        TrialRecord {
            phase,
            round,
            contender: 0,
            lane_order,
            seen,
            cut_short: false,
            levelled: None,
            agents: Vec::new(),
        }
    };
    let of = |rounds: &[u32]| -> Vec<_> {
        rounds.iter().map(|round| trial(*round, whole, whole)).collect()
    };
    assert_eq!(case.check(&of(&[1, 2]), 2 * whole), Ok(()));
    for (trials, driven, why) in [
        (of(&[1]), 2 * whole, "22 was driven, and 11 handed over"),
        (of(&[1, 1]), 2 * whole, "repeated or out of order"),
        (of(&[2, 1]), 2 * whole, "repeated or out of order"),
        (vec![trial(1, mark(0), mark(0))], mark(0), "the parts 1 with the slices 1"),
        (vec![trial(1, 2 * mark(0), whole)], whole, "the parts 2 with the slices 11"),
    ] {
        let wrong = case.check(&trials, driven).expect_err(why);
        assert!(wrong.contains(why), "{wrong}");
    }
}

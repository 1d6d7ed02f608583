//! One call of the engine: workers run on their cores and their parts are merged into trials.

use crate::gate::Together;
use crate::sync::{Receiver, channel};
use crate::worker::{Shared, TrialPart, Worker, WorkerSetup};
use crate::{Driving, Ending, EngineError, MakeLane, Seat, Stop, TargetClock};
use record::{DriveOrder, Seen, TrialRecord};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The error of a worker that panicked.
const PANICKED: &str = "a worker thread panicked: its message is above; please report this";

/// Drives the order: warm-up of every lane, then the rounds. `lanes` are given by contender and
/// then by worker. `targets` read the CPU time of each contender's target; if empty, none is
/// read. `each` receives every trial, in order, as soon as all workers have ended it; `Break`
/// ends the run like [`Stop::raise`], and the trials under way then have `cut_short` set.
///
/// # Errors
/// Returns an error if tiebreak itself failed; failures of targets are data.
pub fn run(
    order: &DriveOrder,
    lanes: Vec<Vec<MakeLane>>,
    targets: Vec<TargetClock<'_>>,
    stop: &Stop,
    each: &mut dyn FnMut(TrialRecord) -> ControlFlow<()>,
) -> Result<(), EngineError> {
    run_shown(order, lanes, targets, (stop, &Driving::default()), each)
}

/// Like [`run`]; `driving` shows what is driven.
///
/// # Errors
/// Returns an error if tiebreak itself failed; failures of targets are data.
pub fn run_shown(
    order: &DriveOrder,
    lanes: Vec<Vec<MakeLane>>,
    targets: Vec<TargetClock<'_>>,
    (stop, driving): (&Stop, &Driving),
    each: &mut dyn FnMut(TrialRecord) -> ControlFlow<()>,
) -> Result<(), EngineError> {
    run_in(order, lanes, targets, (stop, driving), None, each)
}

/// Drives the order as one of several processes that drive the same contenders at the same time.
/// Each has the same order with the whole intensity and drives its share of it.
///
/// # Errors
/// Returns an error if tiebreak itself failed; failures of targets are data.
pub fn run_together(
    order: &DriveOrder,
    lanes: Vec<Vec<MakeLane>>,
    stop: &Stop,
    together: Together<'_>,
    each: &mut dyn FnMut(TrialRecord) -> ControlFlow<()>,
) -> Result<(), EngineError> {
    run_in(order, lanes, Vec::new(), (stop, &Driving::default()), Some(together), each)
}

fn run_in(
    order: &DriveOrder,
    lanes: Vec<Vec<MakeLane>>,
    targets: Vec<TargetClock<'_>>,
    (stop, driving): (&Stop, &Driving),
    together: Option<Together<'_>>,
    each: &mut dyn FnMut(TrialRecord) -> ControlFlow<()>,
) -> Result<(), EngineError> {
    let workers = order.cores.len().max(1);
    let contenders = lanes.len();
    let mut setups: Vec<Vec<MakeLane>> = (0..workers).map(|_| Vec::new()).collect();
    for lane in lanes {
        for (setup, part) in setups.iter_mut().zip(lane) {
            setup.push(part);
        }
    }
    if setups.iter().any(|setup| setup.len() != contenders) || contenders != order.lanes.len() {
        return Err(EngineError::Order(format!(
            "the order names {} contenders on {workers} workers, but there are lanes for a different \
             number",
            order.lanes.len()
        )));
    }
    let (rank, size, gate) = match together {
        Some(Together { rank, size, gate }) => (rank, size, Some(gate)),
        None => (0, 1, None),
    };
    let ending = Ending::new(workers);
    let shared = Shared::new(order, workers, gate, (ending.clone(), driving.clone()));
    let (parts, merged) = channel();
    let mut targets = Some(targets);
    std::thread::scope(|scope| {
        for (at, setup) in setups.into_iter().enumerate() {
            let seat = Seat {
                ending: ending.clone(),
                ..Seat::new(rank + size * at, size * workers, stop.clone())
            };
            let (shared, parts) = (&shared, parts.clone());
            let setup = WorkerSetup {
                core: order.cores.get(at).copied(),
                reads_machine: at == 0,
                lanes: setup,
                // The first worker reads the CPU time of all targets.
                targets: targets.take().unwrap_or_default(),
            };
            std::thread::Builder::new()
                .name(format!("worker-{at}"))
                .spawn_scoped(scope, move || {
                    let work = || Worker::work(order, seat, setup, shared, &parts);
                    if catch_unwind(AssertUnwindSafe(work)).is_err() {
                        // The receiver outlives all workers.
                        let _ = parts.send(Err(EngineError::Panicked(PANICKED.to_owned())));
                    }
                })
                .map_err(|error| {
                    shared.barrier.break_it();
                    EngineError::system("cannot start a worker thread", error)
                })?;
        }
        drop(parts);
        merge(order, workers, stop, &merged, each)
    })
}

/// Merges the workers' parts until all workers are gone.
fn merge(
    order: &DriveOrder,
    workers: usize,
    stop: &Stop,
    parts: &Receiver<Result<TrialPart, EngineError>>,
    each: &mut dyn FnMut(TrialRecord) -> ControlFlow<()>,
) -> Result<(), EngineError> {
    let mut open: BTreeMap<(u64, u32), (usize, bool, Seen)> = BTreeMap::new();
    let mut result = Ok(());
    while let Ok(part) = parts.recv() {
        let part = match part {
            Ok(part) => part,
            Err(broken) => {
                result = result.and(Err(broken));
                continue;
            }
        };
        let key = (part.trial, part.contender);
        let (count, cut_short, seen) = open.entry(key).or_default();
        *count += 1;
        *cut_short |= part.cut_short;
        match *count {
            1 => *seen = part.seen,
            _ => seen.merge(&part.seen),
        }
        if *count < workers {
            continue;
        }
        let (_, cut_short, seen) = open.remove(&key).expect("just counted");
        let trial = TrialRecord {
            phase: part.phase,
            round: part.round,
            contender: part.contender,
            lane_order: order.lanes[part.contender as usize].clone(),
            seen,
            cut_short,
            levelled: part.levelled,
            agents: Vec::new(),
        };
        if each(trial).is_break() {
            stop.raise();
        }
    }
    result
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;

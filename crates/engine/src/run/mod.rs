//! One call of the engine: workers run on their cores and their parts are merged into trials.

use crate::gate::Together;
use crate::sync::{Receiver, channel};
use crate::worker::{Shared, TrialPart, Worker, WorkerSetup};
use crate::{
    Driving, Ending, EngineError, Heartbeat, LOOK_EVERY, LeftOut, MakeLane, Seat, Stop,
    TargetClock, Watchdog, clock,
};
use record::{DriveOrder, Seen, TrialRecord};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::thread::JoinHandle;

/// The error of a worker that panicked.
const PANICKED: &str = "a worker thread panicked: its message is above; please report this";
/// How long the other workers are waited for when one does not come back.
const ENDING_NS: u64 = 2_000_000_000;

/// Drives the order: warm-up of every lane, then the rounds. `lanes` are given by contender and
/// then by worker. `targets` read the CPU time of each contender's target; if empty, none is
/// read. `each` receives every trial, in order, as soon as all workers have ended it; `Break`
/// ends the run like [`Stop::raise`], and the trials under way then have `cut_short` set.
///
/// # Errors
/// Returns an error if tiebreak itself failed, or if a worker does not come back
/// ([`EngineError::Lane`]); other failures of targets are data.
pub fn run(
    order: &DriveOrder,
    lanes: Vec<Vec<MakeLane>>,
    targets: Vec<TargetClock>,
    stop: &Stop,
    each: &mut dyn FnMut(TrialRecord) -> ControlFlow<()>,
) -> Result<(), EngineError> {
    run_shown(order, lanes, targets, (stop, &Driving::default(), &LeftOut::default()), each)
}

/// Like [`run`]; `driving` shows what is driven, and lanes that `left_out` gets meanwhile are not driven in later
/// rounds: there are no trials of them.
///
/// # Errors
/// Those of [`run`].
pub fn run_shown(
    order: &DriveOrder,
    lanes: Vec<Vec<MakeLane>>,
    targets: Vec<TargetClock>,
    (stop, driving, left_out): (&Stop, &Driving, &LeftOut),
    each: &mut dyn FnMut(TrialRecord) -> ControlFlow<()>,
) -> Result<(), EngineError> {
    run_in(order, lanes, targets, (stop, driving, left_out), None, each)
}

/// Drives the order as one of several processes that drive the same contenders at the same time.
/// Each has the same order with the whole intensity and drives its share of it.
///
/// # Errors
/// Those of [`run`].
pub fn run_together(
    order: &DriveOrder,
    lanes: Vec<Vec<MakeLane>>,
    stop: &Stop,
    together: Together,
    each: &mut dyn FnMut(TrialRecord) -> ControlFlow<()>,
) -> Result<(), EngineError> {
    let shown = (stop, &Driving::default(), &LeftOut::default());
    run_in(order, lanes, Vec::new(), shown, Some(together), each)
}

fn run_in(
    order: &DriveOrder,
    lanes: Vec<Vec<MakeLane>>,
    mut targets: Vec<TargetClock>,
    (stop, driving, left_out): (&Stop, &Driving, &LeftOut),
    together: Option<Together>,
    each: &mut dyn FnMut(TrialRecord) -> ControlFlow<()>,
) -> Result<(), EngineError> {
    let workers = order.cores.len().max(1);
    let setups = by_worker(order, lanes, workers)?;
    let (rank, size, gate) = match together {
        Some(Together { rank, size, gate }) => (rank, size, Some(gate)),
        None => (0, 1, None),
    };
    let ending = Ending::new(workers);
    let shared =
        Shared::new(order, workers, gate, (ending.clone(), driving.clone(), left_out.clone()));
    // Owned by the threads, because one that does not come back outlives this call.
    let (order, shared) = (Arc::new(order.clone()), Arc::new(shared));
    let (parts, merged) = channel();
    let mut threads = Threads { all: Vec::new(), shared: shared.clone() };
    for (at, lanes) in setups.into_iter().enumerate() {
        let seat = Seat {
            ending: ending.clone(),
            ..Seat::new(rank + size * at, size * workers, stop.clone())
        };
        let setup = WorkerSetup {
            core: order.cores.get(at).copied(),
            reads_machine: at == 0,
            lanes,
            // The first worker reads the CPU time of all targets.
            targets: std::mem::take(&mut targets),
        };
        let (order, shared, parts) = (order.clone(), shared.clone(), parts.clone());
        threads.start(at, seat.heartbeat.clone(), move || {
            let work = || Worker::work(&order, seat, setup, &shared, &parts);
            if catch_unwind(AssertUnwindSafe(work)).is_err() {
                // The receiver may be gone if another worker does not come back.
                let _ = parts.send(Err(EngineError::Panicked(PANICKED.to_owned())));
            }
        })?;
    }
    drop(parts);
    merge(&order, workers, stop, (&merged, &mut threads), each)
}

/// The lanes of each worker.
fn by_worker(
    order: &DriveOrder,
    lanes: Vec<Vec<MakeLane>>,
    workers: usize,
) -> Result<Vec<Vec<MakeLane>>, EngineError> {
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
    Ok(setups)
}

/// The threads of the workers. All are joined when this is dropped, except those that do not come back.
struct Threads {
    all: Vec<(JoinHandle<()>, Watchdog)>,
    shared: Arc<Shared>,
}

impl Threads {
    fn start(
        &mut self,
        at: usize,
        heartbeat: Heartbeat,
        work: impl FnOnce() + Send + 'static,
    ) -> Result<(), EngineError> {
        let thread = std::thread::Builder::new().name(format!("worker-{at}")).spawn(work);
        let thread = thread.map_err(|error| {
            self.shared.barrier.break_it();
            EngineError::system("cannot start a worker thread", error)
        })?;
        self.all.push((thread, Watchdog::of(heartbeat)));
        Ok(())
    }

    /// Looks whether a worker does not come back. If one does not, the others are released, and those that
    /// do not end soon are left behind, too: they wait for the same target.
    fn look(&mut self) -> Result<(), EngineError> {
        let lost = self.all.iter_mut().find_map(|(thread, watchdog)| {
            let why = watchdog.look(thread).filter(|_| !thread.is_finished())?;
            Some(EngineError::lane(why).at_lane(watchdog.heartbeat().lane()))
        });
        let Some(lost) = lost else { return Ok(()) };
        self.shared.barrier.break_it();
        let until = clock::now() + ENDING_NS;
        while clock::now() < until && self.all.iter().any(|(thread, _)| !thread.is_finished()) {
            std::thread::sleep(LOOK_EVERY / 10);
        }
        self.all.retain(|(thread, _)| thread.is_finished());
        Err(lost)
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        for (thread, _) in self.all.drain(..) {
            // Its panic was caught and reported.
            let _ = thread.join();
        }
    }
}

/// Merges the workers' parts until all workers are gone, or one does not come back.
fn merge(
    order: &DriveOrder,
    workers: usize,
    stop: &Stop,
    (parts, threads): (&Receiver<Result<TrialPart, EngineError>>, &mut Threads),
    each: &mut dyn FnMut(TrialRecord) -> ControlFlow<()>,
) -> Result<(), EngineError> {
    let mut open: BTreeMap<(u64, u32), (usize, bool, Seen)> = BTreeMap::new();
    let mut result = Ok(());
    loop {
        let part = match parts.recv_timeout(LOOK_EVERY) {
            Ok(Ok(part)) => part,
            Ok(Err(broken)) => {
                result = result.and(Err(broken));
                continue;
            }
            Err(RecvTimeoutError::Timeout) => {
                threads.look()?;
                continue;
            }
            Err(RecvTimeoutError::Disconnected) => return result,
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
}

#[cfg(test)]
mod tests;

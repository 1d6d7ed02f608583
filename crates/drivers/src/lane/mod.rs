//! A lane through a client library: a runtime of its own that drives the slices.

mod part;
mod slice;

use crate::budget;
use crate::confined::confined;
use crate::driver::Driver;
use crate::memory::Watch;
use crate::pace::Pace;
use crate::panics;
use crate::request::RequestParts;
use crate::serving::Serving;
use engine::{
    EngineError, Heartbeat, Lane, MakeLane, Numbers, Opened, Seat, SliceEnd, Turn, check_groups,
    clock, for_workers,
};
use part::LanePart;
use record::{DriveOrder, LaneOrder, LaneTask, Recorder};
use tokio::runtime::{Builder, Runtime};
use tokio::task::{LocalSet, yield_now};

/// One contender on one core. Each connection, or with a pool each worker of the application, is a
/// task; what the library spawns runs beside them. None of it runs unless the lane is driven, or
/// maintained at rest.
struct DriverLane<D: Driver> {
    /// The part for its workload, or one part for each group.
    parts: Vec<LanePart<D>>,
    tasks: LocalSet,
    pace: Pace,
    runtime: Runtime,
    supervisor: Supervisor,
    /// Maximum length of a reply, in bytes.
    reply_bytes: u64,
    /// Whether a slice was driven, or the lane was opened, since it closed.
    is_open: bool,
}

impl<D: Driver> DriverLane<D> {
    /// `part` creates one of its parts, whose tasks are added to the given ones.
    fn new(
        lane_order: &LaneOrder,
        seat: &Seat,
        reply_bytes: u64,
        part: impl Fn(&LaneOrder, &Seat, &LocalSet) -> Result<LanePart<D>, EngineError>,
    ) -> Result<DriverLane<D>, EngineError> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| EngineError::system("cannot create a runtime", error))?;
        let pace = {
            let _inside = runtime.enter();
            Pace::new(&seat.stop)?
        };
        let tasks = LocalSet::new();
        let groups = lane_order.groups.len();
        let of_group = |group| {
            let seat = Seat { group, groups, ..seat.clone() };
            part(&lane_order.of_group(&lane_order.groups[group]), &seat, &tasks)
        };
        let parts = match groups {
            0 => vec![part(lane_order, seat, &tasks)?],
            _ => (0..groups).map(of_group).collect::<Result<_, _>>()?,
        };
        let unkept: Option<u64> = parts.iter().map(LanePart::unkept_bytes).sum();
        let supervisor =
            Supervisor { heartbeat: seat.heartbeat.clone(), watch: unkept.map(Watch::new) };
        Ok(DriverLane { parts, tasks, pace, runtime, supervisor, reply_bytes, is_open: false })
    }

    /// Runs the tasks until `what` is done, and records into `seen`.
    ///
    /// # Errors
    /// Returns an error if a task panicked. Code that waits for a task checks for that.
    fn run<T>(
        &mut self,
        seen: &mut Recorder,
        what: impl AsyncFnOnce(&[LanePart<D>], &mut Pace, &mut Supervisor) -> T,
    ) -> Result<T, EngineError> {
        self.swap(seen);
        self.supervisor.watch.iter_mut().for_each(Watch::begin);
        let heartbeat = self.supervisor.heartbeat.clone();
        let run = self.tasks.run_until(what(&self.parts, &mut self.pace, &mut self.supervisor));
        let run = || panics::watched(|| self.runtime.block_on(run));
        let done = confined(&heartbeat, self.reply_bytes, run);
        self.supervisor.watch.iter_mut().for_each(Watch::end);
        self.swap(seen);
        done
    }

    fn threads_cpu_ns(&self) -> u64 {
        self.parts.iter().map(|part| part.shared.driver.threads_cpu_ns()).sum()
    }

    /// Swaps each part's recorder.
    fn swap(&self, seen: &mut Recorder) {
        for (part, seen) in self.parts.iter().zip(recorders(seen)) {
            std::mem::swap(seen, &mut part.shared.scheduler.borrow_mut().seen);
        }
    }
}

/// The recorders of the groups, or the only one if there is one workload.
fn recorders(seen: &mut Recorder) -> &mut [Recorder] {
    if seen.groups_mut().is_empty() { std::slice::from_mut(seen) } else { seen.groups_mut() }
}

/// What is looked after while a library runs.
struct Supervisor {
    heartbeat: Heartbeat,
    /// Set for a library without a limit on the length of replies.
    watch: Option<Watch>,
}

impl Supervisor {
    /// Shows that the library has come back. Abandons everything in progress if it has reserved too much
    /// memory for replies, because it does not show for which reply.
    fn look_after<D: Driver>(&mut self, parts: &[LanePart<D>]) {
        self.heartbeat.beat();
        if let Some(watch) = self.watch.as_mut()
            && watch.is_over()
        {
            parts.iter().for_each(LanePart::give_up);
            watch.given_up();
        }
    }
}

/// Runs the runtime until nothing is left to do, or until this time.
async fn attend<D: Driver>(parts: &[LanePart<D>], until: u64, supervisor: &mut Supervisor) {
    loop {
        // Once for the sockets' events, and once for what follows from them.
        yield_now().await;
        yield_now().await;
        supervisor.look_after(parts);
        let now = clock::now();
        let opening: usize = parts.iter().map(|part| part.attend(now)).sum();
        if opening == 0 || now >= until || panics::happened() {
            return;
        }
    }
}

impl<D: Driver> Lane for DriverLane<D> {
    fn open(&mut self, seen: &mut Recorder) -> Result<Opened, EngineError> {
        self.is_open = true;
        self.run(seen, async |parts, pace, supervisor| {
            for part in parts {
                part.open(pace, || supervisor.look_after(parts)).await;
            }
        })?;
        let mut all = Opened { requested: 0, established: 0 };
        for (part, seen) in self.parts.iter().zip(recorders(seen)) {
            let Opened { requested, established } = part.opened();
            seen.connections(requested, established);
            all = Opened {
                requested: all.requested + requested,
                established: all.established + established,
            };
        }
        Ok(all)
    }

    fn slice(&mut self, turn: &Turn, seen: &mut Recorder) -> Result<SliceEnd, EngineError> {
        let before = self.threads_cpu_ns();
        let end = self.run(seen, async |parts, pace, supervisor| {
            slice::drive(parts, pace, turn, || supervisor.look_after(parts)).await
        })?;
        seen.slice_mut().generator_cpu_ns += self.threads_cpu_ns() - before;
        Ok(end)
    }

    fn rest(&mut self, until: u64, seen: &mut Recorder) -> Result<(), EngineError> {
        self.run(seen, async |parts, _, supervisor| attend(parts, until, supervisor).await)
    }

    fn latest_waiting(&self) -> Option<u64> {
        let drives = self.parts.iter().map(|part| part.shared.scheduler.borrow());
        drives.filter_map(|scheduler| scheduler.drive.latest_waiting()).max()
    }

    fn note_waits(&mut self, seen: &mut Recorder) {
        let now = clock::now();
        for (part, seen) in self.parts.iter().zip(recorders(seen)) {
            part.shared.scheduler.borrow().drive.note_waits(now, seen);
        }
    }

    fn close(&mut self, seen: &mut Recorder) {
        if !std::mem::take(&mut self.is_open) {
            return;
        }
        // What is in progress was left waiting, and ends now. A panic here cannot change what was
        // measured.
        let _ = self.run(seen, async |parts, _, _| {
            for part in parts {
                part.leave().await;
            }
        });
    }
}

impl<D: Driver> Drop for DriverLane<D> {
    fn drop(&mut self) {
        // A failed run does not close its lanes, and a library that cleans up after a connection
        // needs its runtime for that.
        let _inside = self.runtime.enter();
        for part in &self.parts {
            drop(part.shared.scheduler.borrow_mut().dismiss());
        }
    }
}

/// Creates the lanes of one contender of the order: one for each worker, each through the library
/// that `driver` creates.
///
/// # Panics
/// Panics if the order has no such contender.
pub fn lanes<D: Driver>(
    order: &DriveOrder,
    contender: usize,
    request_parts: RequestParts,
    driver: impl Fn() -> Result<D, EngineError> + Clone + Send + 'static,
) -> Vec<MakeLane> {
    let lane_order = order.lanes[contender].clone();
    let numbers = match &lane_order.doing {
        LaneTask::Drive(_) => request_parts.numbers.clone(),
        // A load has its own numbers, and questions are not operations.
        LaneTask::Load(of) => Numbers::starting(of.from, order.cores.len()),
        LaneTask::Ask => Numbers::new(order.cores.len()),
    };
    let seed = order.seed;
    for_workers(order, move |seat| {
        check_groups(&lane_order)?;
        let doing = Some(&lane_order.doing);
        let reply_bytes = budget::of_replies(request_parts.reply_bytes, doing);
        let longest = budget::of_packets(reply_bytes, doing);
        let part = |lane_order: &LaneOrder, seat: &Seat, tasks: &LocalSet| {
            let serving = Serving::new(&lane_order.doing, seed, seat, &request_parts)?;
            LanePart::new(driver()?, serving, lane_order, (seed, numbers.clone()), (seat, tasks))
        };
        Ok(Box::new(DriverLane::new(&lane_order, seat, longest, part)?))
    })
}

#[cfg(test)]
pub(crate) mod tests;

//! Files as a blocking lane: one thread for each connection, which is woken for each slice.
//!
//! Unlike the event loop, this uses threads and a lock, because calls on files block. The
//! threads (`slot`) share a `scheduler`, where `crate::lane_schedule` decides which operation is next
//! and when it is due; what the operation does and how its answer is judged comes through the
//! interface in `work`. The `wakeup` wakes the worker's own thread, which supervises them and
//! interrupts (`crate::interrupt`) calls that take too long. After warm-up nothing here
//! allocates or formats.

mod scheduler;
mod slot;
mod wakeup;
mod work;

pub use work::{Action, Answer, FileWork, Judged, Request};

use super::store::Store;
use engine::{
    Drive, EngineError, InSteps, Lane, LaneStep, MakeLane, Numbers, Opened, Seat, SliceEnd, Steps,
    Stop, Turn, check_interval, clock, for_workers, interrupt,
};
use record::{DriveOrder, LaneOrder, Recorder, Reuse};
use scheduler::Scheduler;
use slot::{Shared, live};
use std::os::fd::RawFd;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use wakeup::Wakeup;

/// How long threads are waited for when the lane closes. A thread that is stuck in a call that
/// nothing can end is left behind.
const LEAVING_NS: u64 = 1_000_000_000;

/// One contender on one core. Each connection is a thread on that core, as an application has
/// processes: it blocks in its operation while the others go on. The worker's own thread sleeps
/// meanwhile, so that it can give up an operation that does not return.
struct FileLane<S, M: Default> {
    asked: LaneOrder,
    seat: Seat,
    store: Store,
    shared: Arc<Shared<S, M>>,
    threads: Vec<JoinHandle<()>>,
    numbers: Numbers,
    /// The CPU time of the threads when the slice started.
    cpu_before: u64,
}

impl<S: Send + 'static, M: Default + Send + 'static> FileLane<S, M> {
    fn new(
        store: Store,
        work: FileWork<S, M>,
        asked: LaneOrder,
        (seed, numbers): (u64, Numbers),
        seat: &Seat,
    ) -> Result<FileLane<S, M>, EngineError> {
        let slots = seat.share(u64::from(asked.intensity.connections)) as usize;
        let (units, first) = (asked.intensity.connections, numbers.next(seat.index()));
        let drive = Drive::new(&asked, units, (first, seat.count() as u64), seed, seat);
        let scheduler = Scheduler::new(drive, work, slots);
        let shared = Arc::new(Shared::new(scheduler, Wakeup::new()?, asked.timeout_ns));
        let threads = Vec::with_capacity(slots);
        Ok(FileLane { asked, seat: seat.clone(), store, shared, threads, numbers, cpu_before: 0 })
    }

    /// Waits until the slice is over and gives up operations that take too long.
    fn watch(&self) -> Result<(), EngineError> {
        let mut stop: Option<&Stop> = Some(&self.seat.stop);
        while let Some(until) = self.look()? {
            if self.shared.wakeup.wait(stop.map(Stop::fd), until) {
                self.cut();
                stop = None;
            }
        }
        Ok(())
    }

    /// Gives up operations that take too long. Returns when to check again, or None if the slice
    /// is over.
    fn look(&self) -> Result<Option<u64>, EngineError> {
        let mut guard = self.shared.scheduler();
        let scheduler = &mut *guard;
        let now = clock::now();
        if scheduler.lost {
            let why = "a thread of a files lane ended with a panic";
            return Err(EngineError::Panicked(why.to_owned()));
        }
        scheduler.drive.note_drain(now, &mut scheduler.seen);
        scheduler.give_up(now);
        for (thread, slot) in self.threads.iter().zip(&scheduler.slots) {
            if slot.is_stuck(now) {
                interrupt::interrupt(thread);
            }
        }
        let over = scheduler.drive.is_over(now);
        Ok((!over)
            .then(|| scheduler.drive.look_at(now).min(now + check_interval(self.asked.timeout_ns))))
    }

    /// Starts the threads. They count as free from now on, though the system may let them run
    /// later.
    fn start(&mut self, slots: usize) {
        for slot in 0..slots {
            let (shared, store) = (self.shared.clone(), self.store.handle());
            let thread = std::thread::Builder::new()
                .name(format!("files-{}-{slot}", self.seat.index()))
                .spawn(move || live(&shared, slot, store));
            match thread {
                Ok(thread) => self.threads.push(thread),
                // The system allows no more threads: this is data, as with connections.
                Err(_) => return,
            }
            self.shared.scheduler().drive.freed(clock::now());
        }
    }

    /// Notes that the run must end.
    fn cut(&self) {
        self.shared.scheduler().drive.cut(clock::now());
        self.shared.call_all();
    }

    fn cpu_ns(&self) -> u64 {
        self.threads.iter().map(clock::cpu_of).sum()
    }

    /// Ends the threads.
    fn dismiss(&mut self) {
        self.shared.scheduler().closing = true;
        self.shared.call_all();
        let until = clock::now() + LEAVING_NS;
        while !self.threads.is_empty() && clock::now() < until {
            let done = |thread: &mut JoinHandle<()>| thread.is_finished();
            for thread in self.threads.extract_if(.., done) {
                // A panic was reported already, or the run is over.
                let _ = thread.join();
            }
            self.threads.iter().for_each(interrupt::interrupt);
            std::thread::sleep(Duration::from_micros(200));
        }
        self.threads.clear();
    }
}

impl<S: Send + 'static, M: Default + Send + 'static> Lane for FileLane<S, M> {
    fn open(&mut self, _seen: &mut Recorder) -> Result<Opened, EngineError> {
        interrupt::prepare();
        let asked = self.shared.scheduler().slots.len();
        self.start(asked);
        Ok(Opened { requested: asked as u64, established: self.threads.len() as u64 })
    }

    fn slice(&mut self, turn: &Turn, seen: &mut Recorder) -> Result<SliceEnd, EngineError> {
        while clock::now() < turn.starts {
            // This takes some microseconds at most: a sleep would overshoot by more.
            std::hint::spin_loop();
        }
        self.begin(turn, seen);
        let watched = self.watch();
        let end = self.finish(seen);
        watched.map(|()| end)
    }

    fn rest(&mut self, _until: u64, _seen: &mut Recorder) -> Result<(), EngineError> {
        Ok(())
    }

    fn close(&mut self, _seen: &mut Recorder) {
        // Nothing is under way, because every slice ended with its operations.
        self.numbers.keep(self.seat.index(), self.shared.scheduler().drive.number());
        self.dismiss();
    }

    fn steps(&mut self) -> Option<InSteps<'_>> {
        Some(self)
    }
}

impl<S: Send + 'static, M: Default + Send + 'static> Steps for FileLane<S, M> {
    fn begin(&mut self, turn: &Turn, seen: &mut Recorder) {
        self.cpu_before = self.cpu_ns();
        let open_loop = {
            let mut scheduler = self.shared.scheduler();
            std::mem::swap(seen, &mut scheduler.seen);
            scheduler.drive.start(turn);
            scheduler.drive.is_open_loop()
        };
        if open_loop { self.shared.call_one() } else { self.shared.call_all() }
    }

    fn step(&mut self, _seen: &mut Recorder) -> Result<LaneStep, EngineError> {
        self.shared.wakeup.clear();
        if self.seat.stop.raised() {
            self.cut();
        }
        Ok(LaneStep { worked: false, until: self.look()? })
    }

    fn finish(&mut self, seen: &mut Recorder) -> SliceEnd {
        let mut guard = self.shared.scheduler();
        let scheduler = &mut *guard;
        scheduler.abandon();
        let end = scheduler.drive.end(clock::now(), &mut scheduler.seen);
        std::mem::swap(seen, &mut scheduler.seen);
        drop(guard);
        // A thread that ended with a panic has no clock any more.
        seen.slice_mut().generator_cpu_ns += self.cpu_ns().saturating_sub(self.cpu_before);
        end
    }

    fn ready(&self) -> RawFd {
        self.shared.wakeup.fd()
    }

    fn is_open_loop(&self) -> bool {
        self.shared.scheduler().drive.is_open_loop()
    }
}

impl<S, M: Default> Drop for FileLane<S, M> {
    fn drop(&mut self) {
        // A run that failed does not close its lanes.
        self.shared.scheduler().closing = true;
        self.shared.call_all();
    }
}

/// Returns the lanes of one contender of the order, one for each worker, each with as many
/// threads as its share of the connections. `numbers` keeps the numbers of the next operations,
/// `work` creates the work of a worker.
///
/// # Panics
/// Panics if the order has no such contender.
pub fn file_lanes<S: Send + 'static, M: Default + Send + 'static>(
    order: &DriveOrder,
    contender: usize,
    store: &Store,
    numbers: &Numbers,
    work: impl Fn(&Seat) -> Result<FileWork<S, M>, EngineError> + Clone + Send + 'static,
) -> Vec<MakeLane> {
    let asked = order.lanes[contender].clone();
    let (seed, store, numbers) = (order.seed, Arc::new(store.handle()), numbers.clone());
    for_workers(order, move |seat| {
        check(&asked)?;
        let more = (seed, numbers.clone());
        let lane = FileLane::new(store.handle(), work(seat)?, asked.clone(), more, seat)?;
        Ok(Box::new(lane))
    })
}

/// Checks that files can be driven with these settings.
fn check(asked: &LaneOrder) -> Result<(), EngineError> {
    let why = match asked {
        _ if asked.reuse != Reuse::Always => {
            "files have no connections that could be reopened; leave out reuse"
        }
        _ if asked.intensity.depth > 1 => {
            "a file has one operation at a time; leave out depth, or set connections"
        }
        _ => return Ok(()),
    };
    Err(EngineError::order(why))
}

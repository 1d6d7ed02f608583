//! A blocking lane: threads, woken for each slice.

use super::bell::Bell;
use super::desk::Desk;
use super::place::{Shared, live};
use super::tool::Tool;
use super::work::Work;
use crate::drive::Drive;
use crate::interrupt;
use crate::lane::{InSteps, Step, Steps, for_workers};
use crate::{Broken, Lane, MakeLane, Numbers, Opened, Seat, Stop, Turn, clock};
use record::{Asked, LaneAsked, Recorder};
use std::os::fd::RawFd;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

/// How often timeouts are looked at, at the least.
const HOUSEKEEPING_NS: u64 = 100_000_000;
/// How long a thread may take to make ready, at most.
const OPENING_NS: u64 = 10_000_000_000;
/// How long threads are waited for when the lane closes. One that is stuck in a
/// call that nothing can end is left behind.
const LEAVING_NS: u64 = 1_000_000_000;

/// One contender on one core. Each connection is a thread on that core, as an
/// application has processes: it blocks in its operation, and the others go on.
/// The worker's own thread sleeps meanwhile, so that an operation that does not
/// come back is given up all the same.
struct BlockingLane<T: Tool, S, M: Default> {
    asked: LaneAsked,
    seat: Seat,
    tool: T,
    shared: Arc<Shared<S, M>>,
    threads: Vec<JoinHandle<()>>,
    numbers: Numbers,
    /// CPU time of the threads when the slice started.
    cpu_before: u64,
}

impl<T: Tool, S: Send + 'static, M: Default + Send + 'static> BlockingLane<T, S, M> {
    fn new(
        tool: T,
        work: Work<S, M>,
        asked: LaneAsked,
        (seed, numbers): (u64, Numbers),
        seat: &Seat,
    ) -> Result<BlockingLane<T, S, M>, Broken> {
        let places = seat.share(u64::from(asked.connections)) as usize;
        let drive = Drive::new(&asked, seed, seat, numbers.next(seat.place()));
        let desk = Desk::new(drive, work, places);
        let shared = Arc::new(Shared::new(desk, Bell::new()?, asked.timeout_ns));
        let threads = Vec::with_capacity(places);
        Ok(BlockingLane {
            asked,
            seat: seat.clone(),
            tool,
            shared,
            threads,
            numbers,
            cpu_before: 0,
        })
    }

    /// Waits until the slice is over, giving up what takes too long.
    fn watch(&self) -> Result<(), Broken> {
        let mut stop: Option<&Stop> = Some(&self.seat.stop);
        while let Some(until) = self.look()? {
            if self.shared.bell.wait(stop.map(Stop::fd), until) {
                self.cut();
                stop = None;
            }
        }
        Ok(())
    }

    /// Gives up what takes too long. Returns when to look again; none: the slice is
    /// over.
    fn look(&self) -> Result<Option<u64>, Broken> {
        let mut guard = self.shared.desk();
        let desk = &mut *guard;
        let now = clock::now();
        desk.drive.note_drain(now, &mut desk.seen);
        desk.give_up(now);
        self.interrupt(desk, now)?;
        let over = desk.drive.is_over(now);
        Ok((!over).then(|| desk.drive.look_at().min(now + self.often())))
    }

    fn often(&self) -> u64 {
        HOUSEKEEPING_NS.min(self.asked.timeout_ns / 16).max(100_000)
    }

    /// Takes threads out of calls that take too long.
    fn interrupt(&self, desk: &Desk<S, M>, now: u64) -> Result<(), Broken> {
        if desk.lost {
            return Err(Broken(format!("a thread of the lane of {} ended with a panic", T::NAME)));
        }
        for (thread, place) in self.threads.iter().zip(&desk.places) {
            if place.is_stuck(now) {
                interrupt::interrupt(thread);
            }
        }
        Ok(())
    }

    /// Starts the threads.
    fn start(&mut self, places: usize) {
        for place in 0..places {
            let until = clock::now() + self.asked.timeout_ns.min(OPENING_NS);
            self.shared.desk().opens(place, until);
            let (shared, tool) = (self.shared.clone(), self.tool.another());
            let thread = std::thread::Builder::new()
                .name(format!("{}-{}-{place}", T::NAME, self.seat.place()))
                .spawn(move || live(&shared, place, tool));
            match thread {
                Ok(thread) => self.threads.push(thread),
                // No more threads: data, as with connections.
                Err(_) => return self.shared.desk().unused(place),
            }
        }
    }

    /// Waits until all threads have made ready, or given up, or the run is to end.
    fn await_opened(&self) -> Result<(), Broken> {
        loop {
            let until = {
                let desk = self.shared.desk();
                if desk.opening == 0 {
                    return Ok(());
                }
                let now = clock::now();
                self.interrupt(&desk, now)?;
                now + self.often()
            };
            if self.shared.bell.wait(Some(self.seat.stop.fd()), until) {
                return Ok(());
            }
        }
    }

    /// The run is to end.
    fn cut(&self) {
        self.shared.desk().drive.cut(clock::now());
        self.shared.call_all();
    }

    fn cpu_ns(&self) -> u64 {
        self.threads.iter().map(interrupt::cpu_ns).sum()
    }

    /// Sends the threads home.
    fn dismiss(&mut self) {
        self.shared.desk().closing = true;
        self.shared.call_all();
        let began = clock::now();
        while !self.threads.is_empty() && clock::now() < began + LEAVING_NS {
            let done = |thread: &mut JoinHandle<()>| thread.is_finished();
            for thread in self.threads.extract_if(.., done) {
                // A panic was told already, or the run is over.
                let _ = thread.join();
            }
            if clock::now() >= began + T::GOODBYE_NS {
                self.threads.iter().for_each(interrupt::interrupt);
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        self.threads.clear();
    }
}

impl<T: Tool, S: Send + 'static, M: Default + Send + 'static> Lane for BlockingLane<T, S, M> {
    fn open(&mut self, seen: &mut Recorder) -> Result<Opened, Broken> {
        interrupt::prepare();
        let asked = self.shared.desk().places.len();
        std::mem::swap(seen, &mut self.shared.desk().seen);
        self.start(asked);
        let waited = self.await_opened();
        let mut desk = self.shared.desk();
        std::mem::swap(seen, &mut desk.seen);
        waited.map(|()| Opened { asked: asked as u64, got: desk.opened as u64 })
    }

    fn slice(&mut self, turn: &Turn, seen: &mut Recorder) -> Result<u64, Broken> {
        while clock::now() < turn.starts {
            // Some microseconds at most: a sleep would overshoot by more.
            std::hint::spin_loop();
        }
        self.begin(turn, seen);
        let watched = self.watch();
        let last_ended = self.finish(seen);
        watched.map(|()| last_ended)
    }

    fn rest(&mut self, _until: u64, _seen: &mut Recorder) -> Result<(), Broken> {
        Ok(())
    }

    fn close(&mut self, _seen: &mut Recorder) {
        // Nothing is under way: every slice ended with what was.
        self.numbers.keep(self.seat.place(), self.shared.desk().drive.number());
        self.dismiss();
    }

    fn steps(&mut self) -> Option<InSteps<'_>> {
        Some(self)
    }
}

impl<T: Tool, S: Send + 'static, M: Default + Send + 'static> Steps for BlockingLane<T, S, M> {
    fn begin(&mut self, turn: &Turn, seen: &mut Recorder) {
        self.cpu_before = self.cpu_ns();
        let open_loop = {
            let mut desk = self.shared.desk();
            std::mem::swap(seen, &mut desk.seen);
            desk.drive.start(turn);
            desk.drive.is_open_loop()
        };
        match open_loop {
            true => self.shared.call_one(),
            false => self.shared.call_all(),
        }
    }

    fn step(&mut self, _seen: &mut Recorder) -> Result<Step, Broken> {
        self.shared.bell.hush();
        if self.seat.stop.raised() {
            self.cut();
        }
        Ok(Step { worked: false, until: self.look()? })
    }

    fn finish(&mut self, seen: &mut Recorder) -> u64 {
        let mut guard = self.shared.desk();
        let desk = &mut *guard;
        desk.abandon();
        let last_ended = desk.drive.end(clock::now(), &mut desk.seen);
        std::mem::swap(seen, &mut desk.seen);
        drop(guard);
        // A thread that ended with a panic has no clock any more.
        seen.slice_mut().generator_cpu_ns += self.cpu_ns().saturating_sub(self.cpu_before);
        last_ended
    }

    fn ready(&self) -> RawFd {
        self.shared.bell.fd()
    }

    fn is_open_loop(&self) -> bool {
        self.shared.desk().drive.is_open_loop()
    }
}

impl<T: Tool, S, M: Default> Drop for BlockingLane<T, S, M> {
    fn drop(&mut self) {
        // A run that broke does not close its lanes.
        self.shared.desk().closing = true;
        self.shared.call_all();
    }
}

/// The lanes of one contender of the order: one for each worker, each with as
/// many threads as its share of the connections, each with a tool of its own. `numbers` says where its
/// operations go on, `work` makes what a worker does.
///
/// # Panics
/// When the order has no such contender.
pub fn blocking_lanes<T: Tool, S: Send + 'static, M: Default + Send + 'static>(
    order: &Asked,
    contender: usize,
    tool: T,
    numbers: &Numbers,
    work: impl Fn(&Seat) -> Result<Work<S, M>, Broken> + Clone + Send + 'static,
) -> Vec<MakeLane> {
    let asked = order.lanes[contender].clone();
    let (seed, tool, numbers) = (order.seed, Arc::new(tool), numbers.clone());
    for_workers(order, move |seat| {
        let more = (seed, numbers.clone());
        let lane = BlockingLane::new(tool.another(), work(seat)?, asked.clone(), more, seat)?;
        Ok(Box::new(lane))
    })
}

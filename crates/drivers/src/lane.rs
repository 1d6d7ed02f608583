//! A lane through a client library: a runtime of its own, taken through the slices.

use crate::desk::{Desk, Work};
use crate::driver::Driver;
use crate::pace::{Pace, SPIN_NS};
use crate::place::{OPENING_NS, Shared, live};
use crate::pool::Pool;
use crate::serving::Serving;
use engine::workload::Feeds;
use engine::{Broken, Drive, Lane, MakeLane, Numbers, Opened, Seat, Turn, clock, for_workers};
use record::{Asked, Doing, LaneAsked, Recorder, Reuse};
use std::rc::Rc;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::task::{LocalSet, yield_now};

/// Connections that are opened at once while the lane opens, as in the event loop.
const DIALLING: usize = 64;
/// How long a connection may take to say goodbye when the lane closes.
const LEAVING: Duration = Duration::from_millis(200);

/// One contender on one core. Each connection, or with a pool each worker of the
/// application, is a task; what the library spawns runs beside them. Nothing of it
/// runs unless the lane is driven or attended to at rest.
struct DriverLane<D: Driver> {
    shared: Rc<Shared<D>>,
    tasks: LocalSet,
    pace: Pace,
    runtime: Runtime,
    seat: Seat,
    numbers: Numbers,
    /// Connections asked for, and how many of them are kept open.
    asked: u64,
    kept: usize,
    /// A slice was driven, or the lane was opened, since it closed.
    is_open: bool,
}

impl<D: Driver> DriverLane<D> {
    fn new(
        driver: D,
        serving: Serving,
        asked: &LaneAsked,
        (seed, numbers): (u64, Numbers),
        seat: &Seat,
    ) -> Result<DriverLane<D>, Broken> {
        check(asked)?;
        let places = seat.share(u64::from(asked.connections)) as usize;
        let (pool, kept) = match asked.reuse {
            Reuse::Pool(of) => {
                let max = seat.share(u64::from(of.max)) as usize;
                if max == 0 && places > 0 {
                    let why = "a pool has fewer connections than there are workers; raise pool.max";
                    return Err(Broken(why.to_owned()));
                }
                (Some(Pool::new(max)), max.min(places))
            }
            Reuse::Never => (None, 0),
            Reuse::Always | Reuse::Times(_) => (None, places),
        };
        let shortest_ns = match asked.reuse {
            Reuse::Pool(of) => of.wait_ns.min(asked.timeout_ns),
            _ => asked.timeout_ns,
        };
        let drive = Drive::new(asked, seed, seat, numbers.next(seat.place()));
        let desk = Desk::new(drive, places, pool, shortest_ns);
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Broken::system("cannot make a runtime", &error))?;
        let pace = {
            let _inside = runtime.enter();
            Pace::new(&seat.stop)?
        };
        let shared = Rc::new(Shared::new(driver, desk, serving, asked, seat.worker));
        let tasks = LocalSet::new();
        for place in 0..places {
            tasks.spawn_local(live(shared.clone(), place));
        }
        let asked = match asked.reuse {
            Reuse::Pool(_) => kept,
            _ => places,
        };
        let (asked, seat) = (asked as u64, seat.clone());
        Ok(DriverLane { shared, tasks, pace, runtime, seat, numbers, asked, kept, is_open: false })
    }

    /// Runs the tasks until this is done, and records with `seen` meanwhile.
    fn run<T>(
        &mut self,
        seen: &mut Recorder,
        what: impl AsyncFnOnce(&Shared<D>, &mut Pace) -> T,
    ) -> T {
        std::mem::swap(seen, &mut self.shared.desk.borrow_mut().seen);
        let (shared, pace) = (&*self.shared, &mut self.pace);
        let done = self.runtime.block_on(self.tasks.run_until(what(shared, pace)));
        std::mem::swap(seen, &mut self.shared.desk.borrow_mut().seen);
        done
    }
}

/// Whether a client library can be driven so.
fn check(asked: &LaneAsked) -> Result<(), Broken> {
    // A load is asked to have many in flight, and has them in batches.
    let loads = matches!(asked.doing, Doing::Load(_));
    match asked.depth {
        2.. if !loads => Err(Broken(
            "a connection of a client library has one operation at a time; leave out depth, or \
             ask for connections"
                .to_owned(),
        )),
        _ => Ok(()),
    }
}

/// Opens the connections that are kept.
async fn open_all<D: Driver>(shared: &Shared<D>, pace: &mut Pace, kept: usize) {
    let gives_up = clock::now() + OPENING_NS;
    let mut next = 0;
    loop {
        let until = {
            let mut desk = shared.desk.borrow_mut();
            let now = clock::now();
            let goes_on = now < gives_up && !pace.stopped();
            while goes_on && next < kept && desk.opening() < DIALLING {
                desk.give(next, Work::Open);
                next += 1;
            }
            if desk.opening() == 0 {
                return;
            }
            desk.keep_house(now);
            desk.look_at()
        };
        pace.wait(until, |context| shared.desk.borrow_mut().was_called(context)).await;
    }
}

/// Drives one slice to its last reply. Returns when that was.
async fn drive<D: Driver>(shared: &Shared<D>, pace: &mut Pace, turn: &Turn) -> u64 {
    while clock::now() < turn.starts {
        // Some microseconds at most: a sleep would overshoot by more.
        std::hint::spin_loop();
    }
    shared.desk.borrow_mut().drive.start(turn);
    let mut cut = false;
    loop {
        let now = clock::now();
        let next = {
            let mut desk = shared.desk.borrow_mut();
            if pace.stopped() && !std::mem::replace(&mut cut, true) {
                desk.drive.cut(now);
            }
            look(&mut desk, now)
        };
        match next {
            Look::Over => break,
            // The runtime looks at its sockets meanwhile.
            Look::Again => yield_now().await,
            Look::At(until) => {
                pace.wait(until, |context| shared.desk.borrow_mut().was_called(context)).await;
            }
        }
    }
    while shared.desk.borrow().busy() > 0 {
        shared.desk.borrow_mut().leave_all();
        yield_now().await;
    }
    let mut desk = shared.desk.borrow_mut();
    let Desk { drive, seen, .. } = &mut *desk;
    drive.end(clock::now(), seen)
}

/// When a slice is to be looked at again.
enum Look {
    /// All operations have ended, or the time to wait is over.
    Over,
    Again,
    At(u64),
}

/// Does what is to be done in a slice by `now`.
fn look<C>(desk: &mut Desk<C>, now: u64) -> Look {
    let due = desk.hand_out(now);
    if now >= desk.look_at() {
        desk.keep_house(now);
    }
    let Desk { drive, seen, .. } = desk;
    drive.note_drain(now, seen);
    if drive.is_over(now) {
        return Look::Over;
    }
    let until = drive.look_at().min(desk.look_at());
    match due {
        Some(due) if due <= now + SPIN_NS => Look::Again,
        Some(due) => Look::At(until.min(due - SPIN_NS)),
        None => Look::At(until),
    }
}

/// Turns the runtime until nothing is left to do, or until this time.
async fn attend<D: Driver>(shared: &Shared<D>, until: u64) {
    loop {
        // Once for what the sockets say, once for what follows from it.
        yield_now().await;
        yield_now().await;
        let now = clock::now();
        let mut desk = shared.desk.borrow_mut();
        for _ in 0..desk.reopen(|client| shared.driver.is_closed(client)) {
            desk.seen.reopened_at_rest();
        }
        desk.keep_house(now);
        if desk.opening() == 0 || now >= until {
            return;
        }
    }
}

/// Ends the tasks, and says goodbye on all connections.
async fn leave<D: Driver>(shared: &Shared<D>) {
    let clients = {
        let mut desk = shared.desk.borrow_mut();
        desk.close();
        desk.dismiss()
    };
    for client in clients {
        // No pacing: just not for ever.
        let _ = tokio::time::timeout(LEAVING, shared.driver.close(client)).await;
    }
    yield_now().await;
}

impl<D: Driver> Lane for DriverLane<D> {
    fn open(&mut self, seen: &mut Recorder) -> Result<Opened, Broken> {
        self.is_open = true;
        let kept = self.kept;
        self.run(seen, async |shared, pace| open_all(shared, pace, kept).await);
        let got = self.shared.desk.borrow().connections() as u64;
        // Fresh connections belong to operations; there is nothing to keep open.
        let got = if self.kept == 0 { self.asked } else { got };
        Ok(Opened { asked: self.asked, got })
    }

    fn slice(&mut self, turn: &Turn, seen: &mut Recorder) -> Result<u64, Broken> {
        Ok(self.run(seen, async |shared, pace| drive(shared, pace, turn).await))
    }

    fn rest(&mut self, until: u64, seen: &mut Recorder) -> Result<(), Broken> {
        self.run(seen, async |shared, _| attend(shared, until).await);
        Ok(())
    }

    fn close(&mut self, seen: &mut Recorder) {
        if !std::mem::take(&mut self.is_open) {
            return;
        }
        self.numbers.keep(self.seat.place(), self.shared.desk.borrow().drive.number());
        // Nothing is under way: every slice ended with what was.
        self.run(seen, async |shared, _| leave(shared).await);
    }
}

impl<D: Driver> Drop for DriverLane<D> {
    fn drop(&mut self) {
        // A run that broke does not close its lanes, and a library that cleans up
        // behind a connection does so in its runtime.
        let _inside = self.runtime.enter();
        drop(self.shared.desk.borrow_mut().dismiss());
    }
}

/// What a contender's operations speak of beside their workload.
pub(crate) struct Asks<'a> {
    /// The one statement, where that is what is asked.
    pub(crate) query: &'a str,
    /// Rows of feeds.
    pub(crate) feeds: &'a Feeds,
}

/// The lanes of one contender of the order: one for each worker, each through the
/// library that `driver` makes. `query`: the contender's one statement.
///
/// # Panics
/// When the order has no such contender.
pub(crate) fn lanes<D: Driver>(
    order: &Asked,
    contender: usize,
    numbers: &Numbers,
    asks: Asks<'_>,
    driver: impl Fn() -> Result<D, Broken> + Clone + Send + 'static,
) -> Vec<MakeLane> {
    let asked = order.lanes[contender].clone();
    let numbers = match &asked.doing {
        Doing::Drive(_) => numbers.clone(),
        // A load counts for itself, and questions are no operations.
        Doing::Load(of) => Numbers::starting(of.from, order.cores.len()),
        Doing::Ask => Numbers::new(order.cores.len()),
    };
    let (seed, query, feeds) = (order.seed, asks.query.to_owned(), asks.feeds.clone());
    for_workers(order, move |seat| {
        let asks = Asks { query: &query, feeds: &feeds };
        let serving = Serving::new(&asked.doing, seed, seat, &asks)?;
        let more = (seed, numbers.clone());
        Ok(Box::new(DriverLane::new(driver()?, serving, &asked, more, seat)?))
    })
}

#[cfg(test)]
mod tests;

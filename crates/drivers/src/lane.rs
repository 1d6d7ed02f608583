//! A lane through a client library: a runtime of its own, taken through the slices.

mod part;
mod slice;

use crate::driver::Driver;
use crate::pace::Pace;
use crate::serving::Serving;
use engine::workload::Feeds;
use engine::{
    Broken, Lane, MakeLane, Numbers, Opened, Seat, Turn, check_groups, clock, for_workers,
};
use part::Part;
use record::{Asked, Doing, LaneAsked, Recorder};
use tokio::runtime::{Builder, Runtime};
use tokio::task::{LocalSet, yield_now};

/// One contender on one core. Each connection, or with a pool each worker of the
/// application, is a task; what the library spawns runs beside them. Nothing of it
/// runs unless the lane is driven or attended to at rest.
struct DriverLane<D: Driver> {
    /// Its workload, or one for each group.
    parts: Vec<Part<D>>,
    tasks: LocalSet,
    pace: Pace,
    runtime: Runtime,
    /// A slice was driven, or the lane was opened, since it closed.
    is_open: bool,
}

impl<D: Driver> DriverLane<D> {
    /// `part` makes one of its parts, whose tasks are among those that it is given.
    fn new(
        asked: &LaneAsked,
        seat: &Seat,
        part: impl Fn(&LaneAsked, &Seat, &LocalSet) -> Result<Part<D>, Broken>,
    ) -> Result<DriverLane<D>, Broken> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Broken::system("cannot make a runtime", &error))?;
        let pace = {
            let _inside = runtime.enter();
            Pace::new(&seat.stop)?
        };
        let tasks = LocalSet::new();
        let groups = asked.groups.len();
        let of_group = |group| {
            let seat = Seat { group, groups, ..seat.clone() };
            part(&asked.of_group(&asked.groups[group]), &seat, &tasks)
        };
        let parts = match groups {
            0 => vec![part(asked, seat, &tasks)?],
            _ => (0..groups).map(of_group).collect::<Result<_, _>>()?,
        };
        Ok(DriverLane { parts, tasks, pace, runtime, is_open: false })
    }

    /// Runs the tasks until this is done, and records with `seen` meanwhile.
    fn run<T>(
        &mut self,
        seen: &mut Recorder,
        what: impl AsyncFnOnce(&[Part<D>], &mut Pace) -> T,
    ) -> T {
        self.swap(seen);
        let done = self.runtime.block_on(self.tasks.run_until(what(&self.parts, &mut self.pace)));
        self.swap(seen);
        done
    }

    fn threads_cpu_ns(&self) -> u64 {
        self.parts.iter().map(|part| part.shared.driver.threads_cpu_ns()).sum()
    }

    /// Each part records with a recorder of its own.
    fn swap(&self, seen: &mut Recorder) {
        for (part, seen) in self.parts.iter().zip(recorders(seen)) {
            std::mem::swap(seen, &mut part.shared.desk.borrow_mut().seen);
        }
    }
}

/// Those of the groups; where there is one workload, its one.
fn recorders(seen: &mut Recorder) -> &mut [Recorder] {
    match seen.groups_mut().is_empty() {
        true => std::slice::from_mut(seen),
        false => seen.groups_mut(),
    }
}

/// Turns the runtime until nothing is left to do, or until this time.
async fn attend<D: Driver>(parts: &[Part<D>], until: u64) {
    loop {
        // Once for what the sockets say, once for what follows from it.
        yield_now().await;
        yield_now().await;
        let now = clock::now();
        let opening: usize = parts.iter().map(|part| part.attend(now)).sum();
        if opening == 0 || now >= until {
            return;
        }
    }
}

impl<D: Driver> Lane for DriverLane<D> {
    fn open(&mut self, seen: &mut Recorder) -> Result<Opened, Broken> {
        self.is_open = true;
        self.run(seen, async |parts, pace| {
            for part in parts {
                part.open(pace).await;
            }
        });
        let mut all = Opened { asked: 0, got: 0 };
        for (part, seen) in self.parts.iter().zip(recorders(seen)) {
            let Opened { asked, got } = part.opened();
            seen.connections(asked, got);
            all = Opened { asked: all.asked + asked, got: all.got + got };
        }
        Ok(all)
    }

    fn slice(&mut self, turn: &Turn, seen: &mut Recorder) -> Result<u64, Broken> {
        let before = self.threads_cpu_ns();
        let last = self.run(seen, async |parts, pace| slice::drive(parts, pace, turn).await);
        seen.slice_mut().generator_cpu_ns += self.threads_cpu_ns() - before;
        Ok(last)
    }

    fn rest(&mut self, until: u64, seen: &mut Recorder) -> Result<(), Broken> {
        self.run(seen, async |parts, _| attend(parts, until).await);
        Ok(())
    }

    fn close(&mut self, seen: &mut Recorder) {
        if !std::mem::take(&mut self.is_open) {
            return;
        }
        // Nothing is under way: every slice ended with what was.
        self.run(seen, async |parts, _| {
            for part in parts {
                part.leave().await;
            }
        });
    }
}

impl<D: Driver> Drop for DriverLane<D> {
    fn drop(&mut self) {
        // A run that broke does not close its lanes, and a library that cleans up
        // behind a connection does so in its runtime.
        let _inside = self.runtime.enter();
        for part in &self.parts {
            drop(part.shared.desk.borrow_mut().dismiss());
        }
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
        check_groups(&asked)?;
        let asks = Asks { query: &query, feeds: &feeds };
        let part = |asked: &LaneAsked, seat: &Seat, tasks: &LocalSet| {
            let serving = Serving::new(&asked.doing, seed, seat, &asks)?;
            Part::new(driver()?, serving, asked, (seed, numbers.clone()), (seat, tasks))
        };
        Ok(Box::new(DriverLane::new(&asked, seat, part)?))
    })
}

#[cfg(test)]
pub(crate) mod tests;

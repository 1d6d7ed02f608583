//! One workload of a lane: its connections, its operations, and the tasks that carry
//! them out. A lane has one, or one for each group.

use crate::driver::Driver;
use crate::pace::Pace;
use crate::panics;
use crate::pool::Pool;
use crate::scheduler::{Scheduler, TaskWork};
use crate::serving::Serving;
use crate::slot_task::{Shared, live};
use engine::{DIALLING, Drive, EngineError, Numbers, OPENING_NS, Opened, Seat, clock};
use record::{LaneOrder, LaneTask, Reuse};
use std::rc::Rc;
use std::time::Duration;
use tokio::task::{LocalSet, yield_now};

/// How long closing a connection may take when the lane closes.
const LEAVING: Duration = Duration::from_millis(200);

pub(super) struct LanePart<D: Driver> {
    pub(super) shared: Rc<Shared<D>>,
    seat: Seat,
    numbers: Numbers,
    /// Connections requested, and how many of them are kept open.
    asked: u64,
    kept: usize,
}

impl<D: Driver> LanePart<D> {
    /// Its tasks are added to `tasks`.
    pub(super) fn new(
        driver: D,
        serving: Serving,
        lane_order: &LaneOrder,
        (seed, numbers): (u64, Numbers),
        (seat, tasks): (&Seat, &LocalSet),
    ) -> Result<LanePart<D>, EngineError> {
        check(lane_order)?;
        let slots = seat.share(u64::from(lane_order.intensity.connections)) as usize;
        let (pool, kept) = match lane_order.reuse {
            Reuse::Pool(of) => {
                let max = seat.share(u64::from(of.max)) as usize;
                if max == 0 && slots > 0 {
                    let why =
                        "the pool has fewer connections than there are workers; increase pool.max";
                    return Err(EngineError::order(why));
                }
                (Some(Pool::new(max)), max.min(slots))
            }
            Reuse::Never => (None, 0),
            Reuse::Always | Reuse::Times(_) => (None, slots),
        };
        let shortest_ns = match lane_order.reuse {
            Reuse::Pool(of) => of.wait_ns.min(lane_order.timeout_ns),
            _ => lane_order.timeout_ns,
        };
        let units = lane_order.intensity.connections;
        let numbering = (numbers.next(seat.index()), seat.count() as u64);
        let drive = Drive::new(lane_order, units, numbering, seed, seat).leaving(seat);
        let scheduler = Scheduler::new(drive, slots, pool, shortest_ns);
        let shared = Rc::new(Shared::new(driver, scheduler, serving, lane_order, seat.worker));
        for slot in 0..slots {
            tasks.spawn_local(live(shared.clone(), slot));
        }
        let asked = match lane_order.reuse {
            Reuse::Pool(_) => kept,
            _ => slots,
        };
        Ok(LanePart { shared, seat: seat.clone(), numbers, asked: asked as u64, kept })
    }

    /// Opens the connections that are kept. `look_after` is called regularly.
    pub(super) async fn open(&self, pace: &mut Pace, mut look_after: impl FnMut()) {
        let scheduler = &self.shared.scheduler;
        let gives_up = clock::now() + OPENING_NS;
        let mut next = 0;
        loop {
            look_after();
            let until = {
                let mut scheduler = scheduler.borrow_mut();
                let now = clock::now();
                if pace.stopped() {
                    // What is being opened is abandoned when the lane closes.
                    return;
                }
                let goes_on = now < gives_up;
                while goes_on && next < self.kept && scheduler.opening() < DIALLING {
                    scheduler.give(next, TaskWork::Open);
                    next += 1;
                }
                if scheduler.opening() == 0 || panics::happened() {
                    return;
                }
                scheduler.expire_timeouts(now);
                scheduler.look_at()
            };
            pace.wait(until, |context| scheduler.borrow_mut().was_called(context)).await;
        }
    }

    /// How many were opened.
    pub(super) fn opened(&self) -> Opened {
        let established = self.shared.scheduler.borrow().connections() as u64;
        // Fresh connections belong to operations, so there is nothing to keep open.
        let established = if self.kept == 0 { self.asked } else { established };
        Opened { requested: self.asked, established }
    }

    /// Reopens the connections that the server closed while they were idle. Returns how many are
    /// not open yet.
    pub(super) fn attend(&self, now: u64) -> usize {
        let mut scheduler = self.shared.scheduler.borrow_mut();
        for _ in 0..scheduler.reopen(|client| self.shared.driver.is_closed(client)) {
            scheduler.seen.reopened_at_rest();
        }
        scheduler.expire_timeouts(now);
        scheduler.opening()
    }

    /// Bytes of replies that can be in transit at the same time, each of them twice, because the
    /// library may keep a compressed reply beside its content. Returns None if the library has a
    /// limit itself.
    pub(super) fn unkept_bytes(&self) -> Option<u64> {
        let each = self.shared.driver.unkept_reply_bytes()?;
        let slots = self.shared.scheduler.borrow().slots.len() as u64;
        Some(slots.saturating_mul(each).saturating_mul(2))
    }

    /// Abandons everything in progress, with all connections.
    pub(super) fn give_up(&self) {
        // Dropped when the scheduler is not borrowed any more, because a library may clean up after
        // them.
        let given_up = self.shared.scheduler.borrow_mut().give_up();
        self.shared.driver.forget_shared();
        drop(given_up);
    }

    /// Ends the tasks, and closes all connections.
    pub(super) async fn leave(&self) {
        self.numbers.keep(self.seat.index(), self.shared.scheduler.borrow().drive.number());
        let clients = {
            let mut scheduler = self.shared.scheduler.borrow_mut();
            scheduler.close(self.seat.stop.raised());
            scheduler.dismiss()
        };
        for client in clients {
            // Only an upper limit.
            let _ = tokio::time::timeout(LEAVING, self.shared.driver.close(client)).await;
        }
        yield_now().await;
    }
}

/// Checks whether a client library can be driven in this way.
fn check(lane_order: &LaneOrder) -> Result<(), EngineError> {
    // A load is ordered to have many operations in flight, and sends them in batches.
    let loads = matches!(lane_order.doing, LaneTask::Load(_));
    match lane_order.intensity.depth {
        2.. if !loads => Err(EngineError::order(
            "a client library's connection has one operation at a time; leave out depth, or \
             use more connections",
        )),
        _ => Ok(()),
    }
}

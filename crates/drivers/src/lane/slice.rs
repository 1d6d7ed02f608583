//! Drives one slice: of one workload, or of all groups together.
//!
//! One future of the lane drives every group, with one alarm that is set to the next event of any
//! group. A future for each group with an alarm of its own was rejected: they would share the one
//! thread in any case, and each would need system calls to set its alarm.

use super::part::LanePart;
use crate::driver::Driver;
use crate::pace::Pace;
use crate::panics;
use crate::scheduler::Scheduler;
use crate::slot_task::Shared;
use engine::{SPIN_NS, SliceEnd, Turn, clock};
use std::task::Context;
use tokio::task::yield_now;

/// Minimum interval between calls of `look_after`.
const LOOK_AFTER_NS: u64 = 10_000_000;

/// Drives one slice to the last replies of all workloads. Returns when they came. `look_after` is
/// called regularly.
pub(super) async fn drive<D: Driver>(
    parts: &[LanePart<D>],
    pace: &mut Pace,
    turn: &Turn,
    mut look_after: impl FnMut(),
) -> SliceEnd {
    while clock::now() < turn.starts {
        // At most some microseconds: a sleep would overshoot by more.
        std::hint::spin_loop();
    }
    let mut slices: Vec<Slice<'_, D>> = parts.iter().map(|part| Slice::begin(part, turn)).collect();
    let (mut cut, mut looked_after) = (false, turn.starts);
    // The operation of a task that panicked never ends. The lane checks again within a tenth of a
    // second, even if nothing wakes it.
    while !panics::happened() {
        let now = clock::now();
        if now >= looked_after + LOOK_AFTER_NS {
            look_after();
            looked_after = now;
        }
        if pace.stopped() && !std::mem::replace(&mut cut, true) {
            slices.iter_mut().for_each(|slice| slice.cut(now));
        }
        match slices.iter_mut().map(|slice| slice.look(now)).min() {
            // The runtime polls its sockets meanwhile.
            Some(NextCheck::Again) => yield_now().await,
            Some(NextCheck::At(until)) => {
                pace.wait(until, |context| called(&slices, context)).await
            }
            Some(NextCheck::Over) | None => break,
        }
    }
    let ends = slices.iter().filter_map(|slice| slice.end.as_ref());
    ends.fold(SliceEnd::from(turn.starts), |all, end| all.and(end))
}

/// Whether any workload must be checked. Each is asked, because one that was not asked would not
/// wake the lane.
fn called<D: Driver>(slices: &[Slice<'_, D>], context: &Context<'_>) -> bool {
    let schedulers = slices.iter().map(|slice| &slice.shared.scheduler);
    schedulers.fold(false, |called, scheduler| scheduler.borrow_mut().was_called(context) | called)
}

/// When a slice must be checked again. The soonest is the smallest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum NextCheck {
    Again,
    At(u64),
    /// All operations have ended, or the waiting time is over.
    Over,
}

/// The slice of one workload.
struct Slice<'a, D: Driver> {
    shared: &'a Shared<D>,
    starts: u64,
    /// No more operations are handed out; those in progress are abandoned.
    over: bool,
    /// Set when the slice has ended.
    end: Option<SliceEnd>,
}

impl<'a, D: Driver> Slice<'a, D> {
    fn begin(part: &'a LanePart<D>, turn: &Turn) -> Slice<'a, D> {
        let shared = &part.shared;
        shared.scheduler.borrow_mut().drive.start(turn);
        Slice { shared, starts: turn.starts, over: false, end: None }
    }

    /// Notes that the run must end.
    fn cut(&mut self, now: u64) {
        self.shared.scheduler.borrow_mut().drive.cut(now);
    }

    /// Does what is due by `now`, and ends the slice if nothing is left.
    fn look(&mut self, now: u64) -> NextCheck {
        if self.end.is_some() {
            return NextCheck::Over;
        }
        let mut scheduler = self.shared.scheduler.borrow_mut();
        if !self.over {
            match look(&mut scheduler, now) {
                NextCheck::Over => self.over = true,
                later => return later,
            }
        }
        if scheduler.busy() > 0 {
            scheduler.leave_all();
            return NextCheck::Again;
        }
        let Scheduler { drive, seen, .. } = &mut *scheduler;
        let end = drive.end(clock::now(), seen);
        // The slice of each group ends with its own last replies.
        end.note(self.starts, seen.slice_mut());
        self.end = Some(end);
        NextCheck::Over
    }
}

/// Does what is due in a slice by `now`.
fn look<C>(scheduler: &mut Scheduler<C>, now: u64) -> NextCheck {
    scheduler.rejoin(now);
    let due = scheduler.hand_out(now);
    if now >= scheduler.look_at() {
        scheduler.expire_timeouts(now);
    }
    let Scheduler { drive, seen, .. } = scheduler;
    drive.note_drain(now, seen);
    if drive.is_over(now) {
        return NextCheck::Over;
    }
    if drive.leaves(now) {
        scheduler.leave_waiting();
        return NextCheck::Over;
    }
    let until = drive.look_at(now).min(scheduler.look_at());
    match due {
        Some(due) if due <= now + SPIN_NS => NextCheck::Again,
        Some(due) => NextCheck::At(until.min(due - SPIN_NS)),
        None => NextCheck::At(until),
    }
}

//! The state that the tasks of one lane share: which task has which operation, which are free, and
//! their deadlines. All of it is on one thread, and no task keeps a borrow of it while it waits.

use crate::pool::{Grant, Pool};
use engine::{Drive, Next, Take, check_interval, clock};
use record::Recorder;
use std::collections::VecDeque;
use std::task::{Context, Poll, Waker};

/// The work of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskWork {
    /// An operation.
    Operate(Take),
    /// Opens the connection that the task keeps, or one for the pool.
    Open,
}

/// Why a task must stop waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Its deadline has passed.
    TimeUp,
    /// The run is stopped.
    Leave,
    /// The run or the launch has ended, and there is no reply yet.
    End,
    /// The library uses too much memory for replies.
    TooLarge,
}

/// An open connection.
pub(crate) struct Connection<C> {
    pub(crate) client: C,
    /// Number of operations that it has carried.
    pub(crate) served: u32,
}

/// One task, as the other tasks and the lane see it.
pub(crate) struct Slot<C> {
    work: Option<TaskWork>,
    waker: Option<Waker>,
    /// Whether it waits for work and is in the queue.
    idle: bool,
    /// When it must stop waiting.
    deadline: u64,
    cut: Option<Cut>,
    /// When its operation began. None if it has none.
    began: Option<u64>,
    /// What the pool granted.
    pub(crate) grant: Option<Grant<Connection<C>>>,
    /// The connection that it keeps.
    pub(crate) connection: Option<Connection<C>>,
    /// Number of consecutive failed connects.
    pub(crate) failures: u32,
}

impl<C> Slot<C> {
    fn new() -> Slot<C> {
        Slot {
            work: None,
            waker: None,
            idle: false,
            deadline: u64::MAX,
            cut: None,
            began: None,
            grant: None,
            connection: None,
            failures: 0,
        }
    }

    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

pub(crate) struct Scheduler<C> {
    pub(crate) drive: Drive,
    /// Records the slice that is being driven; the lane swaps it in and out.
    pub(crate) seen: Recorder,
    pub(crate) slots: Vec<Slot<C>>,
    pub(crate) pool: Option<Pool<Connection<C>>>,
    /// Idle slots; the one that has been idle longest is first.
    idle: VecDeque<usize>,
    /// Number of slots in an operation, including what follows it, such as closing or resetting
    /// the connection, except for late ones.
    busy: usize,
    /// Number of slots that open a connection while the contender rests.
    opening: usize,
    /// When deadlines are checked next, and the maximum interval.
    look_at: u64,
    often: u64,
    /// Whether the lane must check what has changed.
    called: bool,
    lane: Option<Waker>,
    closing: bool,
}

impl<C> Scheduler<C> {
    /// `shortest_ns`: the shortest timeout.
    pub(crate) fn new(
        mut drive: Drive,
        slots: usize,
        pool: Option<Pool<Connection<C>>>,
        shortest_ns: u64,
    ) -> Scheduler<C> {
        for _ in 0..slots {
            drive.freed(clock::now());
        }
        Scheduler {
            drive,
            seen: Recorder::new(),
            slots: (0..slots).map(|_| Slot::new()).collect(),
            pool,
            idle: VecDeque::with_capacity(slots),
            busy: 0,
            opening: 0,
            look_at: 0,
            often: check_interval(shortest_ns),
            called: false,
            lane: None,
            closing: false,
        }
    }

    pub(crate) fn busy(&self) -> usize {
        self.busy
    }

    pub(crate) fn opening(&self) -> usize {
        self.opening
    }

    pub(crate) fn look_at(&self) -> u64 {
        self.look_at
    }

    /// Whether [`Scheduler::call`] was called since the last check. Registers the lane's waker if
    /// not.
    pub(crate) fn was_called(&mut self, context: &Context<'_>) -> bool {
        if std::mem::take(&mut self.called) {
            return true;
        }
        keep_waker(&mut self.lane, context);
        false
    }

    /// Makes the lane check again.
    fn call(&mut self) {
        self.called = true;
        if let Some(waker) = self.lane.take() {
            waker.wake();
        }
    }

    /// Gives the next operations to idle slots. Returns when the next one will be due, if a slot is
    /// idle.
    pub(crate) fn hand_out(&mut self, now: u64) -> Option<u64> {
        while let Some(&slot) = self.idle.front() {
            match self.drive.next(now, &mut self.seen) {
                Next::Take(take) => self.give(slot, TaskWork::Operate(take)),
                Next::At(due) => return Some(due),
                Next::Nothing => return None,
            }
        }
        None
    }

    pub(crate) fn give(&mut self, slot: usize, work: TaskWork) {
        match work {
            TaskWork::Operate(_) => self.busy += 1,
            TaskWork::Open => self.opening += 1,
        }
        let of = &mut self.slots[slot];
        of.work = Some(work);
        of.wake();
        if std::mem::take(&mut of.idle) {
            match self.idle.front() {
                Some(first) if *first == slot => drop(self.idle.pop_front()),
                _ => self.idle.retain(|idle| *idle != slot),
            }
        }
    }

    /// The next work of a slot. None if its task must end.
    pub(crate) fn next_work(
        &mut self,
        slot: usize,
        context: &Context<'_>,
    ) -> Poll<Option<TaskWork>> {
        if self.closing {
            return Poll::Ready(None);
        }
        if let Some(work) = self.slots[slot].work.take() {
            return Poll::Ready(Some(work));
        }
        if !self.slots[slot].idle && !self.drive.is_late(slot) {
            let now = clock::now();
            if let Next::Take(take) = self.drive.next(now, &mut self.seen) {
                self.busy += 1;
                return Poll::Ready(Some(TaskWork::Operate(take)));
            }
            let first = self.idle.is_empty();
            self.slots[slot].idle = true;
            self.idle.push_back(slot);
            if (first && self.drive.is_open_loop()) || self.drive.is_over(now) {
                self.call();
            }
        }
        keep_waker(&mut self.slots[slot].waker, context);
        Poll::Pending
    }

    /// One more operation for a slot that takes several together.
    pub(crate) fn one_more(&mut self) -> Option<Take> {
        let now = clock::now();
        self.drive.freed(now);
        match self.drive.next(now, &mut self.seen) {
            Next::Take(take) => Some(take),
            Next::At(_) | Next::Nothing => {
                self.drive.unfreed();
                None
            }
        }
    }

    /// Notes that the operation of a slot begins, and sets its timeout.
    pub(crate) fn begins(&mut self, slot: usize, now: u64, timeout_ns: u64) {
        self.slots[slot].began = Some(now);
        self.set_deadline(slot, now + timeout_ns);
    }

    /// Sets the time after which a slot must stop waiting.
    pub(crate) fn set_deadline(&mut self, slot: usize, at: u64) {
        self.slots[slot].deadline = at;
        self.slots[slot].cut = None;
        if at < self.look_at {
            self.look_at = at;
            self.call();
        }
    }

    /// Whether a slot must stop waiting. Its task is woken when it must.
    pub(crate) fn watch(&mut self, slot: usize, context: &Context<'_>) -> Option<Cut> {
        let slot = &mut self.slots[slot];
        if slot.cut.is_none() {
            keep_waker(&mut slot.waker, context);
        }
        slot.cut
    }

    /// What the pool granted to a slot that waits.
    pub(crate) fn granted(
        &mut self,
        slot: usize,
        context: &Context<'_>,
    ) -> Poll<Result<Grant<Connection<C>>, Cut>> {
        if let Some(grant) = self.slots[slot].grant.take() {
            return Poll::Ready(Ok(grant));
        }
        match self.watch(slot, context) {
            Some(cut) => {
                self.pool.iter_mut().for_each(|pool| pool.leave(slot));
                Poll::Ready(Err(cut))
            }
            None => Poll::Pending,
        }
    }

    /// Returns a connection to the pool, or passes it to the slot that waits for one.
    pub(crate) fn give_back(&mut self, connection: Connection<C>) {
        let next = self.pool.as_mut().and_then(|pool| pool.give_back(connection));
        self.grant(next);
    }

    /// Removes a lost connection from the pool. Does nothing without a pool.
    pub(crate) fn lost(&mut self) {
        let next = self.pool.as_mut().and_then(Pool::lost);
        self.grant(next);
    }

    fn grant(&mut self, next: Option<(usize, Grant<Connection<C>>)>) {
        if let Some((slot, grant)) = next {
            self.slots[slot].grant = Some(grant);
            self.slots[slot].wake();
        }
    }

    /// Ends the operations of a slot when nothing that belongs to them is in progress any more.
    /// `left`: they ended without an outcome.
    pub(crate) fn finished(&mut self, slot: usize, operations: usize, left: bool, now: u64) {
        self.slots[slot].began = None;
        if self.drive.is_late(slot) {
            self.drive.late_ended(slot, now, &mut self.seen);
            return self.call();
        }
        self.busy -= 1;
        if !left {
            self.drive.ended(slot, operations as u32, now);
        }
        if self.drive.is_over(now) {
            self.call();
        }
    }

    /// Leaves the slots waiting that have an operation.
    pub(crate) fn leave_waiting(&mut self) {
        for (number, slot) in self.slots.iter().enumerate() {
            let left = |began| self.drive.leave(number, began, &mut self.seen);
            self.busy -= usize::from(slot.began.is_some_and(left));
        }
    }

    /// Lets the slots take part again that have been out for as long as they waited.
    pub(crate) fn rejoin(&mut self, now: u64) {
        if !self.drive.may_rejoin(now) {
            return;
        }
        for (number, slot) in self.slots.iter_mut().enumerate() {
            if self.drive.rejoin(number, now) {
                self.drive.freed(now);
                slot.wake();
            }
        }
    }

    /// Marks a slot as free for the next operation.
    pub(crate) fn freed(&mut self, slot: usize) {
        self.slots[slot].deadline = u64::MAX;
        if !self.drive.is_late(slot) {
            self.drive.freed(clock::now());
        }
    }

    /// Ends a slot's attempt to open a connection, successful or not.
    pub(crate) fn opened(&mut self, slot: usize) {
        self.slots[slot].deadline = u64::MAX;
        self.opening -= 1;
        self.call();
    }

    /// Cuts off the tasks whose deadline has passed.
    pub(crate) fn expire_timeouts(&mut self, now: u64) {
        let mut next = now + self.often;
        for slot in &mut self.slots {
            if slot.deadline <= now {
                slot.deadline = u64::MAX;
                slot.cut = Some(Cut::TimeUp);
                slot.wake();
            }
            next = next.min(slot.deadline);
        }
        self.look_at = next;
    }

    /// Cuts off all tasks. Operations in progress get no outcome.
    pub(crate) fn leave_all(&mut self) {
        self.cut_all(Cut::Leave);
    }

    fn cut_all(&mut self, cut: Cut) {
        for slot in self.slots.iter_mut().filter(|slot| !slot.idle) {
            slot.cut = Some(cut);
            slot.wake();
        }
    }

    /// Cuts off all tasks because replies are too large, and returns the idle connections.
    pub(crate) fn give_up(&mut self) -> Vec<C> {
        self.cut_all(Cut::TooLarge);
        self.dismiss()
    }

    /// Makes all tasks end. `stopped`: because the run is stopped, so operations get no outcome.
    pub(crate) fn close(&mut self, stopped: bool) {
        self.closing = true;
        self.cut_all(if stopped { Cut::Leave } else { Cut::End });
        self.slots.iter_mut().for_each(Slot::wake);
    }

    /// Reopens the connections that the server closed while they were idle. Returns their number.
    pub(crate) fn reopen(&mut self, closed: impl Fn(&C) -> bool) -> usize {
        let closed = |connection: &Connection<C>| closed(&connection.client);
        let swept = self.pool.as_mut().map_or(0, |pool| pool.sweep(closed));
        let mut lost: Vec<usize> = self.idle.iter().copied().take(swept).collect();
        for (number, slot) in self.slots.iter_mut().enumerate() {
            let rests = slot.idle || (self.drive.is_late(number) && slot.began.is_none());
            if rests && slot.connection.as_ref().is_some_and(closed) {
                slot.connection = None;
                lost.push(number);
            }
        }
        let many = lost.len();
        lost.into_iter().for_each(|slot| self.give(slot, TaskWork::Open));
        many
    }

    /// Number of open connections.
    pub(crate) fn connections(&self) -> usize {
        let kept = self.slots.iter().filter(|slot| slot.connection.is_some()).count();
        kept + self.pool.as_ref().map_or(0, Pool::open)
    }

    /// Removes and returns all idle connections.
    pub(crate) fn dismiss(&mut self) -> Vec<C> {
        let kept = self.slots.iter_mut().filter_map(|slot| slot.connection.take());
        let mut all: Vec<C> = kept.map(|connection| connection.client).collect();
        while let Some(connection) = self.pool.as_mut().and_then(Pool::dismiss) {
            all.push(connection.client);
        }
        all
    }
}

/// Stores the waker, and clones it only if it differs from the stored one.
pub fn keep_waker(kept: &mut Option<Waker>, context: &Context<'_>) {
    if !kept.as_ref().is_some_and(|waker| waker.will_wake(context.waker())) {
        *kept = Some(context.waker().clone());
    }
}

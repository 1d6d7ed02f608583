//! One thread of a lane. Like a process of an application it blocks in its operation.

use super::scheduler::Scheduler;
use super::wakeup::Wakeup;
use super::work::{Action, Answer, Request};
use crate::store::{FileLookup, Store, Stored};
use engine::clock;
use engine::{Next, SPIN_NS, Take};
use record::{Failure, Moments};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long after an operation fell due the deputy checks whether the leader has returned from
/// it.
const DEPUTY_NS: u64 = 50_000;

/// The state through which a lane's threads synchronise between operations.
///
/// In open loop one free thread, the leader, waits for the next operation to fall due, and
/// continues to do so as long as its operations do not block. Handing the schedule over before
/// each of them would put two context switches between due and sent (11 µs where the operation
/// took 10). So a second thread, the deputy, checks shortly after each due time and becomes the
/// leader if the leader has not returned.
pub(super) struct Shared<S, M> {
    scheduler: Mutex<Scheduler<S, M>>,
    /// Signals that there may be something to do for an idle thread.
    changed: Condvar,
    /// Signals that the threads that wait for an operation to fall due must check again.
    asleep: Condvar,
    /// Signals that the slice may be over.
    pub(super) wakeup: Wakeup,
    timeout_ns: u64,
}

impl<S, M: Default> Shared<S, M> {
    pub(super) fn new(scheduler: Scheduler<S, M>, wakeup: Wakeup, timeout_ns: u64) -> Shared<S, M> {
        let (changed, asleep) = (Condvar::new(), Condvar::new());
        Shared { scheduler: Mutex::new(scheduler), changed, asleep, wakeup, timeout_ns }
    }

    pub(super) fn scheduler(&self) -> MutexGuard<'_, Scheduler<S, M>> {
        self.scheduler.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes all threads check again.
    pub(super) fn call_all(&self) {
        self.changed.notify_all();
        self.asleep.notify_all();
    }

    /// Makes one idle thread check again: it wakes the next one if necessary.
    pub(super) fn call_one(&self) {
        self.changed.notify_one();
    }

    /// Waits for the next operation. Returns None if the thread must end.
    fn next(&self, slot: usize, memo: &mut M, request: &mut Request) -> Option<Take> {
        let mut scheduler = self.scheduler();
        while !scheduler.closing {
            let now = clock::now();
            match scheduler.next(now) {
                Next::Take(take) => {
                    scheduler.begin(slot, take, now, self.timeout_ns, (memo, request));
                    // This precedes the operation, which may block, because another thread must
                    // watch the schedule. It is part of the send lag, and rarely needed.
                    let alone = scheduler.drive.is_open_loop() && !scheduler.leading;
                    self.call_deputy(&scheduler, alone);
                    return Some(take);
                }
                Next::At(due) if !scheduler.leading => {
                    scheduler.leading = true;
                    self.call_deputy(&scheduler, true);
                    scheduler = self.sleep(scheduler, due);
                    scheduler.leading = false;
                }
                Next::At(due) if !scheduler.guarding => {
                    scheduler.guarding = true;
                    scheduler = self.nap(scheduler, (due + DEPUTY_NS).saturating_sub(now));
                    scheduler.guarding = false;
                }
                _ => {
                    if scheduler.drive.is_over(now) {
                        self.wakeup.ring();
                    }
                    scheduler.idle += 1;
                    scheduler =
                        self.changed.wait(scheduler).unwrap_or_else(PoisonError::into_inner);
                    scheduler.idle -= 1;
                }
            }
        }
        None
    }

    /// Wakes an idle thread to become the deputy if there is none.
    fn call_deputy(&self, scheduler: &Scheduler<S, M>, wanted: bool) {
        if wanted && !scheduler.guarding && scheduler.idle > 0 {
            self.call_one();
        }
    }

    /// Sleeps for `ns`, or until something has changed.
    fn nap<'a>(
        &'a self,
        scheduler: MutexGuard<'a, Scheduler<S, M>>,
        ns: u64,
    ) -> MutexGuard<'a, Scheduler<S, M>> {
        let waited = self.asleep.wait_timeout(scheduler, Duration::from_nanos(ns));
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Waits until `due`, or until something has changed.
    fn sleep<'a>(
        &'a self,
        scheduler: MutexGuard<'a, Scheduler<S, M>>,
        due: u64,
    ) -> MutexGuard<'a, Scheduler<S, M>> {
        let left = due.saturating_sub(clock::now());
        // Near its end spinning would take the core from a thread that executes an operation: in
        // that case the sleep continues to its later end.
        let nap = match left.checked_sub(SPIN_NS) {
            Some(nap @ 1..) => nap,
            _ if scheduler.all_free() => 0,
            _ => left,
        };
        if nap > 0 {
            return self.nap(scheduler, nap);
        }
        drop(scheduler);
        while clock::now() < due {
            std::hint::spin_loop();
        }
        self.scheduler()
    }
}

/// Tells the lane that its thread ended with a panic, so that it does not wait for it.
struct PanicNotice<'a, S, M: Default>(&'a Shared<S, M>);

impl<S, M: Default> Drop for PanicNotice<'_, S, M> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.scheduler().lost = true;
            self.0.wakeup.ring();
        }
    }
}

/// The main function of a lane's thread.
pub(super) fn live<S, M: Default>(shared: &Shared<S, M>, slot: usize, mut store: Store) {
    let _farewell = PanicNotice(shared);
    let (mut memo, mut request, mut buffer) = (M::default(), Request::default(), Vec::new());
    while let Some(Take { due, could, .. }) = shared.next(slot, &mut memo, &mut request) {
        let sent = clock::now();
        store.gives_up_at(sent + shared.timeout_ns);
        let answer = perform(&store, &request, &mut buffer);
        let done = clock::now();
        let at = Moments { due, could, sent, asked: sent, began: done, done };
        shared.scheduler().ended(slot, &at, (&mut memo, &request), answer);
    }
}

#[inline]
fn perform<'a>(
    store: &Store,
    request: &Request,
    buffer: &'a mut Vec<u8>,
) -> Result<Answer<'a>, Failure> {
    let Request { action, key, value, .. } = request;
    Ok(match action {
        Action::Get => match store.get(key, buffer)? {
            FileLookup::Hit => Answer::Value(buffer),
            FileLookup::Miss => Answer::Absent,
        },
        Action::Set => store.set(key, value).map(|()| Answer::Done)?,
        Action::Add => match store.add(key, value)? {
            Stored::New => Answer::Done,
            Stored::Held => Answer::Held,
        },
        Action::Delete => match store.delete(key)? {
            FileLookup::Hit => Answer::Done,
            FileLookup::Miss => Answer::Absent,
        },
    })
}

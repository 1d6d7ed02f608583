//! State that the threads of one lane share.

use super::work::{Answer, FileWork, Request};
use engine::{Drive, Next, Take};
use record::{Failure, Moments, Recorder};

/// One lock guards all of it. The threads are on one core, so the lock is contended only if its
/// holder was just preempted, and it is never held during an operation. So the workload and its
/// verification need no locks of their own, and operations are taken up in order.
pub(super) struct Scheduler<S, M> {
    pub(super) drive: Drive,
    /// Records the slice that is being driven; the lane swaps it in and out.
    pub(super) seen: Recorder,
    pub(super) slots: Vec<Slot>,
    /// Threads that wait for a notification.
    pub(super) idle: usize,
    /// A thread waits for the next operation to fall due.
    pub(super) leading: bool,
    /// A second thread checks on it.
    pub(super) guarding: bool,
    /// The threads must end.
    pub(super) closing: bool,
    /// A thread ended with a panic.
    pub(super) lost: bool,
    work: FileWork<S, M>,
}

/// One thread from the lane's point of view.
#[derive(Clone, Debug, Default)]
pub(super) struct Slot {
    /// The operation that it executes. None if it executes no operation, or if the outcome is
    /// already recorded.
    operation: Option<Moments>,
    /// When the call that it is in times out.
    deadline: Option<u64>,
    /// The share of the mix that the operation belongs to.
    share: u32,
}

impl Slot {
    /// Returns true if it has been in a call for longer than the timeout.
    pub(super) fn is_stuck(&self, now: u64) -> bool {
        self.deadline.is_some_and(|deadline| now >= deadline)
    }
}

impl<S, M: Default> Scheduler<S, M> {
    pub(super) fn new(drive: Drive, work: FileWork<S, M>, slots: usize) -> Scheduler<S, M> {
        Scheduler {
            drive,
            seen: Recorder::new(),
            slots: vec![Slot::default(); slots],
            idle: 0,
            leading: false,
            guarding: false,
            closing: false,
            lost: false,
            work,
        }
    }

    pub(super) fn next(&mut self, now: u64) -> Next {
        self.drive.next(now, &mut self.seen)
    }

    /// Returns true if no thread executes an operation.
    pub(super) fn all_free(&self) -> bool {
        self.slots.iter().all(|slot| slot.deadline.is_none())
    }

    /// Notes that the thread of a place begins an operation.
    pub(super) fn begin(
        &mut self,
        slot: usize,
        take: Take,
        now: u64,
        timeout_ns: u64,
        asked: (&mut M, &mut Request),
    ) {
        let (memo, request) = asked;
        *memo = M::default();
        (self.work.ask)(&mut self.work.state, take.number, memo, request);
        let Take { due, could, .. } = take;
        let operation = Moments { due, could, sent: now, asked: now, ..Moments::default() };
        let (operation, deadline) = (Some(operation), Some(now + timeout_ns));
        self.slots[slot] = Slot { operation, deadline, share: request.share };
    }

    /// Notes that the thread of a place has returned from its operation.
    pub(super) fn ended(
        &mut self,
        slot: usize,
        at: &Moments,
        asked: (&mut M, &Request),
        answer: Result<Answer<'_>, Failure>,
    ) {
        self.drive.freed(at.done);
        self.slots[slot].deadline = None;
        if self.slots[slot].operation.take().is_none() {
            // It was given up and is already recorded.
            return;
        }
        self.drive.ended(slot, 1, at.done);
        let (memo, request) = asked;
        let share = request.share;
        match answer {
            Ok(answer) => {
                let judged = (self.work.judge)(&mut self.work.state, memo, request, answer);
                let bytes = if let Answer::Value(value) = answer { value.len() as u64 } else { 0 };
                self.seen.replied(at, judged.code, judged.outcome, bytes);
                self.seen.replied_of_kind(share, at, judged.outcome, None);
            }
            Err(Failure::Timeout) => {
                self.seen.given_up(Failure::Timeout, at, true);
                self.seen.lost_of_kind(share, Some(at), None);
            }
            Err(failure) => {
                self.seen.failed(failure, at.done, true);
                self.seen.lost_of_kind(share, None, None);
            }
        }
    }

    /// Gives up operations that took longer than the timeout.
    pub(super) fn give_up(&mut self, now: u64) {
        let slots = self.slots.iter_mut().enumerate();
        for (number, slot) in slots.filter(|(_, slot)| slot.is_stuck(now)) {
            if let Some(operation) = slot.operation.take() {
                let at = Moments { done: now, ..operation };
                self.seen.given_up(Failure::Timeout, &at, true);
                self.seen.lost_of_kind(slot.share, Some(&at), None);
                self.drive.ended(number, 1, now);
            }
        }
    }

    /// Ends the slice: operations still under way have no outcome.
    pub(super) fn abandon(&mut self) {
        for slot in &mut self.slots {
            self.seen.unfinished(u64::from(slot.operation.take().is_some()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::work::{Answer, FileWork, Judged, Request};
    use super::*;
    use engine::{Next, Seat, Stop, Turn};
    use record::{Address, LaneOrder, Outcome, Outcomes};

    const TIMEOUT_NS: u64 = 1_000;

    /// Returns a scheduler with one thread, which took up an operation at 0.
    fn busy() -> (Scheduler<u64, ()>, Request) {
        let asked = LaneOrder {
            timeout_ns: TIMEOUT_NS,
            ..LaneOrder::closed(Address::Unix(String::new()), 1)
        };
        let seat = Seat::new(0, 1, Stop::new().expect("a descriptor"));
        let work = FileWork {
            state: 0,
            ask: |_, _, _, _| {},
            judge: |judged, _, _, _| {
                *judged += 1;
                Judged { code: 7, outcome: Outcome::Ok }
            },
        };
        let mut scheduler = Scheduler::new(Drive::new(&asked, 1, (0, 1), 1, &seat), work, 1);
        scheduler.drive.freed(0);
        scheduler.drive.start(&Turn {
            starts: 0,
            sends_until: 500,
            gives_up: 9_000,
            operations: None,
            request: None,
            longest_drain_ns: 0,
        });
        let Next::Take(take) = scheduler.next(0) else { panic!("closed loop") };
        let mut request = Request::default();
        scheduler.begin(0, take, 0, TIMEOUT_NS, (&mut (), &mut request));
        (scheduler, request)
    }

    fn back(scheduler: &mut Scheduler<u64, ()>, request: &Request, done: u64) {
        let at = Moments { done, ..Moments::default() };
        scheduler.ended(0, &at, (&mut (), request), Ok(Answer::Done));
    }

    fn outcomes(scheduler: &mut Scheduler<u64, ()>) -> (Outcomes, u64) {
        let seen = scheduler.seen.take();
        (seen.outcomes, seen.unfinished)
    }

    #[test]
    fn an_operation_that_comes_back_in_time_is_judged() {
        let (mut scheduler, request) = busy();
        scheduler.give_up(TIMEOUT_NS - 1);
        back(&mut scheduler, &request, TIMEOUT_NS - 1);
        assert!(scheduler.drive.is_over(TIMEOUT_NS) && scheduler.all_free());
        assert_eq!(scheduler.work.state, 1);
        assert_eq!(outcomes(&mut scheduler), (Outcomes { ok: 1, ..Outcomes::default() }, 0));
    }

    #[test]
    fn one_that_was_given_up_is_counted_once_and_its_thread_comes_back() {
        let (mut scheduler, request) = busy();
        scheduler.give_up(TIMEOUT_NS);
        assert!(scheduler.drive.is_over(TIMEOUT_NS), "nobody waits for it");
        assert!(scheduler.slots[0].is_stuck(TIMEOUT_NS), "its thread is not back");
        scheduler.give_up(2 * TIMEOUT_NS);
        scheduler.drive.end(2 * TIMEOUT_NS, &mut Recorder::new());
        back(&mut scheduler, &request, 3 * TIMEOUT_NS);
        assert!(scheduler.all_free());
        assert_eq!(scheduler.work.state, 0, "not judged");
        let (outcomes, _) = outcomes(&mut scheduler);
        assert_eq!(outcomes.failed.into_iter().collect::<Vec<_>>(), [(Failure::Timeout, 1)]);
    }

    #[test]
    fn one_that_is_under_way_when_the_slice_ends_is_unfinished() {
        let (mut scheduler, request) = busy();
        scheduler.abandon();
        scheduler.drive.end(600, &mut Recorder::new());
        back(&mut scheduler, &request, 700);
        assert_eq!(outcomes(&mut scheduler), (Outcomes::default(), 1));
    }
}

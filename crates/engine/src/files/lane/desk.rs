//! What the threads of one lane share.

use super::work::{Answer, Request, Work};
use crate::drive::{Drive, Next, Take};
use record::{Failure, Moments, Recorder};

/// One lock for all of it. The threads are on one core: the lock is met taken
/// only when its holder lost the core just then, and it is never held during an
/// operation. So the workload and its verification need no locks of their own,
/// and operations are taken up in order.
pub(super) struct Desk<S, M> {
    pub(super) drive: Drive,
    /// Records the slice that is being driven; the lane swaps it in and out.
    pub(super) seen: Recorder,
    pub(super) places: Vec<Place>,
    /// Threads that wait to be told of something.
    pub(super) idle: usize,
    /// A thread waits for the next operation to fall due.
    pub(super) leading: bool,
    /// Another one looks after it.
    pub(super) guarding: bool,
    /// The threads are to go home.
    pub(super) closing: bool,
    /// A thread went home with a panic.
    pub(super) lost: bool,
    work: Work<S, M>,
}

/// One thread, as the lane sees it.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    /// The operation that it is in. None if it is in no operation, or if its outcome
    /// is already recorded.
    operation: Option<Moments>,
    /// When the call that it is in has timed out.
    deadline: Option<u64>,
    /// Which share of the mix the operation is of.
    share: u32,
}

impl Place {
    /// It is in a call, and longer than the timeout.
    pub(super) fn is_stuck(&self, now: u64) -> bool {
        self.deadline.is_some_and(|deadline| now >= deadline)
    }
}

impl<S, M: Default> Desk<S, M> {
    pub(super) fn new(drive: Drive, work: Work<S, M>, places: usize) -> Desk<S, M> {
        Desk {
            drive,
            seen: Recorder::new(),
            places: vec![Place::default(); places],
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

    /// No thread is in an operation.
    pub(super) fn all_free(&self) -> bool {
        self.places.iter().all(|place| place.deadline.is_none())
    }

    /// The thread of a place begins an operation.
    pub(super) fn begin(
        &mut self,
        place: usize,
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
        self.places[place] = Place { operation, deadline, share: request.share };
    }

    /// The thread of a place is back from its operation.
    pub(super) fn ended(
        &mut self,
        place: usize,
        at: &Moments,
        asked: (&mut M, &Request),
        answer: Result<Answer<'_>, Failure>,
    ) {
        self.drive.freed(at.done);
        self.places[place].deadline = None;
        if self.places[place].operation.take().is_none() {
            // It was given up, and is recorded.
            return;
        }
        self.drive.ended(at.done);
        let (memo, request) = asked;
        let share = request.share;
        match answer {
            Ok(answer) => {
                let judged = (self.work.judge)(&mut self.work.state, memo, request, answer);
                let bytes = if let Answer::Value(value) = answer { value.len() as u64 } else { 0 };
                self.seen.replied(at, judged.code, judged.told, bytes);
                self.seen.replied_of_kind(share, at, judged.told, None);
            }
            Err(Failure::Timeout) => {
                self.seen.timed_out(at, true);
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
        for place in self.places.iter_mut().filter(|place| place.is_stuck(now)) {
            if let Some(operation) = place.operation.take() {
                let at = Moments { done: now, ..operation };
                self.seen.timed_out(&at, true);
                self.seen.lost_of_kind(place.share, Some(&at), None);
                self.drive.ended(now);
            }
        }
    }

    /// The slice ends: what is still under way has no outcome.
    pub(super) fn abandon(&mut self) {
        for place in &mut self.places {
            self.seen.unfinished(u64::from(place.operation.take().is_some()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::work::{Answer, Judged, Request, Work};
    use super::*;
    use crate::drive::Next;
    use crate::{Seat, Stop, Turn};
    use record::{Address, Arrivals, Doing, Intensity, LaneAsked, Outcomes, Reuse, Told};

    const TIMEOUT_NS: u64 = 1_000;

    /// A desk with one thread, which took up an operation at 0.
    fn busy() -> (Desk<u64, ()>, Request) {
        let asked = LaneAsked {
            address: Address::Unix(String::new()),
            intensity: Intensity { connections: 1, depth: 1, arrivals: Arrivals::Closed },
            doing: Doing::Ask,
            reuse: Reuse::Always,
            timeout_ns: TIMEOUT_NS,
            burn_in_ns: 0,
            operations: None,
            groups: Vec::new(),
        };
        let seat = Seat::new(0, 1, Stop::new().expect("a descriptor"));
        let work = Work {
            state: 0,
            ask: |_, _, _, _| {},
            judge: |judged, _, _, _| {
                *judged += 1;
                Judged { code: 7, told: Told::Ok }
            },
        };
        let mut desk = Desk::new(Drive::new(&asked, 1, &seat, 0), work, 1);
        desk.drive.freed(0);
        desk.drive.start(&Turn { starts: 0, sends_until: 500, gives_up: 9_000, operations: None });
        let Next::Take(take) = desk.next(0) else { panic!("closed loop") };
        let mut request = Request::default();
        desk.begin(0, take, 0, TIMEOUT_NS, (&mut (), &mut request));
        (desk, request)
    }

    fn back(desk: &mut Desk<u64, ()>, request: &Request, done: u64) {
        let at = Moments { done, ..Moments::default() };
        desk.ended(0, &at, (&mut (), request), Ok(Answer::Done));
    }

    fn outcomes(desk: &mut Desk<u64, ()>) -> (Outcomes, u64) {
        let seen = desk.seen.take();
        (seen.outcomes, seen.unfinished)
    }

    #[test]
    fn an_operation_that_comes_back_in_time_is_judged() {
        let (mut desk, request) = busy();
        desk.give_up(TIMEOUT_NS - 1);
        back(&mut desk, &request, TIMEOUT_NS - 1);
        assert!(desk.drive.is_over(TIMEOUT_NS) && desk.all_free());
        assert_eq!(desk.work.state, 1);
        assert_eq!(outcomes(&mut desk), (Outcomes { ok: 1, ..Outcomes::default() }, 0));
    }

    #[test]
    fn one_that_was_given_up_is_counted_once_and_its_thread_comes_back() {
        let (mut desk, request) = busy();
        desk.give_up(TIMEOUT_NS);
        assert!(desk.drive.is_over(TIMEOUT_NS), "nobody waits for it");
        assert!(desk.places[0].is_stuck(TIMEOUT_NS), "its thread is not back");
        desk.give_up(2 * TIMEOUT_NS);
        desk.drive.end(2 * TIMEOUT_NS, &mut Recorder::new());
        back(&mut desk, &request, 3 * TIMEOUT_NS);
        assert!(desk.all_free());
        assert_eq!(desk.work.state, 0, "not judged");
        let (outcomes, _) = outcomes(&mut desk);
        assert_eq!(outcomes.failed.into_iter().collect::<Vec<_>>(), [(Failure::Timeout, 1)]);
    }

    #[test]
    fn one_that_is_under_way_when_the_slice_ends_is_unfinished() {
        let (mut desk, request) = busy();
        desk.abandon();
        desk.drive.end(600, &mut Recorder::new());
        back(&mut desk, &request, 700);
        assert_eq!(outcomes(&mut desk), (Outcomes::default(), 1));
    }
}

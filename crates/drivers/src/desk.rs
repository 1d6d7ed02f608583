//! Where the tasks of one lane meet: who has which operation, who is free, and
//! until when each may take. All of it is on one thread, and nobody holds on to
//! it while waiting.

use crate::pool::{Grant, Pool};
use engine::{Drive, Next, Take, clock};
use record::Recorder;
use std::collections::VecDeque;
use std::task::{Context, Poll, Waker};

/// How often deadlines are looked at, at the least.
const HOUSEKEEPING_NS: u64 = 100_000_000;

/// What a task is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// An operation.
    Operate(Take),
    /// To open the connection that it keeps, or one for the pool.
    Open,
}

/// Why a task is to leave what it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Its deadline has passed.
    TimeUp,
    /// The slice is over, whatever is still under way.
    Leave,
    /// The library takes too much memory for replies.
    TooLarge,
}

/// An open connection.
pub(crate) struct Connection<C> {
    pub(crate) client: C,
    /// Operations that it has carried.
    pub(crate) served: u32,
}

/// One task, as the others see it.
pub(crate) struct Place<C> {
    work: Option<Work>,
    waker: Option<Waker>,
    /// It waits for work, and stands in the queue.
    idle: bool,
    /// When it is to leave what it waits for.
    deadline: u64,
    cut: Option<Cut>,
    /// What the pool had for it.
    pub(crate) grant: Option<Grant<Connection<C>>>,
    /// The connection that it keeps.
    pub(crate) connection: Option<Connection<C>>,
    /// Connects that failed, one after the other.
    pub(crate) failures: u32,
}

impl<C> Place<C> {
    fn new() -> Place<C> {
        Place {
            work: None,
            waker: None,
            idle: false,
            deadline: u64::MAX,
            cut: None,
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

pub(crate) struct Desk<C> {
    pub(crate) drive: Drive,
    /// Records the slice that is being driven; the lane swaps it in and out.
    pub(crate) seen: Recorder,
    pub(crate) places: Vec<Place<C>>,
    pub(crate) pool: Option<Pool<Connection<C>>>,
    /// The place that has been free longest comes first.
    idle: VecDeque<usize>,
    /// Places in an operation, and what belongs to it: a goodbye, a reset.
    busy: usize,
    /// Places that open a connection at rest.
    opening: usize,
    /// When deadlines are looked at again, and how often at the least.
    look_at: u64,
    often: u64,
    /// The lane is to look what has changed.
    called: bool,
    lane: Option<Waker>,
    closing: bool,
}

impl<C> Desk<C> {
    /// `shortest_ns`: the shortest time that anything may take before it is given
    /// up.
    pub(crate) fn new(
        mut drive: Drive,
        places: usize,
        pool: Option<Pool<Connection<C>>>,
        shortest_ns: u64,
    ) -> Desk<C> {
        for _ in 0..places {
            drive.freed(clock::now());
        }
        Desk {
            drive,
            seen: Recorder::new(),
            places: (0..places).map(|_| Place::new()).collect(),
            pool,
            idle: VecDeque::with_capacity(places),
            busy: 0,
            opening: 0,
            look_at: 0,
            often: HOUSEKEEPING_NS.min(shortest_ns / 16).max(100_000),
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

    /// The lane's own side of [`Desk::call`]: whether it was called.
    pub(crate) fn was_called(&mut self, context: &Context<'_>) -> bool {
        if std::mem::take(&mut self.called) {
            return true;
        }
        keep_waker(&mut self.lane, context);
        false
    }

    /// Lets the lane look again.
    fn call(&mut self) {
        self.called = true;
        if let Some(waker) = self.lane.take() {
            waker.wake();
        }
    }

    /// Gives the next operations to those that are free. Returns when one will be
    /// due for which somebody is.
    pub(crate) fn hand_out(&mut self, now: u64) -> Option<u64> {
        while let Some(&place) = self.idle.front() {
            match self.drive.next(now, &mut self.seen) {
                Next::Take(take) => self.give(place, Work::Operate(take)),
                Next::At(due) => return Some(due),
                Next::Nothing => return None,
            }
        }
        None
    }

    pub(crate) fn give(&mut self, place: usize, work: Work) {
        match work {
            Work::Operate(_) => self.busy += 1,
            Work::Open => self.opening += 1,
        }
        let of = &mut self.places[place];
        of.work = Some(work);
        of.wake();
        if std::mem::take(&mut of.idle) {
            match self.idle.front() {
                Some(first) if *first == place => drop(self.idle.pop_front()),
                _ => self.idle.retain(|idle| *idle != place),
            }
        }
    }

    /// The next work of a place. None if its task is to end.
    pub(crate) fn next_work(&mut self, place: usize, context: &Context<'_>) -> Poll<Option<Work>> {
        if self.closing {
            return Poll::Ready(None);
        }
        if let Some(work) = self.places[place].work.take() {
            return Poll::Ready(Some(work));
        }
        if !self.places[place].idle {
            let now = clock::now();
            if let Next::Take(take) = self.drive.next(now, &mut self.seen) {
                self.busy += 1;
                return Poll::Ready(Some(Work::Operate(take)));
            }
            let first = self.idle.is_empty();
            self.places[place].idle = true;
            self.idle.push_back(place);
            if (first && self.drive.is_open_loop()) || self.drive.is_over(now) {
                self.call();
            }
        }
        keep_waker(&mut self.places[place].waker, context);
        Poll::Pending
    }

    /// One more operation for a place that takes several together.
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

    /// A place is to leave what it waits for after this time.
    pub(crate) fn set_deadline(&mut self, place: usize, at: u64) {
        self.places[place].deadline = at;
        self.places[place].cut = None;
        if at < self.look_at {
            self.look_at = at;
            self.call();
        }
    }

    /// Whether a place is to leave what it waits for; it is woken once it is.
    pub(crate) fn watch(&mut self, place: usize, context: &Context<'_>) -> Option<Cut> {
        let place = &mut self.places[place];
        if place.cut.is_none() {
            keep_waker(&mut place.waker, context);
        }
        place.cut
    }

    /// What the pool had for a place that waits.
    pub(crate) fn granted(
        &mut self,
        place: usize,
        context: &Context<'_>,
    ) -> Poll<Result<Grant<Connection<C>>, Cut>> {
        if let Some(grant) = self.places[place].grant.take() {
            return Poll::Ready(Ok(grant));
        }
        match self.watch(place, context) {
            Some(cut) => {
                self.pool.iter_mut().for_each(|pool| pool.leave(place));
                Poll::Ready(Err(cut))
            }
            None => Poll::Pending,
        }
    }

    /// A connection goes back into the pool, or to who waits for one.
    pub(crate) fn give_back(&mut self, connection: Connection<C>) {
        let next = self.pool.as_mut().and_then(|pool| pool.give_back(connection));
        self.grant(next);
    }

    /// A connection of the pool is no more; without a pool, nothing.
    pub(crate) fn lost(&mut self) {
        let next = self.pool.as_mut().and_then(Pool::lost);
        self.grant(next);
    }

    fn grant(&mut self, next: Option<(usize, Grant<Connection<C>>)>) {
        if let Some((place, grant)) = next {
            self.places[place].grant = Some(grant);
            self.places[place].wake();
        }
    }

    /// So many operations of a place have their outcomes, and nothing that belongs
    /// to them is under way any more. `left`: they have none.
    pub(crate) fn finished(&mut self, operations: usize, left: bool, now: u64) {
        self.busy -= 1;
        for _ in 0..if left { 0 } else { operations } {
            self.drive.ended(now);
        }
        if self.drive.is_over(now) {
            self.call();
        }
    }

    /// A place is free for the next operation.
    pub(crate) fn freed(&mut self, place: usize) {
        self.places[place].deadline = u64::MAX;
        self.drive.freed(clock::now());
    }

    /// A place is done with opening, whatever came of it.
    pub(crate) fn opened(&mut self, place: usize) {
        self.places[place].deadline = u64::MAX;
        self.opening -= 1;
        self.call();
    }

    /// Lets go whoever waits beyond his deadline.
    pub(crate) fn keep_house(&mut self, now: u64) {
        let mut next = now + self.often;
        for place in &mut self.places {
            if place.deadline <= now {
                place.deadline = u64::MAX;
                place.cut = Some(Cut::TimeUp);
                place.wake();
            }
            next = next.min(place.deadline);
        }
        self.look_at = next;
    }

    /// Lets all go: what is under way gets no outcome.
    pub(crate) fn leave_all(&mut self) {
        for place in self.places.iter_mut().filter(|place| !place.idle) {
            place.cut = Some(Cut::Leave);
            place.wake();
        }
    }

    /// Lets all go as too large, and returns the connections that are at rest.
    pub(crate) fn give_up(&mut self) -> Vec<C> {
        for place in self.places.iter_mut().filter(|place| !place.idle) {
            place.cut = Some(Cut::TooLarge);
            place.wake();
        }
        self.dismiss()
    }

    /// Sends all tasks home.
    pub(crate) fn close(&mut self) {
        self.closing = true;
        self.leave_all();
        self.places.iter_mut().for_each(Place::wake);
    }

    /// Opens again what the server closed at rest. Returns how many there were.
    pub(crate) fn reopen(&mut self, closed: impl Fn(&C) -> bool) -> usize {
        let closed = |connection: &Connection<C>| closed(&connection.client);
        let swept = self.pool.as_mut().map_or(0, |pool| pool.sweep(closed));
        let mut lost: Vec<usize> = self.idle.iter().copied().take(swept).collect();
        for (number, place) in self.places.iter_mut().enumerate() {
            if place.idle && place.connection.as_ref().is_some_and(closed) {
                place.connection = None;
                lost.push(number);
            }
        }
        let many = lost.len();
        lost.into_iter().for_each(|place| self.give(place, Work::Open));
        many
    }

    /// Connections that are open.
    pub(crate) fn connections(&self) -> usize {
        let kept = self.places.iter().filter(|place| place.connection.is_some()).count();
        kept + self.pool.as_ref().map_or(0, Pool::open)
    }

    /// Takes all connections out that are at rest.
    pub(crate) fn dismiss(&mut self) -> Vec<C> {
        let kept = self.places.iter_mut().filter_map(|place| place.connection.take());
        let mut all: Vec<C> = kept.map(|connection| connection.client).collect();
        while let Some(connection) = self.pool.as_mut().and_then(Pool::dismiss) {
            all.push(connection.client);
        }
        all
    }
}

/// Keeps whom to wake; a copy only where it is somebody else than before.
pub(crate) fn keep_waker(kept: &mut Option<Waker>, context: &Context<'_>) {
    if !kept.as_ref().is_some_and(|waker| waker.will_wake(context.waker())) {
        *kept = Some(context.waker().clone());
    }
}

//! Runs threads in every order that makes a difference, for tests.
//!
//! One thread runs at a time, from one access to something shared to the next. The code under test
//! is run again and again, each time with another order of these steps. A state is known by what
//! each thread has seen so far; from a state that was met before, no other order is tried.

use std::cell::RefCell;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{self, Arc, LockResult, PoisonError, mpsc};
use std::thread::Thread;
use std::time::Duration;

/// What threads wait for, by its address.
type Resource = usize;

thread_local! {
    static CURRENT: RefCell<Option<Member>> = const { RefCell::new(None) };
}

/// A thread that takes its turns; it leaves when it ends.
struct Member {
    schedule: Arc<Schedule>,
    index: usize,
}

impl Drop for Member {
    fn drop(&mut self) {
        self.schedule.change(self.index, Status::Ended);
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Status {
    NotStarted,
    Running,
    Ready,
    /// Its next step is visible to no other thread, so it may as well be the next one of all.
    First,
    /// It waits until another thread changes this resource.
    Blocked(Resource),
    Ended,
}

/// One run, in one order of steps.
pub(crate) struct Schedule {
    progress: sync::Mutex<Progress>,
    ended: sync::Condvar,
}

struct Progress {
    threads: Vec<Status>,
    handles: Vec<Option<Thread>>,
    /// A hash of all that each thread has seen.
    histories: Vec<u64>,
    /// How much was announced to all threads.
    announced: u32,
    /// The threads that ran, in order.
    order: Vec<usize>,
    /// How the order begins.
    given: Vec<usize>,
    /// Other beginnings that are left to be tried.
    others: Vec<Vec<usize>>,
    fingerprints: HashSet<u64>,
    /// This state was met before, so it leads to nothing new.
    known: bool,
    deadlock: bool,
}

impl Schedule {
    /// Makes the calling thread the one with this index, if it is not that already.
    pub(crate) fn enter(self: &Arc<Self>, index: usize) {
        if CURRENT.with_borrow(Option::is_some) {
            return;
        }
        let mut progress = self.progress();
        progress.threads[index] = Status::Running;
        progress.handles[index] = Some(std::thread::current());
        drop(progress);
        CURRENT.set(Some(Member { schedule: self.clone(), index }));
    }

    /// Lets the other threads go on without the calling one.
    pub(crate) fn leave(&self) {
        CURRENT.set(None);
    }

    fn progress(&self) -> sync::MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets what a thread does, and lets the next one run if none is running.
    fn change(&self, index: usize, status: Status) {
        let mut progress = self.progress();
        progress.threads[index] = status;
        progress.go_on();
        if progress.all(Status::Ended) {
            self.ended.notify_all();
        }
    }

    /// Waits until it is this thread's turn.
    ///
    /// # Panics
    /// If no thread can go on.
    fn turn(&self, index: usize, status: Status) {
        self.change(index, status);
        loop {
            let mut progress = self.progress();
            if progress.threads[index] == Status::Running {
                let announced = progress.announced;
                progress.saw(index, announced);
                return;
            }
            if progress.deadlock {
                break;
            }
            drop(progress);
            std::thread::park();
        }
        if matches!(status, Status::Blocked(_)) && !std::thread::panicking() {
            // Without a message: it is reported once, with the order that led to it.
            resume_unwind(Box::new("deadlock"));
        }
    }

    fn wake(&self, resource: Resource, next: Status) {
        for status in &mut self.progress().threads {
            if *status == Status::Blocked(resource) {
                *status = next;
            }
        }
    }

    fn wait_for_all(&self) {
        let mut progress = self.progress();
        while !progress.all(Status::Ended) {
            progress = self.ended.wait(progress).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Progress {
    fn all(&self, status: Status) -> bool {
        self.threads.iter().all(|of| *of == status)
    }

    /// The threads that do this.
    fn which(&self, status: Status) -> Vec<usize> {
        (0..self.threads.len()).filter(|index| self.threads[*index] == status).collect()
    }

    /// Lets the next thread run if none is running.
    fn go_on(&mut self) {
        let busy = |status: &Status| matches!(status, Status::NotStarted | Status::Running);
        if self.deadlock || self.threads.iter().any(busy) {
            return;
        }
        let first = self.which(Status::First);
        let ready = if first.is_empty() { self.which(Status::Ready) } else { first };
        if ready.is_empty() {
            self.deadlock = !self.all(Status::Ended);
            self.handles.iter().flatten().for_each(Thread::unpark);
            return;
        }
        let next = self.choose(&ready);
        self.order.push(next);
        self.threads[next] = Status::Running;
        self.handles[next].iter().for_each(Thread::unpark);
    }

    fn choose(&mut self, ready: &[usize]) -> usize {
        if let Some(given) = self.given.get(self.order.len()) {
            return *given;
        }
        let state = hash(&(&self.histories, self.announced));
        self.known |= !self.fingerprints.insert(state);
        if !self.known {
            let beginning = |last: &usize| [&self.order[..], &[*last]].concat();
            self.others.extend(ready[1..].iter().map(beginning));
        }
        ready[0]
    }

    fn saw(&mut self, index: usize, what: impl Hash) {
        self.histories[index] = hash(&(self.histories[index], what));
    }
}

fn hash(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// Runs `run` in every order, with this many threads that [`Schedule::enter`]; the calling thread
/// is the first of them. Returns how many states there are, or what `run` found to be wrong and in
/// which order.
pub(crate) fn explore(
    threads: usize,
    run: impl Fn(&Arc<Schedule>) -> Result<(), String>,
) -> Result<usize, String> {
    let mut fingerprints = HashSet::new();
    let mut beginnings = vec![Vec::new()];
    while let Some(given) = beginnings.pop() {
        let progress = Progress {
            threads: vec![Status::NotStarted; threads],
            handles: vec![None; threads],
            histories: (0..threads as u64).collect(),
            announced: 0,
            order: Vec::new(),
            given,
            others: Vec::new(),
            fingerprints: std::mem::take(&mut fingerprints),
            known: false,
            deadlock: false,
        };
        let progress = sync::Mutex::new(progress);
        let schedule = Arc::new(Schedule { progress, ended: sync::Condvar::new() });
        schedule.enter(0);
        let result = catch_unwind(AssertUnwindSafe(|| run(&schedule)));
        CURRENT.set(None);
        schedule.wait_for_all();
        let mut progress = schedule.progress();
        let result = match result {
            _ if progress.deadlock => Err("deadlock".to_owned()),
            Ok(result) => result,
            Err(panic) => resume_unwind(panic),
        };
        result.map_err(|wrong| format!("{wrong}; order of threads: {:?}", progress.order))?;
        fingerprints = std::mem::take(&mut progress.fingerprints);
        beginnings.append(&mut progress.others);
    }
    Ok(fingerprints.len())
}

/// Calls `with` if this thread belongs to a schedule. Returns whether it does.
fn scheduled(with: impl FnOnce(&Schedule, usize)) -> bool {
    let member = CURRENT.with_borrow(|member| {
        member.as_ref().map(|member| (member.schedule.clone(), member.index))
    });
    member.map(|(schedule, index)| with(&schedule, index)).is_some()
}

/// Lets other threads run before this one goes on.
pub(crate) fn step() {
    scheduled(|schedule, index| schedule.turn(index, Status::Ready));
}

/// A step after which every thread sees something else than before.
pub(crate) fn announce() {
    step();
    scheduled(|schedule, _| schedule.progress().announced += 1);
}

/// Says that of all that this thread has seen, only this has an influence on what follows.
pub(crate) fn remember_only(what: impl Hash) {
    scheduled(|schedule, index| {
        let mut progress = schedule.progress();
        progress.histories[index] = hash(&(index, what, progress.announced));
    });
}

fn saw(what: impl Hash) {
    scheduled(|schedule, index| schedule.progress().saw(index, what));
}

/// Waits until another thread wakes those that wait for this resource. Returns false if this thread
/// belongs to no schedule.
fn block(resource: Resource) -> bool {
    scheduled(|schedule, index| schedule.turn(index, Status::Blocked(resource)))
}

fn wake(resource: Resource, next: Status) {
    scheduled(|schedule, _| schedule.wake(resource, next));
}

fn address<T>(of: &T) -> Resource {
    std::ptr::from_ref(of) as usize
}

/// `std::sync::Mutex`, with a turn for each lock.
#[derive(Debug, Default)]
pub(crate) struct Mutex<T>(sync::Mutex<T>);

pub(crate) struct MutexGuard<'a, T> {
    mutex: &'a Mutex<T>,
    guard: sync::MutexGuard<'a, T>,
}

impl<T> Mutex<T> {
    pub(crate) fn new(of: T) -> Mutex<T> {
        Mutex(sync::Mutex::new(of))
    }
}

impl<T: Hash> Mutex<T> {
    pub(crate) fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        step();
        self.lock_now()
    }

    fn lock_now(&self) -> LockResult<MutexGuard<'_, T>> {
        let guard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        saw(&*guard);
        Ok(MutexGuard { mutex: self, guard })
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.guard
    }
}

/// `std::sync::Condvar`. Notifying is no step by itself: what was changed before it is visible to
/// every thread that has yet to wait.
#[derive(Debug)]
pub(crate) struct Condvar(sync::Condvar);

impl Condvar {
    pub(crate) fn new() -> Condvar {
        Condvar(sync::Condvar::new())
    }

    pub(crate) fn wait<'a, T: Hash>(
        &self,
        guard: MutexGuard<'a, T>,
    ) -> LockResult<MutexGuard<'a, T>> {
        let MutexGuard { mutex, guard } = guard;
        if CURRENT.with_borrow(Option::is_none) {
            let guard = self.0.wait(guard).unwrap_or_else(PoisonError::into_inner);
            return Ok(MutexGuard { mutex, guard });
        }
        drop(guard);
        block(address(self));
        mutex.lock_now()
    }

    pub(crate) fn notify_all(&self) {
        wake(address(self), Status::Ready);
        self.0.notify_all();
    }
}

/// `std::sync::mpsc::channel`, with a turn for each message. No other thread can see when a message
/// is received, so that is no step: it is received at once.
pub(crate) fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = mpsc::channel();
    let id = Arc::new(0);
    (Sender { sender: Some(sender), id: id.clone() }, Receiver { receiver, id })
}

/// A message, and a hash of all that its sender can have seen.
type Stamped<T> = (u64, T);

pub(crate) struct Sender<T> {
    sender: Option<mpsc::Sender<Stamped<T>>>,
    id: Arc<u8>,
}

impl<T> Sender<T> {
    pub(crate) fn send(&self, message: T) -> Result<(), mpsc::SendError<Stamped<T>>> {
        step();
        let mut stamp = 0;
        scheduled(|schedule, index| stamp = schedule.progress().histories[index]);
        wake(address(&*self.id), Status::First);
        self.sender.as_ref().expect("not dropped").send((stamp, message))
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        Sender { sender: self.sender.clone(), id: self.id.clone() }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        drop(self.sender.take());
        wake(address(&*self.id), Status::First);
    }
}

pub(crate) struct Receiver<T> {
    receiver: mpsc::Receiver<Stamped<T>>,
    id: Arc<u8>,
}

impl<T> Receiver<T> {
    /// In a schedule, time does not pass.
    pub(crate) fn recv_timeout(&self, at_most: Duration) -> Result<T, mpsc::RecvTimeoutError> {
        if scheduled(|_, _| ()) {
            return self.recv().map_err(|_| mpsc::RecvTimeoutError::Disconnected);
        }
        self.receiver.recv_timeout(at_most).map(|(_, message)| message)
    }

    pub(crate) fn recv(&self) -> Result<T, mpsc::RecvError> {
        loop {
            match self.receiver.try_recv() {
                Ok((stamp, message)) => {
                    saw(stamp);
                    return Ok(message);
                }
                Err(mpsc::TryRecvError::Disconnected) => return Err(mpsc::RecvError),
                Err(mpsc::TryRecvError::Empty) if block(address(&*self.id)) => {}
                Err(mpsc::TryRecvError::Empty) => {
                    return self.receiver.recv().map(|(_, message)| message);
                }
            }
        }
    }
}

mod tests {
    use super::*;

    /// Runs this in two threads, in every order, and hands what they share to `check`.
    fn two_threads<S: Sync>(
        shared: impl Fn() -> S,
        thread: impl Fn(&S) + Sync,
        check: impl Fn(S) -> Result<(), String>,
    ) -> Result<usize, String> {
        explore(3, |schedule| {
            let (shared, thread) = (shared(), &thread);
            std::thread::scope(|scope| {
                for index in [1, 2] {
                    let shared = &shared;
                    scope.spawn(move || {
                        schedule.enter(index);
                        step();
                        thread(shared);
                    });
                }
                schedule.leave();
            });
            check(shared)
        })
    }

    /// Adds 1 with the lock held, or releases it between reading and writing.
    fn counted(released: bool) -> Result<usize, String> {
        let add = |count: &Mutex<u32>| {
            let mut guard = count.lock().expect("no panic");
            let read = *guard;
            if released {
                drop(guard);
                guard = count.lock().expect("no panic");
            }
            *guard = read + 1;
        };
        let check = |count: Mutex<u32>| match *count.lock().expect("no panic") {
            2 => Ok(()),
            other => Err(format!("the count is {other}")),
        };
        two_threads(Mutex::default, add, check)
    }

    #[test]
    fn an_update_that_is_lost_in_one_order_is_found() {
        counted(false).expect("nothing is lost");
        let wrong = counted(true).expect_err("two threads read the same");
        assert!(wrong.starts_with("the count is 1; order of threads: ["), "{wrong}");
    }

    /// Two threads wait for each other, and say that they are there before or after it is visible.
    fn met(says_too_early: bool) -> Result<usize, String> {
        let meet = |(there, changed): &(Mutex<u32>, Condvar)| {
            if says_too_early {
                changed.notify_all();
            }
            *there.lock().expect("no panic") += 1;
            if !says_too_early {
                changed.notify_all();
            }
            let mut guard = there.lock().expect("no panic");
            while *guard < 2 {
                guard = changed.wait(guard).expect("no panic");
            }
        };
        two_threads(|| (Mutex::default(), Condvar::new()), meet, |_| Ok(()))
    }

    #[test]
    fn a_lost_wake_up_is_found() {
        met(false).expect("both go on");
        let wrong = met(true).expect_err("one waits for ever");
        assert!(wrong.starts_with("deadlock; order of threads: ["), "{wrong}");
    }
}

//! A connection on a thread of its own, as a task of the lane uses it.
//!
//! The library blocks; the lane does not. So the task passes its work to the connection's thread,
//! which is on the same core, and is woken with the reply. Both handovers together took 2.2 to
//! 3.1 µs (1, 8 and 32 connections on one core), which are part of every latency. In return,
//! workloads, pools, groups and loads are shared with all lanes here. A lane that consists of
//! threads, as files have, was rejected: it would have needed each of them again.

use crate::link::{Call, Fault, Library, Reply};
use drivers::budget::REPLY_BYTES;
use drivers::confined;
use drivers::keep_waker;
use engine::{Heartbeat, clock, interrupt};
use std::cell::RefCell;
use std::future::poll_fn;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long to wait for threads whose calls do not end when the lane ends.
const LEAVING_NS: u64 = 1_000_000_000;

/// The task's end of a connection.
pub(crate) struct Connection {
    slot: Arc<Slot>,
    threads: Rc<Threads>,
    thread: Option<JoinHandle<()>>,
}

/// The threads of one lane.
#[derive(Default)]
pub(crate) struct Threads {
    /// CPU time of all of them, in nanoseconds.
    cpu_ns: Arc<AtomicU64>,
    /// Threads that are abandoned, and still in a call.
    leaving: RefCell<Vec<JoinHandle<()>>>,
}

/// What task and thread share.
#[derive(Default)]
struct Slot {
    state: Mutex<CallState>,
    /// Signals work for the thread.
    called: Condvar,
}

#[derive(Default)]
struct CallState {
    call: Option<Call>,
    answer: Option<Result<Reply, Fault>>,
    /// The task's waker, if it waits.
    waker: Option<Waker>,
    /// No more calls come, so the connection must end.
    over: bool,
    /// It has ended.
    ended: bool,
    /// It has ended by a panic.
    panicked: bool,
}

impl Threads {
    pub(crate) fn cpu_ns(&self) -> u64 {
        self.cpu_ns.load(Ordering::Relaxed)
    }

    /// Interrupts the calls of abandoned threads. That has no effect on a thread that is just about
    /// to call, so it must be repeated. Returns whether all have ended.
    fn reap(&self) -> bool {
        let mut leaving = self.leaving.borrow_mut();
        leaving.retain(|thread| !thread.is_finished());
        leaving.iter().for_each(interrupt::interrupt);
        leaving.is_empty()
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        let gives_up = clock::now() + LEAVING_NS;
        while !self.reap() && clock::now() < gives_up {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Connection {
    /// Opens a connection on a new thread. To stop waiting for it, drop the returned value: its
    /// thread ends.
    pub(crate) async fn open(
        threads: &Rc<Threads>,
        library: impl Library,
    ) -> Result<Connection, Fault> {
        threads.reap();
        let slot = Arc::new(Slot::default());
        let (of_thread, cpu_ns) = (slot.clone(), threads.cpu_ns.clone());
        let thread = std::thread::Builder::new()
            .name("connection".to_owned())
            .spawn(move || live(library, &of_thread, &cpu_ns))
            .map_err(|error| Fault { why: error.to_string(), request_error: error.into() })?;
        let connection = Connection { slot, threads: threads.clone(), thread: Some(thread) };
        connection.answer().await?;
        Ok(connection)
    }

    /// Carries out a call. The caller must wait until it was answered, or end the connection by
    /// dropping it.
    pub(crate) async fn call(&self, call: Call) -> Result<Reply, Fault> {
        self.slot.state().call = Some(call);
        self.slot.called.notify_one();
        self.answer().await
    }

    async fn answer(&self) -> Result<Reply, Fault> {
        poll_fn(|context| self.slot.wait(context, |state| state.answer.take())).await
    }

    /// Closes the connection in good order, and waits for that.
    pub(crate) async fn close(mut self) {
        self.slot.end();
        poll_fn(|context| self.slot.wait(context, |state| state.ended.then_some(()))).await;
        // It has nothing left to do.
        self.thread = None;
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            self.slot.end();
            self.threads.leaving.borrow_mut().push(thread);
            self.threads.reap();
        }
    }
}

impl Slot {
    fn state(&self) -> MutexGuard<'_, CallState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// For the task: returns what it waits for, once it is available.
    fn wait<T>(
        &self,
        context: &Context<'_>,
        what: impl Fn(&mut CallState) -> Option<T>,
    ) -> Poll<T> {
        let mut state = self.state();
        match what(&mut state) {
            Some(result) => Poll::Ready(result),
            None => {
                if state.panicked {
                    drivers::of_another_thread();
                }
                keep_waker(&mut state.waker, context);
                Poll::Pending
            }
        }
    }

    fn end(&self) {
        self.state().over = true;
        self.called.notify_one();
    }

    /// For the thread: returns its next call. Returns None if it must end.
    fn next(&self) -> Option<Call> {
        let mut state = self.state();
        loop {
            if state.over {
                return None;
            }
            if let Some(call) = state.call.take() {
                return Some(call);
            }
            state = self.called.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// For the thread: passes the result to the task.
    fn complete(&self, what: impl FnOnce(&mut CallState)) {
        let waker = {
            let mut state = self.state();
            what(&mut state);
            state.waker.take()
        };
        waker.into_iter().for_each(Waker::wake);
    }
}

/// Notifies the task when the thread ends, however it ends.
struct Ending<'a>(&'a Slot);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        let panicked = std::thread::panicking();
        self.0.complete(|state| (state.ended, state.panicked) = (true, panicked));
    }
}

/// The main loop of a connection's thread.
fn live(library: impl Library, slot: &Slot, cpu_ns: &AtomicU64) {
    let _ending = Ending(slot);
    // A thread that does not come back is one whose call hangs: the task has a timeout.
    confined(&Heartbeat::default(), REPLY_BYTES, || serve(library, slot, cpu_ns));
}

fn serve(library: impl Library, slot: &Slot, cpu_ns: &AtomicU64) {
    let mut counted = 0;
    let mut count = || {
        let now = clock::cpu_of_this_thread();
        cpu_ns.fetch_add(now - std::mem::replace(&mut counted, now), Ordering::Relaxed);
    };
    match library.connect() {
        Ok(mut link) => {
            count();
            slot.complete(|state| state.answer = Some(Ok(Reply::default())));
            while let Some(call) = slot.next() {
                let answer = call.carry_out(&mut link);
                count();
                slot.complete(|state| state.answer = Some(answer));
            }
        }
        Err(fault) => slot.complete(|state| state.answer = Some(Err(fault))),
    }
    count();
}

//! The loop: one thread, one epoll, all behaviours.

use super::behaviour::{Action, Behaviour, Framing, hits};
use super::connection::{Connection, ConnectionState, PendingReply};
use super::connections::{Connections, Token};
use super::freeze::{Frozen, frozen};
use super::preempted::Preempted;
use super::reply::{Form, Replies};
use super::report::{LOG_LIMIT, Report};
use super::request::{Bad, Persist, Request};
use super::socket::{Listener, reset_on_close};
use super::timeline::{Next, ServiceTime, Timeline};
use super::workers::WorkerQueue;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, ErrorKind, PipeReader};
use std::os::fd::{AsFd, AsRawFd};
use sys::clock::now as now_ns;
use sys::{Epoll, ReadyEvent, poll};
use text::units::nanoseconds;

const STOP: Token = Token(u64::MAX);
const LISTENER: Token = Token(u64::MAX - 1);
const BUFFER: usize = 64 * 1024;
/// Events taken at once. They are few, so that a reply that becomes due meanwhile is not much
/// delayed.
const EVENTS: usize = 64;

/// A reply that the thread is working on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Job {
    token: Token,
    serial: u64,
    number: u64,
}

/// A timer. Timers of the same time fire in the order in which they were set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Timer {
    due: u64,
    order: u64,
    what: TimedWork,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum TimedWork {
    /// A delayed reply.
    Reply(Job),
    /// The next piece of a slow body.
    Piece(Token),
}

/// Sleeps until `at`. Returns true if the other end of `stop` was closed before.
fn sleep_until(at: u64, stop: &PipeReader) -> io::Result<bool> {
    loop {
        let left = at.saturating_sub(now_ns());
        let [stopped] = poll::readable([stop.as_raw_fd()], Some(left))?;
        if stopped || left == 0 {
            return Ok(stopped);
        }
    }
}

/// The server, ready to run.
pub(super) struct Server {
    behaviour: Behaviour,
    poll: Epoll,
    listeners: Vec<Listener>,
    stop: PipeReader,
    connections: Connections,
    /// Connections wait in the kernel because all slots are taken.
    backlogged: bool,
    timeline: Timeline<Job>,
    /// None if this thread does the work.
    workers: Option<WorkerQueue>,
    /// None if work is measured by the wall clock.
    preempted: Option<Preempted>,
    timers: BinaryHeap<Reverse<Timer>>,
    timers_set: u64,
    /// How many times it has stalled.
    stalls: u64,
    replies: Replies,
    report: Report,
    buffer: Box<[u8]>,
}

impl Server {
    /// Closing the other end of `stop` ends the server.
    pub(super) fn new(
        behaviour: Behaviour,
        listeners: Vec<Listener>,
        stop: PipeReader,
    ) -> io::Result<Self> {
        let mut poll = Epoll::new(EVENTS)?;
        poll.add(stop.as_fd(), STOP.0)?;
        for listener in &listeners {
            poll.add(listener.as_fd(), LISTENER.0)?;
        }
        // A kernel without this call reports it here, not in the loop.
        poll.wait(Some(0))?;
        Ok(Server {
            replies: Replies::new(&behaviour),
            timeline: Timeline::new(ServiceTime::of(&behaviour)),
            workers: behaviour.workers.map(|workers| WorkerQueue::new(workers, behaviour.seed)),
            preempted: None,
            report: Report::with_room(if behaviour.log { LOG_LIMIT } else { 0 }),
            behaviour,
            poll,
            listeners,
            stop,
            connections: Connections::default(),
            backlogged: false,
            timers: BinaryHeap::new(),
            timers_set: 0,
            stalls: 0,
            buffer: vec![0; BUFFER].into(),
        })
    }

    /// Serves until it is stopped.
    pub(super) fn run(mut self) -> Report {
        // Connections that came before the first wait are not announced again.
        self.accept();
        // Its clock is that of the thread that serves.
        self.preempted = self.behaviour.by_cpu_clock.then(Preempted::new);
        loop {
            let working = self.timeline.next() == Next::Busy;
            self.poll.wait(self.wait()).expect("our own epoll");
            self.make_up_for_preemption(working);
            let frozen = self.frozen();
            if self.wait_out_freeze(frozen) {
                return self.report.ended();
            }
            while let Some(ready) = self.poll.next() {
                match Token(ready.key) {
                    STOP => return self.report.ended(),
                    LISTENER => self.accept(),
                    token => self.serve(token, ready),
                }
            }
            let stalled = self.stalled();
            if self.wait_out_freeze(stalled) {
                return self.report.ended();
            }
            self.do_what_is_due(now_ns());
        }
    }

    /// How long to wait for events; None waits without a limit. While it works it only polls for events
    /// between two readings of the clock.
    fn wait(&self) -> Option<u64> {
        if self.behaviour.awake {
            return Some(0);
        }
        let timer = self.timers.peek().map(|Reverse(timer)| timer.due);
        let until = match (self.timeline.next(), timer) {
            (Next::Busy, _) => return Some(0),
            (Next::RestUntil(flush), timer) => timer.map_or(flush, |timer| timer.min(flush)),
            (Next::Rest, timer) => timer?,
        };
        Some(until.saturating_sub(now_ns()))
    }

    /// Extends the current work by the time during which the thread did not run.
    fn make_up_for_preemption(&mut self, working: bool) {
        let Some(preempted) = &mut self.preempted else { return };
        let (from, missed) = preempted.next();
        if working {
            self.timeline.stand_still(from, from + missed);
        }
    }

    /// Does nothing during this stall, if there is one. Returns true if it was stopped meanwhile.
    fn wait_out_freeze(&mut self, frozen: Option<Frozen>) -> bool {
        let Some(frozen) = frozen else { return false };
        self.timeline.stand_still(frozen.from, frozen.until);
        sleep_until(frozen.until, &self.stop).expect("our own pipe")
    }

    fn frozen(&self) -> Option<Frozen> {
        frozen(&self.behaviour.freeze?, self.timeline.first_arrival()?, now_ns())
    }

    /// The stall caused by a request that was read since the last call.
    fn stalled(&mut self) -> Option<Frozen> {
        let stall = self.behaviour.stall?;
        let stalls = self.report.requests / stall.nth;
        if std::mem::replace(&mut self.stalls, stalls) == stalls {
            return None;
        }
        let from = now_ns();
        Some(Frozen { from, until: from.saturating_add(nanoseconds(stall.lasts)) })
    }

    fn do_what_is_due(&mut self, now: u64) {
        while let Some((ended, job)) = self.timeline.take_ended(now) {
            match self.behaviour.waits(job.number) {
                0 => self.answer(job),
                wait => self.set_timer(ended.saturating_add(wait), TimedWork::Reply(job)),
            }
        }
        while self.timers.peek().is_some_and(|Reverse(timer)| timer.due <= now) {
            match self.timers.pop() {
                Some(Reverse(Timer { what: TimedWork::Reply(job), .. })) => self.answer(job),
                Some(Reverse(Timer { what: TimedWork::Piece(token), .. })) => {
                    self.continue_body(token)
                }
                None => {}
            }
        }
    }

    fn set_timer(&mut self, due: u64, what: TimedWork) {
        self.timers_set += 1;
        self.timers.push(Reverse(Timer { due, order: self.timers_set, what }));
    }

    fn accept(&mut self) {
        self.backlogged = false;
        for at in 0..self.listeners.len() {
            while !self.connections.is_full() {
                match self.listeners[at].accept() {
                    Ok(socket) => self.welcome(Connection::new(socket)),
                    Err(error) => match error.kind() {
                        ErrorKind::WouldBlock => break,
                        ErrorKind::Interrupted | ErrorKind::ConnectionAborted => {}
                        _ => {
                            self.report.accept_failures += 1;
                            self.backlogged = true;
                            break;
                        }
                    },
                }
            }
        }
        self.backlogged |= self.connections.is_full();
    }

    fn welcome(&mut self, connection: Connection) {
        self.report.connections += 1;
        if hits(self.behaviour.refuse_nth, self.report.connections) {
            // If this fails, the client is gone, which has the same effect.
            let _ = reset_on_close(connection.socket().as_fd());
            self.report.refused += 1;
            return;
        }
        let token = self.connections.insert(connection);
        let Some(connection) = self.connections.get(token) else { return };
        if self.poll.add(connection.socket().as_fd(), token.0).is_err() {
            self.connections.remove(token);
            self.report.accept_failures += 1;
        }
    }

    fn remove(&mut self, token: Token) {
        self.connections.remove(token);
        if self.backlogged {
            self.accept();
        }
    }

    /// Handles an event on a connection.
    fn serve(&mut self, token: Token, ready: ReadyEvent) {
        if ready.readable {
            self.receive(token, ready.ended);
        }
        if ready.writable
            && let Some(connection) = self.connections.get(token)
            && connection.unblock()
        {
            self.send(token);
        }
    }

    /// Receives everything available. A short read means that there is no more data, unless
    /// `to_end` is set: the end of the stream is not announced again, so it must be read now.
    fn receive(&mut self, token: Token, to_end: bool) {
        while let Some(connection) = self.connections.get(token)
            && !connection.is_paused()
        {
            match connection.receive(&mut self.buffer) {
                Ok(Some(length)) => {
                    self.take_requests(token, now_ns());
                    if length < BUFFER && !to_end {
                        return;
                    }
                }
                Ok(None) if connection.state() == ConnectionState::Open => return,
                Ok(None) | Err(_) => return self.remove(token),
            }
        }
    }

    fn take_requests(&mut self, token: Token, now: u64) {
        while let Some(connection) = self.connections.get(token)
            && let Some(request) = connection.next_request(&self.behaviour.paths)
        {
            match request {
                Ok(request) => self.take_request(token, request, now),
                Err(bad) => self.refuse(token, bad),
            }
        }
    }

    fn take_request(&mut self, token: Token, request: Request, now: u64) {
        let number = self.report.arrived(now, self.behaviour.log);
        let Some(connection) = self.connections.get(token) else { return };
        let last = hits(self.behaviour.close_every, connection.count_request())
            || self.behaviour.framing == Framing::Http10;
        if self.behaviour.never_reply {
            return;
        }
        let persist = if last { Persist::Close } else { request.persist };
        let status = self.behaviour.status(number);
        let serial = connection.enqueue(PendingReply {
            number,
            action: self.behaviour.action(number),
            form: Form { status, persist, head_only: request.head_only },
            ready: false,
        });
        let job = Job { token, serial, number };
        if let Some(workers) = &mut self.workers {
            let due = workers.arrive(now, number).saturating_add(self.behaviour.waits(number));
            return self.set_timer(due, TimedWork::Reply(job));
        }
        let own_service = request.path.map(|at| nanoseconds(self.behaviour.paths[at].service));
        self.timeline.arrive(now, own_service, job);
    }

    /// Answers an invalid request, after all earlier requests.
    fn refuse(&mut self, token: Token, bad: Bad) {
        let Some(connection) = self.connections.get(token) else { return };
        let form = Form { status: bad.status(), persist: Persist::Close, head_only: false };
        connection.enqueue(PendingReply { number: 0, action: Action::Refuse, form, ready: true });
        self.send(token);
    }

    /// Sends a reply that is due.
    fn answer(&mut self, job: Job) {
        let Some(connection) = self.connections.get(job.token) else { return };
        connection.make_ready(job.serial);
        self.send(job.token);
    }

    fn continue_body(&mut self, token: Token) {
        let Some(connection) = self.connections.get(token) else { return };
        if let Some(next) = connection.queue_piece() {
            self.set_timer(next, TimedWork::Piece(token));
        }
        self.send(token);
    }

    /// Sends what may be sent on a connection, and continues reading if that was paused.
    fn send(&mut self, token: Token) {
        let Some(connection) = self.connections.get(token) else { return };
        let begun = connection.queue(&mut self.replies, self.behaviour.slow_body, now_ns());
        let sent = connection.send(&mut self.report);
        let resumes = connection.resumes();
        if let Some(next) = begun {
            self.set_timer(next, TimedWork::Piece(token));
        }
        match sent {
            Ok(ConnectionState::Open) if resumes => {
                self.take_requests(token, now_ns());
                self.receive(token, true);
            }
            Ok(ConnectionState::Open) => {}
            Ok(ConnectionState::Done) | Err(_) => self.remove(token),
        }
    }
}

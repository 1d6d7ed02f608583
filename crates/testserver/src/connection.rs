//! One client: reads requests, and sends replies in the same order.

use super::behaviour::{Action, PathService, SlowBody};
use super::outbox::{Outbox, ReplyEnd};
use super::reply::{Form, GARBAGE, Replies};
use super::report::Report;
use super::request::{Bad, Parser, Persist, Request};
use super::socket::{self, Socket};
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read};
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::sync::Arc;

/// Maximum number of unanswered requests of one connection. When it is reached, nothing more is
/// read from the connection until half of them are answered.
const MAX_PENDING: usize = 1024;

/// A reply that is not sent yet.
pub(super) struct PendingReply {
    /// Number of the request on this server; 0 if it was not a request.
    pub(super) number: u64,
    pub(super) action: Action,
    pub(super) form: Form,
    /// It is due.
    pub(super) ready: bool,
}

/// What can be done with a connection now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConnectionState {
    /// It continues.
    Open,
    /// It must be dropped.
    Done,
}

/// One client.
pub(super) struct Connection {
    socket: Socket,
    parser: Parser,
    pending: VecDeque<PendingReply>,
    /// Serial number of the first one owed.
    first: u64,
    requests: u64,
    out: Outbox,
    /// The socket is full; an event will say when it accepts more.
    blocked: bool,
    /// A reply that closes the connection is owed: anything after its request is ignored.
    closing: bool,
    /// The reply that closes the connection was sent.
    finished: bool,
    /// The client will send no more.
    peer_done: bool,
    /// Nothing is read because too much is owed.
    paused: bool,
}

impl Connection {
    pub(super) fn new(socket: Socket) -> Self {
        Connection {
            socket,
            parser: Parser::default(),
            pending: VecDeque::new(),
            first: 0,
            requests: 0,
            out: Outbox::default(),
            blocked: false,
            closing: false,
            finished: false,
            peer_done: false,
            paused: false,
        }
    }

    pub(super) fn socket(&self) -> &Socket {
        &self.socket
    }

    /// Receives once. Returns the number of bytes, or None if there are none now or at all.
    pub(super) fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        loop {
            match self.socket.read(buffer) {
                Ok(0) => {
                    self.peer_done = true;
                    return Ok(None);
                }
                Ok(length) => {
                    if !self.closing {
                        self.parser.feed(&buffer[..length]);
                    }
                    return Ok(Some(length));
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The next request among what was received, if one may be taken.
    pub(super) fn next_request(&mut self, paths: &[PathService]) -> Option<Result<Request, Bad>> {
        if self.closing {
            return None;
        }
        self.paused |= self.pending.len() >= MAX_PENDING;
        if self.paused { None } else { self.parser.next(paths) }
    }

    /// Whether nothing more may be received for now.
    pub(super) fn is_paused(&self) -> bool {
        self.paused
    }

    /// Ends a pause when enough was answered. Returns true if the caller must receive now, since no
    /// event will come for data that is there already.
    pub(super) fn resumes(&mut self) -> bool {
        let resumes = self.paused && self.pending.len() <= MAX_PENDING / 2;
        self.paused &= !resumes;
        resumes
    }

    /// Counts a request on this connection, from 1.
    pub(super) fn count_request(&mut self) -> u64 {
        self.requests += 1;
        self.requests
    }

    /// Adds a pending reply and returns its serial number.
    pub(super) fn enqueue(&mut self, pending: PendingReply) -> u64 {
        self.closing |= closes(&pending);
        self.pending.push_back(pending);
        self.first + self.pending.len() as u64 - 1
    }

    /// Marks the reply `serial` as due.
    pub(super) fn make_ready(&mut self, serial: u64) {
        let index = serial.checked_sub(self.first).and_then(|at| usize::try_from(at).ok());
        if let Some(pending) = index.and_then(|at| self.pending.get_mut(at)) {
            pending.ready = true;
        }
    }

    /// Queues the replies that are due, as far as their order allows. Returns Some if a slow body
    /// was begun: its next piece is due at that time.
    pub(super) fn queue(
        &mut self,
        replies: &mut Replies,
        slow: Option<SlowBody>,
        now: u64,
    ) -> Option<u64> {
        if self.out.is_amid_body() {
            return None;
        }
        while !self.out.is_amid_body() {
            if !self.pending.front()?.ready {
                return None;
            }
            let pending = self.pending.pop_front()?;
            self.first += 1;
            let PendingReply { number, action, form, .. } = pending;
            let end = ReplyEnd { number, action, closes: closes(&pending) };
            match (action, slow) {
                (Action::Reset, _) => self.out.put(Arc::from([]), end),
                (Action::Garbage, _) => self.out.put(Arc::from(GARBAGE), end),
                (Action::Truncate, _) => self.out.put_cut(replies.reply(number, form), end),
                (Action::Reply, Some(slow)) => {
                    self.out.put_slow(replies.reply(number, form), slow, now, end);
                }
                (Action::Reply | Action::Refuse, _) => {
                    self.out.put_whole(replies.reply(number, form), end);
                }
            }
        }
        self.out.next_piece_at()
    }

    /// Queues the next piece of a slow body, and says when the one after it is
    /// due.
    pub(super) fn queue_piece(&mut self) -> Option<u64> {
        self.out.put_piece();
        self.out.next_piece_at()
    }

    /// Records that the socket accepts more. Returns true if it did not before.
    pub(super) fn unblock(&mut self) -> bool {
        std::mem::take(&mut self.blocked)
    }

    /// Sends queued data, as far as the socket accepts it.
    pub(super) fn send(&mut self, report: &mut Report) -> io::Result<ConnectionState> {
        loop {
            while let Some(end) = self.out.take_end() {
                settle(end, report);
                if self.after(end)? == ConnectionState::Done {
                    return Ok(ConnectionState::Done);
                }
            }
            if self.out.is_empty() || self.blocked {
                return Ok(self.state());
            }
            match self.out.write(&mut self.socket) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.blocked = true,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Handles the consequences of a sent reply.
    fn after(&mut self, end: ReplyEnd) -> io::Result<ConnectionState> {
        if end.action == Action::Reset {
            socket::reset_on_close(self.socket.as_fd())?;
            return Ok(ConnectionState::Done);
        }
        if end.closes {
            self.finished = true;
            // The peer's data can still be read: closing with unread bytes would reset the connection,
            // and the client could lose the last reply.
            self.socket.shutdown(Shutdown::Write)?;
        }
        Ok(ConnectionState::Open)
    }

    /// The connection is over when neither side has anything more to send.
    pub(super) fn state(&self) -> ConnectionState {
        let silent = self.pending.is_empty() && self.out.is_empty() && !self.out.is_amid_body();
        if self.peer_done && (self.finished || silent) {
            ConnectionState::Done
        } else {
            ConnectionState::Open
        }
    }
}

/// Whether no further request is answered on the connection.
fn closes(pending: &PendingReply) -> bool {
    pending.action != Action::Reply || pending.form.persist == Persist::Close
}

/// Counts sent replies.
fn settle(end: ReplyEnd, report: &mut Report) {
    match end.action {
        Action::Reply => report.replied(end.number, sys::clock::now()),
        Action::Truncate => report.truncated += 1,
        Action::Garbage => report.garbage += 1,
        Action::Reset => report.resets += 1,
        Action::Refuse => report.bad_requests += 1,
    }
}

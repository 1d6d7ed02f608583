//! One client: requests in, and replies out in the same order.

use super::behaviour::{Fate, SlowBody};
use super::delay::nanos;
use super::reply::{Form, GARBAGE, Replies, Reply};
use super::report::Report;
use super::request::{Bad, Parser, Persist, Request};
use super::socket::Socket;
use super::sys;
use std::collections::VecDeque;
use std::io::{self, ErrorKind, IoSlice};
use std::os::fd::AsFd;
use std::sync::Arc;

/// Requests of one connection that may be unanswered at once; beyond it
/// nothing more is read from it until half of them are answered.
const MAX_OWED: usize = 1024;

/// Pieces that one system call sends.
const SLICES: usize = 8;

/// A reply that is owed.
pub(super) struct Owed {
    /// Number of the request on this server; 0 where it was none.
    pub(super) number: u64,
    pub(super) fate: Fate,
    pub(super) form: Form,
    /// Its time has come.
    pub(super) ready: bool,
}

/// What is known once a reply has gone out.
#[derive(Clone, Copy)]
struct End {
    number: u64,
    fate: Fate,
    closes: bool,
}

struct Piece {
    bytes: Arc<[u8]>,
    from: usize,
    to: usize,
    /// It is the last piece of a reply.
    end: Option<End>,
}

/// A body that is sent bit by bit.
struct Pieces {
    body: Arc<[u8]>,
    count: u64,
    sent: u64,
    started: u64,
    gap: u64,
    end: End,
}

/// What can be done with a connection now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It goes on.
    Open,
    /// Drop it.
    Over,
}

/// One client.
pub(super) struct Connection {
    socket: Socket,
    parser: Parser,
    owed: VecDeque<Owed>,
    /// Serial number of the first one owed.
    first: u64,
    requests: u64,
    out: VecDeque<Piece>,
    pieces: Option<Pieces>,
    /// The socket took no more; an event will say when it does.
    blocked: bool,
    /// A reply that closes is owed: what comes after its request is ignored.
    closing: bool,
    /// The reply that closes is out.
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
            owed: VecDeque::new(),
            first: 0,
            requests: 0,
            out: VecDeque::new(),
            pieces: None,
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

    /// Receives once: how much, or none where nothing is there or ever will be.
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
    pub(super) fn next_request(&mut self) -> Option<Result<Request, Bad>> {
        if self.closing {
            return None;
        }
        self.paused |= self.owed.len() >= MAX_OWED;
        if self.paused { None } else { self.parser.next() }
    }

    /// Nothing more may be received for now.
    pub(super) fn is_paused(&self) -> bool {
        self.paused
    }

    /// Ends a pause when enough was answered. True: receive now, no event will
    /// come for what is there already.
    pub(super) fn resumes(&mut self) -> bool {
        let resumes = self.paused && self.owed.len() <= MAX_OWED / 2;
        self.paused &= !resumes;
        resumes
    }

    /// Counts a request on this connection, from 1.
    pub(super) fn count_request(&mut self) -> u64 {
        self.requests += 1;
        self.requests
    }

    /// Notes that a reply is owed and gives its serial number.
    pub(super) fn owe(&mut self, owed: Owed) -> u64 {
        self.closing |= closes(&owed);
        self.owed.push_back(owed);
        self.first + self.owed.len() as u64 - 1
    }

    /// The time of the reply `serial` has come.
    pub(super) fn make_ready(&mut self, serial: u64) {
        let place = serial.checked_sub(self.first).and_then(|at| usize::try_from(at).ok());
        if let Some(owed) = place.and_then(|at| self.owed.get_mut(at)) {
            owed.ready = true;
        }
    }

    /// Queues the replies whose time has come, as far as their order allows.
    /// Some: a slow body was begun, and its next piece is due at that time.
    pub(super) fn queue(
        &mut self,
        replies: &mut Replies,
        slow: Option<SlowBody>,
        now: u64,
    ) -> Option<u64> {
        if self.pieces.is_some() {
            return None;
        }
        while self.pieces.is_none() {
            if !self.owed.front()?.ready {
                return None;
            }
            let owed = self.owed.pop_front()?;
            self.first += 1;
            let Owed { number, fate, form, .. } = owed;
            let end = End { number, fate, closes: closes(&owed) };
            match fate {
                Fate::Reset => self.push(Arc::from([]), 0..0, Some(end)),
                Fate::Garbage => self.push(Arc::from(GARBAGE), 0..GARBAGE.len(), Some(end)),
                Fate::Truncate => self.push_cut(replies.reply(number, form), end),
                Fate::Refuse => self.push_whole(replies.reply(number, form), end),
                Fate::Reply => match slow {
                    Some(slow) => self.push_slow(replies.reply(number, form), slow, now, end),
                    None => self.push_whole(replies.reply(number, form), end),
                },
            }
        }
        self.pieces.as_ref().map(Pieces::next_at)
    }

    fn push(&mut self, bytes: Arc<[u8]>, range: std::ops::Range<usize>, end: Option<End>) {
        self.out.push_back(Piece { bytes, from: range.start, to: range.end, end });
    }

    fn push_all(&mut self, bytes: Arc<[u8]>, end: Option<End>) {
        let all = 0..bytes.len();
        self.push(bytes, all, end);
    }

    fn push_whole(&mut self, reply: Reply, end: End) {
        self.push_all(reply.head, None);
        self.push_all(reply.body, Some(end));
    }

    fn push_cut(&mut self, reply: Reply, end: End) {
        if reply.body.is_empty() {
            let half = 0..reply.head.len() / 2;
            return self.push(reply.head, half, Some(end));
        }
        self.push_all(reply.head, None);
        let half = 0..reply.body.len() / 2;
        self.push(reply.body, half, Some(end));
    }

    fn push_slow(&mut self, reply: Reply, slow: SlowBody, now: u64, end: End) {
        let count = slow.pieces.get().min(reply.body.len() as u64);
        if count < 2 {
            return self.push_whole(reply, end);
        }
        self.push_all(reply.head, None);
        let gap = nanos(slow.gap);
        self.pieces = Some(Pieces { body: reply.body, count, sent: 0, started: now, gap, end });
        self.queue_piece();
    }

    /// Queues the next piece of a slow body, and says when the one after it is
    /// due.
    pub(super) fn queue_piece(&mut self) -> Option<u64> {
        let pieces = self.pieces.as_mut()?;
        let range = pieces.next_range();
        pieces.sent += 1;
        let (body, next_at) = (Arc::clone(&pieces.body), pieces.next_at());
        if pieces.sent < pieces.count {
            self.push(body, range, None);
            return Some(next_at);
        }
        let end = pieces.end;
        self.pieces = None;
        self.push(body, range, Some(end));
        None
    }

    /// The socket takes more. True: it did not before.
    pub(super) fn unblock(&mut self) -> bool {
        std::mem::take(&mut self.blocked)
    }

    /// Sends what is queued, as far as the socket takes it.
    pub(super) fn send(&mut self, report: &mut Report) -> io::Result<State> {
        loop {
            while self.out.front().is_some_and(|piece| piece.from == piece.to) {
                let Some(end) = self.out.pop_front().and_then(|piece| piece.end) else { continue };
                settle(end, report);
                if self.after(end)? == State::Over {
                    return Ok(State::Over);
                }
            }
            if self.out.is_empty() || self.blocked {
                return Ok(self.state());
            }
            match self.write() {
                Ok(written) => self.mark_sent(written),
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.blocked = true,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn write(&mut self) -> io::Result<usize> {
        let mut slices = [IoSlice::new(&[]); SLICES];
        for (slice, piece) in slices.iter_mut().zip(&self.out) {
            *slice = IoSlice::new(&piece.bytes[piece.from..piece.to]);
        }
        self.socket.write(&slices[..self.out.len().min(SLICES)])
    }

    fn mark_sent(&mut self, mut bytes: usize) {
        for piece in &mut self.out {
            let here = bytes.min(piece.to - piece.from);
            piece.from += here;
            bytes -= here;
        }
    }

    /// What follows from a reply that has gone out.
    fn after(&mut self, end: End) -> io::Result<State> {
        if end.fate == Fate::Reset {
            sys::reset_on_close(self.socket.as_fd())?;
            return Ok(State::Over);
        }
        if end.closes {
            self.finished = true;
            self.socket.finish()?;
        }
        Ok(State::Open)
    }

    /// Over when neither side has anything more to say.
    pub(super) fn state(&self) -> State {
        let silent = self.owed.is_empty() && self.out.is_empty() && self.pieces.is_none();
        if self.peer_done && (self.finished || silent) { State::Over } else { State::Open }
    }
}

impl Pieces {
    fn next_range(&self) -> std::ops::Range<usize> {
        // In u128: a body and a count near 2⁶⁴ would overflow otherwise.
        let length = self.body.len() as u128;
        let cut = |index: u64| (u128::from(index) * length / u128::from(self.count)) as usize;
        cut(self.sent)..cut(self.sent + 1)
    }

    /// When the next piece is due, counted from the first.
    fn next_at(&self) -> u64 {
        self.started.saturating_add(self.gap.saturating_mul(self.sent))
    }
}

/// No further request is answered on the connection.
fn closes(owed: &Owed) -> bool {
    owed.fate != Fate::Reply || owed.form.persist == Persist::Close
}

/// Counts what has gone out.
fn settle(end: End, report: &mut Report) {
    match end.fate {
        Fate::Reply => report.replied(end.number, sys::now_ns()),
        Fate::Truncate => report.truncated += 1,
        Fate::Garbage => report.garbage += 1,
        Fate::Reset => report.resets += 1,
        Fate::Refuse => report.bad_requests += 1,
    }
}

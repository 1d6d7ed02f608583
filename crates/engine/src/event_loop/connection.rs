//! One connection: dialled, open, busy with one operation, closed again.

use super::Speech;
use super::hearing::{Hearing, Operation};
use super::policy::{Sources, may_reuse};
use super::poll::{Poll, Ready};
use super::socket::{Socket, SystemAddress};
use super::stream::{Got, Stream};
use crate::{TlsAccess, clock};
use record::{Failure, Recorder, Reuse};
use std::collections::VecDeque;
use std::sync::Arc;
use wire::{Codec, Out, State};

/// After a connect that failed: the first wait, and the longest.
const BACKOFF_NS: (u64, u64) = (10_000_000, 250_000_000);

/// What all connections of a lane have in common.
pub(super) struct Common<S: Speech> {
    pub(super) speech: S,
    pub(super) address: SystemAddress,
    pub(super) sources: Sources,
    pub(super) tls: Option<TlsAccess>,
    pub(super) reuse: Reuse,
    pub(super) poll: Poll,
    /// One buffer for all: what a connection has not understood yet is kept
    /// with it, so ten thousand idle connections own no buffers.
    pub(super) input: Vec<u8>,
    pub(super) out: Out,
}

/// Where a connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Closed,
    Connecting,
    /// TLS; a plain connection passes through at once.
    Handshaking,
    /// What the codec has to say and to hear before the first operation.
    Greeting,
    Open,
}

/// What an event, or a start, led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// Nothing that the lane must act on.
    Wait,
    /// The operation ended: the connection is free since then.
    Free(u64),
}

pub(super) struct Connection<S: Speech> {
    socket: Option<Socket>,
    stream: Stream,
    codec: S::Codec,
    phase: Phase,
    operation: Option<Operation>,
    /// Read, but not understood yet.
    held: Vec<u8>,
    /// Written, but not taken by the system yet.
    backlog: VecDeque<Piece>,
    served: u32,
    /// Changes at every close, so that a stale event is recognised.
    generation: u32,
    dialled: u64,
    connected: u64,
    /// Connects that failed, one after the other.
    failures: u32,
    /// No dialling before this.
    pub(super) not_before: u64,
    pub(super) free_since: u64,
}

enum Piece {
    Own(Vec<u8>, usize),
    Lent(Arc<[u8]>, usize),
}

impl<S: Speech> Connection<S> {
    pub(super) fn new(speech: &S) -> Connection<S> {
        Connection {
            socket: None,
            stream: Stream::Plain,
            codec: speech.codec(),
            phase: Phase::Closed,
            operation: None,
            held: Vec::new(),
            backlog: VecDeque::new(),
            served: 0,
            generation: 0,
            dialled: 0,
            connected: 0,
            failures: 0,
            not_before: 0,
            free_since: 0,
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.phase == Phase::Open
    }

    pub(super) fn is_dialling(&self) -> bool {
        !matches!(self.phase, Phase::Closed | Phase::Open)
    }

    pub(super) fn generation(&self) -> u32 {
        self.generation
    }

    /// The operation has taken `timeout_ns` or more by `now`.
    pub(super) fn overdue(&self, now: u64, timeout_ns: u64) -> bool {
        self.operation.as_ref().is_some_and(|operation| now >= operation.at.sent + timeout_ns)
    }

    /// Takes up an operation: asks at once where the connection is open, dials
    /// where it is closed, else asks as soon as it is.
    #[inline]
    pub(super) fn start(
        &mut self,
        key: u64,
        operation: Operation,
        common: &mut Common<S>,
        seen: &mut Recorder,
    ) -> Then {
        self.operation = Some(operation);
        match self.phase {
            Phase::Open => self.ask(operation.at.sent, common, seen),
            Phase::Closed => self.dial(key, common, seen),
            _ => Then::Wait,
        }
    }

    /// Opens the connection.
    pub(super) fn dial(&mut self, key: u64, common: &mut Common<S>, seen: &mut Recorder) -> Then {
        self.dialled = clock::now();
        let dialled = Stream::new(common.tls.as_ref()).and_then(|stream| {
            let socket = Socket::connect(&common.address, common.sources.deal())?;
            Ok((stream, socket))
        });
        match dialled {
            Ok((stream, socket)) => {
                let key = key | u64::from(self.generation) << 32;
                if common.poll.add(socket.fd(), key).is_err() {
                    return self.fail(Failure::NoMemory, seen);
                }
                self.stream = stream;
                self.socket = Some(socket);
                self.phase = Phase::Connecting;
                common.speech.renew(&mut self.codec);
                Then::Wait
            }
            Err(failure) => self.fail(failure, seen),
        }
    }

    /// An event on the socket.
    #[inline]
    pub(super) fn react(
        &mut self,
        ready: &Ready,
        common: &mut Common<S>,
        seen: &mut Recorder,
    ) -> Then {
        if self.phase == Phase::Connecting {
            if !ready.writable {
                return Then::Wait;
            }
            if let Err(failure) = self.socket.as_ref().expect("connecting").connected() {
                return self.fail(failure, seen);
            }
            self.connected = clock::now();
            self.phase = Phase::Handshaking;
            // No return: a greeting, or a reset, may have come with the event.
        }
        if self.phase == Phase::Handshaking {
            match self.shake_hands(common, seen) {
                Ok(Then::Wait) => {}
                Ok(then) => return then,
                Err(failure) => return self.fail(failure, seen),
            }
        }
        if ready.writable
            && !self.backlog.is_empty()
            && let Err(failure) = self.flush()
        {
            return self.fail(failure, seen);
        }
        if ready.readable { self.read(ready.ended, common, seen) } else { Then::Wait }
    }

    /// Moves the TLS handshake on; then the protocol begins.
    fn shake_hands(
        &mut self,
        common: &mut Common<S>,
        seen: &mut Recorder,
    ) -> Result<Then, Failure> {
        let socket = self.socket.as_ref().expect("shaking hands");
        self.stream.push(socket)?;
        if self.stream.handshaking() {
            // Reads what the handshake needs; it brings no plaintext yet.
            let (got, _) = self.stream.read(socket, &mut common.input)?;
            self.stream.push(socket)?;
            if got == Got::End {
                return Err(Failure::Closed);
            }
            if self.stream.handshaking() {
                return Ok(Then::Wait);
            }
        }
        self.phase = Phase::Greeting;
        common.out.clear();
        let state = self.codec.open(&mut common.out);
        self.send_out(common)?;
        Ok(if state == State::Ready { self.opened(common, seen) } else { Then::Wait })
    }

    /// The connection is open: the operation that waited for it is asked.
    fn opened(&mut self, common: &mut Common<S>, seen: &mut Recorder) -> Then {
        let now = clock::now();
        self.phase = Phase::Open;
        let tls_ns = common.tls.as_ref().map(|_| now - self.connected);
        seen.opened(self.connected - self.dialled, tls_ns);
        self.failures = 0;
        if self.operation.is_some() { self.ask(now, common, seen) } else { Then::Wait }
    }

    /// Sends the operation's request.
    #[inline]
    fn ask(&mut self, now: u64, common: &mut Common<S>, seen: &mut Recorder) -> Then {
        let operation = self.operation.as_mut().expect("an operation to ask");
        operation.at.asked = now;
        common.out.clear();
        let number = operation.number;
        let written = self.codec.write(&common.speech.operation(number), &mut common.out);
        if written.is_err() {
            // Ours: the request was tried when the plan was made.
            return self.fail(Failure::Protocol, seen);
        }
        match self.send_out(common) {
            Ok(()) => Then::Wait,
            Err(failure) => self.fail(failure, seen),
        }
    }

    /// Sends `common.out`; what the system does not take waits in the backlog.
    #[inline]
    fn send_out(&mut self, common: &mut Common<S>) -> Result<(), Failure> {
        let out = &mut common.out;
        if out.lent.is_empty() && self.backlog.is_empty() {
            if out.bytes.is_empty() {
                return Ok(());
            }
            let socket = self.socket.as_ref().expect("open");
            let took = self.stream.write(socket, &out.bytes)?;
            if took < out.bytes.len() {
                self.backlog.push_back(Piece::Own(out.bytes[took..].to_vec(), 0));
            }
            return Ok(());
        }
        let mut from = 0;
        for (before, body) in out.lent.drain(..) {
            self.backlog.push_back(Piece::Own(out.bytes[from..before].to_vec(), 0));
            self.backlog.push_back(Piece::Lent(body, 0));
            from = before;
        }
        self.backlog.push_back(Piece::Own(out.bytes[from..].to_vec(), 0));
        self.flush()
    }

    /// Writes as much of the backlog as the system takes.
    fn flush(&mut self) -> Result<(), Failure> {
        let socket = self.socket.as_ref().expect("open");
        while let Some(piece) = self.backlog.front_mut() {
            let (bytes, from): (&[u8], &mut usize) = match piece {
                Piece::Own(bytes, from) => (bytes, from),
                Piece::Lent(bytes, from) => (bytes, from),
            };
            if *from < bytes.len() {
                match self.stream.write(socket, &bytes[*from..])? {
                    0 => return Ok(()),
                    took => *from += took,
                }
            }
            if *from == bytes.len() {
                self.backlog.pop_front();
            }
        }
        Ok(())
    }

    /// Reads until the socket is drained or the operation is over. `ended`: a
    /// short read is not the end of it, the peer's end comes behind.
    #[inline]
    fn read(&mut self, ended: bool, common: &mut Common<S>, seen: &mut Recorder) -> Then {
        loop {
            let Some(socket) = self.socket.as_ref() else { return Then::Wait };
            let (got, drained) = match self.stream.read(socket, &mut common.input) {
                Ok(read) => read,
                Err(failure) => return self.fail(failure, seen),
            };
            let then = match got {
                Got::Nothing => return Then::Wait,
                Got::End => return self.peer_ended(common, seen),
                Got::Bytes(bytes) => self.understand(bytes, common, seen),
            };
            if then != Then::Wait {
                if ended && self.is_open() {
                    // The event that told of the peer's end comes only once.
                    self.close();
                }
                return then;
            }
            if drained && !ended {
                return Then::Wait;
            }
        }
    }

    /// Hands what was read to the codec.
    #[inline]
    fn understand(&mut self, bytes: usize, common: &mut Common<S>, seen: &mut Recorder) -> Then {
        let now = clock::now();
        let Common { speech, input, out, .. } = common;
        let mut idle = Operation::default();
        let mut hearing = Hearing {
            operation: self.operation.as_mut().unwrap_or(&mut idle),
            seen,
            expected: |reply: &wire::Reply| speech.expected(reply),
            now,
            complete: false,
        };
        let fresh = &input[..bytes];
        out.clear();
        let read = if self.held.is_empty() {
            let read = self.codec.read(fresh, out, &mut hearing);
            if let Ok(progress) = &read {
                self.held.extend_from_slice(&fresh[progress.consumed..]);
            }
            read
        } else {
            self.held.extend_from_slice(fresh);
            let read = self.codec.read(&self.held, out, &mut hearing);
            if let Ok(progress) = &read {
                self.held.drain(..progress.consumed);
            }
            read
        };
        let complete = hearing.complete;
        match read {
            Ok(progress) => self.go_on(progress.state, complete, now, common, seen),
            // The reply was whole; what came behind it spoils the connection.
            Err(_) if complete => {
                self.close();
                self.operation = None;
                Then::Free(now)
            }
            Err(_) => self.fail(Failure::Protocol, seen),
        }
    }

    #[inline]
    fn go_on(
        &mut self,
        state: State,
        complete: bool,
        now: u64,
        common: &mut Common<S>,
        seen: &mut Recorder,
    ) -> Then {
        if !common.out.is_empty()
            && let Err(failure) = self.send_out(common)
        {
            return self.fail(failure, seen);
        }
        if self.phase == Phase::Greeting && state == State::Ready {
            return self.opened(common, seen);
        }
        if !complete {
            return Then::Wait;
        }
        self.operation = None;
        self.served += 1;
        if state == State::Closing || !may_reuse(common.reuse, self.served) {
            self.close();
        }
        Then::Free(now)
    }

    fn peer_ended(&mut self, common: &mut Common<S>, seen: &mut Recorder) -> Then {
        let now = clock::now();
        let Some(operation) = self.operation.as_mut() else {
            self.close();
            return Then::Wait;
        };
        let speech = &common.speech;
        let mut hearing = Hearing {
            operation,
            seen,
            expected: |reply: &wire::Reply| speech.expected(reply),
            now,
            complete: false,
        };
        let whole = self.codec.end(&mut hearing).is_ok() && hearing.complete;
        if !whole {
            return self.fail(Failure::Closed, seen);
        }
        self.operation = None;
        self.close();
        Then::Free(now)
    }

    /// The connection is no more, and the operation on it failed.
    fn fail(&mut self, failure: Failure, seen: &mut Recorder) -> Then {
        let now = clock::now();
        if self.phase != Phase::Open {
            // A refused connect costs nothing: without a pause it would be
            // counted a hundred thousand times a second.
            let wait = BACKOFF_NS.0 << self.failures.min(8);
            self.failures += 1;
            self.not_before = now + wait.min(BACKOFF_NS.1);
        }
        self.close();
        match self.operation.take() {
            Some(operation) => {
                seen.failed(failure, now, operation.was_asked());
                Then::Free(now)
            }
            None => Then::Wait,
        }
    }

    /// Gives the operation up: recorded as censored.
    pub(super) fn time_out(&mut self, now: u64, seen: &mut Recorder) {
        let Some(mut operation) = self.operation.take() else { return };
        operation.at.done = now;
        seen.timed_out(&operation.at, operation.was_asked());
        self.close();
    }

    /// The run ends: the operation stays without an outcome.
    pub(super) fn abandon(&mut self, seen: &mut Recorder) {
        let Some(operation) = self.operation.take() else { return };
        match operation.was_asked() {
            true => seen.unfinished(1),
            false => seen.unsent(1),
        }
        self.close();
    }

    /// Closes first, before the peer does.
    pub(super) fn close(&mut self) {
        if let Some(socket) = self.socket.take() {
            self.stream.finish(&socket);
        }
        self.phase = Phase::Closed;
        self.generation = self.generation.wrapping_add(1);
        self.held.clear();
        self.backlog.clear();
        self.served = 0;
    }
}

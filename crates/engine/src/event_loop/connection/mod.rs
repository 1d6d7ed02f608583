//! One connection: it is dialled, opened, busy with operations and closed again.

mod ending;
mod member;
mod room;

use super::allowance::Allowance;
use super::codec_events::{CodecEvents, Copies};
use super::dialogue::Dialogue;
use super::in_flight::{InFlight, Operation};
use super::policy::{Destinations, Sources, may_reuse};
use super::socket::Socket;
use super::stream::{ReadResult, Stream};
use crate::{TlsAccess, clock};
use record::{Failure, Recorder, Reuse};
use std::collections::VecDeque;
use std::sync::Arc;
use sys::{Epoll, ReadyEvent};
use wire::{Codec, ConnectionState, Fault, Out, Progress};

/// What all connections of a lane have in common.
pub(super) struct Common<S: Dialogue> {
    pub(super) dialogue: S,
    pub(super) destinations: Destinations,
    pub(super) sources: Sources,
    pub(super) tls: Option<TlsAccess>,
    pub(super) reuse: Reuse,
    pub(super) poll: Epoll,
    /// One buffer for all: what a connection has not parsed yet is kept with the connection, so
    /// ten thousand idle connections have no buffers.
    pub(super) input: Vec<u8>,
    pub(super) out: Out,
    /// What this turn may still read.
    pub(super) allowance: Allowance,
    /// What the current event told about the broadcast of its room.
    pub(super) copies: Copies,
    /// Keys of connections whose socket was not drained when the allowance was used up: no event
    /// will report what is left there. Each key is in it at most once.
    pub(super) unread: VecDeque<u64>,
}

/// The phase of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Closed,
    Connecting,
    /// The TLS handshake; a plain connection passes through at once.
    Handshaking,
    /// The exchange that the codec requires before the first operation.
    Greeting,
    Open,
}

/// The result of an event or of a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventResult {
    /// The lane need not act.
    Wait,
    /// Operations ended: this many slots are free since then.
    Free(u64, u32),
}

impl EventResult {
    /// Returns the result that `many` operations ended.
    fn free(since: u64, many: u32) -> EventResult {
        if many > 0 { EventResult::Free(since, many) } else { EventResult::Wait }
    }

    /// Combines two results, one after the other.
    pub(super) fn and(self, later: EventResult) -> EventResult {
        match (self, later) {
            (EventResult::Wait, result) | (result, EventResult::Wait) => result,
            (EventResult::Free(_, some), EventResult::Free(since, more)) => {
                EventResult::Free(since, some + more)
            }
        }
    }
}

pub(super) struct Connection<S: Dialogue> {
    /// Its number among the lane's connections.
    slot: u32,
    socket: Option<Socket>,
    stream: Stream,
    codec: S::Codec,
    phase: Phase,
    in_flight: InFlight<S::Memo>,
    /// Read, but not parsed yet.
    held: Vec<u8>,
    /// Written, but not accepted by the system yet.
    backlog: VecDeque<BodyPiece>,
    served: u32,
    /// It must be closed as soon as nothing is in flight.
    retires: bool,
    /// How many of the lane's slots for operations on this connection the window does not allow
    /// now.
    withheld: u32,
    /// Changes at every close, so that a stale event is recognised.
    generation: u32,
    /// The peer has closed its side: a short read does not mean that the socket is drained, and
    /// no other event will report the rest.
    peer_ends: bool,
    /// It is in [`Common::unread`].
    is_unread: bool,
    dialled: u64,
    connected: u64,
    /// When the codec began its greeting. Recorded only if it must receive an answer first.
    greeted: u64,
    /// Consecutive connects that failed.
    failures: u32,
    /// The connection must not be dialled before this time.
    pub(super) not_before: u64,
    /// Why the last connect failed.
    last_failure: Failure,
    pub(super) free_since: u64,
}

enum BodyPiece {
    Custom(Vec<u8>, usize),
    Lent(Arc<[u8]>, usize),
}

impl<S: Dialogue> Connection<S> {
    pub(super) fn new(dialogue: &S, depth: u32, slot: u32) -> Connection<S> {
        let codec = dialogue.codec(depth);
        Connection {
            slot,
            socket: None,
            stream: Stream::Plain,
            in_flight: InFlight::new(depth, codec.tags()),
            codec,
            phase: Phase::Closed,
            held: Vec::new(),
            backlog: VecDeque::new(),
            served: 0,
            retires: false,
            withheld: 0,
            generation: 0,
            peer_ends: false,
            is_unread: false,
            dialled: 0,
            connected: 0,
            greeted: 0,
            failures: 0,
            not_before: 0,
            last_failure: Failure::Refused,
            free_since: 0,
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.phase == Phase::Open
    }

    /// Returns true if the peer has closed it while it was open and no operation was in flight, given that it
    /// was open before.
    pub(super) fn was_closed_idle(&self, was_open: bool) -> bool {
        was_open && self.phase == Phase::Closed && self.in_flight.is_empty()
    }

    pub(super) fn is_dialling(&self) -> bool {
        !matches!(self.phase, Phase::Closed | Phase::Open)
    }

    pub(super) fn generation(&self) -> u32 {
        self.generation
    }

    /// Takes up an operation. [`Connection::start`] follows the last one.
    #[inline]
    pub(super) fn take(&mut self, operation: Operation<S::Memo>) {
        self.in_flight.take(operation);
    }

    /// Sends the operations that were taken up, all in one piece. An open connection sends at
    /// once; a closed one is dialled, and sends as soon as it is open.
    #[inline]
    pub(super) fn start(
        &mut self,
        now: u64,
        common: &mut Common<S>,
        seen: &mut Recorder,
    ) -> EventResult {
        match self.phase {
            Phase::Open => self.ask(now, common, seen),
            Phase::Closed => self.dial(common, seen),
            _ => EventResult::Wait,
        }
    }

    /// Opens the connection.
    pub(super) fn dial(&mut self, common: &mut Common<S>, seen: &mut Recorder) -> EventResult {
        self.dialled = clock::now();
        let dialled = Stream::new(common.tls.as_ref()).and_then(|stream| {
            let socket =
                Socket::connect(common.destinations.deal(self.slot), common.sources.deal())?;
            Ok((stream, socket))
        });
        match dialled {
            Ok((stream, socket)) => {
                let key = u64::from(self.slot) | u64::from(self.generation) << 32;
                if common.poll.add(&socket, key).is_err() {
                    return self.fail(Failure::NoMemory, common, seen);
                }
                self.stream = stream;
                self.socket = Some(socket);
                self.phase = Phase::Connecting;
                self.codec.reset();
                EventResult::Wait
            }
            Err(failure) => self.fail(failure, common, seen),
        }
    }

    /// Handles an event on the socket.
    #[inline]
    pub(super) fn react(
        &mut self,
        ready: &ReadyEvent,
        common: &mut Common<S>,
        seen: &mut Recorder,
    ) -> EventResult {
        if self.phase == Phase::Connecting {
            if !ready.writable {
                return EventResult::Wait;
            }
            if let Err(failure) = self.socket.as_ref().expect("connecting").connected() {
                return self.fail(failure, common, seen);
            }
            self.connected = clock::now();
            self.phase = Phase::Handshaking;
            // Does not return here: a greeting or a reset may have come with the event.
        }
        self.peer_ends |= ready.ended;
        if self.phase == Phase::Handshaking {
            match self.shake_hands(ready.key, common, seen) {
                Ok(EventResult::Wait) => {}
                Ok(result) => return result,
                Err(failure) => return self.fail(failure, common, seen),
            }
        }
        if ready.writable
            && !self.backlog.is_empty()
            && let Err(failure) = self.flush()
        {
            return self.fail(failure, common, seen);
        }
        if ready.readable { self.read(ready.key, common, seen) } else { EventResult::Wait }
    }

    /// Notes that it was taken out of [`Common::unread`], to be read further.
    pub(super) fn leaves_unread(&mut self) {
        self.is_unread = false;
    }

    /// Leaves the rest to a later turn, because the allowance of this turn is used up.
    #[cold]
    fn read_later(&mut self, key: u64, common: &mut Common<S>) {
        if !std::mem::replace(&mut self.is_unread, true) {
            common.unread.push_back(key);
        }
    }

    /// Continues the TLS handshake; then the protocol begins.
    fn shake_hands(
        &mut self,
        key: u64,
        common: &mut Common<S>,
        seen: &mut Recorder,
    ) -> Result<EventResult, Failure> {
        let socket = self.socket.as_ref().expect("shaking hands");
        self.stream.push(socket)?;
        while self.stream.handshaking() {
            if common.allowance.is_used_up() {
                self.read_later(key, common);
                return Ok(EventResult::Wait);
            }
            // Reads what the handshake needs; there is no plaintext yet.
            let (result, drained) = self.stream.read(socket, &mut common.input)?;
            common.allowance.charge(0);
            self.stream.push(socket)?;
            if result == ReadResult::End {
                return Err(Failure::Closed);
            }
            if drained && self.stream.handshaking() {
                return Ok(EventResult::Wait);
            }
        }
        self.phase = Phase::Greeting;
        common.out.clear();
        let state = self.codec.open(&mut common.out);
        if S::UPGRADES {
            self.greeted = clock::now();
        }
        self.send_out(common)?;
        Ok(if state == ConnectionState::Ready {
            self.opened(common, seen)
        } else {
            EventResult::Wait
        })
    }

    /// Sends the operations that waited for the connection, which is open now.
    fn opened(&mut self, common: &mut Common<S>, seen: &mut Recorder) -> EventResult {
        let now = clock::now();
        self.phase = Phase::Open;
        let shaken = if S::UPGRADES { self.greeted } else { now };
        let tls_ns = common.tls.as_ref().map(|_| shaken - self.connected);
        seen.opened(self.connected - self.dialled, tls_ns);
        if S::UPGRADES {
            seen.upgraded(now - self.greeted);
        }
        self.failures = 0;
        self.ask_waiting(now, common, seen)
    }

    /// Sends the operations that wait here. In a room all members must be open first, so only the
    /// lane sends, whatever happens on one connection.
    #[inline]
    fn ask_waiting(
        &mut self,
        now: u64,
        common: &mut Common<S>,
        seen: &mut Recorder,
    ) -> EventResult {
        let asks = !S::ROOMS && self.phase == Phase::Open && self.in_flight.has_unasked();
        if asks { self.ask(now, common, seen) } else { EventResult::Wait }
    }

    /// Sends the requests of operations that were not sent yet, as far as the window allows.
    #[inline]
    fn ask(&mut self, now: u64, common: &mut Common<S>, seen: &mut Recorder) -> EventResult {
        common.out.clear();
        let window = self.window();
        while self.in_flight.asked() < window
            && let Some(operation) = self.in_flight.next_to_ask()
        {
            operation.at.asked = now;
            let Operation { number, memo, .. } = operation;
            let written = {
                let asked = common.dialogue.operation(&self.codec, *number, memo);
                self.codec.write(&asked, &mut common.out)
            };
            match written {
                Ok(tag) if self.in_flight.asked_as(tag) => {}
                // Our fault: the request was encoded for a test when the plan was made.
                Ok(_) | Err(_) => return self.fail(Failure::Protocol, common, seen),
            }
        }
        match self.send_out(common) {
            Ok(()) => EventResult::Wait,
            Err(failure) => self.fail(failure, common, seen),
        }
    }

    /// Sends `common.out`; what the system does not accept waits in the backlog.
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
                self.backlog.push_back(BodyPiece::Custom(out.bytes[took..].to_vec(), 0));
            }
            return Ok(());
        }
        let mut from = 0;
        for (before, body) in out.lent.drain(..) {
            self.backlog.push_back(BodyPiece::Custom(out.bytes[from..before].to_vec(), 0));
            self.backlog.push_back(BodyPiece::Lent(body, 0));
            from = before;
        }
        self.backlog.push_back(BodyPiece::Custom(out.bytes[from..].to_vec(), 0));
        self.flush()
    }

    /// Writes as much of the backlog as the system accepts.
    fn flush(&mut self) -> Result<(), Failure> {
        let socket = self.socket.as_ref().expect("open");
        while let Some(piece) = self.backlog.front_mut() {
            let (bytes, from): (&[u8], &mut usize) = match piece {
                BodyPiece::Custom(bytes, from) => (bytes, from),
                BodyPiece::Lent(bytes, from) => (bytes, from),
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

    /// Reads until the socket is drained, or the allowance of the turn is used up.
    #[inline]
    fn read(&mut self, key: u64, common: &mut Common<S>, seen: &mut Recorder) -> EventResult {
        let mut then = EventResult::Wait;
        loop {
            let Some(socket) = self.socket.as_ref() else { return then };
            if common.allowance.is_used_up() {
                self.read_later(key, common);
                return then;
            }
            let room = common.allowance.room(common.input.len());
            let (result, drained) = match self.stream.read(socket, &mut common.input[..room]) {
                Ok(read) => read,
                Err(failure) => return then.and(self.fail(failure, common, seen)),
            };
            match result {
                ReadResult::Nothing => common.allowance.charge(0),
                ReadResult::End => return then.and(self.peer_ended(common, seen)),
                ReadResult::Bytes(bytes) => {
                    common.allowance.charge(bytes);
                    then = then.and(self.understand(bytes, common, seen));
                }
            }
            if drained && (result == ReadResult::Nothing || !self.peer_ends) {
                return then;
            }
        }
    }

    /// Hands what was read to the codec.
    #[inline]
    fn understand(
        &mut self,
        bytes: usize,
        common: &mut Common<S>,
        seen: &mut Recorder,
    ) -> EventResult {
        let now = clock::now();
        let Common { dialogue, input, out, copies, .. } = common;
        let (connection, in_flight) = (self.slot, &mut self.in_flight);
        let mut codec_events =
            CodecEvents { in_flight, dialogue, seen, connection, now, copies, complete: 0 };
        let fresh = &input[..bytes];
        out.clear();
        let read = if self.held.is_empty() {
            let read = self.codec.read(fresh, out, &mut codec_events);
            if let Ok(progress) = &read {
                self.held.extend_from_slice(&fresh[progress.consumed..]);
            }
            read
        } else {
            self.held.extend_from_slice(fresh);
            let read = self.codec.read(&self.held, out, &mut codec_events);
            if let Ok(progress) = &read {
                self.held.drain(..progress.consumed);
            }
            read
        };
        let complete = codec_events.complete;
        let own = if S::ROOMS { self.end_broadcast(common, seen) } else { EventResult::Wait };
        own.and(self.understood(read, complete, now, common, seen))
    }

    /// Acts on the result of the codec.
    #[inline]
    fn understood(
        &mut self,
        read: Result<Progress, Fault>,
        complete: u32,
        now: u64,
        common: &mut Common<S>,
        seen: &mut Recorder,
    ) -> EventResult {
        match read {
            Ok(progress) => self.go_on(progress.state, complete, now, common, seen),
            Err(fault) => {
                let answered = self.answered(complete, now);
                if !common.out.is_empty() {
                    // The codec's last message. Whether it arrives changes nothing.
                    let _ = self.send_out(common);
                }
                let belongs_to_none =
                    self.in_flight.is_empty() && !S::Codec::is_of_ended_reply(fault);
                let is_unasked = belongs_to_none && self.phase == Phase::Open;
                if is_unasked && self.codec.refused().is_none() {
                    // What follows the last reply, or comes before a request.
                    seen.unasked(self.served);
                    if self.served == 0 {
                        // Another connection would begin in the same way.
                        self.last_failure = Failure::Protocol;
                        self.wait_to_dial(now);
                    }
                    self.close();
                    return answered;
                }
                seen.fault(fault.0);
                answered.and(self.broken(common, seen))
            }
        }
    }

    /// Notes that `many` operations ended with their replies.
    #[inline]
    fn answered(&mut self, complete: u32, now: u64) -> EventResult {
        self.served += complete;
        EventResult::free(now, complete)
    }

    #[inline]
    fn go_on(
        &mut self,
        state: ConnectionState,
        complete: u32,
        now: u64,
        common: &mut Common<S>,
        seen: &mut Recorder,
    ) -> EventResult {
        if !common.out.is_empty()
            && let Err(failure) = self.send_out(common)
        {
            return self.answered(complete, now).and(self.fail(failure, common, seen));
        }
        if self.phase == Phase::Greeting && state == ConnectionState::Ready {
            return self.opened(common, seen);
        }
        let answered = self.answered(complete, now);
        let is_used_up = complete > 0 && !may_reuse(common.reuse, self.served);
        let is_closed = state == ConnectionState::Closing;
        if is_closed && complete > 0 && !is_used_up && !self.retires {
            seen.closed_by_target();
        }
        self.retires |= is_used_up || is_closed;
        answered.and(self.proceed(now, common, seen))
    }

    /// Continues after operations have ended or the window has changed.
    #[inline]
    fn proceed(&mut self, now: u64, common: &mut Common<S>, seen: &mut Recorder) -> EventResult {
        if self.retires {
            return self.retire(common, seen);
        }
        self.ask_waiting(now, common, seen)
    }

    /// Sends no more operations here: the connection is closed as soon as none waits for a
    /// reply. Operations that were not sent are sent on another connection.
    fn retire(&mut self, common: &mut Common<S>, seen: &mut Recorder) -> EventResult {
        if self.in_flight.asked() > 0 {
            return EventResult::Wait;
        }
        if self.phase != Phase::Open {
            // The server accepts no operation: another connection would end in the same way.
            return self.fail(Failure::Closed, common, seen);
        }
        self.hang_up();
        if self.in_flight.is_empty() { EventResult::Wait } else { self.dial(common, seen) }
    }

    fn peer_ended(&mut self, common: &mut Common<S>, seen: &mut Recorder) -> EventResult {
        let now = clock::now();
        if self.in_flight.is_empty() {
            self.last_failure = Failure::Closed;
            self.close();
            return EventResult::Wait;
        }
        let (in_flight, dialogue) = (&mut self.in_flight, &mut common.dialogue);
        let (connection, copies) = (self.slot, &mut common.copies);
        let mut codec_events =
            CodecEvents { in_flight, dialogue, seen, connection, now, copies, complete: 0 };
        let ended = self.codec.end(&mut codec_events);
        let complete = codec_events.complete;
        let answered = self.answered(complete, now);
        if self.in_flight.is_empty() {
            if complete > 0 && may_reuse(common.reuse, self.served) {
                seen.closed_by_target();
            }
            self.close();
            return answered;
        }
        if let Err(fault) = ended {
            seen.fault(fault.0);
        }
        answered.and(self.fail(Failure::Closed, common, seen))
    }

    /// Closes before the peer does, and forgets its operations.
    pub(super) fn close(&mut self) {
        self.hang_up();
        self.in_flight.clear();
    }

    /// Closes, and keeps the operations that were not sent yet.
    pub(super) fn hang_up(&mut self) {
        if let Some(socket) = self.socket.take() {
            let farewell = self.codec.farewell();
            if self.phase == Phase::Open && !farewell.is_empty() && self.backlog.is_empty() {
                // If the peer no longer reads, nothing is lost.
                let _ = self.stream.write(&socket, farewell);
            }
            self.stream.finish(&socket);
        }
        self.phase = Phase::Closed;
        self.generation = self.generation.wrapping_add(1);
        self.peer_ends = false;
        self.is_unread = false;
        self.retires = false;
        self.held.clear();
        self.backlog.clear();
        self.served = 0;
    }
}

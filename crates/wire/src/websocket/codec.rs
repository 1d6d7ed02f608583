//! One WebSocket connection.

use super::frame::{self, Head, Kind, MOST_CONTROL, Opcode};
use super::upgrade::{self, Answer, KEY_BYTES, ROOM_BYTES, Upgrade};
use super::utf8::Utf8;
use super::{Limits, codes, faults};
use crate::pipeline::Pipeline;
use crate::{
    Class, Codec, ConnectionState, Events, Fault, Out, Progress, Reply, SplitMix64, Tag, bytes,
};

/// A message to send. Its payload is both parts, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Op<'a> {
    /// The kind of the message. A text must be UTF-8, which is not checked.
    pub kind: Kind,
    /// Its payload.
    pub parts: [&'a [u8]; 2],
}

/// A close frame with the code 1000, masked with zeros.
const NORMAL_CLOSE: &[u8] = &[0x88, 0x82, 0, 0, 0, 0, 0x03, 0xE8];

/// The tag of a member's message: one is in flight at most.
const MEMBERS_TAG: Tag = Tag(0);

/// WebSocket on one connection.
pub struct WebSocket {
    upgrade: Upgrade,
    limits: Limits,
    random: SplitMix64,
    key: [u8; KEY_BYTES],
    room: [u8; ROOM_BYTES],
    /// The kind of all messages that a member of a room gets. None if the connection is not a
    /// member, so that its messages are answered.
    member: Option<Kind>,
    phase: Phase,
    in_flight: Pipeline<InFlight>,
    /// The message of which not all frames have come.
    message: Option<Message>,
    utf8: Utf8,
    /// Frames in a row without a byte of a message.
    empty_frames: u32,
    /// Whether the last call was shown a part of a head, or of a control frame.
    holds: bool,
    /// Whether a message came that answers nothing, and no operation was informed yet.
    unexpected: bool,
    /// The last ping that was not answered yet: its payload, and how much of it there is.
    ping: Option<([u8; MOST_CONTROL], usize)>,
    refused: Option<u16>,
}

/// An operation in flight.
#[derive(Clone, Copy, Debug, Default)]
struct InFlight {
    kind: Kind,
    /// Whether a message that answers nothing had come before it.
    after_unexpected: bool,
}

/// A message under way.
#[derive(Clone, Copy, Debug)]
struct Message {
    kind: Kind,
    bytes: u64,
    /// Whether it answers the first operation in flight.
    answers: bool,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    /// Waits for the answer to the upgrade, of which `looked` bytes were shown.
    Upgrading {
        looked: usize,
        informational: u32,
    },
    /// Between two frames.
    Between,
    /// In the payload of a frame of a message.
    Payload {
        left: u64,
        is_last: bool,
    },
    /// The server sent a close frame, or the connection has ended.
    Closed,
    Broken(Fault),
}

impl WebSocket {
    /// A codec for a fresh connection, with up to `depth` operations in flight. Keys and masks
    /// follow from the seed.
    pub fn new(upgrade: Upgrade, limits: Limits, depth: u32, seed: u64) -> WebSocket {
        let mut random = SplitMix64(seed);
        WebSocket {
            upgrade,
            limits,
            key: upgrade::key(random.nonce()),
            random,
            room: [b'0'; ROOM_BYTES],
            member: None,
            phase: Phase::Upgrading { looked: 0, informational: 0 },
            in_flight: Pipeline::new(depth),
            message: None,
            utf8: Utf8::default(),
            empty_frames: 0,
            holds: false,
            unexpected: false,
            ping: None,
            refused: None,
        }
    }

    /// A codec for a connection to a room, where messages of this kind are sent to all
    /// members. Every message that comes is a push, and no message has a reply: the caller
    /// decides when an operation has ended. One is in flight at most.
    pub fn member(upgrade: Upgrade, limits: Limits, kind: Kind, seed: u64) -> WebSocket {
        WebSocket { member: Some(kind), ..WebSocket::new(upgrade, limits, 1, seed) }
    }

    /// Makes the next connection enter the room of this name.
    pub fn enter(&mut self, room: [u8; ROOM_BYTES]) {
        self.room = room;
    }

    /// The key of this connection's upgrade.
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    fn state(&self) -> ConnectionState {
        match self.phase {
            Phase::Upgrading { .. } => ConnectionState::Opening,
            Phase::Between | Phase::Payload { .. } => ConnectionState::Ready,
            Phase::Closed | Phase::Broken(_) => ConnectionState::Closing,
        }
    }

    /// Reads one part of the input. Returns how many bytes were consumed, or None if more are
    /// needed.
    fn step(
        &mut self,
        input: &[u8],
        out: &mut Out,
        seen: &mut impl Events,
    ) -> Result<Option<usize>, Fault> {
        match self.phase {
            Phase::Upgrading { looked, informational } => {
                self.upgrade(input, looked, informational)
            }
            Phase::Between => self.frame(input, out, seen),
            Phase::Payload { left, is_last } => self.payload(input, left, is_last, seen).map(Some),
            // Everything after a close frame is ignored.
            Phase::Closed => Ok(Some(input.len())),
            Phase::Broken(fault) => Err(fault),
        }
    }

    fn upgrade(
        &mut self,
        input: &[u8],
        looked: usize,
        informational: u32,
    ) -> Result<Option<usize>, Fault> {
        let limits = &self.limits.head;
        let (next, taken) = match self.upgrade.answer(input, looked, &self.key, limits)? {
            Answer::NotAll => (Phase::Upgrading { looked: input.len(), informational }, None),
            Answer::Informational(_) if informational == limits.informational => {
                return Err(crate::http1::faults::TOO_MANY_INFORMATIONAL);
            }
            Answer::Informational(len) => {
                (Phase::Upgrading { looked: 0, informational: informational + 1 }, Some(len))
            }
            Answer::Upgraded(len) => (Phase::Between, Some(len)),
            Answer::Refused(code, fault) => {
                self.refused = Some(code);
                return Err(fault);
            }
        };
        self.phase = next;
        Ok(taken)
    }

    /// Reads the head of a frame, or the whole of a control frame.
    fn frame(
        &mut self,
        input: &[u8],
        out: &mut Out,
        seen: &mut impl Events,
    ) -> Result<Option<usize>, Fault> {
        let Some(head) = Head::read(input)? else { return Ok(None) };
        if head.opcode.is_control() {
            let Some(payload) = input[head.len..].get(..head.payload as usize) else {
                return Ok(None);
            };
            self.control(head.opcode, payload, out, seen)?;
            return Ok(Some(head.len + payload.len()));
        }
        self.enter_frame(&head, seen)?;
        if head.payload == 0 {
            self.empty_frame()?;
            self.end_of_frame(head.is_last, seen)?;
        } else {
            self.phase = Phase::Payload { left: head.payload, is_last: head.is_last };
        }
        Ok(Some(head.len))
    }

    fn control(
        &mut self,
        opcode: Opcode,
        payload: &[u8],
        out: &mut Out,
        seen: &mut impl Events,
    ) -> Result<(), Fault> {
        self.empty_frame()?;
        match opcode {
            Opcode::Close => return self.close(payload, out, seen),
            Opcode::Ping => {
                let mut kept = [0; MOST_CONTROL];
                kept[..payload.len()].copy_from_slice(payload);
                self.ping = Some((kept, payload.len()));
            }
            Opcode::Pong | Opcode::Continuation | Opcode::Message(_) => {}
        }
        Ok(())
    }

    /// Handles the server's close frame: answers it (RFC 6455, 5.5.1), or fails if something that
    /// is in flight gets no reply.
    fn close(
        &mut self,
        payload: &[u8],
        out: &mut Out,
        seen: &mut impl Events,
    ) -> Result<(), Fault> {
        let code = match payload {
            [] => codes::NO_CODE,
            [high, low, reason @ ..] => {
                let code = u16::from_be_bytes([*high, *low]);
                let mut utf8 = Utf8::default();
                let is_text = utf8.take(reason).is_ok() && utf8.is_whole();
                if !codes::may_close(code) || !is_text {
                    return Err(faults::CLOSE_PAYLOAD);
                }
                code
            }
            [_] => return Err(faults::CLOSE_PAYLOAD),
        };
        // A member waits for the messages of the others, too.
        if self.member.is_some() || self.in_flight.front().is_some() {
            self.refused = Some(code);
            seen.said(payload.get(2..).unwrap_or_default());
            return Err(faults::CLOSE_FRAME);
        }
        let echoed = &payload[..payload.len().min(2)];
        frame::write(&mut out.bytes, Opcode::Close, [echoed, b""], self.random.mask());
        self.ping = None;
        self.phase = Phase::Closed;
        Ok(())
    }

    fn empty_frame(&mut self) -> Result<(), Fault> {
        self.empty_frames += 1;
        if self.empty_frames > self.limits.empty_frames {
            return Err(faults::EMPTY_FRAMES);
        }
        Ok(())
    }

    /// Begins a frame of a message: of a new one, or of the one under way.
    fn enter_frame(&mut self, head: &Head, seen: &mut impl Events) -> Result<(), Fault> {
        if head.payload > self.limits.frame_bytes {
            return Err(faults::FRAME_TOO_LONG);
        }
        let before = self.message.map_or(0, |message| message.bytes);
        match (head.opcode, self.message) {
            (Opcode::Message(_), Some(_)) => return Err(faults::IN_MESSAGE),
            (Opcode::Message(kind), None) if self.member.is_some_and(|of| of != kind) => {
                self.refused = Some(codes::OTHER_KIND);
                return Err(faults::OTHER_KIND);
            }
            (Opcode::Message(kind), None) => self.begin(kind, seen),
            (_, None) => return Err(faults::NO_MESSAGE),
            (_, Some(_)) => {}
        }
        if before.saturating_add(head.payload) > self.limits.message_bytes {
            return Err(faults::MESSAGE_TOO_LONG);
        }
        Ok(())
    }

    fn begin(&mut self, kind: Kind, seen: &mut impl Events) {
        let front = self.in_flight.front().map(|(tag, _)| tag);
        if let Some(tag) = front {
            seen.began(tag);
        }
        self.message = Some(Message { kind, bytes: 0, answers: front.is_some() });
        self.utf8 = Utf8::default();
    }

    fn payload(
        &mut self,
        input: &[u8],
        mut left: u64,
        is_last: bool,
        seen: &mut impl Events,
    ) -> Result<usize, Fault> {
        let Some(message) = &mut self.message else { return Err(faults::NO_MESSAGE) };
        let piece = bytes::up_to(&mut left, input);
        let checked = match message.kind {
            Kind::Text => self.utf8.take(piece),
            Kind::Binary => Ok(()),
        };
        let right = checked.map_or_else(|at| &piece[..at], |()| piece);
        message.bytes += right.len() as u64;
        self.empty_frames = 0;
        match self.in_flight.front() {
            _ if right.is_empty() => {}
            Some((tag, _)) if message.answers => seen.body(tag, 0, right),
            _ => seen.pushed(right, false),
        }
        checked.map_err(|_| faults::NOT_UTF8)?;
        self.phase = Phase::Payload { left, is_last };
        if left == 0 {
            self.end_of_frame(is_last, seen)?;
        }
        Ok(piece.len())
    }

    fn end_of_frame(&mut self, is_last: bool, seen: &mut impl Events) -> Result<(), Fault> {
        self.phase = Phase::Between;
        let Some(message) = self.message.filter(|_| is_last) else { return Ok(()) };
        if message.kind == Kind::Text && !self.utf8.is_whole() {
            return Err(faults::NOT_UTF8);
        }
        self.message = None;
        let front = self.in_flight.front().filter(|_| message.answers);
        let Some((tag, operation)) = front else {
            self.unexpected = true;
            seen.pushed(b"", true);
            return Ok(());
        };
        let code = match *operation {
            InFlight { after_unexpected: true, .. } => codes::UNREQUESTED,
            InFlight { kind, .. } if kind != message.kind => codes::OTHER_KIND,
            InFlight { .. } => 0,
        };
        self.in_flight.pop();
        let class = if code == 0 { Class::Ok } else { Class::Error(code) };
        seen.done(Reply { tag, class, code, body_len: message.bytes, items: 1 });
        Ok(())
    }

    /// Answers only the last of the pings that came together (RFC 6455, 5.5.3), so that a server
    /// that floods the connection with pings gets no flood of answers.
    fn pong(&mut self, out: &mut Out) {
        if let Some((payload, len)) = self.ping.take() {
            let key = self.random.mask();
            frame::write(&mut out.bytes, Opcode::Pong, [&payload[..len], b""], key);
        }
    }

    /// Marks the connection as unusable. If it was upgraded, the server gets the reason.
    fn broken(&mut self, fault: Fault, out: &mut Out) -> Fault {
        if matches!(self.phase, Phase::Between | Phase::Payload { .. }) {
            let code = match (fault, self.refused) {
                // A close frame without a code is answered in the same way.
                (faults::CLOSE_FRAME, Some(code)) => {
                    Some(code).filter(|code| *code != codes::NO_CODE)
                }
                _ => Some(faults::close_code(fault)),
            };
            let code = code.map(u16::to_be_bytes);
            let payload = code.as_ref().map_or(&[] as &[u8], |code| code);
            frame::write(&mut out.bytes, Opcode::Close, [payload, b""], self.random.mask());
        }
        self.phase = Phase::Broken(fault);
        fault
    }

    fn ended(&mut self) -> Result<(), Fault> {
        let has_operation = self.in_flight.front().is_some();
        match self.phase {
            Phase::Broken(fault) => Err(fault),
            Phase::Upgrading { .. } => Err(faults::CLOSED_IN_UPGRADE),
            Phase::Payload { .. } => Err(faults::CLOSED_IN_REPLY),
            Phase::Between if self.holds || self.message.is_some() => Err(faults::CLOSED_IN_REPLY),
            Phase::Between if has_operation => Err(faults::CLOSED_BEFORE_REPLY),
            Phase::Between | Phase::Closed => Ok(()),
        }
    }
}

impl Codec for WebSocket {
    type Op<'a> = Op<'a>;

    /// The next connection has another key.
    fn reset(&mut self) {
        self.key = upgrade::key(self.random.nonce());
        self.phase = Phase::Upgrading { looked: 0, informational: 0 };
        self.in_flight.clear();
        (self.message, self.utf8) = (None, Utf8::default());
        (self.empty_frames, self.holds, self.unexpected) = (0, false, false);
        (self.ping, self.refused) = (None, None);
    }

    fn open(&mut self, out: &mut Out) -> ConnectionState {
        self.upgrade.write(&self.key, &self.room, &mut out.bytes);
        self.state()
    }

    #[inline]
    fn write(&mut self, op: &Op<'_>, out: &mut Out) -> Result<Tag, Fault> {
        match self.phase {
            Phase::Broken(fault) => return Err(fault),
            Phase::Upgrading { .. } => return Err(faults::NOT_OPEN),
            Phase::Closed => return Err(faults::NOT_REUSABLE),
            Phase::Between | Phase::Payload { .. } => {}
        }
        let tag = match self.member {
            Some(_) => MEMBERS_TAG,
            None => {
                let (tag, operation) = self.in_flight.push().ok_or(faults::IN_FLIGHT)?;
                let after_unexpected = core::mem::take(&mut self.unexpected);
                *operation = InFlight { kind: op.kind, after_unexpected };
                tag
            }
        };
        let key = self.random.mask();
        frame::write(&mut out.bytes, Opcode::Message(op.kind), op.parts, key);
        Ok(tag)
    }

    fn read(
        &mut self,
        input: &[u8],
        out: &mut Out,
        seen: &mut impl Events,
    ) -> Result<Progress, Fault> {
        let taken = bytes::in_steps(input, |left| self.step(left, out, seen));
        let consumed = taken.map_err(|fault| self.broken(fault, out))?;
        self.holds = consumed < input.len();
        self.pong(out);
        Ok(Progress { consumed, state: self.state() })
    }

    fn end(&mut self, _seen: &mut impl Events) -> Result<(), Fault> {
        let ended = self.ended();
        self.phase = match ended {
            Ok(()) => Phase::Closed,
            Err(fault) => Phase::Broken(fault),
        };
        ended
    }

    fn window(&self) -> u32 {
        self.in_flight.depth()
    }

    fn tags(&self) -> u32 {
        self.in_flight.depth()
    }

    fn farewell(&self) -> &'static [u8] {
        match self.phase {
            Phase::Between | Phase::Payload { .. } => NORMAL_CLOSE,
            Phase::Upgrading { .. } | Phase::Closed | Phase::Broken(_) => b"",
        }
    }

    fn refused(&self) -> Option<u16> {
        self.refused
    }
}

//! One HTTP/1.1 connection.

use super::{Limits, body::Body, faults, head, timing};
use crate::bytes;
use crate::{Class, Codec, ConnectionState, Events, Fault, Out, Progress, Reply, Tag};
use alloc::sync::Arc;

/// At most one operation is in flight, so one tag is enough.
const TAG: Tag = Tag(0);

/// A request that was encoded in advance. It has no `Debug` because its head can contain secrets.
#[derive(Clone, Copy)]
pub struct Op<'a> {
    /// What [`Request::encode`](super::Request::encode) wrote.
    pub head: &'a [u8],
    /// The body that the head announces.
    pub body: Option<&'a Arc<[u8]>>,
    /// The method is HEAD: the reply has no body, whatever its head says.
    pub head_only: bool,
}

/// HTTP/1.1 on one connection, one request at a time. It owns no memory on
/// the heap.
#[derive(Debug)]
pub struct Http1 {
    limits: Limits,
    in_flight: Option<InFlight>,
    phase: Phase,
    closing: bool,
}

#[derive(Clone, Copy, Debug)]
struct InFlight {
    head_only: bool,
    began: bool,
    informational: u32,
}

impl InFlight {
    /// Skips a 1xx, which is not the final reply.
    fn skip(&mut self, status: u16, limit: u32) -> Result<(), Fault> {
        if status == 101 {
            return Err(faults::SWITCHED);
        }
        if self.informational == limit {
            return Err(faults::TOO_MANY_INFORMATIONAL);
        }
        self.informational += 1;
        Ok(())
    }
}

#[derive(Debug)]
enum Phase {
    /// Between replies, or in a head of which `looked` bytes were searched.
    Head {
        looked: usize,
    },
    Body {
        status: u16,
        body_len: u64,
        body: Body,
    },
    /// The server announced that it ends the idle connection.
    IdleEnd,
    Broken(Fault),
}

impl Http1 {
    /// A codec for a fresh connection.
    pub fn new(limits: Limits) -> Http1 {
        Http1 { limits, in_flight: None, phase: Phase::Head { looked: 0 }, closing: false }
    }

    fn state(&self) -> ConnectionState {
        if self.closing { ConnectionState::Closing } else { ConnectionState::Ready }
    }

    /// Reads one part of the input: a head, or a piece of body. Returns how many bytes were
    /// consumed; 0 while a head is incomplete.
    fn step(&mut self, input: &[u8], seen: &mut impl Events) -> Result<usize, Fault> {
        match &mut self.phase {
            Phase::Head { looked } => {
                let looked = *looked;
                self.head(input, looked, seen)
            }
            Phase::Body { status, body_len, body } => {
                let taken = body.take(input, self.limits.head_bytes, |piece| {
                    if *body_len == 0 && !(200..=299).contains(status) {
                        seen.error_page(*status, piece);
                    }
                    *body_len += piece.len() as u64;
                    seen.body(TAG, 0, piece);
                })?;
                if taken.complete {
                    let (status, body_len) = (*status, *body_len);
                    self.done(status, body_len, seen);
                }
                Ok(taken.consumed)
            }
            Phase::IdleEnd => Ok(input.len()),
            Phase::Broken(fault) => Err(*fault),
        }
    }

    fn head(
        &mut self,
        input: &[u8],
        looked: usize,
        seen: &mut impl Events,
    ) -> Result<usize, Fault> {
        let Some(operation) = &mut self.in_flight else {
            if !head::ends_idle_connection(input)? {
                return Ok(0);
            }
            self.closing = true;
            self.phase = Phase::IdleEnd;
            return Ok(input.len());
        };
        let window = &input[..input.len().min(self.limits.head_bytes)];
        if head::start(window)? == head::FirstBytes::Final && !operation.began {
            operation.began = true;
            seen.began(TAG);
        }
        let Some(head) = head::look(window, looked, self.limits.headers)? else {
            if window.len() == self.limits.head_bytes {
                return Err(faults::HEAD_TOO_LONG);
            }
            self.phase = Phase::Head { looked: window.len() };
            return Ok(0);
        };
        self.phase = Phase::Head { looked: 0 };
        if head.status < 200 {
            operation.skip(head.status, self.limits.informational)?;
            return Ok(head.len);
        }
        if let Some(value) = head.timing.clone() {
            timing::parts(&input[value]).for_each(|(name, took)| seen.timed(TAG, name, took));
        }
        let body = head.body(operation.head_only);
        self.closing |= head.closes() || matches!(body, Some(Body::UntilClose));
        match body {
            Some(body) => self.phase = Phase::Body { status: head.status, body_len: 0, body },
            None => self.done(head.status, 0, seen),
        }
        Ok(head.len)
    }

    fn done(&mut self, status: u16, body_len: u64, seen: &mut impl Events) {
        let class = match status {
            200..=299 => Class::Ok,
            _ => Class::Error(status),
        };
        self.phase = Phase::Head { looked: 0 };
        self.in_flight = None;
        seen.done(Reply { tag: TAG, class, code: status, body_len, items: 1 });
    }

    /// Marks the connection as unusable. Returns the fault.
    fn broken(&mut self, fault: Fault) -> Fault {
        self.phase = Phase::Broken(fault);
        self.closing = true;
        fault
    }

    fn ended(&mut self, seen: &mut impl Events) -> Result<(), Fault> {
        match (&self.phase, self.in_flight) {
            (Phase::Broken(fault), _) => Err(*fault),
            (Phase::Body { status, body_len, body }, _) => {
                body.end()?;
                let (status, body_len) = (*status, *body_len);
                self.done(status, body_len, seen);
                Ok(())
            }
            (Phase::Head { .. }, None) | (Phase::IdleEnd, _) => Ok(()),
            (Phase::Head { looked: 0 }, Some(InFlight { informational: 0, .. })) => {
                Err(faults::CLOSED_BEFORE_REPLY)
            }
            (Phase::Head { .. }, Some(_)) => Err(faults::CLOSED_IN_REPLY),
        }
    }
}

impl Codec for Http1 {
    type Op<'a> = Op<'a>;

    fn reset(&mut self) {
        *self = Http1::new(self.limits);
    }

    fn open(&mut self, _out: &mut Out) -> ConnectionState {
        self.state()
    }

    fn write(&mut self, op: &Op<'_>, out: &mut Out) -> Result<Tag, Fault> {
        if let Phase::Broken(fault) = self.phase {
            return Err(fault);
        }
        if self.in_flight.is_some() {
            return Err(faults::IN_FLIGHT);
        }
        if self.closing {
            return Err(faults::NOT_REUSABLE);
        }
        out.bytes.extend_from_slice(op.head);
        if let Some(body) = op.body {
            out.body(body);
        }
        let op = InFlight { head_only: op.head_only, began: false, informational: 0 };
        self.in_flight = Some(op);
        Ok(TAG)
    }

    fn read(
        &mut self,
        input: &[u8],
        _out: &mut Out,
        seen: &mut impl Events,
    ) -> Result<Progress, Fault> {
        let taken = bytes::in_steps(input, |left| {
            let taken = self.step(left, seen)?;
            Ok((taken > 0).then_some(taken))
        });
        let consumed = taken.map_err(|fault| self.broken(fault))?;
        Ok(Progress { consumed, state: self.state() })
    }

    fn end(&mut self, seen: &mut impl Events) -> Result<(), Fault> {
        let ended = self.ended(seen);
        self.closing = true;
        ended.map_err(|fault| self.broken(fault))
    }

    fn window(&self) -> u32 {
        1
    }

    fn tags(&self) -> u32 {
        1
    }
}

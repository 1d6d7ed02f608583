//! One memcached connection.

use super::in_flight::{InFlight, RequestKind};
use super::reply::{self, Announced};
use super::{Dialect, Limits, MOST_LINE_BYTES, Op, codes, faults, request};
use crate::bytes::{self, InputLine};
use crate::in_order::{InOrder, InOrderCodec};
use crate::{Class, Events, Fault, Out, Reply, Tag};

/// memcached on one connection. After the first operations of each size it
/// allocates nothing.
pub struct Memcached {
    dialect: Dialect,
    limits: Limits,
    in_order: InOrder<InFlight>,
    phase: Phase,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    /// Between lines, or in one of which `looked` bytes hold no end.
    Line { looked: usize },
    /// In a value, of which `left` bytes are to come.
    Value { item: u32, left: u64 },
    /// After a value, before its CR LF.
    ValueEnd,
}

const NEXT_LINE: Phase = Phase::Line { looked: 0 };

impl Memcached {
    /// A codec for a fresh connection with up to `depth` operations in flight
    /// (at least one).
    pub fn new(dialect: Dialect, limits: Limits, depth: u32) -> Memcached {
        Memcached { dialect, limits, in_order: InOrder::new(depth, 0), phase: NEXT_LINE }
    }

    /// The unique number of the value that the [`Op::Gets`] of this tag read, for a later
    /// [`Mode::Cas`](super::Mode::Cas). It is kept until another `Gets` has the tag. Returns
    /// 0 if the server gave none.
    pub fn unique(&self, tag: Tag) -> u64 {
        self.in_order.in_flight.tagged(tag).map_or(0, |operation| operation.unique)
    }

    fn line(
        &mut self,
        input: &[u8],
        looked: usize,
        seen: &mut impl Events,
    ) -> Result<usize, Fault> {
        match self.in_order.in_flight.front() {
            Some((_, operation)) if operation.began => {}
            Some((tag, operation)) => {
                operation.began = true;
                seen.began(tag);
            }
            // The only message that a server sends without a request.
            None if !b"ERROR ".starts_with(&input[..input.len().min(6)]) => {
                return Err(faults::ANSWERS_NOTHING);
            }
            None => {}
        }
        let window = &input[..input.len().min(MOST_LINE_BYTES)];
        match bytes::line(window, looked) {
            InputLine::Whole(line) => {
                self.phase = NEXT_LINE;
                self.understand(line, seen)?;
                Ok(line.len() + 2)
            }
            InputLine::Bare => Err(faults::LINE_END),
            InputLine::Partial if window.len() == MOST_LINE_BYTES => Err(faults::LINE_TOO_LONG),
            InputLine::Partial => {
                self.phase = Phase::Line { looked: bytes::looked(window) };
                Ok(0)
            }
        }
    }

    fn understand(&mut self, line: &[u8], seen: &mut impl Events) -> Result<(), Fault> {
        let Some((tag, operation)) = self.in_order.in_flight.front() else {
            return Err(self.unexpected_line(line));
        };
        let announced = match operation.kind {
            RequestKind::Get => reply::value(line)?,
            RequestKind::MetaGet | RequestKind::MetaMulti => reply::meta_value(line)?,
            RequestKind::Count if self.dialect == Dialect::Meta => reply::meta_value(line)?,
            _ => None,
        };
        if let Some(announced) = announced {
            return self.announced(&announced);
        }
        match (operation.kind, line) {
            (RequestKind::Get, b"END") | (RequestKind::MetaMulti, b"MN") => {
                self.end_of_values(seen)
            }
            (RequestKind::Stats, b"END") => self.done(Class::Ok, 0, seen),
            (RequestKind::Stats, [b'S', b'T', b'A', b'T', b' ', counter @ ..]) => {
                operation.item_on_line(tag, counter, seen);
            }
            (
                RequestKind::Version,
                [b'V', b'E', b'R', b'S', b'I', b'O', b'N', b' ', version @ ..],
            ) => {
                operation.item_on_line(tag, version, seen);
                self.done(Class::Ok, 0, seen);
            }
            (RequestKind::Count, digits) if bytes::decimal(digits).is_some() => {
                operation.item_on_line(tag, digits, seen);
                self.done(Class::Ok, 0, seen);
            }
            _ => return self.word(line, seen),
        }
        Ok(())
    }

    /// A reply of one line: a success, a miss or an error.
    fn word(&mut self, line: &[u8], seen: &mut impl Events) -> Result<(), Fault> {
        let Some((tag, operation)) = self.in_order.in_flight.front() else { return Ok(()) };
        if let Some((class, code)) = reply::outcome(operation.kind, self.dialect, line) {
            self.done(class, code, seen);
            return Ok(());
        }
        let code = reply::error(line).ok_or(faults::UNEXPECTED)?;
        operation.body_len += line.len() as u64;
        seen.body(tag, operation.items, line);
        seen.said(line);
        if operation.kind == RequestKind::MetaMulti {
            operation.refused += 1;
            operation.code = if operation.code == 0 { code } else { operation.code };
            // One for each key: this one answers the closing `mn`.
            if (operation.refused + operation.items) as usize > operation.keys() {
                self.end_of_values(seen);
            }
            return Ok(());
        }
        let stored = operation.kind == RequestKind::Store;
        self.in_order.closing |= code == codes::TOO_MANY_CONNECTIONS;
        self.done(Class::Error(code), code, seen);
        if stored && !reply::reads_the_value(code) { Err(faults::OUT_OF_STEP) } else { Ok(()) }
    }

    fn announced(&mut self, announced: &Announced<'_>) -> Result<(), Fault> {
        let Some((_, operation)) = self.in_order.in_flight.front() else { return Ok(()) };
        if announced.length > self.limits.value_bytes {
            return Err(faults::VALUE_TOO_LONG);
        }
        let item = match (operation.kind, announced.opaque) {
            (RequestKind::Get, _) => operation.item(announced.key),
            (RequestKind::MetaMulti, Some(number)) => operation.numbered(number),
            (RequestKind::MetaMulti, None) => None,
            _ => Some(0),
        };
        let item = item.ok_or(faults::OTHER_KEY)?;
        operation.items += 1;
        operation.body_len += announced.length;
        if let Some(unique) = announced.unique {
            operation.unique = unique;
        }
        self.phase = match announced.length {
            0 => Phase::ValueEnd,
            left => Phase::Value { item, left },
        };
        Ok(())
    }

    fn value(
        &mut self,
        input: &[u8],
        item: u32,
        mut left: u64,
        seen: &mut impl Events,
    ) -> Result<usize, Fault> {
        let piece = bytes::up_to(&mut left, input);
        if let Some((tag, _)) = self.in_order.in_flight.front() {
            seen.body(tag, item, piece);
        }
        self.phase = match left {
            0 => Phase::ValueEnd,
            left => Phase::Value { item, left },
        };
        Ok(piece.len())
    }

    fn value_end(&mut self, input: &[u8], seen: &mut impl Events) -> Result<usize, Fault> {
        match bytes::starts_with_line_end(input) {
            None => return Ok(0),
            Some(false) => return Err(faults::VALUE_END),
            Some(true) => self.phase = NEXT_LINE,
        }
        let kind = self.in_order.in_flight.front().map(|(_, operation)| operation.kind);
        if matches!(kind, Some(RequestKind::MetaGet | RequestKind::Count)) {
            self.done(Class::Ok, 0, seen);
        }
        Ok(2)
    }

    fn end_of_values(&mut self, seen: &mut impl Events) {
        let Some((_, operation)) = self.in_order.in_flight.front() else { return };
        let (class, code) = match (operation.code, operation.items) {
            (0, 0) => (Class::Miss, 0),
            (0, _) => (Class::Ok, 0),
            (code, _) => (Class::Error(code), code),
        };
        self.done(class, code, seen);
    }

    fn done(&mut self, class: Class, code: u16, seen: &mut impl Events) {
        let Some((tag, operation)) = self.in_order.in_flight.front() else { return };
        let (body_len, items) = (operation.body_len, operation.items);
        self.in_order.in_flight.pop();
        seen.done(Reply { tag, class, code, body_len, items });
    }

    /// The fault for a line that came while nothing was in flight.
    fn unexpected_line(&mut self, line: &[u8]) -> Fault {
        self.in_order.refused =
            reply::error(line).filter(|code| *code == codes::TOO_MANY_CONNECTIONS);
        match self.in_order.refused {
            Some(_) => faults::TOO_MANY_CONNECTIONS,
            None => faults::ANSWERS_NOTHING,
        }
    }
}

impl InOrderCodec for Memcached {
    type Op<'a> = Op<'a>;
    type InFlight = InFlight;

    fn in_order(&self) -> &InOrder<InFlight> {
        &self.in_order
    }

    fn in_order_mut(&mut self) -> &mut InOrder<InFlight> {
        &mut self.in_order
    }

    fn reset(&mut self) {
        self.in_order.reset(0);
        self.phase = NEXT_LINE;
    }

    fn append(&mut self, op: &Op<'_>, out: &mut Out) -> Result<Tag, Fault> {
        request::check(op, self.limits)?;
        let (tag, operation) = self.in_order.in_flight.push().ok_or(faults::IN_FLIGHT)?;
        operation.renew(op, self.dialect);
        request::write(op, self.dialect, out);
        Ok(tag)
    }

    /// Reads a line, or a piece of a value.
    fn step(&mut self, input: &[u8], seen: &mut impl Events) -> Result<Option<usize>, Fault> {
        let taken = match self.phase {
            Phase::Line { looked } => self.line(input, looked, seen),
            Phase::Value { item, left } => self.value(input, item, left, seen),
            Phase::ValueEnd => self.value_end(input, seen),
        }?;
        Ok((taken > 0).then_some(taken))
    }

    fn check_end(&mut self) -> Result<(), Fault> {
        match (self.phase, self.in_order.in_flight.front()) {
            (Phase::Line { looked: 0 }, None) => Ok(()),
            (_, None) => Err(faults::ANSWERS_NOTHING),
            (_, Some((_, operation))) if !operation.began => Err(faults::CLOSED_BEFORE_REPLY),
            (_, Some(_)) => Err(faults::CLOSED_IN_REPLY),
        }
    }

    fn is_of_ended_reply(fault: Fault) -> bool {
        fault == faults::OUT_OF_STEP
    }
}

//! One RESP connection.

use super::in_flight::{InFlight, RequestKind};
use super::lexer::Lexer;
use super::nesting::Nesting;
use super::token::{Aggregate, Scalar, Token};
use super::{Limits, Op, Opening, codes, faults, request};
use crate::bytes;
use crate::pipeline::Pipeline;
use crate::{Class, Codec, ConnectionState, Events, Fault, Out, Progress, Reply, Tag};
use core::fmt;

/// RESP on one connection. It allocates nothing after its creation. It contains the password, so
/// its `Debug` shows nothing.
pub struct Resp {
    opening: Opening,
    /// Replies to the opening that are to come.
    to_open: usize,
    in_flight: Pipeline<InFlight>,
    lexer: Lexer,
    nesting: Nesting,
    broken: Option<Fault>,
    closing: bool,
    /// The next piece is the text of an error.
    says: bool,
    refused: Option<u16>,
}

impl fmt::Debug for Resp {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("Resp").finish_non_exhaustive()
    }
}

impl Resp {
    /// A codec for a fresh connection with up to `depth` operations in flight
    /// (at least one).
    pub fn new(opening: Opening, limits: Limits, depth: u32) -> Resp {
        Resp {
            to_open: opening.replies(),
            opening,
            in_flight: Pipeline::new(depth),
            lexer: Lexer::new(limits),
            nesting: Nesting::new(),
            broken: None,
            closing: false,
            says: false,
            refused: None,
        }
    }

    /// Resets all state, including a fault, for a new connection.
    pub fn reset(&mut self) {
        self.to_open = self.opening.replies();
        self.in_flight.clear();
        self.lexer.reset();
        self.nesting = Nesting::new();
        self.broken = None;
        self.closing = false;
        self.says = false;
        self.refused = None;
    }

    fn state(&self) -> ConnectionState {
        if self.closing {
            ConnectionState::Closing
        } else if self.to_open > 0 {
            ConnectionState::Opening
        } else {
            ConnectionState::Ready
        }
    }

    /// Reads the most common reply, one complete string to a `Get`, in one step. The general path
    /// of [`Resp::step`] made up a sixth of an operation's cost with many in flight. Returns the
    /// number of bytes, or None if it is another reply.
    #[inline]
    fn one_string(&mut self, input: &[u8], seen: &mut impl Events) -> Option<usize> {
        if self.broken.is_some() || self.to_open > 0 || self.nesting.depth() > 0 {
            return None;
        }
        let (tag, operation) = self.in_flight.front()?;
        if operation.kind != RequestKind::Get || operation.began {
            return None;
        }
        let (text, consumed) = self.lexer.whole_string(input)?;
        seen.began(tag);
        if !text.is_empty() {
            seen.body(tag, 0, text);
        }
        self.in_flight.pop();
        let body_len = text.len() as u64;
        seen.done(Reply { tag, class: Class::Ok, code: 0, body_len, items: 1 });
        Some(consumed)
    }

    /// Reads one token. Returns how many bytes were consumed, or None if more are needed.
    fn step(&mut self, input: &[u8], seen: &mut impl Events) -> Result<Option<usize>, Fault> {
        if let Some(fault) = self.broken {
            return Err(fault);
        }
        let fresh = self.nesting.depth() == 0 && self.lexer.is_between();
        if fresh && input[0] != b'>' {
            self.begins(input[0], seen)?;
        }
        let step = self.lexer.next(input)?;
        if step.consumed == 0 && step.token.is_none() {
            return Ok(None);
        }
        let opens_push = matches!(step.token, Some(Token::Open(Aggregate::Push, _)));
        let raw = &input[..step.consumed];
        if opens_push || self.nesting.in_push() {
            self.push(raw, step.token, seen)?;
        } else if let Some(token) = step.token {
            self.understand(token, seen)?;
        }
        Ok(Some(step.consumed))
    }

    /// Handles the first byte of something other than a push.
    fn begins(&mut self, first: u8, seen: &mut impl Events) -> Result<(), Fault> {
        if self.to_open > 0 {
            return Ok(());
        }
        match self.in_flight.front() {
            Some((_, operation)) if operation.began => {}
            Some((tag, operation)) => {
                operation.began = true;
                seen.began(tag);
            }
            // The only message that a server sends without a request.
            None if first == b'-' => {}
            None => return Err(faults::ANSWERS_NOTHING),
        }
        Ok(())
    }

    /// Passes on a piece of a push unchanged.
    fn push(
        &mut self,
        raw: &[u8],
        token: Option<Token<'_>>,
        seen: &mut impl Events,
    ) -> Result<(), Fault> {
        let complete = match token {
            Some(token) => self.nest(token)?,
            None => false,
        };
        seen.pushed(raw, complete);
        Ok(())
    }

    /// Tracks the aggregates around the next value. Returns whether everything begun is complete.
    fn nest(&mut self, token: Token<'_>) -> Result<bool, Fault> {
        match token {
            Token::Begin(_) | Token::Piece(_) => Ok(false),
            Token::Whole(..) | Token::End | Token::Null => Ok(self.nesting.value()),
            Token::Open(aggregate, count) => self.nesting.open(aggregate, count),
        }
    }

    fn understand(&mut self, token: Token<'_>, seen: &mut impl Events) -> Result<(), Fault> {
        let depth = self.nesting.depth();
        let attribute = matches!(token, Token::Open(Aggregate::Attribute, _));
        if !attribute && !self.nesting.in_attribute() {
            let error = match token {
                Token::Whole(Scalar::Error(code), _) | Token::Begin(Scalar::Error(code)) => {
                    Some(code)
                }
                _ => None,
            };
            match token {
                Token::Whole(Scalar::Error(_), text) => seen.said(text),
                Token::Piece(text) if core::mem::take(&mut self.says) => seen.said(text),
                Token::Begin(Scalar::Error(_)) => self.says = true,
                _ => {}
            }
            match (self.to_open, error) {
                (0, _) => self.on_token(token, error, depth, seen)?,
                (left, Some(code)) if depth == 0 => {
                    return Err(self.refuse(code, self.opening.objection(left)));
                }
                _ => {}
            }
        }
        if !self.nest(token)? {
            return Ok(());
        }
        match self.to_open {
            0 => self.done(seen)?,
            _ => self.to_open -= 1,
        }
        Ok(())
    }

    fn refuse(&mut self, code: u16, otherwise: Fault) -> Fault {
        self.refused = Some(code);
        faults::refusal(code, otherwise)
    }

    /// Handles a token of the reply to an operation.
    fn on_token(
        &mut self,
        token: Token<'_>,
        error: Option<u16>,
        depth: usize,
        seen: &mut impl Events,
    ) -> Result<(), Fault> {
        let item = self.nesting.item();
        let Some((tag, operation)) = self.in_flight.front() else {
            let code = error.ok_or(faults::ANSWERS_NOTHING)?;
            return Err(self.refuse(code, faults::ANSWERS_NOTHING));
        };
        let begins = !matches!(token, Token::Piece(_) | Token::End);
        if depth == 0 && begins {
            operation.start(&token)?;
        }
        if let Some(code) = error {
            operation.code = if operation.code == 0 { code } else { operation.code };
        }
        // An element of the outermost aggregate, or the one scalar.
        let counts = match token {
            Token::Whole(..) | Token::Begin(_) => depth <= 1,
            Token::Open(..) => depth == 1,
            _ => false,
        };
        let silent = operation.is_only_a_word() && operation.code == 0;
        if counts && !silent && error.is_none() {
            operation.items = operation.items.saturating_add(1);
        }
        if let Token::Whole(_, text) | Token::Piece(text) = token
            && !text.is_empty()
            && !silent
        {
            operation.body_len += text.len() as u64;
            seen.body(tag, item, text);
        }
        Ok(())
    }

    fn done(&mut self, seen: &mut impl Events) -> Result<(), Fault> {
        let Some((tag, operation)) = self.in_flight.front() else {
            return Err(faults::ANSWERS_NOTHING);
        };
        let InFlight { body_len, items, code, .. } = *operation;
        let (class, code) = match (code, operation.kind) {
            (0, RequestKind::Set) if operation.missed => {
                (Class::Error(codes::NOT_SET), codes::NOT_SET)
            }
            (0, _) if operation.missed || (operation.aggregate && items == 0) => (Class::Miss, 0),
            (0, _) => (Class::Ok, 0),
            (code, _) => (Class::Error(code), code),
        };
        self.closing |= code == codes::MAX_CLIENTS;
        self.in_flight.pop();
        seen.done(Reply { tag, class, code, body_len, items });
        Ok(())
    }

    fn ended(&mut self) -> Result<(), Fault> {
        let between = self.nesting.depth() == 0 && self.lexer.is_between();
        match (self.broken, self.in_flight.front()) {
            (Some(fault), _) => Err(fault),
            _ if self.to_open > 0 => Err(faults::CLOSED_IN_OPENING),
            (None, None) if between => Ok(()),
            (None, Some((_, operation))) if between && !operation.began => {
                Err(faults::CLOSED_BEFORE_REPLY)
            }
            (None, _) => Err(faults::CLOSED_IN_REPLY),
        }
    }

    /// Marks the connection as unusable. Returns the fault.
    fn broken(&mut self, fault: Fault) -> Fault {
        self.broken = Some(fault);
        self.closing = true;
        fault
    }
}

impl Codec for Resp {
    type Op<'a> = Op<'a>;

    fn open(&mut self, out: &mut Out) -> ConnectionState {
        out.bytes.extend_from_slice(self.opening.bytes());
        self.state()
    }

    fn write(&mut self, op: &Op<'_>, out: &mut Out) -> Result<Tag, Fault> {
        if let Some(fault) = self.broken {
            return Err(fault);
        }
        match self.state() {
            ConnectionState::Closing => return Err(faults::NOT_REUSABLE),
            ConnectionState::Opening => return Err(faults::NOT_OPEN),
            ConnectionState::Ready => {}
        }
        if self.in_flight.is_full() {
            return Err(faults::IN_FLIGHT);
        }
        request::check(op)?;
        let (tag, operation) = self.in_flight.push().ok_or(faults::IN_FLIGHT)?;
        *operation = InFlight::new(op);
        request::write(op, out);
        Ok(tag)
    }

    fn read(
        &mut self,
        input: &[u8],
        _out: &mut Out,
        seen: &mut impl Events,
    ) -> Result<Progress, Fault> {
        let taken = bytes::in_steps(input, |left| match self.one_string(left, seen) {
            Some(taken) => Ok(Some(taken)),
            None => self.step(left, seen),
        });
        let consumed = taken.map_err(|fault| self.broken(fault))?;
        Ok(Progress { consumed, state: self.state() })
    }

    fn end(&mut self, _seen: &mut impl Events) -> Result<(), Fault> {
        let ended = self.ended();
        self.closing = true;
        ended.map_err(|fault| self.broken(fault))
    }

    fn window(&self) -> u32 {
        self.in_flight.depth()
    }

    fn tags(&self) -> u32 {
        self.in_flight.depth()
    }

    fn refused(&self) -> Option<u16> {
        self.refused
    }
}

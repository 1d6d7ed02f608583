//! One RESP connection.

use super::in_flight::{InFlight, RequestKind};
use super::lexer::Lexer;
use super::nesting::Nesting;
use super::token::{Aggregate, Scalar, Token};
use super::{Limits, Op, Opening, codes, faults, request};
use crate::in_order::{InOrder, InOrderCodec};
use crate::{Class, Events, Fault, Out, Reply, Tag};

/// RESP on one connection. It allocates nothing after its creation. It has no `Debug` because it
/// contains the password.
pub struct Resp {
    opening: Opening,
    in_order: InOrder<InFlight>,
    lexer: Lexer,
    nesting: Nesting,
    /// The next piece is the text of an error.
    says: bool,
}

impl Resp {
    /// A codec for a fresh connection with up to `depth` operations in flight
    /// (at least one).
    pub fn new(opening: Opening, limits: Limits, depth: u32) -> Resp {
        Resp {
            in_order: InOrder::new(depth, opening.replies()),
            opening,
            lexer: Lexer::new(limits),
            nesting: Nesting::new(),
            says: false,
        }
    }

    /// Reads the most common reply, one complete string to a `Get`, in one step. The general path
    /// of [`Resp::token`] made up a sixth of an operation's cost with many in flight. Returns the
    /// number of bytes, or None if it is another reply.
    #[inline]
    fn one_string(&mut self, input: &[u8], seen: &mut impl Events) -> Option<usize> {
        if self.in_order.to_open > 0 || self.nesting.depth() > 0 {
            return None;
        }
        let (tag, operation) = self.in_order.in_flight.front()?;
        if operation.kind != RequestKind::Get || operation.began {
            return None;
        }
        let (text, consumed) = self.lexer.whole_string(input)?;
        seen.began(tag);
        if !text.is_empty() {
            seen.body(tag, 0, text);
        }
        self.in_order.in_flight.pop();
        let body_len = text.len() as u64;
        seen.done(Reply { tag, class: Class::Ok, code: 0, body_len, items: 1 });
        Some(consumed)
    }

    /// Reads one token. Returns how many bytes were consumed, or None if more are needed.
    fn token(&mut self, input: &[u8], seen: &mut impl Events) -> Result<Option<usize>, Fault> {
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
        if self.in_order.to_open > 0 {
            return Ok(());
        }
        match self.in_order.in_flight.front() {
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
            match (self.in_order.to_open, error) {
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
        match self.in_order.to_open {
            0 => self.done(seen)?,
            _ => self.in_order.to_open -= 1,
        }
        Ok(())
    }

    fn refuse(&mut self, code: u16, otherwise: Fault) -> Fault {
        self.in_order.refused = Some(code);
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
        let Some((tag, operation)) = self.in_order.in_flight.front() else {
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
        let Some((tag, operation)) = self.in_order.in_flight.front() else {
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
        self.in_order.closing |= code == codes::MAX_CLIENTS;
        self.in_order.in_flight.pop();
        seen.done(Reply { tag, class, code, body_len, items });
        Ok(())
    }
}

impl InOrderCodec for Resp {
    type Op<'a> = Op<'a>;
    type InFlight = InFlight;

    fn in_order(&self) -> &InOrder<InFlight> {
        &self.in_order
    }

    fn in_order_mut(&mut self) -> &mut InOrder<InFlight> {
        &mut self.in_order
    }

    fn reset(&mut self) {
        self.in_order.reset(self.opening.replies());
        self.lexer.reset();
        self.nesting = Nesting::new();
        self.says = false;
    }

    fn opening(&self) -> &[u8] {
        self.opening.bytes()
    }

    fn append(&mut self, op: &Op<'_>, out: &mut Out) -> Result<Tag, Fault> {
        request::check(op)?;
        let (tag, operation) = self.in_order.in_flight.push().ok_or(faults::IN_FLIGHT)?;
        *operation = InFlight::new(op);
        request::write(op, out);
        Ok(tag)
    }

    #[inline]
    fn step(&mut self, input: &[u8], seen: &mut impl Events) -> Result<Option<usize>, Fault> {
        match self.one_string(input, seen) {
            Some(taken) => Ok(Some(taken)),
            None => self.token(input, seen),
        }
    }

    fn check_end(&mut self) -> Result<(), Fault> {
        let between = self.nesting.depth() == 0 && self.lexer.is_between();
        match self.in_order.in_flight.front() {
            None if between => Ok(()),
            Some((_, operation)) if between && !operation.began => Err(faults::CLOSED_BEFORE_REPLY),
            _ => Err(faults::CLOSED_IN_REPLY),
        }
    }
}

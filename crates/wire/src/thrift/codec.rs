//! One Thrift connection.

use super::in_flight::InFlight;
use super::limits::MOST_NAME_BYTES;
use super::message::{EXCEPTION, REPLY, VERSION_1};
use super::route::{Position, Success, position};
use super::walk::{Token, Walker};
use super::{Limits, Op, Opening, faults, request};
use crate::in_order::{InOrder, InOrderCodec};
use crate::pipeline::Pipeline;
use crate::{Class, Events, Fault, Out, Reply, Tag};

/// Thrift on one connection. It allocates nothing after its first operations. It has no `Debug`
/// because it contains the password.
pub struct Thrift {
    opening: Opening,
    /// The call of the opening that is answered next.
    opening_in_flight: InFlight,
    in_order: InOrder<InFlight>,
    /// The number of the next call.
    number: u32,
    limits: Limits,
    part: FramePart,
    /// Bytes of the frame that are to come.
    frame_left: u32,
    walker: Walker,
}

/// Which part of a frame comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FramePart {
    Length,
    Head,
    Result,
    /// A result that is passed on unchanged.
    Struct,
}

impl Thrift {
    /// A codec for a fresh connection with up to `depth` operations in flight (at least
    /// one).
    pub fn new(opening: Opening, limits: Limits, depth: u32) -> Thrift {
        let mut codec = Thrift {
            in_order: InOrder::new(depth, 0),
            opening_in_flight: InFlight::default(),
            opening,
            number: 0,
            limits,
            part: FramePart::Length,
            frame_left: 0,
            walker: Walker::new(),
        };
        codec.reset();
        codec
    }

    /// The call that the next reply answers.
    fn answered(&mut self) -> Option<(Tag, &mut InFlight)> {
        answered(self.in_order.to_open, &mut self.opening_in_flight, &mut self.in_order.in_flight)
    }

    /// Reads the length of a frame.
    fn length(&mut self, input: &[u8], seen: &mut impl Events) -> Result<Option<usize>, Fault> {
        let is_operation = self.in_order.to_open == 0;
        let (tag, operation) = self.answered().ok_or(faults::ANSWERS_NOTHING)?;
        if is_operation && !operation.began {
            seen.began(tag);
        }
        operation.began = true;
        let Some(length) = input.first_chunk() else { return Ok(None) };
        let length = u32::from_be_bytes(*length);
        if length > self.limits.frame_bytes {
            return Err(faults::FRAME);
        }
        if length == 0 {
            return Err(faults::FRAME_END);
        }
        (self.frame_left, self.part) = (length, FramePart::Head);
        Ok(Some(4))
    }

    /// Reads the head of a message: its version and kind, the name of the call and its number.
    fn head(&mut self, input: &[u8]) -> Result<Option<usize>, Fault> {
        let (_, operation) = self.answered().ok_or(faults::ANSWERS_NOTHING)?;
        let Some((version, rest)) = input.split_first_chunk() else { return Ok(None) };
        let version = u32::from_be_bytes(*version);
        if version & 0xffff_ff00 != VERSION_1 {
            return Err(faults::VERSION);
        }
        let kind = version as u8;
        if kind != REPLY && kind != EXCEPTION {
            return Err(faults::OTHER_CALL);
        }
        let Some((length, rest)) = rest.split_first_chunk() else { return Ok(None) };
        let length = u32::from_be_bytes(*length) as usize;
        if length != operation.name.len() || length > MOST_NAME_BYTES {
            return Err(faults::OTHER_CALL);
        }
        let Some((name, rest)) = rest.split_at_checked(length) else { return Ok(None) };
        let Some(number) = rest.first_chunk() else { return Ok(None) };
        if name != operation.name.as_bytes() || u32::from_be_bytes(*number) != operation.number {
            return Err(faults::OTHER_CALL);
        }
        if kind == EXCEPTION {
            operation.success = Success::Refused;
        }
        self.walker.start();
        self.part = FramePart::Result;
        let taken = 4 + 4 + length + 4;
        self.frame_left -= taken as u32;
        Ok(Some(taken))
    }

    /// Reads one value of the result, or a part of one.
    fn result(&mut self, input: &[u8], seen: &mut impl Events) -> Result<Option<usize>, Fault> {
        let Some((taken, token)) = self.walker.next(input)? else { return Ok(None) };
        self.frame_left -= taken as u32;
        match token {
            Token::Done if self.frame_left > 0 => return Err(faults::FRAME_END),
            Token::Done => self.done(seen)?,
            _ if self.part == FramePart::Struct => self.pass(&input[..taken], seen)?,
            Token::Other => {}
            Token::Open | Token::Text { .. } => self.on_token(token, seen)?,
        }
        Ok(Some(taken))
    }

    /// Passes on bytes of a result unchanged.
    fn pass(&mut self, bytes: &[u8], seen: &mut impl Events) -> Result<(), Fault> {
        let (tag, operation) = self.answered().ok_or(faults::ANSWERS_NOTHING)?;
        if !bytes.is_empty() {
            operation.body_len += bytes.len() as u64;
            seen.body(tag, 0, bytes);
        }
        Ok(())
    }

    /// Handles a token of the result.
    fn on_token(&mut self, token: Token<'_>, seen: &mut impl Events) -> Result<(), Fault> {
        let is_operation = self.in_order.to_open == 0;
        let (tag, operation) = answered(
            self.in_order.to_open,
            &mut self.opening_in_flight,
            &mut self.in_order.in_flight,
        )
        .ok_or(faults::ANSWERS_NOTHING)?;
        let text = match (position(&self.walker, token, operation.success), token) {
            (Position::Success, _) => {
                operation.succeeds()?;
                if operation.success == Success::Struct {
                    self.part = FramePart::Struct;
                }
                return Ok(());
            }
            (Position::Exception(number), _) => return operation.fails(number),
            (Position::Column, _) => return operation.column(),
            (Position::Key, Token::Text { piece, last }) => return operation.key(piece, last),
            (Position::Item, Token::Text { piece, last }) => {
                operation.item = operation.items;
                operation.items = operation.items.saturating_add(u32::from(last));
                Some(piece)
            }
            (Position::Name, Token::Text { piece, .. }) => operation.names.then_some(piece),
            (Position::Value, Token::Text { piece, .. }) => {
                operation.has_value()?;
                Some(piece)
            }
            (Position::Reason, Token::Text { piece, .. }) if operation.has_reason() => {
                seen.said(piece);
                Some(piece)
            }
            _ => None,
        };
        // Replies to an opening belong to no operation.
        let text = text.filter(|piece| is_operation && !piece.is_empty());
        if let Some(piece) = text {
            operation.body_len += piece.len() as u64;
            seen.body(tag, operation.item, piece);
        }
        Ok(())
    }

    /// Completes the reply.
    fn done(&mut self, seen: &mut impl Events) -> Result<(), Fault> {
        self.part = FramePart::Length;
        let (tag, operation) = self.answered().ok_or(faults::ANSWERS_NOTHING)?;
        let class = operation.class()?;
        let (body_len, items) = (operation.body_len, operation.items);
        let code = if let Class::Error(code) = class { code } else { 0 };
        if self.in_order.to_open == 0 {
            self.in_order.in_flight.pop();
            seen.done(Reply { tag, class, code, body_len, items });
            return Ok(());
        }
        if class != Class::Ok {
            self.in_order.refused = Some(code);
            return Err(self.opening.objection(self.in_order.to_open, code));
        }
        self.in_order.to_open -= 1;
        self.opening.expect(self.in_order.to_open, &mut self.opening_in_flight);
        Ok(())
    }
}

/// The call that the next reply answers: of the opening while replies to it are to come.
fn answered<'a>(
    to_open: usize,
    opening_in_flight: &'a mut InFlight,
    in_flight: &'a mut Pipeline<InFlight>,
) -> Option<(Tag, &'a mut InFlight)> {
    if to_open > 0 { Some((Tag(0), opening_in_flight)) } else { in_flight.front() }
}

impl InOrderCodec for Thrift {
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
        self.opening.expect(self.in_order.to_open, &mut self.opening_in_flight);
        self.number = 0;
        self.part = FramePart::Length;
        self.frame_left = 0;
    }

    fn opening(&self) -> &[u8] {
        self.opening.bytes()
    }

    fn append(&mut self, op: &Op<'_>, out: &mut Out) -> Result<Tag, Fault> {
        request::check(op)?;
        request::write(op, self.number, out)?;
        let (tag, operation) = self.in_order.in_flight.push().ok_or(faults::IN_FLIGHT)?;
        operation.ask(op, self.number);
        self.number = self.number.wrapping_add(1);
        Ok(tag)
    }

    /// Reads one part of a frame.
    fn step(&mut self, input: &[u8], seen: &mut impl Events) -> Result<Option<usize>, Fault> {
        if self.part == FramePart::Length {
            return self.length(input, seen);
        }
        let whole = input.len() >= self.frame_left as usize;
        let input = if whole { &input[..self.frame_left as usize] } else { input };
        let taken = match self.part {
            FramePart::Length | FramePart::Head => self.head(input)?,
            FramePart::Result | FramePart::Struct => self.result(input, seen)?,
        };
        // A message that ends after or before the frame's end.
        let is_over = match taken {
            None => whole,
            Some(_) => self.part != FramePart::Length && self.frame_left == 0,
        };
        if is_over { Err(faults::FRAME_END) } else { Ok(taken) }
    }

    fn check_end(&mut self) -> Result<(), Fault> {
        match self.in_order.in_flight.front() {
            None => Ok(()),
            Some((_, operation)) if !operation.began => Err(faults::CLOSED_BEFORE_REPLY),
            Some(_) => Err(faults::CLOSED_IN_REPLY),
        }
    }
}

//! The position in nested aggregates.

use super::{MOST_DEEP, faults, token::Aggregate};
use crate::Fault;

#[derive(Clone, Copy, Debug)]
struct Frame {
    aggregate: Aggregate,
    /// Elements to come.
    left: u64,
    /// Elements so far.
    seen: u64,
}

/// The aggregates around the next value.
#[derive(Debug)]
pub(super) struct Nesting {
    frames: [Frame; MOST_DEEP],
    depth: usize,
    /// How many of them are attributes.
    attributes: usize,
}

impl Nesting {
    pub(super) fn new() -> Nesting {
        let frame = Frame { aggregate: Aggregate::Array, left: 0, seen: 0 };
        Nesting { frames: [frame; MOST_DEEP], depth: 0, attributes: 0 }
    }

    /// How many aggregates there are around the next value.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// Whether the next value is a part of an attribute.
    pub(super) fn in_attribute(&self) -> bool {
        self.attributes > 0
    }

    /// Whether the next value is a part of a push.
    pub(super) fn in_push(&self) -> bool {
        self.depth > 0 && self.frames[0].aggregate == Aggregate::Push
    }

    /// Elements of the outermost aggregate that are complete.
    pub(super) fn item(&self) -> u32 {
        match self.depth {
            0 => 0,
            _ => u32::try_from(self.frames[0].seen).unwrap_or(u32::MAX),
        }
    }

    /// Begins an aggregate. Returns whether everything begun is complete.
    ///
    /// # Errors
    /// If it is nested too deeply, or is a push inside another value.
    pub(super) fn open(&mut self, aggregate: Aggregate, count: u64) -> Result<bool, Fault> {
        if aggregate == Aggregate::Push && self.depth > 0 {
            return Err(faults::PUSH_INSIDE);
        }
        if self.depth == MOST_DEEP {
            return Err(faults::TOO_DEEP);
        }
        self.frames[self.depth] = Frame { aggregate, left: count, seen: 0 };
        self.depth += 1;
        self.attributes += usize::from(aggregate == Aggregate::Attribute);
        Ok(count == 0 && self.pop())
    }

    /// Completes a scalar. Returns whether everything begun is complete.
    pub(super) fn value(&mut self) -> bool {
        while self.depth > 0 {
            let frame = &mut self.frames[self.depth - 1];
            frame.seen += 1;
            frame.left -= 1;
            if frame.left > 0 || self.leave() == Aggregate::Attribute {
                return false;
            }
        }
        true
    }

    /// Completes the innermost aggregate, which is a value of the one around it unless it is an
    /// attribute, which belongs to the value after it. Returns whether everything begun is
    /// complete.
    fn pop(&mut self) -> bool {
        self.leave() != Aggregate::Attribute && self.value()
    }

    fn leave(&mut self) -> Aggregate {
        self.depth -= 1;
        let aggregate = self.frames[self.depth].aggregate;
        self.attributes -= usize::from(aggregate == Aggregate::Attribute);
        aggregate
    }
}

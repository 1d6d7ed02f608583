//! Operations in flight whose replies come in order.

use crate::Tag;
use alloc::vec::Vec;

/// A ring of operations in flight. Its slots are created once and reused, so that a slot keeps its
/// memory.
pub(crate) struct Pipeline<T> {
    slots: Vec<T>,
    first: usize,
    count: usize,
}

impl<T: Default> Pipeline<T> {
    /// Creates room for `depth` operations, at least one.
    pub(crate) fn new(depth: u32) -> Pipeline<T> {
        let slots = (0..depth.max(1)).map(|_| T::default()).collect();
        Pipeline { slots, first: 0, count: 0 }
    }

    /// How many there is room for.
    pub(crate) fn depth(&self) -> u32 {
        self.slots.len() as u32
    }

    pub(crate) fn is_full(&self) -> bool {
        self.count == self.slots.len()
    }

    /// Takes the next free slot, which still contains its previous operation.
    pub(crate) fn push(&mut self) -> Option<(Tag, &mut T)> {
        if self.is_full() {
            return None;
        }
        let at = self.wrapped(self.first + self.count);
        self.count += 1;
        Some((Tag(at as u32), &mut self.slots[at]))
    }

    /// The operation that the next reply answers.
    pub(crate) fn front(&mut self) -> Option<(Tag, &mut T)> {
        if self.count == 0 {
            return None;
        }
        Some((Tag(self.first as u32), &mut self.slots[self.first]))
    }

    /// The operation of this tag, or the previous one if it was answered.
    pub(crate) fn tagged(&self, tag: Tag) -> Option<&T> {
        self.slots.get(tag.0 as usize)
    }

    /// Removes the first operation, which was answered.
    pub(crate) fn pop(&mut self) {
        self.first = self.wrapped(self.first + 1);
        self.count = self.count.saturating_sub(1);
    }

    /// Wraps an index that is below twice the number of slots; a division would cost more than the
    /// rest.
    fn wrapped(&self, at: usize) -> usize {
        if at < self.slots.len() { at } else { at - self.slots.len() }
    }

    /// Removes all operations.
    pub(crate) fn clear(&mut self) {
        (self.first, self.count) = (0, 0);
    }
}

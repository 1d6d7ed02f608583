//! The operations of one connection: those that were sent and wait for replies, found by the
//! codec's tag in whatever order the replies come, and those that wait to be sent.

use record::Moments;
use wire::Tag;

/// An entry in the table of tags without an operation.
const NOBODY: u32 = u32::MAX;

/// One operation of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Operation<M> {
    pub(super) at: Moments,
    /// Its running number: the same operation for every contender.
    pub(super) number: u64,
    /// What the protocol side remembers of it.
    pub(super) memo: M,
}

impl<M: Default> Operation<M> {
    pub(super) fn new(number: u64, due: u64, could: u64, sent: u64) -> Operation<M> {
        let at = Moments { due, could, sent, ..Moments::default() };
        Operation { at, number, memo: M::default() }
    }

    /// Returns true if its request, or part of it, was handed to the system.
    pub(super) fn was_asked(&self) -> bool {
        self.at.asked != 0
    }

    /// Returns true if it has taken `timeout_ns` or more by `now`.
    pub(super) fn is_overdue(&self, now: u64, timeout_ns: u64) -> bool {
        now >= self.at.sent + timeout_ns
    }
}

/// Slots for operations, allocated once and reused. A ring holds the slots of operations that
/// wait to be sent and, after them, the free ones; a table maps a tag to the slot of the
/// operation that was sent with it.
pub(super) struct InFlight<M> {
    slots: Box<[Operation<M>]>,
    ring: Box<[u32]>,
    /// The start of the ring.
    first: usize,
    /// How many wait to be sent.
    waiting: usize,
    /// How many wait for a reply; their slots are not in the ring.
    asked: usize,
    by_tag: Box<[u32]>,
}

impl<M: Copy + Default> InFlight<M> {
    /// Creates room for `depth` operations, at least one, whose tags are below `tags`.
    pub(super) fn new(depth: u32, tags: u32) -> InFlight<M> {
        let depth = depth.max(1);
        InFlight {
            slots: (0..depth).map(|_| Operation::default()).collect(),
            ring: (0..depth).collect(),
            first: 0,
            waiting: 0,
            asked: 0,
            by_tag: (0..tags).map(|_| NOBODY).collect(),
        }
    }

    /// Returns the number of slots.
    #[inline]
    pub(super) fn depth(&self) -> u32 {
        self.slots.len() as u32
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.waiting + self.asked == 0
    }

    /// Returns how many operations there are, sent or not.
    pub(super) fn len(&self) -> u32 {
        (self.waiting + self.asked) as u32
    }

    /// Returns how many wait for a reply.
    #[inline]
    pub(super) fn asked(&self) -> u32 {
        self.asked as u32
    }

    /// Returns true if some wait to be sent.
    #[inline]
    pub(super) fn has_unasked(&self) -> bool {
        self.waiting > 0
    }

    /// Takes up an operation. There is room because the lane counts free slots.
    #[inline]
    pub(super) fn take(&mut self, operation: Operation<M>) {
        debug_assert!(self.waiting + self.asked < self.slots.len(), "one more than the depth");
        let slot = self.ring[self.at(self.waiting)];
        self.slots[slot as usize] = operation;
        self.waiting += 1;
    }

    /// Returns the next operation to be sent.
    #[inline]
    pub(super) fn next_to_ask(&mut self) -> Option<&mut Operation<M>> {
        if self.waiting == 0 {
            return None;
        }
        let slot = self.ring[self.first];
        Some(&mut self.slots[slot as usize])
    }

    /// Notes that the next operation was sent with this tag. Returns false if the codec must not
    /// give this tag: another operation has it, or it is too high.
    #[inline]
    pub(super) fn asked_as(&mut self, tag: Tag) -> bool {
        let Some(entry) = self.by_tag.get_mut(tag.0 as usize).filter(|entry| **entry == NOBODY)
        else {
            return false;
        };
        *entry = self.ring[self.first];
        self.leave_front();
        self.asked += 1;
        true
    }

    /// Returns the operation that was sent with this tag.
    #[inline]
    pub(super) fn tagged(&mut self, tag: Tag) -> Option<&mut Operation<M>> {
        let slot = *self.by_tag.get(tag.0 as usize)?;
        self.slots.get_mut(slot as usize)
    }

    /// Notes that the operation with this tag has ended.
    #[inline]
    pub(super) fn end(&mut self, tag: Tag) {
        let slot = self.leave_tag(tag);
        self.add_free(slot);
    }

    /// Notes that the request with this tag was answered and its operation goes on: it waits to
    /// be sent again, after the others that wait.
    #[inline]
    pub(super) fn go_on(&mut self, tag: Tag) {
        let slot = self.leave_tag(tag);
        self.add_waiting(slot);
    }

    /// Returns all operations.
    pub(super) fn all(&self) -> impl Iterator<Item = &Operation<M>> {
        let asked = self.by_tag.iter().copied().filter(|slot| *slot != NOBODY).take(self.asked);
        let waiting = (0..self.waiting).map(|n| self.ring[self.at(n)]);
        asked.chain(waiting).map(|slot| &self.slots[slot as usize])
    }

    /// Returns all tags that an operation can have.
    pub(super) fn tags(&self) -> impl Iterator<Item = Tag> + use<M> {
        (0..self.by_tag.len() as u32).map(Tag)
    }

    /// Ends each of the operations waiting to be sent for which `ends` returns true.
    pub(super) fn end_waiting(&mut self, mut ends: impl FnMut(&Operation<M>) -> bool) {
        for _ in 0..self.waiting {
            let slot = self.leave_front();
            if ends(&self.slots[slot as usize]) {
                self.add_free(slot)
            } else {
                self.add_waiting(slot)
            }
        }
    }

    /// Removes all operations because the connection was closed.
    pub(super) fn clear(&mut self) {
        if self.is_empty() {
            return;
        }
        self.by_tag.fill(NOBODY);
        let slots = 0..self.depth();
        self.ring.iter_mut().zip(slots).for_each(|(entry, slot)| *entry = slot);
        (self.first, self.waiting, self.asked) = (0, 0, 0);
    }

    /// Takes the first of the operations that wait to be sent out of the ring.
    #[inline]
    fn leave_front(&mut self) -> u32 {
        let slot = self.ring[self.first];
        self.first = self.at(1);
        self.waiting -= 1;
        slot
    }

    /// Takes an operation that was sent out of the table of tags.
    #[inline]
    fn leave_tag(&mut self, tag: Tag) -> u32 {
        let slot = std::mem::replace(&mut self.by_tag[tag.0 as usize], NOBODY);
        debug_assert!(self.asked > 0 && slot != NOBODY, "no operation has this tag");
        self.asked -= 1;
        slot
    }

    /// Puts a slot that is neither in the ring nor in the table at the end of the ring.
    #[inline]
    fn add_free(&mut self, slot: u32) {
        let end = self.at(self.ring.len() - self.asked - 1);
        self.ring[end] = slot;
    }

    /// Puts such a slot after those that wait, where the first free one was.
    #[inline]
    fn add_waiting(&mut self, slot: u32) {
        let first_free = self.at(self.waiting);
        let moved = std::mem::replace(&mut self.ring[first_free], slot);
        let end = self.at(self.ring.len() - self.asked - 1);
        if end != first_free {
            self.ring[end] = moved;
        }
        self.waiting += 1;
    }

    /// Returns the index of the entry `behind_first` slots after the first of the ring.
    #[inline]
    fn at(&self, behind_first: usize) -> usize {
        // It wraps at most once; a division would cost more than the rest.
        let at = self.first + behind_first;
        if at < self.ring.len() { at } else { at - self.ring.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbers(of: &InFlight<()>) -> Vec<u64> {
        of.all().map(|operation| operation.number).collect()
    }

    /// Takes up operations that are numbered from `from`.
    fn take(of: &mut InFlight<()>, numbers: std::ops::Range<u64>) {
        numbers.for_each(|number| of.take(Operation::new(number, 0, 0, number)));
    }

    /// Sends the next operation with this tag. Returns its number.
    fn ask(of: &mut InFlight<()>, tag: u32) -> Option<u64> {
        let number = of.next_to_ask()?.number;
        assert!(of.asked_as(Tag(tag)), "tag {tag}");
        Some(number)
    }

    fn tagged(of: &mut InFlight<()>, tag: u32) -> Option<u64> {
        of.tagged(Tag(tag)).map(|operation| operation.number)
    }

    #[test]
    fn replies_in_the_order_of_the_requests_find_their_operations() {
        let mut of = InFlight::new(3, 3);
        take(&mut of, 0..2);
        assert_eq!(tagged(&mut of, 0), None, "nothing was asked");
        assert_eq!((ask(&mut of, 0), ask(&mut of, 1), ask(&mut of, 2)), (Some(0), Some(1), None));
        of.end(Tag(0));
        assert_eq!(tagged(&mut of, 0), None, "it has ended");
        take(&mut of, 2..4);
        assert_eq!(numbers(&of), [1, 2, 3]);
        assert_eq!((ask(&mut of, 2), ask(&mut of, 0)), (Some(2), Some(3)));
        assert_eq!((tagged(&mut of, 2), tagged(&mut of, 0)), (Some(2), Some(3)));
        of.end(Tag(1));
        of.end(Tag(2));
        assert_eq!((numbers(&of), of.len(), of.asked()), (vec![3], 1, 1));
        of.clear();
        assert!(of.is_empty() && tagged(&mut of, 0).is_none());
        take(&mut of, 4..5);
        assert_eq!((ask(&mut of, 0), tagged(&mut of, 0)), (Some(4), Some(4)));
    }

    #[test]
    fn replies_in_another_order_find_their_operations() {
        let mut of = InFlight::new(3, 8);
        take(&mut of, 0..3);
        assert_eq!([7, 2, 5].map(|tag| ask(&mut of, tag)), [Some(0), Some(1), Some(2)]);
        of.end(Tag(2));
        take(&mut of, 3..4);
        assert_eq!((ask(&mut of, 0), tagged(&mut of, 2)), (Some(3), None));
        assert_eq!([7, 5, 0].map(|tag| tagged(&mut of, tag)), [Some(0), Some(2), Some(3)]);
        of.end(Tag(7));
        of.end(Tag(5));
        assert_eq!((numbers(&of), tagged(&mut of, 0)), (vec![3], Some(3)));
    }

    #[test]
    fn a_tag_that_is_taken_or_too_high_is_refused() {
        let mut of = InFlight::new(2, 2);
        take(&mut of, 0..2);
        assert!(of.asked_as(Tag(1)));
        assert!(!of.asked_as(Tag(1)) && !of.asked_as(Tag(2)));
        assert_eq!((of.len(), of.asked(), tagged(&mut of, 2)), (2, 1, None));
    }

    #[test]
    fn an_operation_that_goes_on_is_requested_again_behind_the_others() {
        let mut of = InFlight::new(3, 3);
        take(&mut of, 0..3);
        assert_eq!((ask(&mut of, 0), ask(&mut of, 1)), (Some(0), Some(1)));
        of.go_on(Tag(0));
        assert_eq!((numbers(&of), of.asked()), (vec![1, 2, 0], 1));
        of.end(Tag(1));
        assert_eq!((ask(&mut of, 2), ask(&mut of, 1)), (Some(2), Some(0)));
        assert!(!of.has_unasked());
    }

    #[test]
    fn those_that_wait_end_one_by_one_and_the_others_keep_their_order() {
        let mut of = InFlight::new(5, 5);
        take(&mut of, 0..5);
        assert_eq!(ask(&mut of, 3), Some(0));
        of.end_waiting(|operation| operation.number % 2 == 0);
        assert_eq!((numbers(&of), of.len()), (vec![0, 1, 3], 3));
        take(&mut of, 5..7);
        assert_eq!((0..3).map(|tag| ask(&mut of, tag)).collect::<Vec<_>>(), [1, 3, 5].map(Some));
    }

    proptest! {
        /// Any order of taking up, sending, ending and continuing, compared with lists.
        #[test]
        fn does_what_two_lists_do(depth in 1u32..6, steps in prop::collection::vec((0..5, 0u32..8), 0..200)) {
            let mut of = InFlight::new(depth, 8);
            let (mut waiting, mut asked) = (Vec::new(), std::collections::BTreeMap::new());
            for (next, (what, tag)) in (0u64..).zip(steps) {
                match what {
                    0 | 1 if of.len() < depth => {
                        take(&mut of, next..next + 1);
                        waiting.push(next);
                    }
                    2 if !waiting.is_empty() => {
                        let free = !asked.contains_key(&tag);
                        prop_assert_eq!(of.asked_as(Tag(tag)), free);
                        if free {
                            asked.insert(tag, waiting.remove(0));
                        }
                    }
                    3 if asked.contains_key(&tag) => {
                        of.end(Tag(tag));
                        asked.remove(&tag);
                    }
                    4 if asked.contains_key(&tag) => {
                        of.go_on(Tag(tag));
                        waiting.extend(asked.remove(&tag));
                    }
                    _ => {}
                }
                let all: Vec<u64> = asked.values().chain(&waiting).copied().collect();
                prop_assert_eq!(numbers(&of), all);
                prop_assert_eq!(of.next_to_ask().map(|of| of.number), waiting.first().copied());
                for tag in 0..9 {
                    prop_assert_eq!(tagged(&mut of, tag), asked.get(&tag).copied());
                }
            }
        }
    }
}

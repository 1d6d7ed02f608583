//! The operations of one connection: asked and waiting for replies, which come
//! in the order of the requests; behind them those that wait to be asked until
//! the connection is open.

use super::hearing::Operation;
use wire::Tag;

/// A ring. Its places are made once; a place's number is the codec's tag, since
/// both begin at 0 with every connection and go round alike.
pub(super) struct InFlight<M> {
    places: Box<[Operation<M>]>,
    first: usize,
    asked: usize,
    taken: usize,
}

impl<M: Copy + Default> InFlight<M> {
    /// Room for `depth` operations, at least one.
    pub(super) fn new(depth: u32) -> InFlight<M> {
        let places = (0..depth.max(1)).map(|_| Operation::default()).collect();
        InFlight { places, first: 0, asked: 0, taken: 0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.taken == 0
    }

    /// How many there are, asked or not.
    pub(super) fn len(&self) -> u32 {
        self.taken as u32
    }

    /// Takes one up. There is room: the lane counts free places.
    #[inline]
    pub(super) fn take(&mut self, operation: Operation<M>) {
        debug_assert!(self.taken < self.places.len(), "one more than the depth");
        let at = self.wrapped(self.first + self.taken);
        self.places[at] = operation;
        self.taken += 1;
    }

    /// The next one that is to be asked; it counts as asked from now on.
    #[inline]
    pub(super) fn next_to_ask(&mut self) -> Option<&mut Operation<M>> {
        if self.asked == self.taken {
            return None;
        }
        let at = self.wrapped(self.first + self.asked);
        self.asked += 1;
        Some(&mut self.places[at])
    }

    /// The one that a codec means.
    #[inline]
    pub(super) fn tagged(&mut self, tag: Tag) -> Option<&mut Operation<M>> {
        if self.asked == 0 { None } else { self.places.get_mut(tag.0 as usize) }
    }

    /// The place among all of the one that was begun first. Not always the first of
    /// them: one that goes on with a second request waits behind the others.
    pub(super) fn oldest(&self) -> Option<(usize, &Operation<M>)> {
        self.all().enumerate().min_by_key(|(_, operation)| operation.at.sent)
    }

    /// Some wait to be asked.
    #[inline]
    pub(super) fn has_unasked(&self) -> bool {
        self.asked < self.taken
    }

    /// The oldest request was answered and its operation goes on: it is taken up
    /// again, behind all others, as its next request's tag will be.
    #[inline]
    pub(super) fn go_on(&mut self) {
        let operation = self.places[self.first];
        self.answered();
        self.take(operation);
    }

    /// All of them, in order.
    pub(super) fn all(&self) -> impl Iterator<Item = &Operation<M>> {
        (0..self.taken).map(|n| &self.places[self.wrapped(self.first + n)])
    }

    /// The oldest was answered.
    #[inline]
    pub(super) fn answered(&mut self) {
        debug_assert!(self.asked > 0, "an answer to nothing");
        self.first = self.wrapped(self.first + 1);
        self.asked -= 1;
        self.taken -= 1;
    }

    /// The connection is no more.
    pub(super) fn clear(&mut self) {
        (self.first, self.asked, self.taken) = (0, 0, 0);
    }

    /// A place less than twice round; a division would cost more than the rest.
    #[inline]
    fn wrapped(&self, at: usize) -> usize {
        if at < self.places.len() { at } else { at - self.places.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(ring: &InFlight<()>) -> Vec<u64> {
        ring.all().map(|operation| operation.number).collect()
    }

    #[test]
    fn goes_round_in_order() {
        let mut ring = InFlight::new(3);
        let mut next = 0;
        let mut take = |ring: &mut InFlight<()>| {
            ring.take(Operation::new(next, 0, 0, 0));
            next += 1;
        };
        take(&mut ring);
        take(&mut ring);
        assert!(ring.tagged(Tag(0)).is_none(), "nothing was asked");
        assert_eq!(ring.next_to_ask().map(|operation| operation.number), Some(0));
        assert_eq!(ring.next_to_ask().map(|operation| operation.number), Some(1));
        assert!(ring.next_to_ask().is_none());
        ring.answered();
        take(&mut ring);
        take(&mut ring);
        assert_eq!(numbers(&ring), [1, 2, 3]);
        assert_eq!(ring.next_to_ask().map(|operation| operation.number), Some(2));
        assert_eq!(ring.tagged(Tag(2)).map(|operation| operation.number), Some(2));
        assert_eq!(ring.next_to_ask().map(|operation| operation.number), Some(3));
        assert_eq!(ring.tagged(Tag(0)).map(|operation| operation.number), Some(3));
        ring.answered();
        ring.answered();
        assert_eq!((numbers(&ring), ring.len()), (vec![3], 1));
        ring.clear();
        take(&mut ring);
        assert_eq!(ring.next_to_ask().map(|operation| operation.number), Some(4));
        assert_eq!(ring.tagged(Tag(0)).map(|operation| operation.number), Some(4));
    }

    #[test]
    fn one_that_goes_on_is_asked_again_behind_the_others() {
        let mut ring = InFlight::new(3);
        for number in 0..3 {
            ring.take(Operation::new(number, 0, 0, number));
            ring.next_to_ask();
        }
        assert!(!ring.has_unasked());
        ring.go_on();
        assert_eq!((numbers(&ring), ring.has_unasked()), (vec![1, 2, 0], true));
        assert_eq!(ring.oldest().map(|(at, operation)| (at, operation.number)), Some((2, 0)));
        ring.answered();
        ring.go_on();
        assert_eq!(numbers(&ring), [0, 2]);
        for number in [0, 2] {
            assert_eq!(ring.next_to_ask().map(|operation| operation.number), Some(number));
        }
        assert!(!ring.has_unasked());
        // Its first place is its second one too: three go round in three places.
        assert_eq!(ring.tagged(Tag(0)).map(|operation| operation.number), Some(0));
        assert_eq!(ring.tagged(Tag(1)).map(|operation| operation.number), Some(2));
    }
}

//! A pool of connections: which slot gets which. Independent of clocks and libraries.
//!
//! It is tiebreak's own and the same for every library, so that two libraries differ in their
//! protocol and not in their queues. The connection that has been idle longest is used next, and
//! the slot that has waited longest gets what is returned.

use std::collections::VecDeque;

/// The connections that a worker's operations share.
#[derive(Debug)]
pub(crate) struct Pool<C> {
    max: usize,
    /// Connections that are open or being opened.
    open: usize,
    idle: VecDeque<C>,
    /// Slots that wait, by number.
    waiting: VecDeque<usize>,
}

/// What an operation gets: a connection, or the right to open one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Grant<C> {
    Open(C),
    MayOpen,
}

impl<C> Pool<C> {
    pub(crate) fn new(max: usize) -> Pool<C> {
        Pool { max, open: 0, idle: VecDeque::new(), waiting: VecDeque::new() }
    }

    /// Grants what is available. Returns None if the slot must wait.
    pub(crate) fn take(&mut self, slot: usize) -> Option<Grant<C>> {
        if let Some(connection) = self.idle.pop_front() {
            return Some(Grant::Open(connection));
        }
        if self.open < self.max {
            self.open += 1;
            return Some(Grant::MayOpen);
        }
        self.waiting.push_back(slot);
        None
    }

    /// Removes a slot that does not wait any longer.
    pub(crate) fn leave(&mut self, slot: usize) {
        self.waiting.retain(|waits| *waits != slot);
    }

    /// Takes a connection back. Returns the slot that gets it, if one waits.
    pub(crate) fn give_back(&mut self, connection: C) -> Option<(usize, Grant<C>)> {
        match self.waiting.pop_front() {
            Some(slot) => Some((slot, Grant::Open(connection))),
            None => {
                self.idle.push_back(connection);
                None
            }
        }
    }

    /// Removes a connection that was lost, or could not be opened. Returns the slot that may open
    /// another one, if one waits.
    pub(crate) fn lost(&mut self) -> Option<(usize, Grant<C>)> {
        match self.waiting.pop_front() {
            Some(slot) => Some((slot, Grant::MayOpen)),
            None => {
                self.open -= 1;
                None
            }
        }
    }

    /// Number of open connections.
    pub(crate) fn open(&self) -> usize {
        self.open
    }

    /// Removes idle connections that are closed. Returns their number.
    pub(crate) fn sweep(&mut self, closed: impl Fn(&C) -> bool) -> usize {
        let before = self.idle.len();
        self.idle.retain(|connection| !closed(connection));
        let swept = before - self.idle.len();
        self.open -= swept;
        swept
    }

    /// Removes an idle connection permanently.
    pub(crate) fn dismiss(&mut self) -> Option<C> {
        let connection = self.idle.pop_front()?;
        self.open -= 1;
        Some(connection)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_go_round_and_places_wait_in_turn() {
        let mut pool = Pool::new(2);
        assert_eq!(pool.take(0), Some(Grant::MayOpen));
        assert_eq!(pool.take(1), Some(Grant::MayOpen));
        assert_eq!((pool.take(2), pool.take(3), pool.open()), (None, None, 2));
        assert_eq!(pool.give_back('a'), Some((2, Grant::Open('a'))));
        assert_eq!(pool.lost(), Some((3, Grant::MayOpen)), "in the place of the lost one");
        assert_eq!(pool.open(), 2);
        assert_eq!((pool.give_back('b'), pool.give_back('c')), (None, None));
        assert_eq!(pool.take(0), Some(Grant::Open('b')));
        assert_eq!(pool.give_back('b'), None);
        assert_eq!(pool.take(0), Some(Grant::Open('c')));
    }

    #[test]
    fn who_left_gets_nothing() {
        let mut pool = Pool::new(1);
        pool.take(0);
        assert_eq!((pool.take(1), pool.take(2)), (None, None));
        pool.leave(1);
        assert_eq!(pool.give_back('a'), Some((2, Grant::Open('a'))));
        assert_eq!((pool.lost(), pool.open()), (None, 0));
    }

    #[test]
    fn closed_connections_make_room_for_others() {
        let mut pool = Pool::new(2);
        pool.take(0);
        pool.take(1);
        pool.give_back('a');
        pool.give_back('b');
        assert_eq!((pool.sweep(|which| *which == 'a'), pool.open()), (1, 1));
        assert_eq!(pool.dismiss(), Some('b'));
        assert_eq!((pool.dismiss(), pool.open()), (None, 0));
    }
}

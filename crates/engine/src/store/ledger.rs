//! What one worker knows of the versions that it wrote: enough to tell a stale
//! read from a right one without a word to the other workers.
//!
//! A read is stale if its version was overwritten by a write that began after
//! that version's acknowledgement and was itself acknowledged before the read
//! was sent. Only a worker's own writes are looked at: their order is known
//! here, and the hot path shares nothing. Loaded values count as acknowledged
//! before everything.

/// For each key: the highest version of ours that is acknowledged, and the
/// highest that is stale. One more than the version, so that 0 is "none".
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    acknowledged: u64,
    stale: u64,
    /// Writes without an acknowledgement. One that was lost with its connection
    /// may still come to be, so it counts for ever.
    open: u32,
}

/// What a write has to remember until it is acknowledged, or a read until it is
/// answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bearing(u64);

/// The versions of one worker. Room for every key is made ahead: 24 bytes each.
pub(crate) struct Ledger {
    known: Box<[Known]>,
}

impl Ledger {
    /// For keys 0 to `keys`; of keys above nothing is known, and no read of them
    /// is called stale.
    pub(crate) fn new(keys: u64) -> Ledger {
        Ledger { known: (0..keys).map(|_| Known::default()).collect() }
    }

    /// A write of this key is sent. While another is open nothing follows from
    /// what was acknowledged: the open one may have a lower version.
    #[inline]
    pub(crate) fn write_sent(&mut self, key: u64) -> Bearing {
        let Some(known) = self.known.get_mut(key as usize) else { return Bearing::default() };
        known.open += 1;
        Bearing(if known.open == 1 { known.acknowledged } else { 0 })
    }

    /// It is acknowledged: what was acknowledged before it was sent is stale from
    /// now on, the loaded value in any case.
    #[inline]
    pub(crate) fn written(&mut self, key: u64, version: u64, when_sent: Bearing) {
        let Some(known) = self.known.get_mut(key as usize) else { return };
        known.open -= 1;
        known.stale = known.stale.max(when_sent.0).max(1);
        known.acknowledged = known.acknowledged.max(version + 1);
    }

    /// A read of this key is sent.
    #[inline]
    pub(crate) fn read_sent(&self, key: u64) -> Bearing {
        Bearing(self.known.get(key as usize).map_or(0, |known| known.stale))
    }
}

impl Bearing {
    /// Whether a read that bears this may not bring this version: one of our own,
    /// or the loaded one (0).
    #[inline]
    pub(crate) fn stale(self, version: u64) -> bool {
        version < self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_acknowledged_before_a_write_began_is_stale_after_it() {
        let mut ledger = Ledger::new(2);
        assert!(!ledger.read_sent(0).stale(0), "nothing was written yet");
        let first = ledger.write_sent(0);
        let while_written = ledger.read_sent(0);
        ledger.written(0, 7, first);
        assert!(!while_written.stale(0), "sent before the acknowledgement");
        assert!(ledger.read_sent(0).stale(0), "the loaded value is overwritten");
        assert!(!ledger.read_sent(0).stale(7));
        let second = ledger.write_sent(0);
        ledger.written(0, 9, second);
        assert!(ledger.read_sent(0).stale(7));
        assert!(!ledger.read_sent(0).stale(9));
        assert!(!ledger.read_sent(1).stale(0), "each key for itself");
        assert!(!ledger.read_sent(2).stale(0), "not loaded: not known");
    }

    #[test]
    fn writes_that_overlap_make_neither_stale() {
        let mut ledger = Ledger::new(1);
        let (one, other) = (ledger.write_sent(0), ledger.write_sent(0));
        ledger.written(0, 5, other);
        ledger.written(0, 3, one);
        let read = ledger.read_sent(0);
        assert!(!read.stale(3) && !read.stale(5), "the server may have done them in any order");
        assert!(read.stale(0));
        let third = ledger.write_sent(0);
        ledger.written(0, 8, third);
        assert!(ledger.read_sent(0).stale(3) && ledger.read_sent(0).stale(5));
    }

    #[test]
    fn a_write_that_was_lost_makes_no_later_one_certain() {
        let mut ledger = Ledger::new(1);
        let first = ledger.write_sent(0);
        ledger.written(0, 2, first);
        let _lost = ledger.write_sent(0);
        let last = ledger.write_sent(0);
        ledger.written(0, 6, last);
        assert!(!ledger.read_sent(0).stale(2) && !ledger.read_sent(0).stale(4));
    }
}

//! What one worker knows of the versions that it wrote: enough to tell a stale
//! read from a right one without a word to the other workers.
//!
//! A read is stale if its version was overwritten by a write that began after
//! that version's acknowledgement and was itself acknowledged before the read
//! was sent. Only a worker's own writes are looked at: their order is known
//! here, and the hot path shares nothing. Loaded values count as acknowledged
//! before everything.

/// What a write looks at beside the stale versions.
#[derive(Clone, Copy, Debug, Default)]
struct Written {
    /// The highest version of ours that is acknowledged.
    acknowledged: u64,
    /// Writes without an acknowledgement. One that was lost with its connection
    /// may still come to be, so it counts for ever.
    open: u32,
}

/// What a write has to remember until it is acknowledged, or a read until it is
/// answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bearing(u64);

/// The versions of one worker, each as one more than it is, so that 0 is "none".
/// Room for every key is made ahead: 24 bytes each. In two tables, because most
/// operations read and look at one word: in one table that word came from far
/// memory nearly every time, and to wait for it was the dearest instruction of
/// the hot path.
pub(crate) struct Ledger {
    /// For each key: the highest version of ours that is stale.
    stale: Box<[u64]>,
    written: Box<[Written]>,
}

impl Ledger {
    /// For keys 0 to `keys`; of keys above nothing is known, and no read of them
    /// is called stale.
    pub(crate) fn new(keys: u64) -> Ledger {
        Ledger {
            stale: (0..keys).map(|_| 0).collect(),
            written: (0..keys).map(|_| Written::default()).collect(),
        }
    }

    /// A write of this key is sent. While another is open nothing follows from
    /// what was acknowledged: the open one may have a lower version.
    #[inline]
    pub(crate) fn write_sent(&mut self, key: u64) -> Bearing {
        let Some(written) = self.written.get_mut(key as usize) else { return Bearing::default() };
        written.open += 1;
        Bearing(if written.open == 1 { written.acknowledged } else { 0 })
    }

    /// It is acknowledged: what was acknowledged before it was sent is stale from
    /// now on, the loaded value in any case.
    #[inline]
    pub(crate) fn written(&mut self, key: u64, version: u64, when_sent: Bearing) {
        let Some(written) = self.written.get_mut(key as usize) else { return };
        written.open -= 1;
        written.acknowledged = written.acknowledged.max(version + 1);
        let stale = &mut self.stale[key as usize];
        *stale = (*stale).max(when_sent.0).max(1);
    }

    /// A read of this key is sent.
    #[inline]
    pub(crate) fn read_sent(&self, key: u64) -> Bearing {
        Bearing(self.stale.get(key as usize).copied().unwrap_or(0))
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

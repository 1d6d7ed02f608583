//! What one worker knows about the versions that it wrote, which is enough to distinguish a
//! stale read from a right one without communication between workers.
//!
//! A read is stale if its version was overwritten by a write that began after that version's
//! acknowledgement and was itself acknowledged before the read was sent. Only a worker's own
//! writes are considered, because their order is known here and the hot path shares nothing.
//! Loaded values count as acknowledged before everything.
//!
//! Versions are compared as if they were times, and mostly they are: writes are sent in the
//! order of their operations. The write of a read-modify-write is not, because it waits for its
//! read. If it is sent after a higher version, what was known about its key is forgotten, and
//! reads under way at that time are not judged. Keeping the order of all versions instead would
//! take memory that grows with the run.

/// What a write needs besides the stale versions.
#[derive(Clone, Copy, Debug, Default)]
struct KeyWrites {
    /// The highest acknowledged version of this worker.
    acknowledged: u64,
    /// The highest version that this worker sent.
    highest: u64,
    /// Writes without an acknowledgement. A write that was lost with its connection may still
    /// take effect, so it counts for ever.
    open: u32,
}

/// What a write must remember until it is acknowledged, or a read until it is answered: versions
/// below this one are stale, unless something was forgotten since.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct VersionBound {
    below: u64,
    /// How many times the knowledge about the key was forgotten.
    forgotten: u32,
}

/// The versions of one worker, each stored plus 1, so that 0 means "none". Room for every key is
/// allocated in advance: 40 bytes each. There are two tables because most operations read and need
/// one entry: with a single table it was nearly always fetched from far memory, and waiting for it
/// was the most expensive instruction of the hot path.
pub(crate) struct Ledger {
    /// For each key, the bound of a read that is sent now.
    reads: Box<[VersionBound]>,
    written: Box<[KeyWrites]>,
}

impl Ledger {
    /// Creates the ledger for keys 0 to `keys`. Nothing is known about keys above, and no read
    /// of them is called stale.
    pub(crate) fn new(keys: u64) -> Ledger {
        Ledger {
            reads: (0..keys).map(|_| VersionBound::default()).collect(),
            written: (0..keys).map(|_| KeyWrites::default()).collect(),
        }
    }

    /// Notes that a write of this key is sent. While another write is open nothing follows from
    /// what was acknowledged: the open one may have a lower version.
    #[inline]
    pub(crate) fn write_sent(&mut self, key: u64, version: u64) -> VersionBound {
        let Some(written) = self.written.get_mut(key as usize) else {
            return VersionBound::default();
        };
        let read = &mut self.reads[key as usize];
        written.open += 1;
        if version < written.highest {
            written.acknowledged = 0;
            *read = VersionBound { below: 0, forgotten: read.forgotten.wrapping_add(1) };
        }
        written.highest = written.highest.max(version);
        let below = if written.open == 1 { written.acknowledged } else { 0 };
        VersionBound { below, forgotten: read.forgotten }
    }

    /// Notes that it is acknowledged: versions that were acknowledged before it was sent are
    /// stale from now on, the loaded value in any case.
    #[inline]
    pub(crate) fn written(&mut self, key: u64, version: u64, when_sent: VersionBound) {
        let Some(written) = self.written.get_mut(key as usize) else { return };
        written.open -= 1;
        written.acknowledged = written.acknowledged.max(version + 1);
        let read = &mut self.reads[key as usize];
        if read.forgotten == when_sent.forgotten {
            read.below = read.below.max(when_sent.below);
        }
        read.below = read.below.max(1);
    }

    /// Notes that it was certainly refused, as if it had never been sent.
    #[inline]
    pub(crate) fn refused(&mut self, key: u64) {
        if let Some(written) = self.written.get_mut(key as usize) {
            written.open -= 1;
        }
    }

    /// Notes that a read of this key is sent.
    #[inline]
    pub(crate) fn read_sent(&self, key: u64) -> VersionBound {
        self.reads.get(key as usize).copied().unwrap_or_default()
    }

    /// Returns true if a read of this key with this bound must not return this version, which is
    /// one of this worker or the loaded one (0).
    #[inline]
    pub(crate) fn is_stale(&self, key: u64, when_sent: VersionBound, version: u64) -> bool {
        let known = |read: &VersionBound| read.forgotten == when_sent.forgotten;
        version < when_sent.below && self.reads.get(key as usize).is_some_and(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Ledger {
        fn write(&mut self, key: u64, version: u64) {
            let sent = self.write_sent(key, version);
            self.written(key, version, sent);
        }

        /// Returns true if a read that is sent and answered now must not return this version.
        fn stale(&self, key: u64, version: u64) -> bool {
            self.is_stale(key, self.read_sent(key), version)
        }
    }

    #[test]
    fn what_was_acknowledged_before_a_write_began_is_stale_after_it() {
        let mut ledger = Ledger::new(2);
        assert!(!ledger.stale(0, 0), "nothing was written yet");
        let first = ledger.write_sent(0, 7);
        let while_written = ledger.read_sent(0);
        ledger.written(0, 7, first);
        assert!(!ledger.is_stale(0, while_written, 0), "sent before the acknowledgement");
        assert!(ledger.stale(0, 0), "the loaded value is overwritten");
        assert!(!ledger.stale(0, 7));
        ledger.write(0, 9);
        assert!(ledger.stale(0, 7));
        assert!(!ledger.stale(0, 9));
        assert!(!ledger.stale(1, 0), "each key for itself");
        assert!(!ledger.stale(2, 0), "not loaded: not known");
    }

    #[test]
    fn writes_that_overlap_make_neither_stale() {
        let mut ledger = Ledger::new(1);
        let (one, other) = (ledger.write_sent(0, 3), ledger.write_sent(0, 5));
        ledger.written(0, 5, other);
        ledger.written(0, 3, one);
        assert!(!ledger.stale(0, 3) && !ledger.stale(0, 5), "done in any order");
        assert!(ledger.stale(0, 0));
        ledger.write(0, 8);
        assert!(ledger.stale(0, 3) && ledger.stale(0, 5));
    }

    #[test]
    fn a_write_that_was_refused_leaves_no_doubt() {
        let mut ledger = Ledger::new(1);
        ledger.write(0, 2);
        ledger.write_sent(0, 4);
        ledger.refused(0);
        ledger.write(0, 6);
        assert!(ledger.stale(0, 2) && !ledger.stale(0, 6));
    }

    #[test]
    fn a_write_that_was_lost_makes_no_later_one_certain() {
        let mut ledger = Ledger::new(1);
        ledger.write(0, 2);
        let _lost = ledger.write_sent(0, 4);
        ledger.write(0, 6);
        assert!(!ledger.stale(0, 2) && !ledger.stale(0, 4));
    }

    #[test]
    fn a_write_that_comes_late_is_not_stale() {
        let mut ledger = Ledger::new(1);
        ledger.write(0, 7);
        let read = ledger.read_sent(0);
        // A read-modify-write whose read took a long time.
        ledger.write(0, 6);
        assert!(!ledger.stale(0, 6));
        ledger.write(0, 9);
        assert!(!ledger.is_stale(0, read, 6), "it was there while the read was under way");
        assert!(ledger.stale(0, 6) && ledger.stale(0, 0) && !ledger.stale(0, 9));
    }

    #[test]
    fn what_was_known_before_a_late_write_is_not_used_after_it() {
        let mut ledger = Ledger::new(1);
        ledger.write(0, 7);
        let open = ledger.write_sent(0, 20);
        let late = ledger.write_sent(0, 6);
        ledger.written(0, 6, late);
        ledger.written(0, 20, open);
        assert!(!ledger.stale(0, 6), "done before 20, or after it");
        assert!(!ledger.stale(0, 20));
    }
}

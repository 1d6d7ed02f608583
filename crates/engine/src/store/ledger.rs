//! What one worker knows of the versions that it wrote: enough to tell a stale
//! read from a right one without a word to the other workers.
//!
//! A read is stale if its version was overwritten by a write that began after
//! that version's acknowledgement and was itself acknowledged before the read
//! was sent. Only a worker's own writes are looked at: their order is known
//! here, and the hot path shares nothing. Loaded values count as acknowledged
//! before everything.
//!
//! Versions are compared as if they were times, and mostly they are: writes go out
//! in the order of their operations. The write of a read-modify-write does not: it
//! waits for its read. One that goes out behind a higher version ends what was
//! known of its key, and reads under way then are not judged. To keep the order of
//! all versions instead would take memory that grows with the run.

/// What a write looks at beside the stale versions.
#[derive(Clone, Copy, Debug, Default)]
struct Written {
    /// The highest version of ours that is acknowledged.
    acknowledged: u64,
    /// The highest version of ours that was sent.
    highest: u64,
    /// Writes without an acknowledgement. One that was lost with its connection
    /// may still come to be, so it counts for ever.
    open: u32,
}

/// What a write has to remember until it is acknowledged, or a read until it is
/// answered: versions below are stale, as long as no more was forgotten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bearing {
    below: u64,
    /// How often it was forgotten what was known of the key.
    forgotten: u32,
}

/// The versions of one worker, each as one more than it is, so that 0 is "none".
/// Room for every key is made ahead: 40 bytes each. In two tables, because most
/// operations read and look at one entry: in one table it came from far memory
/// nearly every time, and to wait for it was the dearest instruction of the hot
/// path.
pub(crate) struct Ledger {
    /// For each key what a read bears that is sent now.
    reads: Box<[Bearing]>,
    written: Box<[Written]>,
}

impl Ledger {
    /// For keys 0 to `keys`; of keys above nothing is known, and no read of them
    /// is called stale.
    pub(crate) fn new(keys: u64) -> Ledger {
        Ledger {
            reads: (0..keys).map(|_| Bearing::default()).collect(),
            written: (0..keys).map(|_| Written::default()).collect(),
        }
    }

    /// A write of this key is sent. While another is open nothing follows from
    /// what was acknowledged: the open one may have a lower version.
    #[inline]
    pub(crate) fn write_sent(&mut self, key: u64, version: u64) -> Bearing {
        let Some(written) = self.written.get_mut(key as usize) else { return Bearing::default() };
        let read = &mut self.reads[key as usize];
        written.open += 1;
        if version < written.highest {
            written.acknowledged = 0;
            *read = Bearing { below: 0, forgotten: read.forgotten.wrapping_add(1) };
        }
        written.highest = written.highest.max(version);
        let below = if written.open == 1 { written.acknowledged } else { 0 };
        Bearing { below, forgotten: read.forgotten }
    }

    /// It is acknowledged: what was acknowledged before it was sent is stale from
    /// now on, the loaded value in any case.
    #[inline]
    pub(crate) fn written(&mut self, key: u64, version: u64, when_sent: Bearing) {
        let Some(written) = self.written.get_mut(key as usize) else { return };
        written.open -= 1;
        written.acknowledged = written.acknowledged.max(version + 1);
        let read = &mut self.reads[key as usize];
        if read.forgotten == when_sent.forgotten {
            read.below = read.below.max(when_sent.below);
        }
        read.below = read.below.max(1);
    }

    /// It was refused for sure, and is as if never sent.
    #[inline]
    pub(crate) fn refused(&mut self, key: u64) {
        if let Some(written) = self.written.get_mut(key as usize) {
            written.open -= 1;
        }
    }

    /// A read of this key is sent.
    #[inline]
    pub(crate) fn read_sent(&self, key: u64) -> Bearing {
        self.reads.get(key as usize).copied().unwrap_or_default()
    }

    /// Whether a read of this key that bears this may not bring this version: one
    /// of our own, or the loaded one (0).
    #[inline]
    pub(crate) fn is_stale(&self, key: u64, when_sent: Bearing, version: u64) -> bool {
        let known = |read: &Bearing| read.forgotten == when_sent.forgotten;
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

        /// Whether a read that is sent now, and answered now, may not bring this.
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
        // A read-modify-write whose read took long.
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

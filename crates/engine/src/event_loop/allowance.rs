//! How much a turn of the loop reads before it looks at the clock again.
//!
//! Bytes and not time: the clock need not be read for it. A server that sends faster than
//! its replies are understood would else keep the loop reading for ever.

/// Bytes that are read in a turn while the lane is driven: four full buffers. The
/// slowest to understand, chunks of one byte each, take about a millisecond.
const DRIVEN: usize = 256 * 1024;
/// The same while the lane rests, in time that belongs to nobody.
const RESTING: usize = 16 * 1024;
/// What a read costs beside its bytes, so that reads of next to nothing are bounded,
/// too. A full batch of events with short replies stays within one turn.
const READ: usize = 256;

/// What is left of the bytes of a turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance(usize);

impl Allowance {
    /// For a turn in a slice.
    pub(super) fn driven() -> Allowance {
        Allowance(DRIVEN)
    }

    /// For a look at a resting lane.
    pub(super) fn resting() -> Allowance {
        Allowance(RESTING)
    }

    #[inline]
    pub(super) fn is_used_up(self) -> bool {
        self.0 == 0
    }

    /// Bytes that one read may bring into a buffer of this length.
    #[inline]
    pub(super) fn room(self, buffer: usize) -> usize {
        buffer.min(self.0)
    }

    /// A read brought so many bytes.
    #[inline]
    pub(super) fn charge(&mut self, bytes: usize) {
        self.0 = self.0.saturating_sub(bytes + READ);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_batch_of_short_replies_fits_and_empty_reads_come_to_an_end() {
        let mut turn = Allowance::driven();
        for _ in 0..512 {
            assert!(!turn.is_used_up());
            turn.charge(250);
        }
        let mut reads = 0;
        while !turn.is_used_up() {
            turn.charge(0);
            reads += 1;
        }
        assert!(reads <= DRIVEN / READ);
        assert_eq!(Allowance::resting().room(64 * 1024), RESTING);
    }
}

//! How much a turn of the loop reads before it reads the clock again.
//!
//! The limit is in bytes and not in time, so that the clock need not be read for it. Without a
//! limit, a server that sends faster than its replies are parsed would keep the loop reading for
//! ever.

/// Bytes that a turn reads while the lane is driven: four full buffers. The slowest input to
/// parse, chunks of one byte each, takes about a millisecond.
const DRIVEN: usize = 256 * 1024;
/// Bytes that a turn reads while the lane rests, in time that belongs to no contender.
const RESTING: usize = 16 * 1024;
/// The cost of a read in addition to its bytes, which bounds the number of very short reads,
/// too. A full batch of events with short replies stays within one turn.
const READ: usize = 256;

/// The bytes that a turn may still read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance(usize);

impl Allowance {
    /// Returns the allowance of a turn in a slice.
    pub(super) fn driven() -> Allowance {
        Allowance(DRIVEN)
    }

    /// Returns the allowance for servicing a resting lane.
    pub(super) fn resting() -> Allowance {
        Allowance(RESTING)
    }

    #[inline]
    pub(super) fn is_used_up(self) -> bool {
        self.0 == 0
    }

    /// Returns the bytes that one read may place in a buffer of this length.
    #[inline]
    pub(super) fn room(self, buffer: usize) -> usize {
        buffer.min(self.0)
    }

    /// Subtracts the bytes that a read returned.
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

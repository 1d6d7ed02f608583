//! Lanes that are left out of the rounds that follow.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// How many lanes there can be where some are left out.
const LANES: u32 = u64::BITS;

/// The lanes of one call of the engine that are not driven in later rounds. A lane whose target has died would
/// otherwise take its time from the others until the last round. The workers look at it between slices, and all of
/// them leave a lane out from the same round on.
#[derive(Clone, Debug, Default)]
pub struct LeftOut(Arc<AtomicU64>);

impl LeftOut {
    /// Leaves a lane out of the rounds after the one that is being driven. Lanes above the first 64 are not left out.
    pub fn add(&self, lane: u32) {
        self.0.fetch_or(LaneSet::of(lane).0, Relaxed);
    }

    /// Leaves no lane out. Call it before the engine is called.
    pub fn clear(&self) {
        self.0.store(0, Relaxed);
    }

    /// Returns the lanes that are left out.
    pub fn lanes(&self) -> LaneSet {
        LaneSet(self.0.load(Relaxed))
    }
}

/// Some lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneSet(u64);

impl LaneSet {
    /// Returns the set of one lane, or none if its number is too large for a set.
    pub fn of(lane: u32) -> LaneSet {
        LaneSet(if lane < LANES { 1 << lane } else { 0 })
    }

    /// Whether the lane is one of them.
    pub fn has(self, lane: u32) -> bool {
        self.0 & LaneSet::of(lane).0 != 0
    }

    pub(crate) fn bits(self) -> u64 {
        self.0
    }

    pub(crate) fn from_bits(bits: u64) -> LaneSet {
        LaneSet(bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_left_out_until_the_next_call() {
        let left_out = LeftOut::default();
        left_out.clone().add(3);
        left_out.add(63);
        left_out.add(64);
        let has: Vec<u32> = (0..70).filter(|lane| left_out.lanes().has(*lane)).collect();
        assert_eq!(has, [3, 63]);
        left_out.clear();
        assert_eq!(left_out.lanes(), LaneSet::default());
    }
}

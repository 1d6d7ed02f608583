//! The CPU time of the targets, which the coordinator reads around every slice.

use engine::{TargetClock, TargetReading, note_targets};
use record::Slice;

/// All targets of one part of a run.
pub(super) struct TargetTimes {
    clocks: Vec<TargetClock>,
    before: Vec<Option<TargetReading>>,
    /// What they used in each slice, by index. Nothing else is set in these slices.
    pub(super) used: Vec<Slice>,
}

impl TargetTimes {
    pub(super) fn new(clocks: Vec<TargetClock>) -> TargetTimes {
        TargetTimes { clocks, before: Vec::new(), used: Vec::new() }
    }

    fn read(&mut self) -> Vec<Option<TargetReading>> {
        self.clocks.iter_mut().map(|read| read()).collect()
    }

    pub(super) fn slice_begins(&mut self) {
        self.before = self.read();
    }

    pub(super) fn slice_ended(&mut self) {
        let mut used = Slice::default();
        let after = self.read();
        note_targets(&mut used, &self.before, &after);
        self.used.push(used);
    }
}

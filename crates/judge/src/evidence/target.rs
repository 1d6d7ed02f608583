//! What the run recorded about a target.

use crate::verdict::TargetSummary;
use record::{TargetDone, TargetReady};

impl TargetSummary {
    /// Records that a target is ready; the facts of its latest launch are kept.
    pub(crate) fn ready(&mut self, ready: &TargetReady) {
        self.launches = self.launches.max(ready.launch);
        self.cpu_source.clone_from(&ready.cpu_source);
        self.out_of_sight.clone_from(&ready.out_of_sight);
        self.facts.clone_from(&ready.facts);
    }

    /// Records the end of a target; the largest peak of all launches is kept.
    pub(crate) fn done(&mut self, done: &TargetDone) {
        self.log_troubles.extend(done.log_troubles.iter().cloned());
        self.lost_nodes.extend(done.lost_nodes.iter().cloned());
        if done.peak_memory_bytes > self.peak_memory_bytes {
            self.peak_memory_bytes = done.peak_memory_bytes;
            self.memory_source = Some(done.memory_source.clone());
        }
    }
}

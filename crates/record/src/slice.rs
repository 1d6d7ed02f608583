//! One slice, with what was measured in it.

use serde::{Deserialize, Serialize};

/// One short turn of one contender, over all workers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slice {
    /// Its index among all slices of the run, from 0: the key by which workers' parts are merged.
    #[serde(rename = "place")]
    pub index: u64,
    /// Which contender was driven just before. None for the first slice.
    pub after: Option<u32>,
    /// Start, measured from the start of the engine.
    pub starts_ns: u64,
    /// How long operations were sent.
    pub sending_ns: u64,
    /// From the start to the last reply: the divisor of throughput.
    pub took_ns: u64,
    /// Operations that ended in it.
    pub operations: u64,
    /// Operations that were due in it (open loop; in a closed loop, those that were sent).
    pub due: u64,
    /// Operations in flight when the sending time ended.
    pub in_flight_at_end: u64,
    /// The longest response time in it, without the burn-in.
    pub max_response_ns: u64,
    /// CPU time of the workers' threads during it.
    pub generator_cpu_ns: u64,
    /// How long the workers' threads waited for a core (the maximum over them).
    pub waited_ns: u64,
    /// Time stolen from this machine's cores since the previous slice ended, with the kernel's
    /// resolution of 10 ms.
    pub steal_ns: u64,
    /// CPU time that each contender's target used from start to end, by number: that of the driven
    /// one, and that of the others at rest. None if it cannot be read; empty if no target's is
    /// read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub target_cpu_ns: Vec<Option<u64>>,
    /// How that was read where a watcher reads it, by number. None for the others; empty if no
    /// target has a watcher.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub watched: Vec<Option<WatchedSlice>>,
    /// Ended operations in each 100 ms from the start. Empty for a slice that was planned to last
    /// less than 200 ms.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<u32>,
    /// Ended operations in the first and in the second 5 ms, which show what a slice loses at its
    /// start. Both are 0 for a slice that was planned to last less than 20 ms.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub early: [u32; 2],
}

/// How a watcher read a target's CPU time at both ends of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchedSlice {
    /// When it was read before the slice, by the monotonic clock of the watcher's machine.
    pub from_ns: u64,
    /// When it was read after the slice, by the same clock.
    pub until_ns: u64,
    /// From sending the question to having the answer, before and after the slice.
    pub asked_ns: [u64; 2],
    /// Time stolen from that machine's cores between the two. None if it is not known.
    pub steal_ns: Option<u64>,
}

/// Length of one entry of [`Slice::early`].
pub const EARLY_NS: u64 = 5_000_000;

/// Length of one entry of [`Slice::windows`].
pub const WINDOW_NS: u64 = 100_000_000;

impl Slice {
    /// Adds another worker's part of the same slice. It lasts from the first start to the last
    /// reply: the workers of one process start together, those of several almost.
    pub fn merge(&mut self, other: &Slice) {
        let ends_ns = (self.starts_ns + self.took_ns).max(other.starts_ns + other.took_ns);
        self.starts_ns = self.starts_ns.min(other.starts_ns);
        self.sending_ns = self.sending_ns.max(other.sending_ns);
        self.took_ns = ends_ns - self.starts_ns;
        self.operations += other.operations;
        self.due += other.due;
        self.in_flight_at_end += other.in_flight_at_end;
        self.max_response_ns = self.max_response_ns.max(other.max_response_ns);
        self.generator_cpu_ns += other.generator_cpu_ns;
        self.waited_ns = self.waited_ns.max(other.waited_ns);
        self.steal_ns = self.steal_ns.max(other.steal_ns);
        if self.target_cpu_ns.len() < other.target_cpu_ns.len() {
            self.target_cpu_ns.resize(other.target_cpu_ns.len(), None);
        }
        // Only one worker reads the targets; the others leave this empty.
        for (mine, theirs) in self.target_cpu_ns.iter_mut().zip(&other.target_cpu_ns) {
            *mine = match (*mine, *theirs) {
                (Some(mine), Some(theirs)) => Some(mine + theirs),
                (one, other) => one.or(other),
            };
        }
        if self.watched.len() < other.watched.len() {
            self.watched.resize(other.watched.len(), None);
        }
        for (mine, theirs) in self.watched.iter_mut().zip(&other.watched) {
            *mine = mine.or(*theirs);
        }
        if self.windows.len() < other.windows.len() {
            self.windows.resize(other.windows.len(), 0);
        }
        for (mine, theirs) in self.windows.iter_mut().zip(&other.windows) {
            *mine += theirs;
        }
        for (mine, theirs) in self.early.iter_mut().zip(&other.early) {
            *mine += theirs;
        }
    }
}

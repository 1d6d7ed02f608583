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
    /// From the start to the last reply that counts: the divisor of throughput. Replies in the ordinary
    /// drain count; later ones count unless only a few connections had any ([`LateReplies`]).
    pub took_ns: u64,
    /// The replies after the ordinary drain. None if there were none, which is nearly always so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<LateReplies>,
    /// Operations that ended in it.
    pub operations: u64,
    /// Operations that were due in it (open loop; in a closed loop, those that were sent), without those that no
    /// connection became free for: they are in `unsent_times` of the trial.
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

/// The replies of a slice that were received after its ordinary drain. If a whole server pauses, nearly
/// all connections have such a reply, and the pause belongs to the slice. If a few connections have one, they
/// alone had to wait.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LateReplies {
    /// From the start of the slice to the last reply in the ordinary drain.
    pub in_time_ns: u64,
    /// How many connections of the contender do not stop the clock.
    pub spared: u32,
    /// For each connection with such a reply, the time from the start of the slice to the last one: the
    /// largest of them in descending order, one more than are spared.
    pub last_ns: Vec<u64>,
}

impl LateReplies {
    /// The time from the start of the slice to the last reply that counts.
    fn took_ns(&self) -> u64 {
        self.in_time_ns.max(self.last_ns.get(self.spared as usize).copied().unwrap_or(0))
    }

    /// Keeps as many times as [`LateReplies::took_ns`] needs, whatever is merged later.
    fn keep_largest(&mut self) {
        self.last_ns.sort_unstable_by(|one, other| other.cmp(one));
        self.last_ns.truncate(self.spared as usize + 1);
    }
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
        self.merge_times(other);
        self.sending_ns = self.sending_ns.max(other.sending_ns);
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

    /// Sets when the last reply in the ordinary drain was received, and the later replies: for each
    /// connection with one, when the last was. Times are measured from the start of the slice; `spared` is as
    /// in [`LateReplies`].
    pub fn set_took(&mut self, in_time_ns: u64, last_ns: Vec<u64>, spared: u32) {
        self.took_ns = in_time_ns;
        self.late = None;
        if !last_ns.is_empty() {
            let mut late = LateReplies { in_time_ns, spared, last_ns };
            late.keep_largest();
            self.took_ns = late.took_ns();
            self.late = Some(late);
        }
    }

    /// Sets the start, the end and the late replies to those of another one.
    pub(crate) fn set_times_of(&mut self, other: &Slice) {
        self.starts_ns = other.starts_ns;
        self.took_ns = other.took_ns;
        self.late.clone_from(&other.late);
    }

    fn merge_times(&mut self, other: &Slice) {
        let starts_ns = self.starts_ns.min(other.starts_ns);
        let in_time = |of: &Slice| {
            of.starts_ns + of.late.as_ref().map_or(of.took_ns, |late| late.in_time_ns) - starts_ns
        };
        let in_time_ns = in_time(self).max(in_time(other));
        let spared = [&self.late, &other.late].into_iter().flatten().map(|late| late.spared).max();
        let last_ns = [&*self, other].into_iter().flat_map(|of| {
            let times = of.late.iter().flat_map(|late| &late.last_ns);
            times.map(move |last_ns| of.starts_ns + last_ns - starts_ns)
        });
        let last_ns = last_ns.collect();
        self.starts_ns = starts_ns;
        self.set_took(in_time_ns, last_ns, spared.unwrap_or(0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(starts_ns: u64, in_time_ns: u64, late: &[u64]) -> Slice {
        let mut slice = Slice { starts_ns, ..Slice::default() };
        slice.set_took(in_time_ns, late.to_vec(), 1);
        slice
    }

    fn merged(parts: &[&Slice]) -> Slice {
        let mut all = parts[0].clone();
        parts[1..].iter().for_each(|part| all.merge(part));
        all
    }

    #[test]
    fn one_late_connection_of_all_does_not_stop_the_clock() {
        let late = part(100, 40, &[900]);
        assert_eq!(late.took_ns, 40);
        let others = part(100, 55, &[]);
        assert_eq!(merged(&[&others, &late]).took_ns, 55);
        assert_eq!(merged(&[&late, &part(100, 20, &[800])]).took_ns, 800, "two are more than one");
    }

    #[test]
    fn merging_is_associative_and_commutative_with_late_replies() {
        let parts = [
            part(100, 40, &[900, 300]),
            part(90, 55, &[]),
            part(95, 30, &[850]),
            part(97, 70, &[]),
        ];
        let [a, b, c, d] = &parts;
        let forwards = merged(&[a, b, c, d]);
        assert_eq!(forwards, merged(&[d, c, b, a]));
        assert_eq!(forwards, merged(&[&merged(&[a, c]), &merged(&[d, b])]));
        assert_eq!((forwards.starts_ns, forwards.took_ns), (90, 855));
    }
}

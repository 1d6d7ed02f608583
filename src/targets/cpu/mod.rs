//! The cost of a target: CPU time and memory of its processes.
//!
//! The best source is a cgroup that contains only the target: it counts everything that ran in it,
//! however short. Without one, the CPU clocks of its processes are added up, including the children
//! that they reaped. Two other sources were tried and are wrong: `/proc/PID/schedstat` covers the
//! main thread only, and a sum over threads loses the ones that ended.

mod cgroup;
mod member;
mod memory;
mod tree;

#[cfg(test)]
mod tests;

pub use memory::{MemorySource, PeakMemory};

use cgroup::Counter;
use keeper::hierarchy::pids_within;
use keeper::process::NotVisible;
use std::fmt;
use std::path::Path;
use tree::Tree;

/// Where a reading of CPU time is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// `cpu.stat` of a cgroup of the target's own (version 2).
    CgroupV2,
    /// `cpuacct.usage` of a cgroup of the target's own (version 1).
    CgroupV1,
    /// The CPU clocks of its processes.
    ProcessClocks,
}

impl Source {
    /// The name in journal and report.
    pub fn name(self) -> &'static str {
        match self {
            Source::CgroupV2 => "cgroup_v2",
            Source::CgroupV1 => "cgroup_v1",
            Source::ProcessClocks => "process_clocks",
        }
    }
}

impl fmt::Display for Source {
    /// The source in words, for people.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Source::CgroupV2 => "cpu.stat of its own cgroup",
            Source::CgroupV1 => "cpuacct.usage of its own cgroup",
            Source::ProcessClocks => "CPU clocks of its processes and what they reaped",
        })
    }
}

/// Reads the CPU time of one target. It is created once and read at both ends of every slice; a
/// reading takes about 3 µs per process, and 1 µs for a cgroup.
#[derive(Debug)]
pub struct Meter {
    from: From,
    last_ns: u64,
    peak: Option<PeakMemory>,
}

#[derive(Debug)]
enum From {
    Cgroup(Counter),
    Tree(Tree),
}

impl Meter {
    /// Measures a process and all its descendants by their CPU clocks.
    ///
    /// # Errors
    /// If the process does not exist, or this user may not see it.
    pub fn of_tree(root_pid: u32) -> Result<Meter, NotVisible> {
        Meter::of_trees(&[root_pid])
    }

    /// Measures several processes and all their descendants: servers that share a port without a
    /// listening parent.
    ///
    /// # Errors
    /// If one of the processes does not exist or cannot be seen.
    pub fn of_trees(roots: &[u32]) -> Result<Meter, NotVisible> {
        Ok(Meter::from(From::Tree(Tree::of(roots)?)))
    }

    /// Measures a cgroup that contains the target and nothing else.
    ///
    /// # Errors
    /// If the directory has neither `cpu.stat` nor `cpuacct.usage`.
    pub fn of_cgroup(path: &Path) -> Result<Meter, NotVisible> {
        Ok(Meter::from(From::Cgroup(Counter::of(path)?)))
    }

    /// Measures a launched target: by its cgroup if one of its processes was put into it, otherwise
    /// by the tree below `root_pid`. That may be its keeper, which stays outside the cgroup and is
    /// the parent of daemons that leave the tree of the started process.
    ///
    /// # Errors
    /// If the process does not exist any more.
    pub fn of_launched(root_pid: u32, cgroup: Option<&Path>) -> Result<Meter, NotVisible> {
        let tree = Tree::of(&[root_pid])?;
        let pids = tree.pids();
        let got_in = |path: &&Path| pids_within(path).iter().any(|pid| pids.contains(pid));
        match cgroup.filter(got_in) {
            Some(path) => Meter::of_cgroup(path),
            None => Ok(Meter::from(From::Tree(tree))),
        }
    }

    /// Measures a target that was already running: by its cgroup if no other process is in it (a
    /// service, a container), otherwise by its tree.
    ///
    /// # Errors
    /// If one of the processes does not exist or cannot be seen.
    pub fn of_attached(roots: &[u32]) -> Result<Meter, NotVisible> {
        let tree = Tree::of(roots)?;
        let own = cgroup::held_alone(&tree.pids()).and_then(|path| Counter::of(&path).ok());
        Ok(Meter::from(own.map_or(From::Tree(tree), From::Cgroup)))
    }

    fn from(from: From) -> Meter {
        Meter { from, last_ns: 0, peak: None }
    }

    /// Reads the CPU time, user and system. Its origin is arbitrary: use the difference of two readings. It never
    /// decreases, and if nothing is left to read, the last reading is returned.
    ///
    /// Process clocks are exact to the nanosecond for what runs; for children that were reaped
    /// between two readings the kernel reports steps of 10 ms. A cgroup includes running threads
    /// only up to the last timer tick.
    pub fn read(&mut self) -> u64 {
        let seen = match &mut self.from {
            From::Cgroup(counter) => counter.read().unwrap_or(0),
            From::Tree(tree) => tree.read(),
        };
        self.last_ns = self.last_ns.max(seen);
        self.last_ns
    }

    /// Whether nothing of the target was left at the last reading.
    pub fn has_ended(&self) -> bool {
        match &self.from {
            From::Cgroup(counter) => counter.is_empty(),
            From::Tree(tree) => tree.has_ended(),
        }
    }

    /// The processes that it reads, as of the last reading.
    pub fn pids(&self) -> Vec<u32> {
        match &self.from {
            From::Cgroup(counter) => pids_within(counter.path()),
            From::Tree(tree) => tree.pids(),
        }
    }

    /// Where its readings are from.
    pub fn source(&self) -> Source {
        match &self.from {
            From::Cgroup(counter) => counter.source(),
            From::Tree(_) => Source::ProcessClocks,
        }
    }

    /// The peak memory of the target, if this was called while it ran; once a round is enough.
    /// Returns None if it is not known.
    pub fn peak_memory(&mut self) -> Option<PeakMemory> {
        let seen = match &self.from {
            From::Cgroup(counter) => memory::of_cgroup(counter.path()),
            From::Tree(tree) => memory::of_processes(&tree.pids()),
        };
        let higher = seen.filter(|seen| self.peak.is_none_or(|peak| seen.bytes > peak.bytes));
        self.peak = higher.or(self.peak);
        self.peak
    }
}

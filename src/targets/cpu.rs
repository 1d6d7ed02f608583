//! What a target costs: CPU time and memory of its processes.
//!
//! The best source that there is: a cgroup of the target's own counts whatever
//! ran in it, however short. Without one, the CPU clocks of its processes are
//! added up, with what those reaped. Two other sources were tried and are
//! wrong: `/proc/PID/schedstat` knows the main thread alone, and a sum over
//! threads loses the ones that ended.

mod cgroup;
mod member;
mod memory;
mod tree;

#[cfg(test)]
mod tests;

pub use memory::{MemorySource, PeakMemory};

use cgroup::Counter;
use keeper::process::OutOfSight;
use std::fmt;
use std::path::Path;
use tree::Tree;

/// One reading of a meter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuReading {
    /// CPU time, user and system. Where it starts means nothing: use the
    /// difference of two readings. It never goes back.
    pub cpu_ns: u64,
    /// Where it is from.
    pub source: Source,
}

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

/// Reads the CPU time of one target. Made once, read at both ends of every
/// slice: it costs about 3 µs for each process, and 1 µs for a cgroup.
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
    /// Of a process and all its descendants, by their CPU clocks.
    ///
    /// # Errors
    /// When there is no such process, or none that this user may see.
    pub fn of_tree(root_pid: u32) -> Result<Meter, OutOfSight> {
        Meter::of_trees(&[root_pid])
    }

    /// Of several processes and all their descendants: servers that share a
    /// port without a parent that listens.
    ///
    /// # Errors
    /// When one of the processes is not there, or not to be seen.
    pub fn of_trees(roots: &[u32]) -> Result<Meter, OutOfSight> {
        Ok(Meter::from(From::Tree(Tree::of(roots)?)))
    }

    /// Of a cgroup that holds the target and nothing else.
    ///
    /// # Errors
    /// When the folder has neither `cpu.stat` nor `cpuacct.usage`.
    pub fn of_cgroup(path: &Path) -> Result<Meter, OutOfSight> {
        Ok(Meter::from(From::Cgroup(Counter::of(path)?)))
    }

    /// Of a target that was launched: by the cgroup that was made for it where
    /// one of its processes got in, else by the tree below `root_pid`. That may
    /// be its keeper, which stays outside of the cgroup and keeps the daemons
    /// that leave the tree of the process that was started.
    ///
    /// # Errors
    /// When the process is not there any more.
    pub fn of_launched(root_pid: u32, cgroup: Option<&Path>) -> Result<Meter, OutOfSight> {
        let tree = Tree::of(&[root_pid])?;
        let pids = tree.pids();
        let got_in = |path: &&Path| cgroup::pids_within(path).iter().any(|pid| pids.contains(pid));
        match cgroup.filter(got_in) {
            Some(path) => Meter::of_cgroup(path),
            None => Ok(Meter::from(From::Tree(tree))),
        }
    }

    /// Of a target that was running already: by its cgroup where it has one to
    /// itself (a service, a container), else by its tree.
    ///
    /// # Errors
    /// When one of the processes is not there, or not to be seen.
    pub fn of_attached(roots: &[u32]) -> Result<Meter, OutOfSight> {
        let tree = Tree::of(roots)?;
        let own = cgroup::held_alone(&tree.pids()).and_then(|path| Counter::of(&path).ok());
        Ok(Meter::from(own.map_or(From::Tree(tree), From::Cgroup)))
    }

    fn from(from: From) -> Meter {
        Meter { from, last_ns: 0, peak: None }
    }

    /// Reads. Where nothing is left to be read, the last reading stands.
    ///
    /// Process clocks are exact to the nanosecond for what runs; of children
    /// that were reaped between two readings the kernel tells 10 ms steps. A
    /// cgroup knows of what is running just now only up to the last timer tick.
    pub fn read(&mut self) -> CpuReading {
        let (seen, source) = match &mut self.from {
            From::Cgroup(counter) => (counter.read().unwrap_or(0), counter.source()),
            From::Tree(tree) => (tree.read(), Source::ProcessClocks),
        };
        self.last_ns = self.last_ns.max(seen);
        CpuReading { cpu_ns: self.last_ns, source }
    }

    /// Where its readings are from.
    pub fn source(&self) -> Source {
        match &self.from {
            From::Cgroup(counter) => counter.source(),
            From::Tree(_) => Source::ProcessClocks,
        }
    }

    /// The most memory that the target had, as far as this was called while it
    /// ran: once a round is enough. None where nothing says.
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

//! One process of a tree.

use keeper::process::{self, Stat};
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use sys::clock::{ProcessClock, tick_ns};

/// A process with its clock. The open file always belongs to this process: it cannot be read after
/// the process has ended, even if its ID is reused.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) pid: u32,
    /// The last known parent: orphans are adopted by another process.
    pub(super) parent: u32,
    threads: u32,
    /// Whether it has ended and nobody has waited for it.
    zombie: bool,
    clock: ProcessClock,
    stat: File,
    /// Its own CPU time, of all threads that it ever had.
    own_ns: u64,
    /// CPU time of the children that it waited for.
    reaped_ns: u64,
    /// The minimum that `reaped_ns` must have reached by now.
    expected_ns: u64,
}

impl Member {
    /// Returns None if the process does not exist or may not be seen.
    pub(super) fn of(pid: u32) -> Option<Member> {
        let mut member = Member {
            pid,
            parent: 0,
            threads: 1,
            zombie: false,
            clock: ProcessClock::of(pid)?,
            stat: File::open(format!("/proc/{pid}/stat")).ok()?,
            own_ns: 0,
            reaped_ns: 0,
            expected_ns: 0,
        };
        let there = member.refresh();
        // Children that it reaped earlier are not among those that we expect.
        member.expected_ns = member.reaped_ns;
        there.then_some(member)
    }

    /// Reads it again. Returns false and changes nothing if it has ended. A zombie still has its
    /// clock.
    pub(super) fn refresh(&mut self) -> bool {
        // The clock is found by process ID. If the file can be read afterwards, the ID still
        // belonged to this process.
        let Some(own_ns) = self.clock.read() else { return false };
        let mut buffer = [0u8; 1024];
        let read = self.stat.read_at(&mut buffer, 0).unwrap_or(0);
        let Some(stat) = Stat::parse(&buffer[..read]) else { return false };
        self.own_ns = own_ns;
        self.reaped_ns = stat.reaped_ticks * tick_ns();
        (self.parent, self.threads) = (stat.parent, stat.threads);
        self.zombie = stat.zombie;
        true
    }

    /// Whether it had ended at the last reading, and only its clock was left.
    pub(super) fn has_ended(&self) -> bool {
        self.zombie
    }

    /// Its own time and that of its ended descendants.
    pub(super) fn total_ns(&self) -> u64 {
        self.own_ns + self.reaped_ns.max(self.expected_ns)
    }

    /// Records that a child that had used this much has ended.
    pub(super) fn expect(&mut self, ns: u64) {
        self.expected_ns += ns;
    }

    /// The children that its threads started.
    pub(super) fn children(&self) -> Vec<u32> {
        let task = format!("/proc/{}/task", self.pid);
        let threads = match self.threads {
            // Listing the threads takes five times as long as reading one.
            0 | 1 => vec![self.pid],
            _ => process::numbers_in(&task),
        };
        let mut children = Vec::new();
        for thread in threads {
            let list = fs::read_to_string(format!("{task}/{thread}/children")).unwrap_or_default();
            children
                .extend(list.split_ascii_whitespace().filter_map(|pid| pid.parse::<u32>().ok()));
        }
        children
    }
}

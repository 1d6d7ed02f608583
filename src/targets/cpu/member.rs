//! One process of a tree.

use keeper::process::{self, Stat};
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;

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
    clock: libc::clockid_t,
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
            clock: clock_of(pid)?,
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
        let Some(own_ns) = time(self.clock) else { return false };
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

/// The CPU clock of a process, which the kernel derives from the process ID.
fn clock_of(pid: u32) -> Option<libc::clockid_t> {
    let pid = libc::pid_t::try_from(pid).ok().filter(|pid| *pid > 0)?;
    let mut clock = 0;
    // SAFETY: `clock` is valid for writes.
    let failed = unsafe { libc::clock_getcpuclockid(pid, &raw mut clock) };
    (failed == 0).then_some(clock)
}

fn time(clock: libc::clockid_t) -> Option<u64> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writes; an unknown clock is an error.
    let failed = unsafe { libc::clock_gettime(clock, &raw mut time) };
    (failed == 0).then(|| time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

/// One step of the times in `/proc`.
fn tick_ns() -> u64 {
    static TICK: OnceLock<u64> = OnceLock::new();
    *TICK.get_or_init(|| {
        // SAFETY: no arguments that could be invalid.
        let ticks = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
        1_000_000_000 / u64::try_from(ticks).unwrap_or(100).max(1)
    })
}

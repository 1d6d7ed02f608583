//! One process of a tree.

use keeper::process::{self, Stat};
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;

/// A process with its clock. The open file belongs to this process for ever: it
/// cannot be read when the process has gone, even if its number is given away.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) pid: u32,
    /// The last known one: orphans are adopted by another.
    pub(super) parent: u32,
    threads: u32,
    clock: libc::clockid_t,
    stat: File,
    /// CPU time of its own, all threads that it ever had.
    own_ns: u64,
    /// CPU time of the children that it waited for.
    reaped_ns: u64,
    /// What must have got there at least.
    expected_ns: u64,
}

impl Member {
    /// None where there is no such process, or none that may be seen.
    pub(super) fn of(pid: u32) -> Option<Member> {
        let mut member = Member {
            pid,
            parent: 0,
            threads: 1,
            clock: clock_of(pid)?,
            stat: File::open(format!("/proc/{pid}/stat")).ok()?,
            own_ns: 0,
            reaped_ns: 0,
            expected_ns: 0,
        };
        let there = member.refresh();
        // What it had reaped before cannot have been expected by us.
        member.expected_ns = member.reaped_ns;
        there.then_some(member)
    }

    /// Reads it anew; false, and nothing changed, when it has gone. One that
    /// ended and was not waited for still has its clock.
    pub(super) fn refresh(&mut self) -> bool {
        // The clock goes by number. That the file can be read after it shows
        // that the number was still this process's.
        let Some(own_ns) = time(self.clock) else { return false };
        let mut buffer = [0u8; 1024];
        let read = self.stat.read_at(&mut buffer, 0).unwrap_or(0);
        let Some(stat) = Stat::parse(&buffer[..read]) else { return false };
        self.own_ns = own_ns;
        self.reaped_ns = stat.reaped_ticks * tick_ns();
        (self.parent, self.threads) = (stat.parent, stat.threads);
        true
    }

    /// Its own time and that of all that went before it in its care.
    pub(super) fn total_ns(&self) -> u64 {
        self.own_ns + self.reaped_ns.max(self.expected_ns)
    }

    /// A child has gone that had used so much.
    pub(super) fn expect(&mut self, ns: u64) {
        self.expected_ns += ns;
    }

    /// Its children, as each of its threads started them.
    pub(super) fn children(&self) -> Vec<u32> {
        let task = format!("/proc/{}/task", self.pid);
        let threads = match self.threads {
            // Listing the threads costs five times as much as reading one.
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

/// The CPU clock of a process: a formula of the kernel's on its number.
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

//! What the measurement cost and what the machine did to it: CPU time of our own threads, how
//! long they waited for a core, and CPU time that the hypervisor stole from the machine.

use crate::clock;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// Readings at one moment, in nanoseconds since an arbitrary fixed time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reading {
    /// CPU time of this thread.
    pub(crate) cpu_ns: u64,
    /// How long this thread was runnable without having a core.
    pub(crate) waited_ns: u64,
}

/// Reads the figures of the thread that created it.
pub(crate) struct Health {
    schedstat: Option<File>,
    stat: Option<File>,
    tick_ns: u64,
}

impl Health {
    /// Creates a reader for the calling thread. With `host`, it also reads the figures of the
    /// whole machine, which one worker does for all. Figures that the kernel does not offer are
    /// always 0.
    pub(crate) fn of_this_thread(host: bool) -> Health {
        Health {
            schedstat: File::open("/proc/thread-self/schedstat").ok(),
            stat: host.then(|| File::open("/proc/stat").ok()).flatten(),
            tick_ns: clock::tick_ns(),
        }
    }

    /// Reads the figures of this thread. It takes a microsecond or two, so it is not for the hot
    /// path.
    pub(crate) fn read(&self) -> Reading {
        let waited_ns = number(self.schedstat.as_ref(), &mut [0; 256], 1);
        Reading { cpu_ns: clock::cpu_of_this_thread(), waited_ns }
    }

    /// Returns the time stolen from all cores of this machine, in steps of 10 ms. The kernel
    /// formats a text about all cores and interrupts, which takes some ten microseconds; so it
    /// is read once per slice.
    pub(crate) fn stolen_ns(&self) -> u64 {
        // The first line: "cpu user nice system idle iowait irq softirq steal".
        number(self.stat.as_ref(), &mut [0; 256], 8) * self.tick_ns
    }
}

/// Returns the `field`-th word (from 0) at the start of a file as a number, or 0 if there is
/// none.
fn number(file: Option<&File>, buffer: &mut [u8], field: usize) -> u64 {
    let read = file.and_then(|file| file.read_at(buffer, 0).ok()).unwrap_or(0);
    let text = std::str::from_utf8(&buffer[..read]).unwrap_or("");
    text.split_ascii_whitespace().nth(field).and_then(|word| word.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_shows_as_cpu_time() {
        let health = Health::of_this_thread(true);
        let before = health.read();
        let mut sum = 0u64;
        while clock::cpu_of_this_thread() - before.cpu_ns < 5_000_000 {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        let after = health.read();
        assert!(after.cpu_ns - before.cpu_ns >= 5_000_000);
        assert!(after.waited_ns >= before.waited_ns);
        let stolen = health.stolen_ns();
        assert!(health.stolen_ns() >= stolen);
    }
}

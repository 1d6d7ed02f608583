//! What a watcher watches, and readings of it.

use crate::targets::cpu::{MemorySource, Meter};
use crate::targets::sight;
use engine::clock;
use keeper::process::{self, NotVisible, Stat};
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;
use text::shown::shown;
use wire::remote::watch::{Description, MOST_CORES, MOST_PIDS, MOST_TEXT_BYTES, Reading};

/// A process tree or control group of this machine.
pub struct WatchedTarget {
    meter: Meter,
    description: Description,
    /// The time stolen from this machine.
    stat: Option<File>,
    tick_ns: u64,
}

impl WatchedTarget {
    /// Watches a process and everything below it: by its control group if it has one of its own,
    /// otherwise by the clocks of its processes.
    ///
    /// # Errors
    /// If the process does not exist or cannot be seen.
    pub fn process(pid: u32) -> Result<WatchedTarget, NotVisible> {
        let meter = Meter::of_attached(&[pid])?;
        let name = Stat::of(pid).map_or(String::new(), |stat| format!(" ({})", shown(&stat.name)));
        Ok(WatchedTarget::new(meter, format!("process {pid}{name}"), &[pid]))
    }

    /// Watches all processes of a control group.
    ///
    /// # Errors
    /// If the directory is not a control group with CPU time and a process.
    pub fn cgroup(path: &Path) -> Result<WatchedTarget, NotVisible> {
        let name = format!("control group {}", shown(path.display().to_string()));
        let meter = Meter::of_cgroup(path)?;
        if meter.has_ended() {
            return Err(NotVisible(format!("there is no process in the {name}")));
        }
        let pids = meter.pids();
        Ok(WatchedTarget::new(meter, name, &pids))
    }

    fn new(meter: Meter, name: String, pids: &[u32]) -> WatchedTarget {
        let cores = sight::cores_of(pids, &process::all()).into_iter();
        let description = Description {
            machine: machine(),
            source: meter.source().name().to_owned(),
            name: name.chars().take(MOST_TEXT_BYTES / 4).collect(),
            cores: cores.filter(|core| (*core as usize) < MOST_CORES).collect(),
            pids: pids.iter().copied().take(MOST_PIDS).collect(),
        };
        let tick_ns = sys::clock::tick_ns();
        WatchedTarget { meter, description, stat: File::open("/proc/stat").ok(), tick_ns }
    }

    /// What is watched.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Where its CPU time is read, in words.
    pub fn source(&self) -> String {
        self.meter.source().to_string()
    }

    /// Takes a reading. If `fully`, it includes the peak memory and the machine's load.
    pub fn read(&mut self, number: u32, fully: bool) -> Reading {
        let cpu_ns = self.meter.read();
        let at_ns = clock::now();
        let memory = if fully { self.meter.peak_memory() } else { None };
        Reading {
            number,
            at_ns,
            cpu_ns: (!self.meter.has_ended()).then_some(cpu_ns),
            steal_ns: self.steal_ns(),
            peak_memory_bytes: memory.map(|peak| peak.bytes),
            memory_of_cgroup: memory.is_some_and(|peak| peak.source == MemorySource::Cgroup),
            load_milli: if fully { load_milli() } else { None },
        }
    }

    /// The eighth number of the first line, in ticks.
    fn steal_ns(&self) -> Option<u64> {
        let mut head = [0; 256];
        let read = self.stat.as_ref()?.read_at(&mut head, 0).ok()?;
        let line = std::str::from_utf8(&head[..read]).ok()?.lines().next()?;
        let ticks: u64 = line.split_ascii_whitespace().nth(8)?.parse().ok()?;
        ticks.checked_mul(self.tick_ns)
    }
}

/// The load of this machine in the last minute, in thousandths.
fn load_milli() -> Option<u64> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    let load: f64 = text.split_ascii_whitespace().next()?.parse().ok()?;
    Some((load * 1000.0).round() as u64)
}

/// Identifies this machine since it was started: Linux's boot id, which containers share with their
/// host. Zeros if it cannot be read.
pub fn machine() -> [u8; 16] {
    let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let digits: String = text.trim().split('-').collect();
    u128::from_str_radix(&digits, 16).unwrap_or(0).to_be_bytes()
}

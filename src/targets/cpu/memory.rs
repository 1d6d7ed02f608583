//! The peak memory of a target.

use keeper::hierarchy::pids_within;
use std::fs;
use std::path::Path;

/// A peak of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeakMemory {
    /// Bytes.
    pub bytes: u64,
    /// Where it is from.
    pub source: MemorySource,
}

/// Where a peak of memory is from. The two differ, so a report names the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemorySource {
    /// The memory controller of its cgroup, which includes cached files.
    Cgroup,
    /// The peaks of its processes (`VmHWM`), added up: what they share counts
    /// for each of them.
    Processes,
}

impl MemorySource {
    /// The name in journal and report.
    pub fn name(self) -> &'static str {
        match self {
            MemorySource::Cgroup => "cgroup",
            MemorySource::Processes => "processes",
        }
    }
}

/// Uses the memory controller if this cgroup has one (version 2, then 1), otherwise the processes
/// in it.
pub(super) fn of_cgroup(path: &Path) -> Option<PeakMemory> {
    let files = ["memory.peak", "memory.max_usage_in_bytes"];
    let peak = files.iter().find_map(|file| {
        let text = fs::read_to_string(path.join(file)).ok()?;
        text.trim().parse().ok()
    });
    match peak {
        Some(bytes) => Some(PeakMemory { bytes, source: MemorySource::Cgroup }),
        None => of_processes(&pids_within(path)),
    }
}

/// Returns None if no process is left.
pub(super) fn of_processes(pids: &[u32]) -> Option<PeakMemory> {
    let peaks: Vec<u64> = pids.iter().filter_map(|pid| peak_of(*pid)).collect();
    let bytes = peaks.iter().sum();
    (!peaks.is_empty()).then_some(PeakMemory { bytes, source: MemorySource::Processes })
}

fn peak_of(pid: u32) -> Option<u64> {
    high_water(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?)
}

/// The line `VmHWM:     1234 kB`; a zombie has none.
fn high_water(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_high_water_mark_is_in_kib() {
        assert_eq!(high_water("Name:\tx\nVmPeak:\t 9 kB\nVmHWM:\t    1234 kB\n"), Some(1_263_616));
        assert_eq!(high_water("Name:\tzombie\nState:\tZ\n"), None);
        assert_eq!(high_water("VmHWM:\t x kB\n"), None);
    }

    #[test]
    fn nobody_has_no_peak() {
        assert_eq!(of_processes(&[]), None);
        assert_eq!(of_processes(&[u32::MAX]), None);
    }
}

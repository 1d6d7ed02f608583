//! The CPU time of a cgroup. Version 2 counts it in every cgroup, whatever controllers are enabled;
//! version 1 counts it where `cpuacct` is mounted.

use super::Source;
use keeper::hierarchy::{homes, pids_within};
use keeper::process::NotVisible;
use std::collections::BTreeSet;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Reads the CPU time of a cgroup and of all below it.
#[derive(Debug)]
pub(super) struct Counter {
    path: PathBuf,
    file: File,
    source: Source,
}

impl Counter {
    pub(super) fn of(path: &Path) -> Result<Counter, NotVisible> {
        for (name, source) in [("cpuacct.usage", Source::CgroupV1), ("cpu.stat", Source::CgroupV2)]
        {
            let Ok(file) = File::open(path.join(name)) else { continue };
            let counter = Counter { path: path.to_owned(), file, source };
            // Version 1 has a cpu.stat too, which contains only quotas.
            if counter.read().is_some() {
                return Ok(counter);
            }
        }
        Err(NotVisible(format!(
            "{}: not a cgroup whose CPU time can be read: it contains neither cpu.stat with \
             usage_usec nor cpuacct.usage",
            path.display()
        )))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn source(&self) -> Source {
        self.source
    }

    /// Whether there is no process in it.
    pub(super) fn is_empty(&self) -> bool {
        pids_within(&self.path).is_empty()
    }

    /// Nanoseconds. Returns None if the cgroup has been removed.
    pub(super) fn read(&self) -> Option<u64> {
        let mut buffer = [0u8; 1024];
        let read = self.file.read_at(&mut buffer, 0).ok()?;
        let text = std::str::from_utf8(&buffer[..read]).ok()?;
        match self.source {
            Source::CgroupV1 => text.trim().parse().ok(),
            _ => usage(text),
        }
    }
}

/// The line `usage_usec N` of `cpu.stat`, in nanoseconds.
fn usage(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("usage_usec "))?;
    line.trim().parse::<u64>().ok()?.checked_mul(1000)
}

/// The cgroup that contains these processes and no others. Returns None if they share theirs, as
/// most processes do.
pub(super) fn held_alone(pids: &[u32]) -> Option<PathBuf> {
    let wanted: BTreeSet<u32> = pids.iter().copied().collect();
    let first = pids.first()?;
    let mut homes = homes(&first.to_string()).into_iter();
    homes.find(|path| pids_within(path).into_iter().collect::<BTreeSet<u32>>() == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_is_in_microseconds() {
        assert_eq!(usage("usage_usec 1234\nuser_usec 1\nsystem_usec 2\n"), Some(1_234_000));
        assert_eq!(usage("nr_periods 0\nnr_throttled 0\nthrottled_time 0\n"), None);
        assert_eq!(usage("usage_usec x\n"), None);
    }

    #[test]
    fn a_folder_that_is_no_cgroup_is_named() {
        let error = Counter::of(Path::new("/proc/self")).expect_err("no cgroup");
        assert!(error.0.starts_with("/proc/self: not a cgroup"), "{error}");
    }
}

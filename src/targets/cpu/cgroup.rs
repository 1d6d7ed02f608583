//! Cgroups: the CPU time of one, and one of its own for a target.
//!
//! Version 2 counts CPU time in every cgroup, whatever controllers are on. Where
//! both versions are mounted, version 2 goes first.

use super::Source;
use crate::targets::process::OutOfSight;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileExt;
use std::path::{Component, Path, PathBuf};

/// The file that lists the processes of a cgroup, and moves them into it.
const PROCESSES: &str = "cgroup.procs";

/// Reads the CPU time of a cgroup and of all below it.
#[derive(Debug)]
pub(super) struct Counter {
    path: PathBuf,
    file: File,
    source: Source,
}

impl Counter {
    pub(super) fn of(path: &Path) -> Result<Counter, OutOfSight> {
        for (name, source) in [("cpuacct.usage", Source::CgroupV1), ("cpu.stat", Source::CgroupV2)]
        {
            let Ok(file) = File::open(path.join(name)) else { continue };
            let counter = Counter { path: path.to_owned(), file, source };
            // Version 1 has a cpu.stat too, which tells of quotas alone.
            if counter.read().is_some() {
                return Ok(counter);
            }
        }
        Err(OutOfSight(format!(
            "{}: holds neither cpu.stat with usage_usec nor cpuacct.usage, so it is no cgroup \
             whose CPU time can be read",
            path.display()
        )))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn source(&self) -> Source {
        self.source
    }

    /// Nanoseconds; none when the cgroup has been removed.
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

/// A cgroup made for one target, gone again when this is dropped (its processes
/// must have ended by then).
#[derive(Debug)]
pub struct Cgroup {
    path: PathBuf,
}

impl Cgroup {
    /// Makes one below our own cgroup, in version 2 or else in the hierarchy of
    /// `cpuacct`. The name should be new on this machine; all but letters,
    /// digits, `-`, `_` and `.` becomes `-`.
    ///
    /// # Errors
    /// When no hierarchy is mounted here in which this user may make one: a
    /// target is then measured by its processes.
    pub fn create(name: &str) -> Result<Cgroup, OutOfSight> {
        Cgroup::create_in(&homes("self"), name)
    }

    /// In the first of these folders that takes one.
    pub(super) fn create_in(homes: &[PathBuf], name: &str) -> Result<Cgroup, OutOfSight> {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
        let name: String = name.chars().map(plain).collect();
        let mut why = Vec::new();
        for home in homes {
            let path = home.join(&name);
            match make(&path) {
                Ok(()) => return Ok(Cgroup { path }),
                Err(error) => why.push(format!("{}: {error}", path.display())),
            }
        }
        if why.is_empty() {
            why.push("no hierarchy that counts CPU time is mounted".to_owned());
        }
        Err(OutOfSight(format!("no cgroup can be made for the target ({})", why.join("; "))))
    }

    /// Its folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its door, to be opened before the target is started.
    ///
    /// # Errors
    /// When this user may not move processes into it.
    pub fn door(&self) -> io::Result<Door> {
        Ok(Door(File::options().write(true).open(self.path.join(PROCESSES))?))
    }

    /// Whether a process is in it: the kernel may have refused at the door.
    pub fn holds(&self, pid: u32) -> bool {
        pids_within(&self.path).contains(&pid)
    }
}

fn make(path: &Path) -> io::Result<()> {
    fs::create_dir(path)?;
    let usable =
        Counter::of(path).is_ok() && File::options().write(true).open(path.join(PROCESSES)).is_ok();
    if !usable {
        let _ = fs::remove_dir(path);
        return Err(io::Error::other("it would not count, or not let a process in"));
    }
    Ok(())
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        // Fails while a process is in it; then it stays, which does no harm.
        let _ = fs::remove_dir(&self.path);
    }
}

/// Lets a process into a cgroup.
#[derive(Debug)]
pub struct Door(File);

impl Door {
    /// Moves the calling process. Meant for a child between fork and exec: one
    /// system call, no memory.
    ///
    /// # Errors
    /// When the kernel refuses; the process stays where it was, and is measured
    /// by its clock.
    pub fn enter(&self) -> io::Result<()> {
        (&self.0).write_all(b"0")
    }
}

/// The processes of a cgroup and of all below it.
pub(super) fn pids_within(path: &Path) -> Vec<u32> {
    let list = fs::read_to_string(path.join(PROCESSES)).unwrap_or_default();
    let mut pids: Vec<u32> =
        list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect();
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            pids.extend(pids_within(&entry.path()));
        }
    }
    pids
}

/// The cgroup that holds these processes and no other one; none where they
/// share theirs, as most processes do.
pub(super) fn held_alone(pids: &[u32]) -> Option<PathBuf> {
    let wanted: BTreeSet<u32> = pids.iter().copied().collect();
    let first = pids.first()?;
    let mut homes = homes(&first.to_string()).into_iter();
    homes.find(|path| pids_within(path).into_iter().collect::<BTreeSet<u32>>() == wanted)
}

/// The folders of a process's cgroups in which CPU time is counted, version 2
/// first. `process` is a number or `self`.
pub(super) fn homes(process: &str) -> Vec<PathBuf> {
    let mounts = fs::read("/proc/self/mountinfo").unwrap_or_default();
    let own = fs::read(format!("/proc/{process}/cgroup")).unwrap_or_default();
    homes_from(&mounts, &own)
}

/// From the texts of `/proc/self/mountinfo` and `/proc/PID/cgroup`.
fn homes_from(mounts: &[u8], own: &[u8]) -> Vec<PathBuf> {
    let mut hierarchies: Vec<Hierarchy> =
        mounts.split(|byte| *byte == b'\n').filter_map(Hierarchy::parse).collect();
    hierarchies.sort_by_key(|hierarchy| !hierarchy.version_2);
    hierarchies.iter().filter_map(|hierarchy| hierarchy.home(own)).collect()
}

/// A mounted hierarchy in which CPU time is counted.
struct Hierarchy {
    version_2: bool,
    /// The cgroup that is mounted.
    root: PathBuf,
    mounted_on: PathBuf,
}

impl Hierarchy {
    /// A line of mountinfo, proc_pid_mountinfo(5): `36 35 98:0 /root /mount rw
    /// … - cgroup2 source options`.
    fn parse(line: &[u8]) -> Option<Hierarchy> {
        let words: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
        let dash = words.iter().position(|word| *word == b"-")?;
        let options = words.get(dash + 3).copied().unwrap_or_default();
        let version_2 = match *words.get(dash + 1)? {
            b"cgroup2" => true,
            b"cgroup" if options.split(|byte| *byte == b',').any(|it| it == b"cpuacct") => false,
            _ => return None,
        };
        let (root, mounted_on) = (unescaped(words.get(3)?), unescaped(words.get(4)?));
        Some(Hierarchy { version_2, root, mounted_on })
    }

    /// The folder of the process whose `/proc/PID/cgroup` this is: lines such as
    /// `0::/a/b` (version 2) and `2:cpu,cpuacct:/a/b`.
    fn home(&self, own: &[u8]) -> Option<PathBuf> {
        let path = own.split(|byte| *byte == b'\n').find_map(|line| {
            let mut parts = line.splitn(3, |byte| *byte == b':');
            let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
            let ours = match self.version_2 {
                true => controllers.is_empty(),
                false => controllers.split(|byte| *byte == b',').any(|it| it == b"cpuacct"),
            };
            ours.then(|| PathBuf::from(OsString::from_vec(path.to_vec())))
        })?;
        let below = path.strip_prefix(&self.root).ok()?;
        // `/../x` lies outside of what this namespace can see.
        let inside = below.components().all(|part| matches!(part, Component::Normal(_)));
        inside.then(|| self.mounted_on.join(below))
    }
}

/// mountinfo writes blanks, tabs, newlines and backslashes as `\040`.
fn unescaped(word: &[u8]) -> PathBuf {
    let mut bytes = Vec::new();
    let mut rest = word;
    while let Some((first, after)) = rest.split_first() {
        let octal = after.get(..3).filter(|_| *first == b'\\');
        let code = octal.and_then(|it| u8::from_str_radix(std::str::from_utf8(it).ok()?, 8).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[3..] } else { after };
    }
    PathBuf::from(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
25 24 0:22 / /proc rw,nosuid - proc proc rw
30 25 0:26 / /sys/fs/cgroup/cpu,cpuacct rw shared:5 - cgroup cgroup rw,cpu,cpuacct
31 25 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
32 25 0:28 /docker/x /sys/fs/cgroup/un\\040ified rw - cgroup2 cgroup2 rw
";

    fn homes_of(own: &str) -> Vec<String> {
        let homes = homes_from(MOUNTS.as_bytes(), own.as_bytes());
        homes.iter().map(|home| home.display().to_string()).collect()
    }

    #[test]
    fn homes_in_both_versions_the_second_first() {
        let both = "4:memory:/m\n2:cpuacct,cpu:/a/b\n0::/docker/x/c\n";
        assert_eq!(homes_of(both), ["/sys/fs/cgroup/un ified/c", "/sys/fs/cgroup/cpu,cpuacct/a/b"]);
        assert_eq!(homes_of("0::/docker/x\n"), ["/sys/fs/cgroup/un ified/"]);
        // Outside of what is mounted, or of the namespace.
        assert_eq!(homes_of("0::/other\n2:cpu:/a\n"), [""; 0]);
        assert_eq!(homes_of("2:cpuacct:/../b\n"), [""; 0]);
        assert_eq!(homes_of("2:cpuacct:/a:b\n"), ["/sys/fs/cgroup/cpu,cpuacct/a:b"]);
        assert_eq!(homes_of(""), [""; 0]);
    }

    #[test]
    fn usage_is_in_microseconds() {
        assert_eq!(usage("usage_usec 1234\nuser_usec 1\nsystem_usec 2\n"), Some(1_234_000));
        assert_eq!(usage("nr_periods 0\nnr_throttled 0\nthrottled_time 0\n"), None);
        assert_eq!(usage("usage_usec x\n"), None);
    }

    #[test]
    fn a_folder_that_is_no_cgroup_is_named() {
        let error = Counter::of(Path::new("/proc/self")).expect_err("no cgroup");
        assert!(error.0.starts_with("/proc/self: holds neither cpu.stat"), "{error}");
    }
}

//! Where a process's cgroups are mounted, and which processes are in one.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

/// The directories of a process's cgroups in which CPU time is counted, version 2 first. `process`
/// is a process ID or `self`.
pub fn homes(process: &str) -> Vec<PathBuf> {
    let homes = read(process);
    homes.into_iter().map(|(_, directory)| directory).collect()
}

/// The directory of our own cgroup of version 2.
pub(crate) fn own_version_2() -> Option<PathBuf> {
    read("self").into_iter().find_map(|(version_2, directory)| version_2.then_some(directory))
}

fn read(process: &str) -> Vec<(bool, PathBuf)> {
    let mounts = fs::read("/proc/self/mountinfo").unwrap_or_default();
    let own = fs::read(format!("/proc/{process}/cgroup")).unwrap_or_default();
    homes_from(&mounts, &own)
}

/// From the texts of `/proc/self/mountinfo` and `/proc/PID/cgroup`: whether it is of version 2, and
/// its directory.
fn homes_from(mounts: &[u8], own: &[u8]) -> Vec<(bool, PathBuf)> {
    let mut hierarchies: Vec<Hierarchy> =
        mounts.split(|byte| *byte == b'\n').filter_map(Hierarchy::parse).collect();
    hierarchies.sort_by_key(|hierarchy| !hierarchy.version_2);
    let home = |hierarchy: &Hierarchy| Some((hierarchy.version_2, hierarchy.home(own)?));
    hierarchies.iter().filter_map(home).collect()
}

/// The processes of a cgroup and of all below it.
pub fn pids_within(cgroup: &Path) -> Vec<u32> {
    let list = fs::read_to_string(cgroup.join("cgroup.procs")).unwrap_or_default();
    let mut pids: Vec<u32> =
        list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect();
    for below in below(cgroup) {
        pids.extend(pids_within(&below));
    }
    pids
}

/// The cgroups directly below one.
pub(crate) fn below(cgroup: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(cgroup).into_iter().flatten().flatten();
    let groups = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    groups.map(|entry| entry.path())
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

    /// The directory of the process whose `/proc/PID/cgroup` this is: lines such as
    /// `0::/a/b` (version 2) and `2:cpu,cpuacct:/a/b`.
    fn home(&self, own: &[u8]) -> Option<PathBuf> {
        let path = own.split(|byte| *byte == b'\n').find_map(|line| {
            let mut parts = line.splitn(3, |byte| *byte == b':');
            let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
            let ours = if self.version_2 {
                controllers.is_empty()
            } else {
                controllers.split(|byte| *byte == b',').any(|it| it == b"cpuacct")
            };
            ours.then(|| PathBuf::from(OsString::from_vec(path.to_vec())))
        })?;
        let below = path.strip_prefix(&self.root).ok()?;
        // `/../x` is outside of this namespace's view.
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
        homes.iter().map(|(_, home)| home.display().to_string()).collect()
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
    fn our_group_is_found_among_the_mounts() {
        let v1 = "31 24 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n";
        let v2 = "40 24 0:30 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw\n";
        let blank = "40 24 0:30 / /mnt/with\\040blank rw - cgroup2 none rw\n";
        let inner = "40 24 0:30 /user.slice /sys/fs/cgroup rw - cgroup2 none rw\n";
        for (mounts, groups, directory) in [
            (format!("{v1}{v2}"), "4:cpu:/a\n0::/\n", Some("/sys/fs/cgroup/unified/")),
            (v2.to_owned(), "0::/a/b\n", Some("/sys/fs/cgroup/unified/a/b")),
            (blank.to_owned(), "0::/a\n", Some("/mnt/with blank/a")),
            (inner.to_owned(), "0::/user.slice/x\n", Some("/sys/fs/cgroup/x")),
            (inner.to_owned(), "0::/other/x\n", None),
            (v1.to_owned(), "0::/\n", None),
            (v2.to_owned(), "4:cpu:/a\n", None),
        ] {
            let homes = homes_from(mounts.as_bytes(), groups.as_bytes());
            let wanted: Vec<_> =
                directory.map(|path| (true, PathBuf::from(path))).into_iter().collect();
            assert_eq!(homes, wanted, "{mounts}{groups}");
        }
    }
}

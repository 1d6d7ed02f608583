//! A control group (version 2) for the target alone, if we may create one: it ends all of its
//! processes at once, and counts their CPU time.
//!
//! Neither requires a controller, so none is enabled. Without a group `/proc` is searched, which
//! takes several passes but no permission.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Prefix of the groups' names; the number of their keeper follows.
const PREFIX: &str = "tiebreak-";

/// A group that this process created.
#[derive(Debug)]
pub(crate) struct Cgroup {
    directory: PathBuf,
}

impl Cgroup {
    /// Creates a group below our own, for the keeper of this number. Returns None if that is not
    /// possible, which is not an error.
    pub(crate) fn create(keeper: u32) -> Option<Cgroup> {
        let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
        let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
        let home = own_group(&mounts, &groups)?;
        sweep(&home);
        let directory = home.join(format!("{PREFIX}{keeper}"));
        fs::create_dir(&directory).ok()?;
        let group = Cgroup { directory };
        let usable = group.directory.join("cgroup.kill").exists()
            && fs::read_to_string(group.directory.join("cgroup.type"))
                .is_ok_and(|t| t == "domain\n");
        if !usable {
            group.remove();
        }
        usable.then_some(group)
    }

    /// The group's directory.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Opens the file through which a process that writes `0` moves itself into the group.
    pub(crate) fn open_procs(&self) -> io::Result<File> {
        File::options().write(true).open(self.directory.join("cgroup.procs"))
    }

    /// Whether a process is in the group itself.
    pub(crate) fn holds(&self, pid: i32) -> bool {
        let pids = fs::read_to_string(self.directory.join("cgroup.procs")).unwrap_or_default();
        pids.lines().any(|line| line.parse() == Ok(pid))
    }

    /// Kills everything in the group and in groups below it.
    pub(crate) fn kill(&self) {
        // If this fails, `/proc` is searched in any case.
        let _ = fs::write(self.directory.join("cgroup.kill"), "1");
    }

    /// Removes the group; it must be empty.
    pub(crate) fn remove(&self) {
        remove(&self.directory);
    }
}

/// Removes a group and the groups that a target created below it. Files in them belong to the
/// kernel and disappear with them. Only empty groups can be removed, so this cannot harm anyone.
pub(crate) fn remove(directory: &Path) {
    let below = fs::read_dir(directory).into_iter().flatten().flatten();
    for entry in below.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        remove(&entry.path());
    }
    let _ = fs::remove_dir(directory);
}

/// Removes the groups of keepers that were killed together with their tiebreak.
fn sweep(home: &Path) {
    for entry in fs::read_dir(home).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let keeper = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.parse::<u32>().ok());
        if keeper.is_some_and(|keeper| !Path::new(&format!("/proc/{keeper}")).exists()) {
            remove(&entry.path());
        }
    }
}

/// The directory of our own group, in the first mount of version 2 that contains it.
fn own_group(mounts: &str, groups: &str) -> Option<PathBuf> {
    let path = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let mount = mounts.lines().find_map(|line| {
        let (before, after) = line.split_once(" - ")?;
        let kind = after.split(' ').next()?;
        let mut fields = before.split(' ').skip(3);
        let (root, point) = (fields.next()?, fields.next()?);
        (kind == "cgroup2").then_some((root, point))
    });
    let (root, point) = mount?;
    let inside = Path::new(path).strip_prefix(root).ok()?;
    Some(Path::new(&unescaped(point)).join(inside))
}

/// mountinfo writes space, tab, newline and backslash as `\040` and so on.
fn unescaped(text: &str) -> String {
    let mut parts = text.split('\\');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.get(..3).and_then(|octal| u8::from_str_radix(octal, 8).ok()) {
            Some(byte) => {
                out.push(char::from(byte));
                out.push_str(&part[3..]);
            }
            None => {
                out.push('\\');
                out.push_str(part);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::not_tested::{Lack, lacks};

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
            assert_eq!(
                own_group(&mounts, groups).as_deref(),
                directory.map(Path::new),
                "{mounts}{groups}"
            );
        }
    }

    #[test]
    fn a_group_that_was_made_is_removed_with_those_below() {
        let us = std::process::id();
        // There the keeper searches /proc; its tests cover both.
        if lacks(Lack::WritableCgroup) {
            return;
        }
        let group = Cgroup::create(us).expect("a group");
        fs::create_dir(group.directory().join("below")).expect("a group below");
        // No process has so high a number.
        let stale = group.directory().with_file_name(format!("{PREFIX}{}", u32::MAX));
        fs::create_dir(&stale).expect("a group");
        assert!(Cgroup::create(us).is_none(), "a group that exists already is not ours");
        assert!(!stale.exists() && group.directory().exists());
        assert!(!group.holds(us as i32));
        group.remove();
        assert!(!group.directory().exists());
    }
}

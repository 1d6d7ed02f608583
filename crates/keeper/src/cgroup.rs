//! A control group (version 2) for the target alone, if we may create one: it ends all of its
//! processes at once, and counts their CPU time.
//!
//! Neither requires a controller, so none is enabled. Without a group `/proc` is searched, which
//! takes several passes but no permission.

use crate::hierarchy;
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
        let home = hierarchy::own_version_2()?;
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
    hierarchy::below(directory).for_each(|below| remove(&below));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::not_tested::{Lack, lacks};

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

//! Software that `tiebreak setup` fetched.

use super::not_tested::not_installed;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// The fetched software, as the directories of the cache.
const CASSANDRA: [&str; 2] = ["cassandra-5.0.9", "cassandra-1.2.8"];

/// Makes what this user fetched part of another cache, which belongs to a test. Returns false if
/// it was not fetched: then the test reports that.
pub(crate) fn share_software(cache: &Path) -> bool {
    let software = directory();
    let is_there = |software: &PathBuf| CASSANDRA.iter().all(|name| software.join(name).is_dir());
    let Some(software) = software.filter(is_there) else {
        not_installed("Cassandra was not fetched: run `tiebreak setup cassandra`");
        return false;
    };
    std::fs::create_dir_all(cache.join("tiebreak")).expect("a directory of the test");
    symlink(software, cache.join("tiebreak/software")).expect("a directory of the test");
    true
}

/// Returns where this was fetched to, by the name of its directory in the cache, or None if it was
/// not fetched.
pub(crate) fn fetched(name: &str) -> Option<PathBuf> {
    directory().map(|software| software.join(name)).filter(|directory| directory.is_dir())
}

/// Returns this user's directory.
fn directory() -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|it| it.is_absolute());
    let home = || absolute("HOME").map(|home| home.join(".cache"));
    absolute("XDG_CACHE_HOME").or_else(home).map(|it| it.join("tiebreak/software"))
}

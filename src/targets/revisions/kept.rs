//! All kept snapshots together: how much they may take, and their removal.

use super::all;
use super::place::{BUILT, LOCK, discard, size};
use crate::system::cache::{Lock, is_directory_of_ours};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// How much all kept snapshots may take, in bytes.
pub(super) const MOST_BYTES: u64 = 10_000_000_000;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Removed {
    pub(crate) directory: PathBuf,
    /// How many builds were removed. What is left of those that failed is not counted.
    pub(crate) snapshots: u64,
    /// Their size on the disk, in bytes.
    pub(crate) bytes: u64,
    /// How many stayed because another process uses them.
    pub(crate) used: u64,
    /// Directories that could not be removed, each with the reason.
    pub(crate) failed: Vec<String>,
}

/// Removes all snapshots that no process uses.
///
/// # Errors
/// If this user has no cache directory.
pub(crate) fn clean() -> Result<Removed, String> {
    Ok(clean_in(all()?))
}

fn clean_in(directory: PathBuf) -> Removed {
    let mut removed = Removed { directory, ..Removed::default() };
    for snapshot in snapshots(&removed.directory) {
        let (bytes, is_built) = (size(&snapshot), snapshot.join(BUILT).exists());
        let is_removed = Lock::try_take(&snapshot.join(LOCK)).and_then(|lock| match lock {
            Some(_held) => discard(&snapshot).map(|()| true),
            None => Ok(false),
        });
        match is_removed {
            Ok(true) => {
                removed.snapshots += u64::from(is_built);
                removed.bytes += bytes;
            }
            Ok(false) => removed.used += 1,
            Err(error) => removed.failed.push(format!("{}: {error}", snapshot.display())),
        }
    }
    removed
}

/// Removes those that were used longest ago until the others take at most this many bytes. What is in use
/// stays.
pub(super) fn shrink(directory: &Path, most_bytes: u64) {
    let used = |snapshot: &Path| {
        let about = fs::metadata(snapshot.join(BUILT)).and_then(|about| about.modified());
        about.unwrap_or(SystemTime::UNIX_EPOCH)
    };
    let mut kept: Vec<(SystemTime, PathBuf, u64)> = snapshots(directory)
        .into_iter()
        .map(|snapshot| (used(&snapshot), snapshot.clone(), size(&snapshot)))
        .collect();
    kept.sort();
    let mut bytes: u64 = kept.iter().map(|(_, _, bytes)| bytes).sum();
    for (_, snapshot, its) in kept {
        if bytes <= most_bytes {
            return;
        }
        if let Ok(Some(_lock)) = Lock::try_take(&snapshot.join(LOCK))
            && discard(&snapshot).is_ok()
        {
            bytes -= its;
        }
    }
}

/// The directories that tiebreak made here: it made no others.
fn snapshots(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_named = name.len() == 16 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_named && path.join(LOCK).is_file() && is_directory_of_ours(path).unwrap_or(false)
    };
    entries.map(|entry| entry.path()).filter(is_ours).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use std::time::Duration;

    /// A snapshot of some thousand bytes that was used so many seconds after the epoch.
    fn snapshot(all: &Path, name: &str, used: u64) -> PathBuf {
        let directory = all.join(name);
        crate::system::cache::make(&directory).expect("scratch");
        for file in [LOCK, BUILT, "data"] {
            fs::write(directory.join(file), [1; 8192]).expect("scratch");
        }
        let built = fs::File::options().write(true).open(directory.join(BUILT)).expect("scratch");
        let used = SystemTime::UNIX_EPOCH + Duration::from_secs(used);
        built.set_modified(used).expect("scratch");
        directory
    }

    #[test]
    fn the_oldest_go_first_and_what_is_used_stays() {
        let scratch = Scratch::new();
        let names = ["0000000000000001", "0000000000000002", "0000000000000003"];
        let [oldest, middle, newest] =
            [0, 1, 2].map(|at| snapshot(scratch.path(), names[at], 10 + at as u64));
        let foreign = Scratch::new();
        fs::write(foreign.path().join(LOCK), "x").expect("scratch");
        let link = scratch.path().join("0000000000000004");
        std::os::unix::fs::symlink(foreign.path(), &link).expect("scratch");
        let _lock = Lock::try_take(&oldest.join(LOCK)).expect("free").expect("free");
        let each = size(&newest);
        shrink(scratch.path(), 3 * each);
        assert!(middle.exists(), "there is room for all");
        shrink(scratch.path(), 2 * each);
        assert!(oldest.exists() && !middle.exists() && newest.exists());
        fs::remove_file(newest.join(BUILT)).expect("scratch");
        snapshot(scratch.path(), names[1], 1);
        let removed = clean_in(scratch.path().to_owned());
        assert_eq!((removed.snapshots, removed.used, removed.failed.len()), (1, 1, 0));
        let left = fs::read_dir(scratch.path()).expect("scratch").flatten();
        let mut left: Vec<PathBuf> = left.map(|entry| entry.path()).collect();
        left.sort();
        assert_eq!(left, [oldest, link], "no more than that");
        assert!(foreign.path().join(LOCK).exists());
    }
}

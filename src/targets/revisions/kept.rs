//! All kept snapshots together: how much they may take, and their removal.

use super::all;
use super::place::{BUILT, LOCK, remove, size};
use crate::system::cache::{Lock, is_directory_of_ours};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// How much all kept snapshots may take, in bytes.
pub(super) const MOST_BYTES: u64 = 10_000_000_000;

/// What was removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Removed {
    /// The directory of all snapshots.
    pub(crate) directory: PathBuf,
    /// How many were removed.
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
    let directory = all()?;
    let mut removed = Removed { directory: directory.clone(), ..Removed::default() };
    for snapshot in snapshots(&directory) {
        let Ok(Some(_lock)) = Lock::try_take(&snapshot.join(LOCK)) else {
            removed.used += 1;
            continue;
        };
        let bytes = size(&snapshot);
        match remove(&snapshot) {
            Ok(()) => {
                removed.snapshots += 1;
                removed.bytes += bytes;
            }
            Err(error) => removed.failed.push(format!("{}: {error}", snapshot.display())),
        }
    }
    Ok(removed)
}

/// Removes those that were used longest ago until the others take at most this many bytes. What is in use
/// stays.
pub(super) fn shrink(most_bytes: u64) {
    let Ok(directory) = all() else { return };
    let used = |snapshot: &Path| {
        let about = fs::metadata(snapshot.join(BUILT)).and_then(|about| about.modified());
        about.unwrap_or(SystemTime::UNIX_EPOCH)
    };
    let mut kept: Vec<(SystemTime, PathBuf, u64)> = snapshots(&directory)
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
            && remove(&snapshot).is_ok()
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

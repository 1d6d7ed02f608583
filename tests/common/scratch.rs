//! Directories of tests.

#![allow(dead_code, reason = "each test program uses a part of it")]

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Creates an empty directory within `parent`, whose name begins with `name`. A process that had this one's id and was killed may have left
/// directories behind, so names that exist are passed over.
pub(crate) fn directory_within(parent: &Path, name: &str) -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("{name}-{}-{number}", std::process::id()));
        match std::fs::create_dir(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            created => {
                created.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                return path;
            }
        }
    }
}

/// Creates an empty directory where the system keeps temporary files.
pub(crate) fn temporary_directory() -> PathBuf {
    directory_within(&std::env::temp_dir(), "tiebreak-test")
}

/// A directory for one test, removed at its end.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> Scratch {
        Scratch(temporary_directory())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

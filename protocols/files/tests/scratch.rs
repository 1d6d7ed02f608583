//! Directories that are removed after a test, and helpers for their content.

#![allow(dead_code, reason = "each test file uses a part of it")]

#[path = "../../../tests/common/not_tested.rs"]
mod not_tested;
#[path = "../../../tests/common/scratch.rs"]
mod test_directory;

use files::{Guard, Settings, Store};
use not_tested::{Lack, lacks};
use std::path::{Path, PathBuf};
use test_directory::directory_within;

/// A directory that does not exist yet, and is removed with the value.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn within(parent: &Path) -> Scratch {
        let path = directory_within(parent, "tiebreak-test");
        std::fs::remove_dir(&path).expect("it is empty");
        Scratch(path)
    }

    /// Creates a directory in memory.
    pub(crate) fn memory() -> Scratch {
        Scratch::within(Path::new("/dev/shm"))
    }

    /// Creates a directory on the disk that this is built on.
    pub(crate) fn disk() -> Scratch {
        Scratch::within(Path::new(env!("CARGO_TARGET_TMPDIR")))
    }

    pub(crate) fn store(&self, guard: Guard) -> Store {
        Store::new(&self.0, settings(guard)).expect("a directory of our own")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn settings(guard: Guard) -> Settings {
    Settings { guard, fsync: false, expires: None }
}

/// Returns all files with values, and temporary files that handles left.
pub(crate) fn files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root).expect("a directory").flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false if !path.ends_with(".tiebreak-cache") => found.push(path),
            false => {}
        }
    }
    found
}

/// Returns the file of the only value.
pub(crate) fn only_file(root: &Path) -> PathBuf {
    let found = files(root);
    assert_eq!(found.len(), 1, "{found:?}");
    found.into_iter().next().expect("one")
}

/// Runs `test` on a thread that sees a tmpfs of 1 MiB on a directory, which no other thread
/// sees. If that is not allowed, the test is skipped and reports it.
pub(crate) fn on_a_small_tmpfs(test: impl FnOnce(&Path) + Send) {
    let around = Scratch::memory();
    std::fs::create_dir(&around.0).expect("a directory");
    std::thread::scope(|scope| {
        let within = scope.spawn(|| {
            if lacks(Lack::Root) || lacks(Lack::Namespaces) {
                return;
            }
            // SAFETY: the call affects this thread alone.
            let result = unsafe { libc::unshare(libc::CLONE_NEWNS) };
            assert_eq!(result, 0, "{}", std::io::Error::last_os_error());
            mount("none", Path::new("/"), libc::MS_REC | libc::MS_PRIVATE, "");
            mount("tmpfs", &around.0, 0, "size=1m");
            test(&around.0);
        });
        within.join().expect("the test holds");
    });
}

/// Calls mount(2), with a tmpfs if a file system type is needed.
pub(crate) fn mount(source: &str, on: &Path, flags: libc::c_ulong, options: &str) {
    let text = |text: &str| std::ffi::CString::new(text).expect("no 0");
    let (source, kind, options) = (text(source), text("tmpfs"), text(options));
    let on = text(on.to_str().expect("plain"));
    // SAFETY: all strings end with a 0.
    let mounted = unsafe {
        let data = options.as_ptr().cast();
        libc::mount(source.as_ptr(), on.as_ptr(), kind.as_ptr(), flags, data)
    };
    assert_eq!(mounted, 0, "{}", std::io::Error::last_os_error());
}

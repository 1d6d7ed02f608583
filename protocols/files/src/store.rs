//! A directory as a cache: one file per key.

use super::directories::Directories;
use super::errors::failure;
use super::name::{DIGITS, Name, as_c_str};
use super::system::{FileState, Open, call};
use engine::{EngineError, clock};
use record::Failure;
use std::ffi::CStr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use sys::fs::{AtFlags, FlockOperation, OFlags, linkat, renameat, unlinkat};

/// Maximum length of a value. A longer file was not written here, and reading it would take all
/// memory.
const LONGEST: u64 = 1 << 30;

/// How a store writes, and what it regards as expired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// What prevents a reader from seeing a half-written value.
    pub guard: Guard,
    /// Every write waits for the disk (`fsync` of the file, not of its directory: after a power
    /// failure a new file's name may be missing).
    pub fsync: bool,
    /// A file that was last written longer ago than this is a miss.
    pub expires: Option<Duration>,
}

/// What prevents a reader from seeing a half-written value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// `flock`, as Cache_Lite's `fileLocking` does: readers share it, a writer has it alone, and
    /// the file is emptied and written in place. Without the lock a reader would see the file
    /// empty or partly written.
    ///
    /// One difference: Cache_Lite empties the file as it opens it, before it has the lock, so
    /// its readers can still see an empty file (its "read control" makes that a miss). Here it
    /// is emptied under the lock. A file that was created but not locked yet is empty too: that
    /// is why an empty file is a miss.
    Flock,
    /// A second file, then `rename`: a reader sees the old value or the new one and never waits.
    /// It needs no lock, but an inode for every write.
    Rename,
    /// Written in place without a lock, as with `fileLocking` off: readers see empty files and
    /// half-written values. It shows what a guard costs and gains.
    Nothing,
}

/// The result of a read or a removal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileLookup {
    /// There is a value.
    Hit,
    /// There is no file, an empty one, or one that is too old.
    Miss,
}

/// The result of an addition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// It was written.
    New,
    /// There is a value already.
    Held,
}

/// A directory as a cache. Values have at least 1 byte: an empty file means that there is no
/// value. Nothing outside the directory is ever opened, and only the file of a key that is to be
/// deleted is removed.
///
/// After the first operations nothing here allocates, except for a value that is longer than all
/// before.
#[derive(Debug)]
pub struct Store {
    directories: Arc<Directories>,
    settings: Settings,
    /// A blocked call that is interrupted after this time is not repeated.
    gives_up: u64,
    /// The end of the names that this handle writes before it renames.
    beside: [u8; 16],
}

/// The number of the next handle: every handle of this process writes under different names.
static HANDLES: AtomicU64 = AtomicU64::new(0);

impl Store {
    /// Takes over the directory `root`, or creates it, with two levels of directories (272 of them,
    /// 256 of which are kept open).
    ///
    /// # Errors
    /// Returns an error if it cannot be created or does not belong to tiebreak: a link, no
    /// directory, another user's, or not empty and without our marker.
    pub fn new(root: &Path, settings: Settings) -> Result<Store, EngineError> {
        let directories = Arc::new(Directories::new(root)?);
        Ok(Store { directories, settings, gives_up: u64::MAX, beside: beside() })
    }

    /// Returns a handle on the same store for another thread.
    pub fn handle(&self) -> Store {
        Store { directories: self.directories.clone(), beside: beside(), ..*self }
    }

    /// Returns how it writes.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// From `deadline` (on the engine's clock) on, an operation that is interrupted by a signal
    /// while it waits has timed out.
    pub fn gives_up_at(&mut self, deadline: u64) {
        self.gives_up = deadline;
    }

    /// Reads the value of `key` into `buffer`, which is emptied first. A file that is removed
    /// between opening and reading is read completely.
    ///
    /// # Errors
    /// Returns an error if the system refuses; a key without a value is [`FileLookup::Miss`].
    #[inline]
    pub fn get(&self, key: &[u8], buffer: &mut Vec<u8>) -> Result<FileLookup, Failure> {
        buffer.clear();
        match self.read(&Name::of(key), buffer) {
            Err(libc::ENOENT) => Ok(FileLookup::Miss),
            read => read.map_err(failure),
        }
    }

    /// Writes the value of `key`, whether or not there is one. A value that does not fit leaves
    /// nothing behind: written in place, it destroys the old value.
    ///
    /// # Errors
    /// Returns an error if the system refuses, or `Failure::Io` if the value is empty.
    #[inline]
    pub fn set(&self, key: &[u8], value: &[u8]) -> Result<(), Failure> {
        let name = Name::of(key);
        let written = match self.settings.guard {
            _ if value.is_empty() => Err(libc::EINVAL),
            Guard::Rename => self.replace(&name, value),
            Guard::Flock => self.open(&name, OFlags::WRONLY | OFlags::CREATE).and_then(|file| {
                file.lock(FlockOperation::LockExclusive)?;
                self.fill(file, value)
            }),
            Guard::Nothing => self
                .open(&name, OFlags::WRONLY | OFlags::CREATE)
                .and_then(|file| self.fill(file, value)),
        };
        written.map_err(failure)
    }

    /// Writes the value of `key` if there is none. With a lock, an empty file and one that is
    /// too old hold no value, as for a read; otherwise any file prevents the write.
    ///
    /// # Errors
    /// If the value cannot be written, as in [`Store::set`].
    pub fn add(&self, key: &[u8], value: &[u8]) -> Result<Stored, Failure> {
        let name = Name::of(key);
        let added = match self.settings.guard {
            _ if value.is_empty() => Err(libc::EINVAL),
            Guard::Rename => self.link(&name, value),
            Guard::Flock => self.add_locked(&name, value),
            Guard::Nothing => self
                .open(&name, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL)
                .and_then(|file| self.fill(file, value))
                .map(|()| Stored::New),
        };
        match added {
            Err(libc::EEXIST) => Ok(Stored::Held),
            added => added.map_err(failure),
        }
    }

    /// Removes the file of `key`. Returns [`FileLookup::Hit`] if there was one, of any age.
    ///
    /// # Errors
    /// Returns an error if the system refuses.
    pub fn delete(&self, key: &[u8]) -> Result<FileLookup, Failure> {
        let name = Name::of(key);
        match self.unlink(name.directory, name.text()) {
            Ok(()) => Ok(FileLookup::Hit),
            Err(libc::ENOENT) => Ok(FileLookup::Miss),
            Err(errno) => Err(failure(errno)),
        }
    }

    fn read(&self, name: &Name, buffer: &mut Vec<u8>) -> Result<FileLookup, i32> {
        let file = self.open(name, OFlags::RDONLY)?;
        if self.settings.guard == Guard::Flock {
            file.lock(FlockOperation::LockShared)?;
        }
        let state = file.state()?;
        if !state.regular || state.bytes > LONGEST {
            return Err(libc::EIO);
        }
        if !self.holds(&state) {
            return Ok(FileLookup::Miss);
        }
        file.read(state.bytes as usize, buffer)?;
        // It can be empty here only without a guard.
        Ok(if buffer.is_empty() { FileLookup::Miss } else { FileLookup::Hit })
    }

    /// Returns true if a file holds a value that is not too old.
    #[inline]
    fn holds(&self, state: &FileState) -> bool {
        let fresh = self.settings.expires.is_none_or(|expires| {
            let age = clock::of_files().saturating_sub(state.written);
            u128::from(age) <= expires.as_nanos()
        });
        state.bytes > 0 && fresh
    }

    /// Writes over the existing file.
    #[inline]
    fn fill(&self, file: Open, value: &[u8]) -> Result<(), i32> {
        let filled =
            file.empty().and_then(|()| file.write(value)).and_then(|()| self.settle(&file));
        if filled.is_err() {
            // Half a value is worse than none. The first error is the one to report.
            let _ = file.empty();
        }
        filled.and(file.close())
    }

    fn add_locked(&self, name: &Name, value: &[u8]) -> Result<Stored, i32> {
        let file = self.open(name, OFlags::WRONLY | OFlags::CREATE)?;
        file.lock(FlockOperation::LockExclusive)?;
        // Checked only now, and not by O_EXCL, because another writer may have come first
        // between creating and locking.
        if self.holds(&file.state()?) {
            return Ok(Stored::Held);
        }
        self.fill(file, value).map(|()| Stored::New)
    }

    /// Writes a second file and renames it over the existing one.
    fn replace(&self, name: &Name, value: &[u8]) -> Result<(), i32> {
        let (directory, beside) = (self.directories.at(name.directory), self.beside(name));
        self.write_beside(name, value)?;
        let beside = as_c_str(&beside);
        let renamed = call(self.gives_up, || renameat(directory, beside, directory, name.text()));
        if renamed.is_err() {
            // The file is ours; the error of the rename is the one to report.
            let _ = self.unlink(name.directory, beside);
        }
        renamed
    }

    /// Writes a second file and links it to the name if the name does not exist.
    fn link(&self, name: &Name, value: &[u8]) -> Result<Stored, i32> {
        let (directory, beside) = (self.directories.at(name.directory), self.beside(name));
        self.write_beside(name, value)?;
        let beside = as_c_str(&beside);
        let link = || linkat(directory, beside, directory, name.text(), AtFlags::empty());
        let linked = call(self.gives_up, link);
        self.unlink(name.directory, beside)?;
        linked.map(|()| Stored::New)
    }

    fn write_beside(&self, name: &Name, value: &[u8]) -> Result<(), i32> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC;
        let beside = self.beside(name);
        let beside = as_c_str(&beside);
        let directory = self.directories.at(name.directory);
        let file = Open::at(directory, beside, flags, self.gives_up)?;
        let written = file.write(value).and_then(|()| self.settle(&file)).and(file.close());
        if written.is_err() {
            // The file is ours; the error of the write is the one to report.
            let _ = self.unlink(name.directory, beside);
        }
        written
    }

    #[inline]
    fn settle(&self, file: &Open) -> Result<(), i32> {
        if self.settings.fsync { file.sync() } else { Ok(()) }
    }

    #[inline]
    fn open(&self, name: &Name, flags: OFlags) -> Result<Open, i32> {
        Open::at(self.directories.at(name.directory), name.text(), flags, self.gives_up)
    }

    fn unlink(&self, directory: usize, name: &CStr) -> Result<(), i32> {
        let directory = self.directories.at(directory);
        call(self.gives_up, || unlinkat(directory, name, AtFlags::empty()))
    }

    /// Returns the name before the rename: the key's and this handle's.
    fn beside(&self, name: &Name) -> [u8; DIGITS + 18] {
        let mut text = [0; DIGITS + 18];
        text[..DIGITS].copy_from_slice(name.digits());
        text[DIGITS] = b'.';
        text[DIGITS + 1..DIGITS + 17].copy_from_slice(&self.beside);
        text
    }
}

/// Returns 16 digits that no other handle on this machine has, from process and number.
fn beside() -> [u8; 16] {
    let number = HANDLES.fetch_add(1, Ordering::Relaxed) & 0xFFFF_FFFF;
    let both = u64::from(std::process::id()) << 32 | number;
    std::array::from_fn(|at| super::name::digit_of((both >> (60 - 4 * at)) as usize))
}

//! A directory as a cache: one file a key.

use super::folders::Folders;
use super::name::{DIGITS, Name};
use super::system::{Open, State, call};
use super::trouble::failure;
use crate::{EngineError, clock};
use record::Failure;
use std::os::fd::RawFd;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// No value is longer. A file that is was not written here; reading it would
/// take all memory.
const LONGEST: u64 = 1 << 30;

/// How a store writes, and what it takes for old.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// What keeps a reader from half a value.
    pub guard: Guard,
    /// Every write waits for the disk (`fsync` of the file, not of its folder:
    /// after a power failure a new file's name may be missing).
    pub fsync: bool,
    /// A file last written longer ago than this is a miss.
    pub expires: Option<Duration>,
}

/// What keeps a reader from half a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// `flock`, as Cache_Lite's `fileLocking` does: readers share it, a writer
    /// has it alone, and the file is emptied and written in its place. Without
    /// the lock a reader would meet the file empty, or written in part.
    ///
    /// One difference: Cache_Lite empties the file as it opens it, before it
    /// has the lock, so its readers can meet an empty file all the same (its
    /// "read control" makes that a miss). Here it is emptied under the lock. A
    /// file that was created but not locked yet is empty too: that is why an
    /// empty file is a miss.
    Flock,
    /// A file beside, then `rename`: a reader meets the old value or the new
    /// one and never waits. Needs no lock, but an inode for every write.
    Rename,
    /// Written in its place without a lock, as with `fileLocking` off: readers
    /// meet empty files and half values. To show what that costs and brings.
    Nothing,
}

/// What a read, or a removal, met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A value.
    Hit,
    /// Nothing, an empty file, or one that is too old.
    Miss,
}

/// What became of an addition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// It was written.
    New,
    /// There is a value already.
    Held,
}

/// A directory as a cache. Values have 1 byte at least: an empty file says that
/// there is none. Nothing outside the directory is ever opened, and nothing is
/// removed but the file of a key that was asked to be deleted.
///
/// After the first operations nothing here allocates, except for a value that
/// is longer than all before.
#[derive(Debug)]
pub struct Store {
    folders: Arc<Folders>,
    settings: Settings,
    /// A blocked call that is interrupted after this is not called again.
    gives_up: u64,
    /// The end of the names that this handle writes before it renames.
    beside: [u8; 16],
}

/// Every handle of this process writes under names of its own.
static HANDLES: AtomicU64 = AtomicU64::new(0);

impl Store {
    /// Takes over the directory `root`, or makes it, with two levels of folders
    /// (272 of them, 256 of which are kept open).
    ///
    /// # Errors
    /// When it cannot be made, or is not ours: a link, no directory, another
    /// user's, or not empty and without our marker.
    pub fn new(root: &Path, settings: Settings) -> Result<Store, EngineError> {
        let folders = Arc::new(Folders::new(root)?);
        Ok(Store { folders, settings, gives_up: u64::MAX, beside: beside() })
    }

    /// A handle on the same store for another thread.
    pub fn handle(&self) -> Store {
        Store { folders: self.folders.clone(), beside: beside(), ..*self }
    }

    /// How it writes.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// From `deadline` (on the engine's clock) on, an operation that is
    /// interrupted by a signal while it waits has timed out.
    pub fn gives_up_at(&mut self, deadline: u64) {
        self.gives_up = deadline;
    }

    /// Reads the value of `key` into `buffer`, which is emptied before. A file
    /// that is removed between opening and reading is read whole.
    ///
    /// # Errors
    /// When the system refuses; a key without a value is [`Found::Miss`].
    #[inline]
    pub fn get(&self, key: &[u8], buffer: &mut Vec<u8>) -> Result<Found, Failure> {
        buffer.clear();
        match self.read(&Name::of(key), buffer) {
            Err(libc::ENOENT) => Ok(Found::Miss),
            read => read.map_err(failure),
        }
    }

    /// Writes the value of `key`, whether or not there is one. A value that
    /// does not fit leaves nothing behind: in its place an old one is lost.
    ///
    /// # Errors
    /// When the system refuses. `Failure::Io` where the value is empty.
    #[inline]
    pub fn set(&self, key: &[u8], value: &[u8]) -> Result<(), Failure> {
        let name = Name::of(key);
        let written = match self.settings.guard {
            _ if value.is_empty() => Err(libc::EINVAL),
            Guard::Rename => self.replace(&name, value),
            Guard::Flock => self.open(&name, libc::O_WRONLY | libc::O_CREAT).and_then(|file| {
                file.lock(libc::LOCK_EX)?;
                self.fill(file, value)
            }),
            Guard::Nothing => self
                .open(&name, libc::O_WRONLY | libc::O_CREAT)
                .and_then(|file| self.fill(file, value)),
        };
        written.map_err(failure)
    }

    /// Writes the value of `key` where there is none. With a lock, an empty
    /// file and one that is too old hold no value, as for a read; else any file
    /// is in the way.
    ///
    /// # Errors
    /// As [`Store::set`].
    pub fn add(&self, key: &[u8], value: &[u8]) -> Result<Stored, Failure> {
        let name = Name::of(key);
        let added = match self.settings.guard {
            _ if value.is_empty() => Err(libc::EINVAL),
            Guard::Rename => self.link(&name, value),
            Guard::Flock => self.add_locked(&name, value),
            Guard::Nothing => self
                .open(&name, libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL)
                .and_then(|file| self.fill(file, value))
                .map(|()| Stored::New),
        };
        match added {
            Err(libc::EEXIST) => Ok(Stored::Held),
            added => added.map_err(failure),
        }
    }

    /// Removes the file of `key`. [`Found::Hit`]: there was one, of any age.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn delete(&self, key: &[u8]) -> Result<Found, Failure> {
        let name = Name::of(key);
        match self.unlink(name.folder, name.as_ptr()) {
            Ok(()) => Ok(Found::Hit),
            Err(libc::ENOENT) => Ok(Found::Miss),
            Err(errno) => Err(failure(errno)),
        }
    }

    fn read(&self, name: &Name, buffer: &mut Vec<u8>) -> Result<Found, i32> {
        let file = self.open(name, libc::O_RDONLY)?;
        if self.settings.guard == Guard::Flock {
            file.lock(libc::LOCK_SH)?;
        }
        let state = file.state()?;
        if !state.regular || state.bytes > LONGEST {
            return Err(libc::EIO);
        }
        if !self.holds(&state) {
            return Ok(Found::Miss);
        }
        file.read(state.bytes as usize, buffer)?;
        // Emptied meanwhile: only where nothing keeps us from it.
        Ok(if buffer.is_empty() { Found::Miss } else { Found::Hit })
    }

    /// Whether a file holds a value that is not too old.
    #[inline]
    fn holds(&self, state: &State) -> bool {
        let fresh = self.settings.expires.is_none_or(|expires| {
            let age = clock::of_files().saturating_sub(state.written);
            u128::from(age) <= expires.as_nanos()
        });
        state.bytes > 0 && fresh
    }

    /// Writes in the place of what is there.
    #[inline]
    fn fill(&self, file: Open, value: &[u8]) -> Result<(), i32> {
        let filled =
            file.empty().and_then(|()| file.write(value)).and_then(|()| self.settle(&file));
        if filled.is_err() {
            // Half a value is worse than none. The first error is the one to tell.
            let _ = file.empty();
        }
        filled.and(file.close())
    }

    fn add_locked(&self, name: &Name, value: &[u8]) -> Result<Stored, i32> {
        let file = self.open(name, libc::O_WRONLY | libc::O_CREAT)?;
        file.lock(libc::LOCK_EX)?;
        // Only now, and not by O_EXCL: between creating and locking another
        // writer may have come first.
        if self.holds(&file.state()?) {
            return Ok(Stored::Held);
        }
        self.fill(file, value).map(|()| Stored::New)
    }

    /// Writes beside, then takes the place of what is there.
    fn replace(&self, name: &Name, value: &[u8]) -> Result<(), i32> {
        let (folder, beside) = (self.folders.at(name.folder), self.beside(name));
        self.write_beside(name, value)?;
        // SAFETY: both names end with a 0.
        let rename =
            || unsafe { libc::renameat(folder, beside.as_ptr().cast(), folder, name.as_ptr()) };
        let renamed = call(self.gives_up, || rename() as isize).map(drop);
        if renamed.is_err() {
            // It is our own; the error of the rename is the one to tell.
            let _ = self.unlink(name.folder, beside.as_ptr().cast());
        }
        renamed
    }

    /// Writes beside, then appears under the name if nothing else did.
    fn link(&self, name: &Name, value: &[u8]) -> Result<Stored, i32> {
        let (folder, beside) = (self.folders.at(name.folder), self.beside(name));
        self.write_beside(name, value)?;
        // SAFETY: both names end with a 0.
        let link =
            || unsafe { libc::linkat(folder, beside.as_ptr().cast(), folder, name.as_ptr(), 0) };
        let linked = call(self.gives_up, || link() as isize);
        self.unlink(name.folder, beside.as_ptr().cast())?;
        linked.map(|_| Stored::New)
    }

    fn write_beside(&self, name: &Name, value: &[u8]) -> Result<(), i32> {
        let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC;
        let beside = self.beside(name);
        let folder = self.folders.at(name.folder);
        // SAFETY: the name ends with a 0.
        let file = unsafe { Open::at(folder, beside.as_ptr().cast(), flags, self.gives_up)? };
        let written = file.write(value).and_then(|()| self.settle(&file)).and(file.close());
        if written.is_err() {
            // It is our own; the error of the write is the one to tell.
            let _ = self.unlink(name.folder, beside.as_ptr().cast());
        }
        written
    }

    #[inline]
    fn settle(&self, file: &Open) -> Result<(), i32> {
        if self.settings.fsync { file.sync() } else { Ok(()) }
    }

    #[inline]
    fn open(&self, name: &Name, flags: libc::c_int) -> Result<Open, i32> {
        // SAFETY: a name ends with a 0.
        unsafe { Open::at(self.folders.at(name.folder), name.as_ptr(), flags, self.gives_up) }
    }

    fn unlink(&self, folder: usize, name: *const libc::c_char) -> Result<(), i32> {
        let folder: RawFd = self.folders.at(folder);
        // SAFETY: both callers' names end with a 0.
        call(self.gives_up, || unsafe { libc::unlinkat(folder, name, 0) } as isize).map(drop)
    }

    /// The name before the rename: the key's and this handle's.
    fn beside(&self, name: &Name) -> [u8; DIGITS + 18] {
        let mut text = [0; DIGITS + 18];
        text[..DIGITS].copy_from_slice(name.digits());
        text[DIGITS] = b'.';
        text[DIGITS + 1..DIGITS + 17].copy_from_slice(&self.beside);
        text
    }
}

/// 16 digits that no other handle on this machine has: process and number.
fn beside() -> [u8; 16] {
    let number = HANDLES.fetch_add(1, Ordering::Relaxed) & 0xFFFF_FFFF;
    let both = u64::from(std::process::id()) << 32 | number;
    std::array::from_fn(|at| super::name::digit_of((both >> (60 - 4 * at)) as usize))
}

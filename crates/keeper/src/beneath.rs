//! Works in directories that other users can write to, without following their links.
//!
//! The kernel resolves a path anew at each call, and a user who can write to a directory on the
//! path can put a link there between two calls. So such a directory is held open by a descriptor;
//! every step below it uses one name and refuses links (`O_NOFOLLOW`), and owners and modes are
//! changed by descriptor.

use crate::user;
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use sys::fs::{AtFlags, Mode, OFlags, mkdirat, open, openat, renameat, unlinkat};

/// Flags for opening a directory, never through a link.
const DIRECTORY: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// The longest time that clearing a directory may take, because another process may be filling it
/// meanwhile. A database leaves thousands of files on a disk that may be slow.
const CLEAR_TIMEOUT: Duration = Duration::from_secs(300);

/// A directory that is held open.
pub struct Directory(File);

/// Device and inode: distinguishes a directory from another one that has taken its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    fn of(file: &File) -> io::Result<FileId> {
        let found = file.metadata()?;
        Ok(FileId { device: found.dev(), inode: found.ino() })
    }
}

impl Directory {
    /// Opens a directory. Every part of the path except the last must be writable only by trusted
    /// users.
    ///
    /// # Errors
    /// If it does not exist or is a link.
    pub fn open(path: &Path) -> io::Result<Directory> {
        Ok(Directory(open(path, DIRECTORY, Mode::empty())?.into()))
    }

    /// Opens a directory in this one.
    ///
    /// # Errors
    /// If it does not exist, is not a directory, or is a link.
    pub fn enter(&self, name: &OsStr) -> io::Result<Directory> {
        self.open_at(name, DIRECTORY, Mode::empty()).map(Directory)
    }

    /// Creates a directory in this one, which at first only its owner can enter.
    ///
    /// # Errors
    /// If the name exists, or another directory immediately took its place.
    pub fn make(&self, name: &OsStr) -> io::Result<Directory> {
        mkdirat(&self.0, name, Mode::RWXU)?;
        let made = self.enter(name)?;
        // A user who can write to this directory may have put another one in its place. They cannot
        // move in a directory of ours that only we can write to.
        let found = made.0.metadata()?;
        if found.uid() != user::ours() || found.mode() & 0o077 != 0 {
            return Err(io::Error::other(
                "the directory that was just created was replaced by another one",
            ));
        }
        Ok(made)
    }

    /// Creates a file in this directory, replacing an existing one. At first, only its owner can
    /// read it.
    ///
    /// # Errors
    /// If the system refuses, or a directory has this name.
    pub fn create_file(&self, name: &OsStr) -> io::Result<File> {
        match self.unlink(name, AtFlags::empty()) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        self.open_at(name, flags | OFlags::CLOEXEC, Mode::RUSR | Mode::WUSR)
    }

    /// Gives the directory to this user and group, and sets its mode.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn give(&self, owner: Option<(u32, u32)>, mode: u32) -> io::Result<()> {
        give(&self.0, owner, mode)
    }

    /// The number of its owner.
    ///
    /// # Errors
    /// If the system does not report it.
    pub fn owner(&self) -> io::Result<u32> {
        self.0.metadata().map(|found| found.uid())
    }

    /// The names in it.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        // The kernel's path to the descriptor, where nobody can put a link.
        let entries = fs::read_dir(format!("/proc/self/fd/{}", self.0.as_raw_fd()))?;
        entries.map(|entry| entry.map(|entry| entry.file_name())).collect()
    }

    /// Removes everything in it. It does not descend into directories: their contents are moved
    /// here first, so that even the deepest tree requires only two descriptors.
    ///
    /// # Errors
    /// If something cannot be removed, or other processes keep adding to it.
    fn clear(&self) -> io::Result<()> {
        let deadline = Instant::now() + CLEAR_TIMEOUT;
        let mut moved = 0u64;
        loop {
            let names = self.names()?;
            if names.is_empty() {
                return Ok(());
            }
            if Instant::now() >= deadline {
                return Err(io::Error::other(
                    "other processes write to it while it is being removed",
                ));
            }
            for name in names {
                match self.unlink(&name, AtFlags::empty()) {
                    Ok(()) => {}
                    Err(error) if error.kind() == ErrorKind::NotFound => {}
                    Err(error) if error.kind() == ErrorKind::IsADirectory => {
                        self.flatten(&name, &mut moved)?;
                    }
                    Err(error) => return Err(error),
                }
            }
        }
    }

    /// Removes a directory in this one; directories inside it are moved here.
    fn flatten(&self, name: &OsStr, moved: &mut u64) -> io::Result<()> {
        let inner = self.enter(name)?;
        for name in inner.names()? {
            match inner.unlink(&name, AtFlags::empty()) {
                Err(error) if error.kind() == ErrorKind::IsADirectory => {
                    inner.move_up(&name, self, moved)?;
                }
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        match self.unlink(name, AtFlags::REMOVEDIR) {
            // Another process added to it; the next pass finds that.
            Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => Ok(()),
            other => other,
        }
    }

    /// Moves a directory into `to`, under the first free name.
    fn move_up(&self, name: &OsStr, to: &Directory, moved: &mut u64) -> io::Result<()> {
        loop {
            *moved += 1;
            let new = OsString::from(format!(".tiebreak-removes-{moved}"));
            match self.rename(name, to, &new) {
                Err(error) if is_taken(&error) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
                other => return other,
            }
        }
    }

    /// Opens a file in this directory for reading, without waiting for the other end of a pipe.
    ///
    /// # Errors
    /// If it does not exist or is a link.
    pub fn open_file(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        self.open_at(name, flags, Mode::empty())
    }

    fn open_at(&self, name: &OsStr, flags: OFlags, mode: Mode) -> io::Result<File> {
        Ok(openat(&self.0, name, flags, mode)?.into())
    }

    /// Removes a file.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        self.unlink(name, AtFlags::empty())
    }

    /// Removes a name. `flags`: none, or `REMOVEDIR` for an empty directory.
    fn unlink(&self, name: &OsStr, flags: AtFlags) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, flags)?)
    }

    /// Renames a name in this directory to one in another.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn rename(&self, name: &OsStr, to: &Directory, new: &OsStr) -> io::Result<()> {
        Ok(renameat(&self.0, name, &to.0, new)?)
    }
}

/// Gives an open file or directory to this user and group, and sets its mode.
///
/// # Errors
/// When the system refuses.
pub fn give(file: &File, owner: Option<(u32, u32)>, mode: u32) -> io::Result<()> {
    if let Some((user, group)) = owner {
        fchown(file, Some(user), Some(group))?;
    }
    file.set_permissions(Permissions::from_mode(mode))
}

/// Whether the system reports that the new name of a directory is not free.
fn is_taken(error: &io::Error) -> bool {
    use ErrorKind::{AlreadyExists, DirectoryNotEmpty, NotADirectory};
    matches!(error.kind(), AlreadyExists | DirectoryNotEmpty | NotADirectory)
}

/// A temporary directory, held open from its creation to its removal.
pub struct Temporary {
    parent: Directory,
    name: OsString,
    path: PathBuf,
    /// The directory itself.
    pub directory: Directory,
}

/// The path of a temporary directory, and its identity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemporaryId {
    /// Its path when it was created.
    pub path: PathBuf,
    /// The directory that had this path then.
    pub id: FileId,
}

impl TemporaryId {
    /// The identity of the directory at this path.
    ///
    /// # Errors
    /// If there is none, or it is a link.
    pub fn of(path: &Path) -> io::Result<TemporaryId> {
        let id = FileId::of(&Directory::open(path)?.0)?;
        Ok(TemporaryId { path: path.to_owned(), id })
    }
}

impl Temporary {
    /// Creates a directory of this name; `within` must be canonical.
    ///
    /// # Errors
    /// If the name exists, or the disk refuses.
    pub fn make(within: &Path, name: &str) -> io::Result<Temporary> {
        let parent = Directory::open(within)?;
        let directory = parent.make(name.as_ref())?;
        Ok(Temporary { parent, name: name.into(), path: within.join(name), directory })
    }

    /// Opens the same directory again. Returns None if it is gone, or another directory has its
    /// path.
    pub fn again(known: &TemporaryId) -> Option<Temporary> {
        let (within, name) = (known.path.parent()?, known.path.file_name()?);
        let parent = Directory::open(within).ok()?;
        let directory = parent.enter(name).ok()?;
        let path = known.path.clone();
        (FileId::of(&directory.0).ok()? == known.id).then(|| Temporary {
            parent,
            name: name.to_owned(),
            path,
            directory,
        })
    }

    /// Where it was created.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Identifies the directory even if another one takes its path.
    ///
    /// # Errors
    /// If the system does not report it.
    pub fn id(&self) -> io::Result<TemporaryId> {
        Ok(TemporaryId { path: self.path.clone(), id: FileId::of(&self.directory.0)? })
    }

    /// Removes it with everything in it.
    ///
    /// # Errors
    /// If part of it remains.
    pub fn remove(&self) -> io::Result<()> {
        self.directory.clear()?;
        match self.parent.unlink(&self.name, AtFlags::REMOVEDIR) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use std::os::unix::fs::symlink;

    fn made(scratch: &Scratch) -> Temporary {
        Temporary::make(&scratch.path().canonicalize().expect("there"), "t").expect("new")
    }

    #[test]
    fn links_are_neither_entered_nor_written_through() {
        let scratch = Scratch::new();
        let precious = scratch.path().join("precious");
        fs::create_dir(&precious).expect("scratch");
        fs::write(precious.join("file"), "kept").expect("scratch");
        let temporary = made(&scratch);
        symlink(&precious, temporary.path().join("link")).expect("scratch");
        symlink(precious.join("file"), temporary.path().join("file")).expect("scratch");
        assert!(temporary.directory.enter("link".as_ref()).is_err());
        assert!(Directory::open(&temporary.path().join("link")).is_err());
        temporary.directory.create_file("file".as_ref()).expect("in the place of the link");
        assert!(!temporary.path().join("file").is_symlink());
        assert!(temporary.directory.make("link".as_ref()).is_err());
        temporary.remove().expect("it is removed");
        assert!(!temporary.path().exists());
        assert_eq!(fs::read_to_string(precious.join("file")).expect("it is there"), "kept");
    }

    #[test]
    fn the_deepest_tree_is_removed() {
        let scratch = Scratch::new();
        let temporary = made(&scratch);
        let mut directory = temporary.directory.make("d".as_ref()).expect("new");
        // More levels than this process may have descriptors.
        for _ in 0..1500 {
            directory.create_file("f".as_ref()).expect("new");
            directory = directory.make("d".as_ref()).expect("new");
        }
        temporary.remove().expect("it is removed");
        assert!(!temporary.path().exists());
    }

    #[test]
    fn a_directory_that_took_the_path_is_another() {
        let scratch = Scratch::new();
        let temporary = made(&scratch);
        let id = temporary.id().expect("known");
        assert!(Temporary::again(&id).is_some());
        fs::rename(temporary.path(), scratch.path().join("moved")).expect("scratch");
        fs::create_dir(temporary.path()).expect("scratch");
        fs::write(temporary.path().join("kept"), "").expect("scratch");
        assert!(Temporary::again(&id).is_none());
        // The created directory is cleared wherever it is; the other one stays.
        fs::write(scratch.path().join("moved/file"), "").expect("scratch");
        assert!(temporary.remove().is_err());
        assert!(temporary.path().join("kept").exists());
        assert!(!scratch.path().join("moved/file").exists());
    }
}

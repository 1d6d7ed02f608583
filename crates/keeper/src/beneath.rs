//! Work in folders that others can write in, without following a link of theirs.
//!
//! A path is walked by the kernel anew at each call, and whoever can write in a
//! folder on the way can put a link there between two calls. So such a folder is
//! held open by a descriptor, every step below it takes one name, refuses links
//! (`O_NOFOLLOW`), and changes owners and modes by descriptor.

use serde::{Deserialize, Serialize};
use std::ffi::{CString, OsStr, OsString};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Flags of a folder that is opened: never through a link.
const FOLDER: i32 = libc::O_DIRECTORY | libc::O_NOFOLLOW | libc::O_CLOEXEC;

/// How long a folder is cleared, at most: somebody may be filling it meanwhile. A
/// database leaves thousands of files on a disk that may be slow.
const CLEARING: Duration = Duration::from_secs(300);

/// A folder that is held open.
pub struct Folder(File);

/// Device and inode: tells a folder from another one that has its path by now.
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

impl Folder {
    /// Opens a folder. The path before its last part must be one that nobody can
    /// change whom we do not trust.
    ///
    /// # Errors
    /// When it is not there, or a link.
    pub fn open(path: &Path) -> io::Result<Folder> {
        OpenOptions::new().read(true).custom_flags(FOLDER).open(path).map(Folder)
    }

    /// Opens a folder in this one.
    ///
    /// # Errors
    /// When it is not there, no folder, or a link.
    pub fn enter(&self, name: &OsStr) -> io::Result<Folder> {
        self.open_at(name, libc::O_RDONLY | FOLDER, 0).map(Folder)
    }

    /// Makes a folder in this one, which nobody but us can enter yet.
    ///
    /// # Errors
    /// When something of that name is there, or took its place at once.
    pub fn make(&self, name: &OsStr) -> io::Result<Folder> {
        let c_name = c_string(name)?;
        // SAFETY: a descriptor of ours and a valid string.
        checked(unsafe { libc::mkdirat(self.0.as_raw_fd(), c_name.as_ptr(), 0o700) })?;
        let made = self.enter(name)?;
        // Whoever writes in this folder may have put another in its place. None of
        // ours that nobody else may write in can be moved by them.
        let found = made.0.metadata()?;
        // SAFETY: cannot fail.
        let ours = unsafe { libc::geteuid() };
        if found.uid() != ours || found.mode() & 0o077 != 0 {
            return Err(io::Error::other("another folder took the place of one just made"));
        }
        Ok(made)
    }

    /// Creates a file in this folder in place of what has its name; only we can
    /// read it yet.
    ///
    /// # Errors
    /// When the system refuses, or a folder has this name.
    pub fn create_file(&self, name: &OsStr) -> io::Result<File> {
        match self.unlink(name, 0) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let flags = libc::O_RDWR | libc::O_CREAT | libc::O_EXCL | libc::O_NOFOLLOW;
        self.open_at(name, flags | libc::O_CLOEXEC, 0o600)
    }

    /// Gives the folder to this user and group, and sets its mode.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn give(&self, owner: Option<(u32, u32)>, mode: u32) -> io::Result<()> {
        give(&self.0, owner, mode)
    }

    /// Who owns it, by number.
    ///
    /// Which folder it is, whoever takes its path.
    ///
    /// # Errors
    /// When the system does not tell.
    pub fn owner(&self) -> io::Result<u32> {
        self.0.metadata().map(|found| found.uid())
    }

    /// The names in it.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        // The kernel's own way to the descriptor; nobody can put a link there.
        let entries = fs::read_dir(format!("/proc/self/fd/{}", self.0.as_raw_fd()))?;
        entries.map(|entry| entry.map(|entry| entry.file_name())).collect()
    }

    /// Removes everything in it. Folders are not descended into: what they hold is
    /// moved up here first, so that the deepest tree needs two descriptors.
    ///
    /// # Errors
    /// When something cannot be removed, or others add to it without end.
    fn clear(&self) -> io::Result<()> {
        let gives_up = Instant::now() + CLEARING;
        let mut moved = 0u64;
        loop {
            let names = self.names()?;
            if names.is_empty() {
                return Ok(());
            }
            if Instant::now() >= gives_up {
                return Err(io::Error::other("others write in it while it is removed"));
            }
            for name in names {
                match self.unlink(&name, 0) {
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

    /// Removes a folder in this one; folders in that one are moved here.
    fn flatten(&self, name: &OsStr, moved: &mut u64) -> io::Result<()> {
        let inner = self.enter(name)?;
        for name in inner.names()? {
            match inner.unlink(&name, 0) {
                Err(error) if error.kind() == ErrorKind::IsADirectory => {
                    inner.move_up(&name, self, moved)?;
                }
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        match self.unlink(name, libc::AT_REMOVEDIR) {
            // Somebody added to it: the next look finds it.
            Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => Ok(()),
            other => other,
        }
    }

    /// Moves a folder into that one, under the first of our names that is free.
    fn move_up(&self, name: &OsStr, to: &Folder, moved: &mut u64) -> io::Result<()> {
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

    /// Opens a name in this folder.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn open_at(&self, name: &OsStr, flags: i32, mode: u32) -> io::Result<File> {
        let name = c_string(name)?;
        // SAFETY: a descriptor of ours and a valid string; what comes is ours alone.
        unsafe {
            match libc::openat(self.0.as_raw_fd(), name.as_ptr(), flags, mode) {
                -1 => Err(io::Error::last_os_error()),
                fd => Ok(File::from_raw_fd(fd)),
            }
        }
    }

    /// Removes a name. `flags`: 0, or `AT_REMOVEDIR` for an empty folder.
    pub fn unlink(&self, name: &OsStr, flags: i32) -> io::Result<()> {
        let name = c_string(name)?;
        // SAFETY: a descriptor of ours and a valid string.
        checked(unsafe { libc::unlinkat(self.0.as_raw_fd(), name.as_ptr(), flags) })
    }

    /// Renames a name in this folder to one in another.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn rename(&self, name: &OsStr, to: &Folder, new: &OsStr) -> io::Result<()> {
        let (name, new) = (c_string(name)?, c_string(new)?);
        let (from, to) = (self.0.as_raw_fd(), to.0.as_raw_fd());
        // SAFETY: descriptors of ours and valid strings.
        checked(unsafe { libc::renameat(from, name.as_ptr(), to, new.as_ptr()) })
    }
}

/// Gives an open file or folder to this user and group, and sets its mode.
///
/// # Errors
/// When the system refuses.
pub fn give(file: &File, owner: Option<(u32, u32)>, mode: u32) -> io::Result<()> {
    if let Some((user, group)) = owner {
        fchown(file, Some(user), Some(group))?;
    }
    file.set_permissions(Permissions::from_mode(mode))
}

/// What the system says of a folder that is to get a name that is not free.
fn is_taken(error: &io::Error) -> bool {
    use ErrorKind::{AlreadyExists, DirectoryNotEmpty, NotADirectory};
    matches!(error.kind(), AlreadyExists | DirectoryNotEmpty | NotADirectory)
}

fn c_string(name: &OsStr) -> io::Result<CString> {
    CString::new(name.as_bytes()).map_err(|_| ErrorKind::InvalidInput.into())
}

fn checked(result: i32) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// A temporary folder, held open from its making to its end.
pub struct Temporary {
    parent: Folder,
    name: OsString,
    path: PathBuf,
    /// The folder itself.
    pub folder: Folder,
}

/// Where a temporary folder is, and which one it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemporaryId {
    /// Its path when it was made.
    pub path: PathBuf,
    /// The folder that had this path then.
    pub id: FileId,
}

impl TemporaryId {
    /// Of the folder that has this path now.
    ///
    /// # Errors
    /// When there is none, or a link.
    pub fn of(path: &Path) -> io::Result<TemporaryId> {
        let id = FileId::of(&Folder::open(path)?.0)?;
        Ok(TemporaryId { path: path.to_owned(), id })
    }
}

impl Temporary {
    /// Makes a folder of this name; `within` is canonical.
    ///
    /// # Errors
    /// When something of that name is there, or the disk refuses.
    pub fn make(within: &Path, name: &str) -> io::Result<Temporary> {
        let parent = Folder::open(within)?;
        let folder = parent.make(name.as_ref())?;
        Ok(Temporary { parent, name: name.into(), path: within.join(name), folder })
    }

    /// The same folder once more; none where it is gone, or another has its path.
    pub fn again(known: &TemporaryId) -> Option<Temporary> {
        let (within, name) = (known.path.parent()?, known.path.file_name()?);
        let parent = Folder::open(within).ok()?;
        let folder = parent.enter(name).ok()?;
        let path = known.path.clone();
        (FileId::of(&folder.0).ok()? == known.id).then(|| Temporary {
            parent,
            name: name.to_owned(),
            path,
            folder,
        })
    }

    /// Where it was made.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Which folder it is, whoever takes its path.
    ///
    /// # Errors
    /// When the system does not tell.
    pub fn id(&self) -> io::Result<TemporaryId> {
        Ok(TemporaryId { path: self.path.clone(), id: FileId::of(&self.folder.0)? })
    }

    /// Removes it with all that it holds.
    ///
    /// # Errors
    /// When something of it stays.
    pub fn remove(&self) -> io::Result<()> {
        self.folder.clear()?;
        match self.parent.unlink(&self.name, libc::AT_REMOVEDIR) {
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
        assert!(temporary.folder.enter("link".as_ref()).is_err());
        assert!(Folder::open(&temporary.path().join("link")).is_err());
        temporary.folder.create_file("file".as_ref()).expect("in the place of the link");
        assert!(!temporary.path().join("file").is_symlink());
        assert!(temporary.folder.make("link".as_ref()).is_err());
        temporary.remove().expect("it is removed");
        assert!(!temporary.path().exists());
        assert_eq!(fs::read_to_string(precious.join("file")).expect("it is there"), "kept");
    }

    #[test]
    fn the_deepest_tree_is_removed() {
        let scratch = Scratch::new();
        let temporary = made(&scratch);
        let mut folder = temporary.folder.make("d".as_ref()).expect("new");
        // More levels than this process may have descriptors.
        for _ in 0..1500 {
            folder.create_file("f".as_ref()).expect("new");
            folder = folder.make("d".as_ref()).expect("new");
        }
        temporary.remove().expect("it is removed");
        assert!(!temporary.path().exists());
    }

    #[test]
    fn a_folder_that_took_the_path_is_another() {
        let scratch = Scratch::new();
        let temporary = made(&scratch);
        let id = temporary.id().expect("known");
        assert!(Temporary::again(&id).is_some());
        fs::rename(temporary.path(), scratch.path().join("moved")).expect("scratch");
        fs::create_dir(temporary.path()).expect("scratch");
        fs::write(temporary.path().join("kept"), "").expect("scratch");
        assert!(Temporary::again(&id).is_none());
        // What was made is cleared wherever it is; the other one stays.
        fs::write(scratch.path().join("moved/file"), "").expect("scratch");
        assert!(temporary.remove().is_err());
        assert!(temporary.path().join("kept").exists());
        assert!(!scratch.path().join("moved/file").exists());
    }
}

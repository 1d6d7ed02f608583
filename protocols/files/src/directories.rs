//! The directory of a store: it is created and marked, and never belongs to anything else.

use super::name::{DIRECTORIES, digit_of};
use engine::EngineError;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use sys::fs::{FlockOperation, Mode, OFlags, flock, mkdirat, openat, retry_on_intr};
use sys::{Errno, process};

/// The file that marks the directory as a store of tiebreak.
const MARKER: &str = ".tiebreak-cache";
/// Its content.
const MARK: &[u8] = b"A cache of tiebreak: its files may be overwritten and removed.\n";

/// 256 open directories. Their files are named relative to them, so no path leads out of the root,
/// whatever is renamed or linked during the measurement; and the path that the system resolves
/// is one name long (Cache_Lite: the whole path).
///
/// All are created in advance. Cache_Lite creates them when a key first needs them, and checks both
/// at every write; that would be in the measured time.
#[derive(Debug)]
pub(super) struct Directories {
    directories: Vec<OwnedFd>,
}

impl Directories {
    /// Takes over `root`, or creates it.
    pub(super) fn new(root: &Path) -> Result<Directories, EngineError> {
        let wrong = |what: &str, error: io::Error| {
            EngineError::system(format!("the cache directory {} {what}", root.display()), error)
        };
        match std::fs::DirBuilder::new().mode(0o700).create(root) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(wrong("cannot be created", error));
            }
            _ => {}
        }
        let opened = std::fs::OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_DIRECTORY | libc::O_NOFOLLOW)
            .open(root)
            .map_err(|error| wrong("cannot be opened (it must not be a symbolic link)", error))?;
        // Several lanes open one directory at once: while one of them marks it, another must not
        // take the new files for somebody else's.
        lock(&opened, FlockOperation::LockExclusive)
            .map_err(|error| wrong("cannot be locked", error))?;
        let claimed = claim(root, &opened);
        lock(&opened, FlockOperation::Unlock)
            .map_err(|error| wrong("cannot be unlocked", error))?;
        claimed?;
        let unmade = |error| wrong("has a subdirectory that cannot be created or opened", error);
        let mut directories = Vec::with_capacity(DIRECTORIES);
        for first in 0..16 {
            let outer = directory(&opened, &[digit_of(first)]).map_err(unmade)?;
            for second in 0..16 {
                let name = [digit_of(first), digit_of(second)];
                directories.push(directory(&outer, &name).map_err(unmade)?);
            }
        }
        Ok(Directories { directories })
    }

    /// Returns the descriptor of a directory.
    #[inline]
    pub(super) fn at(&self, directory: usize) -> &OwnedFd {
        &self.directories[directory]
    }
}

fn lock(opened: &File, operation: FlockOperation) -> io::Result<()> {
    Ok(retry_on_intr(|| flock(opened, operation))?)
}

/// Makes sure that the directory is a store: marked, or empty and then marked.
fn claim(root: &Path, opened: &File) -> Result<(), EngineError> {
    let refuse = |why: &str| {
        Err(EngineError::Order(format!(
            "the cache directory {} {why}; name one that is empty or does not exist yet",
            root.display()
        )))
    };
    let unread = |error| EngineError::system(format!("cannot read {}", root.display()), error);
    if opened.metadata().map_err(unread)?.uid() != process::user() {
        return refuse("belongs to another user");
    }
    // By its descriptor: the directory that was opened, and not the one that has the name now.
    let inside = Path::new("/proc/self/fd").join(opened.as_raw_fd().to_string());
    let mut options = std::fs::OpenOptions::new();
    let options = options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).mode(0o600);
    match options.read(true).open(inside.join(MARKER)) {
        Ok(marker) => {
            let mut says = Vec::new();
            marker.take(MARK.len() as u64 + 1).read_to_end(&mut says).map_err(unread)?;
            if says == MARK {
                return Ok(());
            }
            return refuse(&format!("has a {MARKER} that was not written by tiebreak"));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(unread(error)),
    }
    if std::fs::read_dir(&inside).map_err(unread)?.next().is_some() {
        return refuse("contains files that tiebreak did not create");
    }
    options.read(false).write(true).create_new(true);
    let marked = options.open(inside.join(MARKER)).and_then(|mut marker| marker.write_all(MARK));
    marked.map_err(|error| EngineError::system(format!("cannot mark {}", root.display()), error))
}

/// Creates a directory if there is none, and opens it.
fn directory(within: impl AsFd, name: &[u8]) -> io::Result<OwnedFd> {
    match retry_on_intr(|| mkdirat(&within, name, Mode::RWXU)) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(errno) => return Err(errno.into()),
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(retry_on_intr(|| openat(&within, name, flags, Mode::empty()))?)
}

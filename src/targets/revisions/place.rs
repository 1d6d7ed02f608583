//! The directory of one snapshot: its tree, what was built into its cache, and who uses it.

use super::{all, key};
use crate::system::cache;
use crate::system::cache::Lock;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The file that marks a directory as one of ours, and that its user holds locked.
pub(super) const LOCK: &str = "lock";
/// The file that says what was built, once everything was.
pub(super) const BUILT: &str = "built";
const TREE: &str = "tree";
const CACHE: &str = "cache";
const LOG: &str = "build.log";

/// The directory of a snapshot, which no other process uses. All of them have paths of one length.
pub(super) struct Place {
    directory: PathBuf,
    /// The text that identifies what is built. None if it is not kept.
    key: Option<String>,
    /// Whether everything was built when it was entered, for this key, and nothing has changed since.
    is_complete: bool,
    /// Whether a command failed, so that the log must stay for the user.
    has_failed: bool,
    _lock: Lock,
}

impl Place {
    /// The directory for this key. While another process uses it, a temporary one.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(super) fn kept(key: &str) -> Result<Place, String> {
        let directory = all()?.join(key::digest(key.as_bytes()));
        match Place::at(directory, Some(key.to_owned()))? {
            Some(place) => Ok(place),
            None => Place::temporary(),
        }
    }

    /// A directory that is removed in the end.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(super) fn temporary() -> Result<Place, String> {
        loop {
            let seed = crate::system::host::draw_seed().map_err(|error| error.to_string())?;
            let directory = all()?.join(format!("{seed:016x}"));
            if !directory.exists()
                && let Some(place) = Place::at(directory, None)?
            {
                return Ok(place);
            }
        }
    }

    /// Returns None if another process uses it.
    fn at(directory: PathBuf, key: Option<String>) -> Result<Option<Place>, String> {
        let fails = |error: io::Error| {
            let directory = text::shown::shown(directory.display().to_string());
            format!("the cache directory {directory} cannot be written: {error}")
        };
        let lock = loop {
            cache::make(&directory).map_err(fails)?;
            match Lock::try_take(&directory.join(LOCK)) {
                // Another process has just moved it away to remove it.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                taken => break taken.map_err(fails)?,
            }
        };
        let Some(lock) = lock else { return Ok(None) };
        let mut place = Place {
            directory: directory.clone(),
            key,
            is_complete: false,
            has_failed: false,
            _lock: lock,
        };
        place.is_complete = place.has_all();
        if !place.is_complete {
            place.empty().map_err(fails)?;
        }
        let _ = fs::File::open(place.directory.join(BUILT))
            .and_then(|built| built.set_modified(SystemTime::now()));
        Ok(Some(place))
    }

    /// The top of the tree.
    pub(super) fn tree(&self) -> PathBuf {
        self.directory.join(TREE)
    }

    pub(super) fn cache(&self) -> PathBuf {
        self.directory.join(CACHE)
    }

    pub(super) fn log(&self) -> PathBuf {
        self.directory.join(LOG)
    }

    pub(super) fn is_complete(&self) -> bool {
        self.is_complete
    }

    fn has_all(&self) -> bool {
        let Some(key) = &self.key else { return false };
        let built = fs::read_to_string(self.directory.join(BUILT)).unwrap_or_default();
        let mut lines = built.lines();
        let state = lines.next().map(str::to_owned);
        lines.eq(key.lines()) && state.is_some() && self.state().ok() == state
    }

    /// Notes that a command failed: the log stays when the rest is removed.
    pub(super) fn fail(&mut self) {
        self.has_failed = true;
    }

    /// Notes that everything was built.
    pub(super) fn complete(&self) -> io::Result<()> {
        let Some(key) = &self.key else { return Ok(()) };
        let state = self.state()?;
        let mut built = fs::File::create(self.directory.join(BUILT))?;
        built.write_all(format!("{state}\n{key}").as_bytes())
    }

    /// A digest of what the tree and the cache contain.
    fn state(&self) -> io::Result<String> {
        let mut digest = Sha256::new();
        for directory in [TREE, CACHE] {
            note(&self.directory.join(directory), &mut digest, &mut 0)?;
        }
        Ok(key::digest(&digest.finalize()))
    }

    fn empty(&self) -> io::Result<()> {
        for name in [BUILT, TREE, CACHE, LOG] {
            remove(&self.directory.join(name))?;
        }
        fs::create_dir(self.cache())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // What cannot be removed now is removed by `tiebreak clean`.
        if self.has_failed {
            let _ = remove(&self.tree()).and_then(|()| remove(&self.cache()));
        } else if self.key.is_none() || !self.directory.join(BUILT).exists() {
            let _ = discard(&self.directory);
        }
    }
}

/// Adds what would change if a file below this were written, replaced or removed. The index of git is left
/// out: git writes it again when it is asked for the state of the tree.
fn note(path: &Path, digest: &mut Sha256, bytes: &mut u64) -> io::Result<()> {
    let about = path.symlink_metadata()?;
    digest.update(path.as_os_str().as_bytes());
    digest.update([0]);
    digest.update(about.mode().to_le_bytes());
    if about.is_dir() {
        let entries = fs::read_dir(path)?.collect::<io::Result<Vec<_>>>()?;
        let mut entries: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
        entries.retain(|entry| !entry.ends_with(".git"));
        entries.sort();
        return entries.iter().try_for_each(|entry| note(entry, digest, bytes));
    }
    *bytes += about.blocks() * 512;
    digest.update(about.len().to_le_bytes());
    digest.update(about.mtime().to_le_bytes());
    digest.update(about.mtime_nsec().to_le_bytes());
    Ok(())
}

/// The size of what is in a directory, in bytes on the disk.
pub(super) fn size(directory: &Path) -> u64 {
    let mut bytes = 0;
    let _ = note(directory, &mut Sha256::new(), &mut bytes);
    bytes
}

/// Removes a snapshot whose lock we hold. It gets another name first, because who comes now makes the
/// directory again, with a lock of its own.
pub(super) fn discard(snapshot: &Path) -> io::Result<()> {
    let seed = crate::system::host::draw_seed()?;
    let moved = snapshot.with_file_name(format!("{seed:016x}"));
    fs::rename(snapshot, &moved)?;
    remove(&moved)
}

/// Removes a file or a directory, also if a build took the right to write in it away.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    let Ok(about) = path.symlink_metadata() else { return Ok(()) };
    if !about.is_dir() {
        return fs::remove_file(path);
    }
    fs::remove_dir_all(path).or_else(|_| {
        open(path)?;
        fs::remove_dir_all(path)
    })
}

fn open(directory: &Path) -> io::Result<()> {
    fs::set_permissions(directory, fs::Permissions::from_mode(0o700))?;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            open(&entry.path())?;
        }
    }
    Ok(())
}

//! Only one tiebreak of a user fetches or builds at a time. The lock ends with the process,
//! however it ends.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use sys::fs::{FlockOperation, flock, retry_on_intr};

/// A lock that is held until this is dropped.
pub(crate) struct Lock {
    _held: File,
}

impl Lock {
    /// Locks this file, which is created if it does not exist. `waits` is called once if another
    /// process holds the lock.
    ///
    /// # Errors
    /// When the file cannot be made or locked.
    pub(crate) fn take(file: &Path, waits: impl FnOnce()) -> io::Result<Lock> {
        let file = open(file)?;
        match lock(&file, FlockOperation::NonBlockingLockExclusive) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                waits();
                lock(&file, FlockOperation::LockExclusive)?;
            }
            other => other?,
        }
        Ok(Lock { _held: file })
    }

    /// Locks this file, which is created if it does not exist. Returns None if another process holds the lock.
    /// The file is still at its path then: whoever holds the lock may move it away with its directory.
    ///
    /// # Errors
    /// When the file cannot be made or locked.
    pub(crate) fn try_take(path: &Path) -> io::Result<Option<Lock>> {
        loop {
            let file = open(path)?;
            match lock(&file, FlockOperation::NonBlockingLockExclusive) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                taken => taken?,
            }
            if is_at(&file, path)? {
                return Ok(Some(Lock { _held: file }));
            }
        }
    }
}

/// Whether the open file is the one that its path names.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let held = file.metadata()?;
    match path.symlink_metadata() {
        Ok(named) => Ok((named.dev(), named.ino()) == (held.dev(), held.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn open(file: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(0o600);
    options.custom_flags(libc::O_NOFOLLOW).open(file)
}

fn lock(file: &File, how: FlockOperation) -> io::Result<()> {
    Ok(retry_on_intr(|| flock(file, how))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use std::sync::mpsc;
    use std::thread;

    #[test]
    fn the_second_waits_until_the_first_is_done() {
        let scratch = Scratch::new();
        let file = scratch.path().join("lock");
        let first = Lock::take(&file, || panic!("nobody holds it")).expect("free");
        let (tell, message) = mpsc::channel();
        let second = thread::spawn(move || {
            let waits = tell.clone();
            let held = Lock::take(&file, || waits.send("waits").expect("heard"));
            tell.send("has it").expect("heard");
            held.map(drop)
        });
        assert_eq!(message.recv(), Ok("waits"));
        assert!(message.try_recv().is_err(), "the first one has it");
        drop(first);
        assert_eq!(message.recv(), Ok("has it"));
        second.join().expect("ended").expect("locked");
    }

    #[test]
    fn a_lock_that_was_moved_away_is_not_that_of_its_path() {
        let scratch = Scratch::new();
        let (path, moved) = (scratch.path().join("lock"), scratch.path().join("moved"));
        let opened = open(&path).expect("made");
        let first = Lock::try_take(&path).expect("free").expect("free");
        assert!(Lock::try_take(&path).expect("readable").is_none());
        std::fs::rename(&path, &moved).expect("moved");
        assert!(!is_at(&opened, &path).expect("readable"), "nothing is there");
        let second = Lock::try_take(&path).expect("a new file");
        assert!(second.is_some() && !is_at(&opened, &path).expect("readable"));
        drop(first);
    }
}

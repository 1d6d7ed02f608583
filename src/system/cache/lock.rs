//! Only one tiebreak of a user fetches or builds at a time. The lock ends with the process,
//! however it ends.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
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
    ///
    /// # Errors
    /// When the file cannot be made or locked.
    pub(crate) fn try_take(file: &Path) -> io::Result<Option<Lock>> {
        let file = open(file)?;
        match lock(&file, FlockOperation::NonBlockingLockExclusive) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            taken => taken.map(|()| Some(Lock { _held: file })),
        }
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
}

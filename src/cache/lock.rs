//! Only one tiebreak of a user fetches or builds at a time. The lock ends with the process,
//! however it ends.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

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
        let flags = libc::O_NOFOLLOW;
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(flags)
            .open(file)?;
        match flock(&file, libc::LOCK_EX | libc::LOCK_NB) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                waits();
                flock(&file, libc::LOCK_EX)?;
            }
            other => other?,
        }
        Ok(Lock { _held: file })
    }
}

fn flock(file: &File, how: i32) -> io::Result<()> {
    loop {
        // SAFETY: a descriptor of ours.
        if unsafe { libc::flock(file.as_raw_fd(), how) } == 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
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

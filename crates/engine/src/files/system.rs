//! System calls on files, with the errno as error.

use crate::clock;
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};

/// Repeats a call until it succeeds, fails, or is interrupted after `gives_up` (that is
/// `ETIMEDOUT`). If it is interrupted before, it is repeated.
#[inline]
pub(super) fn call(gives_up: u64, mut this: impl FnMut() -> isize) -> Result<usize, i32> {
    loop {
        let result = this();
        if result >= 0 {
            return Ok(result as usize);
        }
        // SAFETY: the address of this thread's errno is always valid.
        match unsafe { *libc::__errno_location() } {
            libc::EINTR if clock::now() < gives_up => {}
            libc::EINTR => return Err(libc::ETIMEDOUT),
            errno => return Err(errno),
        }
    }
}

/// An open file.
pub(super) struct Open {
    file: OwnedFd,
    gives_up: u64,
}

/// The state of an open file.
pub(super) struct FileState {
    /// Bytes.
    pub(super) bytes: u64,
    /// When it was last written, in nanoseconds since 1970.
    pub(super) written: u64,
    /// It is a regular file.
    pub(super) regular: bool,
}

impl Open {
    /// Opens `name` in `directory`, but never the target of a symbolic link.
    ///
    /// # Safety
    /// `name` ends with a 0.
    #[inline]
    pub(super) unsafe fn at(
        directory: RawFd,
        name: *const libc::c_char,
        flags: libc::c_int,
        gives_up: u64,
    ) -> Result<Open, i32> {
        let flags = flags | libc::O_CLOEXEC | libc::O_NOFOLLOW;
        // SAFETY: the caller guarantees that the name ends with a 0.
        let fd =
            call(gives_up, || unsafe { libc::openat(directory, name, flags, 0o600) } as isize)?;
        // SAFETY: a descriptor that was just opened and that nobody else owns.
        Ok(Open { file: unsafe { OwnedFd::from_raw_fd(fd as RawFd) }, gives_up })
    }

    /// Waits for the lock; closing the file releases it.
    #[inline]
    pub(super) fn lock(&self, how: libc::c_int) -> Result<(), i32> {
        // SAFETY: no pointers.
        call(self.gives_up, || unsafe { libc::flock(self.fd(), how) } as isize).map(drop)
    }

    #[inline]
    pub(super) fn state(&self) -> Result<FileState, i32> {
        // SAFETY: an all-zero stat is valid, and is valid for writes.
        let mut stat: libc::stat = unsafe { std::mem::zeroed() };
        call(self.gives_up, || unsafe { libc::fstat(self.fd(), &mut stat) } as isize)?;
        // A time before 1970 counts as 1970, which is old enough.
        let seconds = u64::try_from(stat.st_mtime).unwrap_or(0);
        Ok(FileState {
            bytes: stat.st_size as u64,
            written: seconds.saturating_mul(1_000_000_000) + stat.st_mtime_nsec as u64,
            regular: stat.st_mode & libc::S_IFMT == libc::S_IFREG,
        })
    }

    /// Reads up to `bytes` into `buffer`; fewer if the file is shorter.
    #[inline]
    pub(super) fn read(&self, bytes: usize, buffer: &mut Vec<u8>) -> Result<(), i32> {
        buffer.reserve(bytes);
        while buffer.len() < bytes {
            let left = bytes - buffer.len();
            let room = buffer.spare_capacity_mut().as_mut_ptr();
            // SAFETY: `left` bytes were reserved after the existing content.
            let read = || unsafe { libc::read(self.fd(), room.cast(), left) };
            let got = call(self.gives_up, read)?;
            if got == 0 {
                break;
            }
            // SAFETY: `got` bytes were written there.
            unsafe { buffer.set_len(buffer.len() + got) };
        }
        Ok(())
    }

    #[inline]
    pub(super) fn write(&self, mut bytes: &[u8]) -> Result<(), i32> {
        while !bytes.is_empty() {
            // SAFETY: the slice is readable.
            let write = || unsafe { libc::write(self.fd(), bytes.as_ptr().cast(), bytes.len()) };
            let took = call(self.gives_up, write)?;
            bytes = &bytes[took..];
        }
        Ok(())
    }

    /// Empties the file.
    #[inline]
    pub(super) fn empty(&self) -> Result<(), i32> {
        // SAFETY: no pointers.
        call(self.gives_up, || unsafe { libc::ftruncate(self.fd(), 0) } as isize).map(drop)
    }

    /// Waits until the file is on its disk.
    #[inline]
    pub(super) fn sync(&self) -> Result<(), i32> {
        // SAFETY: no pointers.
        call(self.gives_up, || unsafe { libc::fsync(self.fd()) } as isize).map(drop)
    }

    /// Closes the file: some file systems report only then that they are full.
    #[inline]
    pub(super) fn close(self) -> Result<(), i32> {
        // SAFETY: we own the descriptor and give it up here. Linux closes it even if the call is
        // interrupted, so it is never repeated.
        match unsafe { libc::close(self.file.into_raw_fd()) } {
            0 => Ok(()),
            // SAFETY: the address of this thread's errno is always valid.
            _ => match unsafe { *libc::__errno_location() } {
                libc::EINTR => Ok(()),
                errno => Err(errno),
            },
        }
    }

    fn fd(&self) -> RawFd {
        self.file.as_raw_fd()
    }
}

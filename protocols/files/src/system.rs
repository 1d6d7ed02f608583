//! System calls on files, with the errno as error.

use engine::clock;
use std::ffi::CStr;
use std::os::fd::{AsFd, OwnedFd};
use sys::Errno;
use sys::fs::{self, FlockOperation, Mode, OFlags};

/// Repeats a call until it succeeds, fails, or is interrupted after `gives_up` (that is
/// `ETIMEDOUT`). If it is interrupted before, it is repeated.
#[inline]
pub(super) fn call<T>(gives_up: u64, mut this: impl FnMut() -> Result<T, Errno>) -> Result<T, i32> {
    loop {
        match this() {
            Ok(result) => return Ok(result),
            Err(Errno::INTR) if clock::now() < gives_up => {}
            Err(Errno::INTR) => return Err(libc::ETIMEDOUT),
            Err(errno) => return Err(errno.raw_os_error()),
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
    #[inline]
    pub(super) fn at(
        directory: &OwnedFd,
        name: &CStr,
        flags: OFlags,
        gives_up: u64,
    ) -> Result<Open, i32> {
        let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let mode = Mode::RUSR | Mode::WUSR;
        let file = call(gives_up, || fs::openat(directory.as_fd(), name, flags, mode))?;
        Ok(Open { file, gives_up })
    }

    /// Waits for the lock; closing the file releases it.
    #[inline]
    pub(super) fn lock(&self, how: FlockOperation) -> Result<(), i32> {
        call(self.gives_up, || fs::flock(&self.file, how))
    }

    #[inline]
    pub(super) fn state(&self) -> Result<FileState, i32> {
        let stat = call(self.gives_up, || fs::fstat(&self.file))?;
        // A time before 1970 counts as 1970, which is old enough.
        let seconds = u64::try_from(stat.st_mtime).unwrap_or(0);
        Ok(FileState {
            bytes: stat.st_size as u64,
            written: seconds.saturating_mul(1_000_000_000) + stat.st_mtime_nsec,
            regular: stat.st_mode & libc::S_IFMT == libc::S_IFREG,
        })
    }

    /// Reads up to `bytes` into `buffer`; fewer if the file is shorter.
    #[inline]
    pub(super) fn read(&self, bytes: usize, buffer: &mut Vec<u8>) -> Result<(), i32> {
        buffer.reserve(bytes);
        while buffer.len() < bytes {
            let read = || fs::read(&self.file, fs::spare_capacity(buffer));
            if call(self.gives_up, read)? == 0 {
                break;
            }
        }
        // There is more if the file has grown meanwhile and the buffer has room for it.
        buffer.truncate(bytes);
        Ok(())
    }

    #[inline]
    pub(super) fn write(&self, mut bytes: &[u8]) -> Result<(), i32> {
        while !bytes.is_empty() {
            let took = call(self.gives_up, || fs::write(&self.file, bytes))?;
            bytes = &bytes[took..];
        }
        Ok(())
    }

    /// Empties the file.
    #[inline]
    pub(super) fn empty(&self) -> Result<(), i32> {
        call(self.gives_up, || fs::ftruncate(&self.file, 0))
    }

    /// Waits until the file is on its disk.
    #[inline]
    pub(super) fn sync(&self) -> Result<(), i32> {
        call(self.gives_up, || fs::fsync(&self.file))
    }

    /// Closes the file: some file systems report only then that they are full.
    #[inline]
    pub(super) fn close(self) -> Result<(), i32> {
        match fs::close(self.file) {
            // Linux closes it even if the call is interrupted.
            Ok(()) | Err(Errno::INTR) => Ok(()),
            Err(errno) => Err(errno.raw_os_error()),
        }
    }
}

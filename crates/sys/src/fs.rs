//! Files and directories by descriptor, and without following links.

use std::io;
use std::os::fd::{IntoRawFd, OwnedFd};
use std::path::Path;

pub use rustix::buffer::spare_capacity;
pub use rustix::fs::{
    AtFlags, FallocateFlags, FlockOperation, Mode, OFlags, fallocate, fcntl_setfl, flock, fstat,
    fsync, ftruncate, linkat, mkdirat, open, openat, renameat, unlinkat,
};
pub use rustix::io::{read, retry_on_intr, write};

/// Closes a file: some file systems report only then that they are full.
///
/// # Errors
/// Returns the errno. Linux closes the file in any case.
#[inline]
pub fn close(file: OwnedFd) -> Result<(), crate::Errno> {
    // SAFETY: we own the descriptor and give it up here. It is never closed again.
    match unsafe { libc::close(file.into_raw_fd()) } {
        0 => Ok(()),
        _ => {
            Err(crate::Errno::from_io_error(&io::Error::last_os_error())
                .unwrap_or(crate::Errno::IO))
        }
    }
}

/// Bytes that whoever is not privileged may still write to the file system of a path (statfs(2)).
///
/// # Errors
/// If the path does not exist.
pub fn free_bytes(path: &Path) -> io::Result<u64> {
    let about = rustix::fs::statvfs(path)?;
    Ok(about.f_bavail.saturating_mul(about.f_frsize))
}

/// The magic number of the file system of a path (statfs(2)).
///
/// # Errors
/// If the path does not exist.
pub fn file_system(path: &Path) -> io::Result<i64> {
    Ok(rustix::fs::statfs(path)?.f_type as i64 & 0xFFFF_FFFF)
}

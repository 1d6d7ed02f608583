//! Meaning of a system error for an operation on a file.

use record::Failure;

/// Returns the class of an errno. A file that is absent, or that prevents an `add`, is an answer
/// and no failure: the store handles `ENOENT` and `EEXIST` before.
pub(super) fn failure(errno: i32) -> Failure {
    match errno {
        // EFBIG: the file system (or `ulimit -f`) does not allow a file of this length.
        libc::ENOSPC | libc::EDQUOT | libc::EFBIG => Failure::Full,
        libc::EACCES | libc::EPERM | libc::EROFS => Failure::Denied,
        libc::EMFILE | libc::ENFILE => Failure::NoDescriptor,
        libc::ENOMEM | libc::ENOBUFS | libc::ENOLCK => Failure::NoMemory,
        libc::ETIMEDOUT => Failure::Timeout,
        // EIO, ESTALE, a directory that was removed (ENOENT), and whatever else is in the place of
        // a file of the store (EISDIR, ELOOP, ENXIO).
        _ => Failure::Io,
    }
}

#[cfg(test)]
mod tests {
    use super::failure;
    use record::FaultOwner;

    #[test]
    fn each_error_has_its_class_and_its_owner() {
        let table = [
            (libc::ENOSPC, "full", FaultOwner::Theirs),
            (libc::EDQUOT, "full", FaultOwner::Theirs),
            (libc::EFBIG, "full", FaultOwner::Theirs),
            (libc::EACCES, "denied", FaultOwner::Theirs),
            (libc::EROFS, "denied", FaultOwner::Theirs),
            (libc::EIO, "io", FaultOwner::Theirs),
            (libc::ENOENT, "io", FaultOwner::Theirs),
            (libc::EISDIR, "io", FaultOwner::Theirs),
            (libc::ETIMEDOUT, "timeout", FaultOwner::Theirs),
            (libc::EMFILE, "no_descriptor", FaultOwner::Ours),
            (libc::ENFILE, "no_descriptor", FaultOwner::Ours),
            (libc::ENOMEM, "no_memory", FaultOwner::Ours),
        ];
        for (errno, name, fault_owner) in table {
            let class = failure(errno);
            assert_eq!((class.name(), class.fault_owner()), (name, fault_owner), "errno {errno}");
        }
    }
}

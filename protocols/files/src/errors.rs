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
            (libc::ENOSPC, "full", FaultOwner::Target),
            (libc::EDQUOT, "full", FaultOwner::Target),
            (libc::EFBIG, "full", FaultOwner::Target),
            (libc::EACCES, "denied", FaultOwner::Target),
            (libc::EROFS, "denied", FaultOwner::Target),
            (libc::EIO, "io", FaultOwner::Target),
            (libc::ENOENT, "io", FaultOwner::Target),
            (libc::EISDIR, "io", FaultOwner::Target),
            (libc::ETIMEDOUT, "timeout", FaultOwner::Target),
            (libc::EMFILE, "no_descriptor", FaultOwner::Generator),
            (libc::ENFILE, "no_descriptor", FaultOwner::Generator),
            (libc::ENOMEM, "no_memory", FaultOwner::Generator),
        ];
        for (errno, name, fault_owner) in table {
            let class = failure(errno);
            assert_eq!((class.name(), class.fault_owner()), (name, fault_owner), "errno {errno}");
        }
    }
}

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
        // EIO, ESTALE, a folder that was removed (ENOENT), and whatever else is in the place of
        // a file of the store (EISDIR, ELOOP, ENXIO).
        _ => Failure::Io,
    }
}

#[cfg(test)]
mod tests {
    use super::failure;
    use record::Whose;

    #[test]
    fn each_error_has_its_class_and_its_owner() {
        let table = [
            (libc::ENOSPC, "full", Whose::Theirs),
            (libc::EDQUOT, "full", Whose::Theirs),
            (libc::EFBIG, "full", Whose::Theirs),
            (libc::EACCES, "denied", Whose::Theirs),
            (libc::EROFS, "denied", Whose::Theirs),
            (libc::EIO, "io", Whose::Theirs),
            (libc::ENOENT, "io", Whose::Theirs),
            (libc::EISDIR, "io", Whose::Theirs),
            (libc::ETIMEDOUT, "timeout", Whose::Theirs),
            (libc::EMFILE, "no_descriptor", Whose::Ours),
            (libc::ENFILE, "no_descriptor", Whose::Ours),
            (libc::ENOMEM, "no_memory", Whose::Ours),
        ];
        for (errno, name, whose) in table {
            let class = failure(errno);
            assert_eq!((class.name(), class.whose()), (name, whose), "errno {errno}");
        }
    }
}

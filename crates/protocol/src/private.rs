//! Files and directories that only their owner may read, because those of a run show what a user
//! measured.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// Creates a file. An existing file or link of that name is neither followed nor touched.
///
/// # Errors
/// If something of that name exists, or the system refuses.
pub fn create_file(file: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(file)
}

/// Creates a directory, in the same way.
///
/// # Errors
/// If something of that name exists, or the system refuses.
pub fn create_directory(directory: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(directory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn they_are_the_owners_alone_and_never_behind_a_link() {
        let scratch = Scratch::new();
        let path = |name: &str| scratch.path().join(name);
        let mode = |path: &Path| path.metadata().expect("there").permissions().mode() & 0o777;
        create_directory(&path("directory")).expect("new");
        create_file(&path("directory/file")).expect("new");
        assert_eq!((mode(&path("directory")), mode(&path("directory/file"))), (0o700, 0o600));
        symlink(path("directory/planted"), path("link")).expect("scratch");
        for taken in ["directory/file", "directory", "link"] {
            let file = create_file(&path(taken)).expect_err(taken);
            let directory = create_directory(&path(taken)).expect_err(taken);
            assert_eq!(file.kind(), io::ErrorKind::AlreadyExists, "{taken}");
            assert_eq!(directory.kind(), io::ErrorKind::AlreadyExists, "{taken}");
        }
        assert!(!path("directory/planted").exists());
    }
}

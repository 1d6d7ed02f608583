//! Finds programs as `execvp` does, but can say what it looked for.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use text::shown::shown;
use thiserror::Error;

/// Why a program cannot be started by its name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FindError {
    /// There is no file at this path.
    #[error("`{}` does not exist", shown(.0))]
    NoFile(String),
    /// The file at this path is not executable.
    #[error("`{}` is not executable", shown(.0))]
    NotExecutable(String),
    /// No directory of `PATH` has an executable file of this name.
    #[error("the program `{}` is not installed (not found in PATH)", shown(.0))]
    NotInPath(String),
}

/// Returns the file that runs if a process in `cwd` with this `PATH` starts `name`.
///
/// # Errors
/// If there is none, or it is not executable.
pub fn find(name: &str, path: &str, cwd: &Path) -> Result<PathBuf, FindError> {
    if name.contains('/') {
        let file = cwd.join(name);
        return match std::fs::metadata(&file) {
            Ok(_) if executable(&file) => Ok(file),
            Ok(_) => Err(FindError::NotExecutable(name.to_owned())),
            Err(_) => Err(FindError::NoFile(name.to_owned())),
        };
    }
    let directories = path.split(':').filter(|directory| !directory.is_empty());
    let mut files = directories.map(|directory| cwd.join(directory).join(name));
    let found = files.find(|file| !name.is_empty() && executable(file));
    found.ok_or_else(|| FindError::NotInPath(name.to_owned()))
}

fn executable(file: &Path) -> bool {
    std::fs::metadata(file)
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn programs_are_found_in_order_and_named_when_they_are_not() {
        let directory = Scratch::new();
        let make = |name: &str, mode| {
            let file = directory.path().join(name);
            std::fs::create_dir_all(file.parent().expect("a directory")).expect("scratch");
            std::fs::write(&file, "#!/bin/sh\n").expect("scratch");
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).expect("chmod");
            file
        };
        make("a/server", 0o644);
        let server = make("b/server", 0o755);
        let path = format!("{0}/a::{0}/b:/usr/bin", directory.path().display());
        let find = |name| find(name, &path, directory.path());
        assert_eq!(find("server"), Ok(server.clone()));
        assert_eq!(find("./b/server").map(|p| p.exists()), Ok(true));
        assert_eq!(find(server.to_str().expect("plain")), Ok(server.clone()));
        for (name, message) in [
            ("a/server", "`a/server` is not executable"),
            ("./nothing", "`./nothing` does not exist"),
            ("nothing", "the program `nothing` is not installed (not found in PATH)"),
            ("", "the program `` is not installed (not found in PATH)"),
            ("a", "the program `a` is not installed (not found in PATH)"),
        ] {
            assert_eq!(find(name).unwrap_err().to_string(), message);
        }
    }
}

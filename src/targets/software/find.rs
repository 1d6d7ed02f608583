//! Finds software on this machine.

use crate::system::cache;
use keeper::programs;
use protocol::{Installed, Software};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use text::shown::shown;

/// Where all fetched software is, one directory each. Returns None if this user has no cache
/// directory.
pub(super) fn all() -> Option<PathBuf> {
    cache::directory().map(|cache| cache.join("software"))
}

/// The directory of this software: that of the installed copy, otherwise that of the fetched
/// one.
///
/// # Errors
/// A sentence with the remedy, if it is neither installed nor fetched, or if the
/// variable for its directory names a different one.
pub(crate) fn find(software: &Software) -> Result<PathBuf, String> {
    find_in(software, &|name| std::env::var_os(name), all().as_deref())
}

fn find_in(
    software: &Software,
    environment: &dyn Fn(&str) -> Option<OsString>,
    fetched: Option<&Path>,
) -> Result<PathBuf, String> {
    if let Some(installed) = &software.installed
        && let Some(directory) = find_installed(installed, environment)?
    {
        return Ok(directory);
    }
    let directory = fetched.map(|all| all.join(software.directory()));
    let is_there = |directory: &PathBuf| cache::is_directory_of_ours(directory).unwrap_or(false);
    directory.filter(is_there).ok_or_else(|| {
        let installed = software.installed.as_ref().map_or(String::new(), |installed| {
            format!(
                " ({} is not set, and `{}` is not in PATH)",
                installed.variable, installed.program
            )
        });
        let (shown, setup) = (software.shown(), software.setup);
        format!(
            "{shown} is not installed on this machine{installed}: run `tiebreak setup \
                 {setup}`"
        )
    })
}
/// Its directory, if it is installed.
fn find_installed(
    installed: &Installed,
    environment: &dyn Fn(&str) -> Option<OsString>,
) -> Result<Option<PathBuf>, String> {
    if let Some(named) = environment(installed.variable).filter(|named| !named.is_empty()) {
        let directory = PathBuf::from(&named);
        if directory.is_absolute() && is_in(installed, &directory) {
            return Ok(Some(directory));
        }
        return Err(format!(
            "{} is `{}`, but that directory contains no lib/{}*.jar: set it to the directory \
             of an installation, or unset it",
            installed.variable,
            shown(named.as_encoded_bytes()),
            installed.jar,
        ));
    }
    let path = environment("PATH").unwrap_or_default();
    let program = programs::find(installed.program, &path.to_string_lossy(), Path::new("/"));
    let Ok(program) = program.map(|found| found.canonicalize().unwrap_or(found)) else {
        return Ok(None);
    };
    let above = program.parent().and_then(Path::parent).map(Path::to_owned);
    let directories = above.into_iter().chain([PathBuf::from(installed.elsewhere)]);
    Ok(directories.into_iter().find(|directory| is_in(installed, directory)))
}

/// Whether its jar is in this directory, or in `lib` of it.
fn is_in(installed: &Installed, directory: &Path) -> bool {
    [directory.join("lib"), directory.to_owned()].iter().any(|directory| {
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut names = names.filter(|name| name.starts_with(installed.jar));
        names.any(|name| name.ends_with(".jar"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    /// A directory with an installed Cassandra below `name`.
    fn install(scratch: &Scratch, name: &str) -> PathBuf {
        let directory = scratch.path().join(name);
        fs::create_dir_all(directory.join("lib")).expect("scratch");
        fs::create_dir_all(directory.join("bin")).expect("scratch");
        fs::write(directory.join("lib/apache-cassandra-5.0.1.jar"), "").expect("scratch");
        let program = directory.join("bin/cassandra");
        fs::write(&program, "").expect("scratch");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("scratch");
        directory
    }

    /// Where it is found with these variables.
    fn found(name: &str, variables: &[(&str, &Path)], fetched: &Path) -> Result<PathBuf, String> {
        let environment = |name: &str| {
            let of_name = variables.iter().find(|(other, _)| *other == name);
            of_name.map(|(_, value)| value.as_os_str().to_owned())
        };
        find_in(super::super::named(name).expect("known"), &environment, Some(fetched))
    }

    #[test]
    fn an_installed_one_comes_before_the_one_that_was_fetched() {
        let scratch = Scratch::new();
        let (one, other) = (install(&scratch, "one"), install(&scratch, "other"));
        let cache = scratch.path().join("cache");
        let fetched = cache.join("cassandra-5.0.9");
        cache::make(&fetched).expect("scratch");
        let bin = other.join("bin");
        let both: [(&str, &Path); 2] = [("CASSANDRA_HOME", &one), ("PATH", &bin)];
        assert_eq!(found("cassandra-5.0", &both, &cache), Ok(one.clone()));
        assert_eq!(found("cassandra-5.0", &both[1..], &cache), Ok(other));
        assert_eq!(found("cassandra-5.0", &[], &cache), Ok(fetched));
        let message = found("cassandra-1.2", &both, &cache).expect_err("another version");
        assert_eq!(
            message,
            "Cassandra 1.2.8 is not installed on this machine: run `tiebreak setup \
                          cassandra`"
        );
    }

    #[test]
    fn what_is_missing_or_wrong_is_reported_with_the_remedy() {
        let scratch = Scratch::new();
        let cache = scratch.path().join("cache");
        let message = found("cassandra-5.0", &[], &cache).expect_err("nothing is there");
        assert_eq!(
            message,
            "Cassandra 5.0.9 is not installed on this machine (CASSANDRA_HOME is not set, and \
             `cassandra` is not in PATH): run `tiebreak setup cassandra`"
        );
        let wrong: [(&str, &Path); 1] = [("CASSANDRA_HOME", scratch.path())];
        let message = found("cassandra-5.0", &wrong, &cache).expect_err("another directory");
        assert!(
            message.contains("that directory contains no lib/apache-cassandra-*.jar"),
            "{message}"
        );
    }

    #[test]
    fn a_directory_that_others_can_write_in_is_not_taken() {
        let scratch = Scratch::new();
        let fetched = scratch.path().join("cassandra-1.2.8");
        cache::make(&fetched).expect("scratch");
        assert_eq!(found("cassandra-1.2", &[], scratch.path()), Ok(fetched.clone()));
        fs::set_permissions(&fetched, fs::Permissions::from_mode(0o777)).expect("scratch");
        assert!(found("cassandra-1.2", &[], scratch.path()).is_err());
    }
}

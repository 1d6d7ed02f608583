//! The user's cache directory. Everything in it can be recreated.

mod lock;

pub(crate) use lock::Lock;

use keeper::user;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use text::fnv::fnv1a;

/// The directory `tiebreak` in `XDG_CACHE_HOME`, or in `.cache` of the home directory. A relative
/// path is ignored, as the XDG specification requires. Returns None if there is neither.
pub(crate) fn directory() -> Option<PathBuf> {
    let absolute = |name: &str| {
        let path = std::env::var_os(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(cache.join("tiebreak"))
}

/// The directory in `cache` for what the experiment in the directory `experiment` builds. Each
/// experiment has its own, so that two of the same name do not build over each other.
pub fn built(cache: &Path, experiment: &Path) -> PathBuf {
    let name = experiment.file_name().unwrap_or_default().to_string_lossy();
    let fits = |c: &char| c.is_ascii_alphanumeric() || "_-".contains(*c);
    let name: String = name.chars().filter(fits).take(40).collect();
    let hash = fnv1a(experiment.as_os_str().as_encoded_bytes());
    cache.join("built").join(format!("{name}-{hash:016x}"))
}

/// Creates a directory in the cache, and its parents, for this user only. Nothing is created below a directory
/// that somebody else can write in, because a link there could lead anywhere.
///
/// # Errors
/// If it cannot be created or opened, or if others can write in it or in one above it in the cache.
pub(crate) fn make(directory: &Path) -> io::Result<()> {
    let parts = from_the_cache_down(directory);
    if let Some(above) = parts[0].parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(above)?;
    }
    for part in parts {
        match DirBuilder::new().mode(0o700).create(part) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ if opens_as_ours(part, part != directory)? => {}
            _ => return Err(io::ErrorKind::PermissionDenied.into()),
        }
    }
    Ok(())
}

/// Whether this is a directory, not a link, that belongs to this user and that nobody else can
/// write in; the same is required of those above it in the cache, which may be links of this user.
///
/// # Errors
/// If it cannot be opened because it does not exist or is not a directory.
pub(crate) fn is_directory_of_ours(directory: &Path) -> io::Result<bool> {
    from_the_cache_down(directory)
        .into_iter()
        .try_fold(true, |ours, part| Ok(ours && opens_as_ours(part, part != directory)?))
}

/// The directories from that of the cache to this one, or this one alone if it is elsewhere.
fn from_the_cache_down(directory: &Path) -> Vec<&Path> {
    let cache = self::directory().filter(|cache| directory.starts_with(cache));
    let top = cache.as_deref().unwrap_or(directory);
    let mut parts: Vec<&Path> =
        directory.ancestors().take_while(|part| part.starts_with(top)).collect();
    parts.reverse();
    parts
}

fn opens_as_ours(directory: &Path, may_be_link: bool) -> io::Result<bool> {
    let is_link_of_ours = may_be_link && directory.symlink_metadata()?.uid() == user::ours();
    let flags = if is_link_of_ours { 0 } else { libc::O_NOFOLLOW } | libc::O_DIRECTORY;
    Ok(is_ours(&OpenOptions::new().read(true).custom_flags(flags).open(directory)?))
}

/// Whether a file or directory belongs to this user and nobody else can write to it.
pub(crate) fn is_ours(file: &File) -> bool {
    let us = user::ours();
    file.metadata().is_ok_and(|about| {
        let kind = about.file_type();
        (kind.is_file() || kind.is_dir()) && about.uid() == us && about.mode() & 0o022 == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_experiment_builds_into_a_directory_of_its_own() {
        let cache = Path::new("/home/a/.cache/tiebreak");
        let [one, other] = ["/x/http-servers", "/y/http-servers"].map(Path::new);
        assert_eq!(built(cache, one).parent(), Some(Path::new("/home/a/.cache/tiebreak/built")));
        assert_ne!(built(cache, one), built(cache, other));
        for odd in ["/", "/a/..", "/a/\u{1b}[2J b"] {
            let directory = built(cache, Path::new(odd));
            let name = directory.file_name().expect("a name").to_string_lossy().into_owned();
            let fits = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
            assert!(name.len() > 16 && name.chars().all(fits), "{name}");
        }
    }
}

//! Fetches software into the cache directory, completely or not at all.

use super::{checksums, find, maven};
use crate::system::cache;
use crate::system::cache::Lock;
use protocol::{Artifact, Error, Software};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use text::shown::shown;

/// Progress of the download.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DownloadProgress {
    /// It waits for another tiebreak that is fetching.
    Waits,
    /// Fetching begins.
    Begins,
    /// Number of files fetched so far.
    Files(usize),
    /// All files are fetched, and the checksums are being compared.
    Checks,
}

/// Where the software is, and whether it was fetched just now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fetched {
    /// It was fetched now.
    Now(PathBuf),
    /// It had been fetched before.
    Before(PathBuf),
}

/// Fetches the software, unless it was fetched before.
///
/// # Errors
/// If a required program is missing, if it cannot be fetched, if a checksum is wrong, or
/// if the cache directory cannot be written.
pub(crate) fn fetch(
    software: &Software,
    tell: &dyn Fn(DownloadProgress),
) -> Result<Fetched, Error> {
    let all = find::all().ok_or_else(|| {
        Error::failed(
            "tiebreak found no cache directory: set HOME or XDG_CACHE_HOME to an \
                       absolute path",
        )
    })?;
    let directory = all.join(software.directory());
    if cache::is_directory_of_ours(&directory).unwrap_or(false) {
        return Ok(Fetched::Before(directory));
    }
    let path = std::env::var("PATH").unwrap_or_default();
    if let Some(missing) = maven::missing(&path) {
        return Err(Error::failed(format!("{} cannot be fetched: {missing}", software.shown())));
    }
    let disk = |error: io::Error| {
        let directory = shown(all.as_os_str().as_encoded_bytes());
        Error::failed(format!("the cache directory {directory} cannot be written: {error}"))
    };
    cache::make(&all).map_err(disk)?;
    let _lock = Lock::take(&all.join("lock"), || tell(DownloadProgress::Waits)).map_err(disk)?;
    // Another tiebreak may have fetched it while this one waited.
    if cache::is_directory_of_ours(&directory).unwrap_or(false) {
        return Ok(Fetched::Before(directory));
    }
    let stage = StagingDirectory::make(all.join(format!("{}.partial", software.directory())))
        .map_err(disk)?;
    tell(DownloadProgress::Begins);
    let whole = fetch_into(software, &stage.0, tell)?;
    fs::rename(whole, &directory).map_err(disk)?;
    Ok(Fetched::Now(directory))
}

/// Fetches into a directory below `stage`, and returns it.
fn fetch_into(
    software: &Software,
    stage: &Path,
    tell: &dyn Fn(DownloadProgress),
) -> Result<PathBuf, Error> {
    let (whole, files) = (stage.join("whole"), stage.join("files"));
    let wrong = |why: String| {
        Error::failed(format!(
            "{} was fetched but could not be verified: {why}; the files were deleted. Try again; \
             if the error persists, ask the operator of the repository that mvn uses",
            software.shown()
        ))
    };
    cache::make(&whole).map_err(|error| wrong(error.to_string()))?;
    maven::fetch(software, stage, &files, &|count| tell(DownloadProgress::Files(count)))?;
    tell(DownloadProgress::Checks);
    checksums::verify(&files, software.checksums).map_err(wrong)?;
    match software.artifact {
        Artifact::Jars { .. } => fs::rename(&files, whole.join("lib"))
            .map_err(|error| wrong(format!("its directory cannot be renamed: {error}")))?,
        Artifact::Archive { .. } => unpack(software, stage, &files, &whole).map_err(wrong)?,
    }
    Ok(whole)
}

/// Unpacks the only archive of a directory, without its top-level directory.
fn unpack(software: &Software, stage: &Path, files: &Path, to: &Path) -> Result<(), String> {
    // The list has one line, and every file was found in it.
    let (_, archive) = software.checksums.trim_end().split_once("  ").ok_or("no archive")?;
    let word = |path: &Path| path.display().to_string();
    let mut argv: Vec<String> =
        ["tar", "-x", "-z", "--no-same-owner", "--strip-components=1"].map(str::to_owned).into();
    argv.extend(["-f".to_owned(), word(&files.join(archive)), "-C".to_owned(), word(to)]);
    maven::run(argv, stage, &stage.join("tar.log"), &|| {})
}

/// A directory that is removed, with its contents, when this is dropped.
struct StagingDirectory(PathBuf);

impl StagingDirectory {
    /// Creates it; remains of a killed tiebreak are removed first. The lock must be held.
    fn make(directory: PathBuf) -> io::Result<StagingDirectory> {
        match fs::remove_dir_all(&directory) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        cache::make(&directory)?;
        Ok(StagingDirectory(directory))
    }
}

impl Drop for StagingDirectory {
    fn drop(&mut self) {
        // If this fails, the next fetch removes it.
        let _ = fs::remove_dir_all(&self.0);
    }
}

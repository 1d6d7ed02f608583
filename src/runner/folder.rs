//! The folder of a run.

use crate::exit::Error;
use crate::journal::{self, Writer, sweep};
use crate::shown::shown;
use crate::utc;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Where runs go without `--out`, under the current directory.
const HOME: &str = "tiebreak-runs";

/// Creates the folder and the journal in it: `--out`, or a new one named after
/// the time and the experiment.
///
/// # Errors
/// When the folder holds a journal, or cannot be written.
pub(crate) fn create(
    out: Option<&Path>,
    now: SystemTime,
    plan_hash: &str,
) -> Result<(PathBuf, Writer<File>), Error> {
    let folder = empty(out, now, plan_hash)?;
    let file = folder.join(journal::FILE);
    let journal = Writer::create(&file).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => taken(&folder, "a journal"),
        _ => cannot(&file, &error),
    })?;
    // So that the file's name, too, outlives a power cut.
    File::open(&folder)
        .and_then(|folder| folder.sync_all())
        .map_err(|error| cannot(&folder, &error))?;
    Ok((folder, journal))
}

/// A folder that holds neither a run nor a sweep: `--out`, or a new one.
///
/// # Errors
/// When it holds one, or cannot be written.
pub(crate) fn empty(
    out: Option<&Path>,
    now: SystemTime,
    plan_hash: &str,
) -> Result<PathBuf, Error> {
    let Some(folder) = out else { return unused(Path::new(HOME), now, plan_hash) };
    fs::create_dir_all(folder).map_err(|error| cannot(folder, &error))?;
    for (file, what) in [(journal::FILE, "a journal"), (sweep::FILE, "a sweep")] {
        if folder.join(file).exists() {
            return Err(taken(folder, what));
        }
    }
    Ok(folder.to_owned())
}

fn taken(folder: &Path, what: &str) -> Error {
    Error::usage(format!(
        "--out {}: it holds {what} already; a run needs a folder of its own",
        shown(folder.display().to_string())
    ))
}

fn unused(home: &Path, now: SystemTime, plan_hash: &str) -> Result<PathBuf, Error> {
    fs::create_dir_all(home).map_err(|error| cannot(home, &error))?;
    let name = format!("{}-{}", utc::stamp(now), plan_hash.get(..8).unwrap_or(plan_hash));
    let names = (2..).map(|number| format!("{name}-{number}"));
    for name in std::iter::once(name.clone()).chain(names) {
        let folder = home.join(name);
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(cannot(&folder, &error)),
        }
    }
    unreachable!("numbers do not end")
}

pub(super) fn cannot(path: &Path, error: &std::io::Error) -> Error {
    let path = shown(path.display().to_string());
    Error::failed(format!("{path} cannot be written: {error}; --out names another folder"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::Exit;
    use crate::scratch::Scratch;

    #[test]
    fn a_folder_with_a_journal_is_refused() {
        let scratch = Scratch::new();
        let out = scratch.path().join("deep/run");
        let (folder, _) = create(Some(&out), SystemTime::now(), "0123456789abcdef").expect("new");
        assert_eq!(folder, out);
        assert!(out.join("journal.jsonl").exists());
        let error = create(Some(&out), SystemTime::now(), "0123456789abcdef").unwrap_err();
        assert_eq!(error.exit, Exit::Usage);
        assert!(error.text.contains("holds a journal already"), "{}", error.text);
    }

    #[test]
    fn two_runs_in_one_second_get_two_folders() {
        let scratch = Scratch::new();
        let now = SystemTime::UNIX_EPOCH;
        let names = [(); 3].map(|()| {
            let folder = unused(scratch.path(), now, "0123456789abcdef").expect("new");
            folder.file_name().expect("a name").to_string_lossy().into_owned()
        });
        assert_eq!(
            names,
            [
                "19700101T000000Z-01234567",
                "19700101T000000Z-01234567-2",
                "19700101T000000Z-01234567-3"
            ]
        );
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_named() {
        let error = create(Some(Path::new("/dev/null/x")), SystemTime::now(), "0").unwrap_err();
        assert_eq!(error.exit, Exit::Failed);
        assert!(error.text.starts_with("/dev/null/x cannot be written: "), "{}", error.text);
    }
}

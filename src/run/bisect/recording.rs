//! The record of a search in its directory: it is written again after each step, so that a killed search goes on.

use crate::system::cache::Lock;
use protocol::{Error, private};
use report::bisect::{Asked, Bisection, SCHEMA};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use text::shown::shown;

/// The record's file.
pub(crate) const RECORD: &str = "bisect.json";
/// The page of a search that has ended.
pub(super) const PAGE: &str = "bisect.html";
/// Held while a process searches.
const LOCK: &str = "lock";
/// The directory of the runs.
const PROBES: &str = "probes";

/// The directory of a search, which no other process searches in.
pub(crate) struct Keeping {
    directory: PathBuf,
    _lock: Lock,
}

impl Keeping {
    /// Takes a directory that exists.
    ///
    /// # Errors
    /// If another process searches in it.
    pub(crate) fn take(directory: &Path) -> Result<Keeping, Error> {
        let lock =
            Lock::try_take(&directory.join(LOCK)).map_err(|error| fails(directory, &error))?;
        let lock = lock.ok_or_else(|| {
            Error::usage(format!("{}: another process searches in this directory", of(directory)))
        })?;
        Ok(Keeping { directory: directory.to_owned(), _lock: lock })
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    pub(super) fn run(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// The name of the run with this number, from 1, and its directory does not exist yet.
    pub(super) fn next_run(&self, number: usize) -> Result<String, Error> {
        let probes = self.directory.join(PROBES);
        match private::create_directory(&probes) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(fails(&probes, &error)),
            _ => Ok(format!("{PROBES}/{number:03}")),
        }
    }

    /// The record of an earlier process, if there is one and it was asked the same.
    ///
    /// # Errors
    /// If it cannot be read, or something has changed; the message says what.
    pub(crate) fn earlier(&self, asked: &Asked) -> Result<Option<Bisection>, Error> {
        let file = self.directory.join(RECORD);
        let text = match fs::read_to_string(&file) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(Error::failed(format!("{} cannot be read: {error}", of(&file))));
            }
            Ok(text) => text,
        };
        let record: Bisection = serde_json::from_str(&text).map_err(|error| {
            Error::usage(format!("{} is not a record of a search: {error}", of(&file)))
        })?;
        if record.schema != SCHEMA {
            return Err(Error::usage(format!("{} is of another version of tiebreak", of(&file))));
        }
        match changed(&record.asked, asked) {
            None => Ok(Some(record)),
            Some(what) => Err(Error::usage(format!(
                "{}: this search cannot go on: {what}; its units would not be comparable: use another --out",
                of(&self.directory)
            ))),
        }
    }

    /// Writes the record.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn save(&self, record: &Bisection) -> Result<(), Error> {
        self.put(RECORD, &report::bisect::json(record))
    }

    /// Writes a file such that a reader, or a later process, sees the old or the new content.
    pub(super) fn put(&self, name: &str, text: &str) -> Result<(), Error> {
        let file = self.directory.join(name);
        replace(&file, text).map_err(|error| fails(&file, &error))
    }
}

fn replace(file: &Path, text: &str) -> io::Result<()> {
    let new = file.with_extension("new");
    match fs::remove_file(&new) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut written = private::create_file(&new)?;
    written.write_all(text.as_bytes())?;
    written.sync_all()?;
    fs::rename(&new, file)?;
    file.parent().map_or(Ok(()), |directory| File::open(directory)?.sync_all())
}

/// What differs from what an earlier process was asked, in words.
fn changed(before: &Asked, now: &Asked) -> Option<String> {
    let Asked { file, file_hash, machine, build, .. } = before;
    let other = |what: &str, before: &str, now: &str| {
        Some(format!("{what} was {} and is {}", shown(before), shown(now)))
    };
    if build != &now.build {
        return other("tiebreak", build, &now.build);
    }
    if machine != &now.machine {
        return other("the machine", machine, &now.machine);
    }
    if file != &now.file {
        return other("the experiment file", file, &now.file);
    }
    if file_hash != &now.file_hash {
        return Some(format!("{} has changed since it began", shown(file)));
    }
    if (&before.good, &before.bad) != (&now.good, &now.bad) {
        let range = |of: &Asked| format!("{} to {}", of.good, of.bad);
        return other("the range", &range(before), &range(now));
    }
    let [good, bad] =
        [(0, "GOOD", &before.good), (1, "BAD", &before.bad)].map(|(at, end, typed)| {
            let moved = before.ids[at] != now.ids[at];
            moved.then(|| {
                other(&format!("{end} (`{}`)", shown(typed)), &before.ids[at], &now.ids[at])
            })
        });
    if let Some(moved) = good.or(bad) {
        return moved;
    }
    let (json, words) = (serde_json::to_value(before).ok()?, serde_json::to_value(now).ok()?);
    let (before, now) = (json.as_object()?, words.as_object()?);
    let (key, _) = before.iter().find(|(key, value)| now.get(*key) != Some(value))?;
    other(&format!("`{key}`"), &before[key].to_string(), &now[key].to_string())
}

fn of(path: &Path) -> String {
    shown(path.display().to_string())
}

fn fails(path: &Path, error: &io::Error) -> Error {
    Error::failed(format!("{} cannot be written: {error}", of(path)))
}

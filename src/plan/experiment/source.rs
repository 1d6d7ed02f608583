//! The text of an experiment file: reading it with limits, and the line of every error.

use crate::targets::launch::{EnvLookup, Secret, Text};
use protocol::Error;
use std::cell::RefCell;
use std::fs::{self, File};
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use text::shown::{shown, shown_sentence};
use toml::de::DeTable;

/// Largest experiment file.
pub const LARGEST: u64 = 1 << 20;

/// The name of the experiment file in its directory.
pub const IN_A_DIRECTORY: &str = "experiment.toml";

/// An experiment file as it was read: once, because it can change between two reads.
#[derive(Clone)]
pub struct FileText {
    /// The file as it was named.
    pub path: PathBuf,
    pub text: String,
}

impl FileText {
    /// Reads a file that may be an experiment.
    ///
    /// # Errors
    /// When it cannot be read, is no plain file, is too large, or is not UTF-8.
    pub fn read(path: &Path) -> Result<FileText, Error> {
        Ok(FileText { path: path.to_owned(), text: read(path)? })
    }
}

/// Where a text comes from.
pub(super) struct Source<'a> {
    /// The file as it was named.
    pub(super) name: String,
    /// Its directory, absolute.
    pub(super) directory: PathBuf,
    pub(super) text: &'a str,
    pub(super) environment: EnvLookup<'a>,
    /// Every secret that was found, so that it can be removed from logs.
    pub(super) secrets: RefCell<Vec<Secret>>,
}

impl<'a> Source<'a> {
    /// The text of a file. What the file names starts at its directory.
    pub(super) fn of_file(file: &'a FileText, environment: EnvLookup<'a>) -> Source<'a> {
        let absolute = file.path.canonicalize().unwrap_or_else(|_| file.path.clone());
        let directory = absolute.parent().unwrap_or(Path::new("/")).to_owned();
        let name = file.path.display().to_string();
        Source { name, directory, text: &file.text, environment, secrets: RefCell::default() }
    }

    /// Makes an error of the form `file:line: key: what is wrong`.
    pub(super) fn error(&self, at: &Range<usize>, key: &str, message: &str) -> Error {
        let line = line_of(self.text.as_bytes(), at.start);
        let key = if key.is_empty() { String::new() } else { format!("{key}: ") };
        let name = shown(&self.name);
        Error::usage(shown_sentence(format!("{name}:{line}: {key}{message}")))
    }

    pub(super) fn text(&self, at: &Range<usize>, key: &str, text: &str) -> Result<Text, Error> {
        let text = Text::parse(text, self.environment);
        let text = text.map_err(|message| self.error(at, key, &message))?;
        self.secrets.borrow_mut().extend(text.secrets().cloned());
        Ok(text)
    }
}

/// Returns the line that a byte is in, from 1.
pub(super) fn line_of(bytes: &[u8], at: usize) -> usize {
    1 + bytes[..at.min(bytes.len())].iter().filter(|byte| **byte == b'\n').count()
}

/// Reads the other experiment files in a directory that has an `experiment.toml`, sorted by name:
/// those that name contenders. The error of a file that cannot be read is among them, so that the
/// user gets it.
pub fn others_in(directory: &Path) -> Vec<Result<FileText, Error>> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|file| {
        file.extension().is_some_and(|extension| extension == "toml")
            && !file.ends_with(IN_A_DIRECTORY)
    });
    files.sort();
    let read = files.iter().map(|file| FileText::read(file));
    read.filter(|file| file.as_ref().map_or(true, names_contenders)).collect()
}

fn names_contenders(file: &FileText) -> bool {
    DeTable::parse(&file.text).map_or(true, |root| {
        ["contender", "contenders"].iter().any(|key| root.get_ref().contains_key(*key))
    })
}

/// Reads the text of a file. Its size is checked first, and only a plain file is read: a pipe or a
/// device may have no end.
fn read(path: &Path) -> Result<String, Error> {
    let name = shown(path.display().to_string());
    let cannot =
        |error: std::io::Error| Error::usage(format!("the file {name} cannot be read: {error}"));
    let found = fs::metadata(path).map_err(cannot)?;
    if found.is_dir() {
        return Err(Error::usage(format!("{name} is a directory without an {IN_A_DIRECTORY}")));
    }
    if !found.is_file() {
        return Err(Error::usage(format!("{name} is not a plain file")));
    }
    let too_large = |bytes: u64| {
        Error::usage(format!(
            "{name} has {bytes} bytes, but an experiment file may have at most 1 MiB"
        ))
    };
    if found.len() > LARGEST {
        return Err(too_large(found.len()));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(cannot)?;
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > LARGEST {
        return Err(too_large(bytes.len() as u64));
    }
    String::from_utf8(bytes).map_err(|error| {
        let line = line_of(error.as_bytes(), error.utf8_error().valid_up_to());
        Error::usage(format!("{name}:{line}: the file is not UTF-8: save it as UTF-8"))
    })
}

//! Examines a directory that is used as a cache.

use crate::Settings;
use protocol::side_channel::{About, ServerStart, SideChannel};
use protocol::{input, private};
use record::{Fact, Workload};
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use sys::fs::free_bytes;

/// The prefix of a note's file, which is next to the directories of the cache.
const NOTE: &str = ".tiebreak-note-";

/// The longest note, in bytes.
const LONGEST: u64 = 1 << 20;

/// A directory to examine.
pub(super) struct Directory {
    root: PathBuf,
    /// Files may be removed at any time because they expire, so no note is trusted.
    forgets: bool,
    synced: bool,
}

impl Directory {
    /// The directory at this path, with these settings.
    pub(super) fn new(root: &str, settings: &Settings) -> Directory {
        let (forgets, synced) = (settings.expires.is_some(), settings.fsync);
        Directory { root: PathBuf::from(root), forgets, synced }
    }

    /// Keys of notes are made by tiebreak: letters, digits and a colon.
    fn note(&self, key: &str) -> PathBuf {
        self.root.join(format!("{NOTE}{}", key.replace(':', "-")))
    }
}

impl SideChannel for Directory {
    /// Counts files and their bytes. A directory keeps its contents, so it has only one start.
    fn query(&self) -> Result<About, String> {
        let (mut items, mut bytes) = (0, 0);
        for outer in directories(&self.root)? {
            for inner in directories(&outer)? {
                for file in fs::read_dir(&inner).map_err(|error| error.to_string())?.flatten() {
                    // A file that was removed meanwhile does not count.
                    let Ok(about) = file.metadata() else { continue };
                    items += 1;
                    bytes += about.len();
                }
            }
        }
        Ok(About {
            items: Some(items),
            bytes: Some(bytes),
            reuses_room: true,
            room: free_bytes(&self.root).ok().map(|free| free.saturating_add(bytes)),
            start: Some(ServerStart::Run(self.root.display().to_string())),
            durable: Some(self.synced),
            ..About::default()
        })
    }

    /// Nothing, and the directory is not walked for it.
    fn facts(&self, _timeout: Duration) -> Result<Vec<Fact>, String> {
        Ok(Vec::new())
    }

    fn read_fingerprint(&self, key: &str) -> Result<Option<Vec<u8>>, String> {
        if self.forgets {
            return Ok(None);
        }
        let note = self.note(key);
        match note.symlink_metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            _ => input::plain(&note, LONGEST).map(Some),
        }
    }

    /// Writes a note to another file and renames that, so that a note is never incomplete.
    fn write_fingerprint(&self, key: &str, text: &str) -> Result<(), String> {
        let note = self.note(key);
        let beside = note.with_extension("new");
        // What a killed run left there, or somebody else has put there.
        let _ = fs::remove_file(&beside);
        let created = private::create_file(&beside);
        let kept = created.and_then(|mut file| file.write_all(text.as_bytes()));
        kept.and_then(|()| fs::rename(&beside, &note)).map_err(|error| error.to_string())
    }

    fn remove_fingerprint(&self, key: &str) -> Result<(), String> {
        match fs::remove_file(self.note(key)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error.to_string()),
            _ => Ok(()),
        }
    }

    /// The directory was checked when it was opened.
    fn create_tables(&self, _workload: &Workload) -> Result<(), String> {
        Ok(())
    }
}

fn directories(within: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(within).map_err(|error| error.to_string())?;
    let directories = entries.flatten().filter(|it| it.file_type().is_ok_and(|kind| kind.is_dir()));
    Ok(directories.map(|directory| directory.path()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn notes_are_kept_beside_what_is_counted() {
        let scratch = Scratch::new();
        let root = scratch.path();
        let at = |root: &Path| Directory { root: root.to_owned(), forgets: false, synced: false };
        let directory = at(root);
        let key = "tiebreak00:loaded";
        assert_eq!(directory.read_fingerprint(key), Ok(None));
        directory.write_fingerprint(key, "one").expect("kept");
        directory.write_fingerprint(key, "two").expect("kept");
        assert_eq!(directory.read_fingerprint(key), Ok(Some(b"two".to_vec())));
        let precious = root.join("precious");
        fs::write(&precious, "kept").expect("a file");
        std::os::unix::fs::symlink(&precious, directory.note(key).with_extension("new"))
            .expect("a link");
        directory.write_fingerprint(key, "three").expect("kept");
        assert_eq!(directory.read_fingerprint(key), Ok(Some(b"three".to_vec())));
        assert_eq!(fs::read(&precious).expect("there"), b"kept");
        fs::create_dir_all(root.join("a/b")).expect("folders");
        fs::write(root.join("a/b/value"), "12345").expect("a file");
        let about = directory.query().expect("it is there");
        assert_eq!((about.items, about.bytes, about.evictions), (Some(1), Some(5), None));
        assert!(about.room > about.bytes && about.reuses_room, "{about:?}");
        assert_eq!(
            (directory.remove_fingerprint(key), directory.remove_fingerprint(key)),
            (Ok(()), Ok(()))
        );
        assert_eq!(directory.read_fingerprint(key), Ok(None));
        assert!(at(&root.join("a/b/value")).read_fingerprint(key).is_err(), "not a directory");
    }
}

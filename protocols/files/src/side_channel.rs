//! Examines a directory that is used as a cache.

use crate::Settings;
use protocol::side_channel::{About, ServerStart, SideChannel};
use protocol::{input, private};
use record::{Fact, Workload};
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
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
}

impl SideChannel for Directory {
    fn query(&self) -> Result<About, String> {
        about(&self.root, self.synced)
    }

    /// Nothing, and the directory is not walked for it.
    fn facts(&self) -> Result<Vec<Fact>, String> {
        Ok(Vec::new())
    }

    fn read_fingerprint(&self, key: &str) -> Result<Option<Vec<u8>>, String> {
        if self.forgets { Ok(None) } else { read_fingerprint(&self.root, key) }
    }

    fn write_fingerprint(&self, key: &str, text: &str) -> Result<(), String> {
        write_fingerprint(&self.root, key, text)
    }

    fn remove_fingerprint(&self, key: &str) -> Result<(), String> {
        remove_fingerprint(&self.root, key)
    }

    /// The directory was checked when it was opened.
    fn create_tables(&self, _workload: &Workload) -> Result<(), String> {
        Ok(())
    }
}

/// Counts files and their bytes. `synced` says whether every write waits for the disk. A directory
/// keeps its contents, so it has only one start.
fn about(root: &Path, synced: bool) -> Result<About, String> {
    let (mut items, mut bytes) = (0, 0);
    for outer in directories(root)? {
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
        room: free_bytes(root).ok().map(|free| free.saturating_add(bytes)),
        evictions: None,
        start: Some(ServerStart::Run(root.display().to_string())),
        durable: Some(synced),
        facts: Vec::new(),
    })
}

fn directories(within: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(within).map_err(|error| error.to_string())?;
    let directories = entries.flatten().filter(|it| it.file_type().is_ok_and(|kind| kind.is_dir()));
    Ok(directories.map(|directory| directory.path()).collect())
}

fn read_fingerprint(root: &Path, key: &str) -> Result<Option<Vec<u8>>, String> {
    let note = note(root, key);
    match note.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        _ => input::plain(&note, LONGEST).map(Some),
    }
}

/// Writes a note to another file and renames that, so that a note is never incomplete.
fn write_fingerprint(root: &Path, key: &str, text: &str) -> Result<(), String> {
    let note = note(root, key);
    let beside = note.with_extension("new");
    // What a killed run left there, or somebody else has put there.
    let _ = fs::remove_file(&beside);
    let created = private::create_file(&beside);
    let kept = created.and_then(|mut file| file.write_all(text.as_bytes()));
    kept.and_then(|()| fs::rename(&beside, &note)).map_err(|error| error.to_string())
}

fn remove_fingerprint(root: &Path, key: &str) -> Result<(), String> {
    match fs::remove_file(note(root, key)) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error.to_string()),
        _ => Ok(()),
    }
}

/// Keys of notes are made by tiebreak: letters, digits and a colon.
fn note(root: &Path, key: &str) -> PathBuf {
    root.join(format!("{NOTE}{}", key.replace(':', "-")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn notes_are_kept_beside_what_is_counted() {
        let scratch = Scratch::new();
        let root = scratch.path();
        let key = "tiebreak00:loaded";
        assert_eq!(read_fingerprint(root, key), Ok(None));
        write_fingerprint(root, key, "one").expect("kept");
        write_fingerprint(root, key, "two").expect("kept");
        assert_eq!(read_fingerprint(root, key), Ok(Some(b"two".to_vec())));
        let precious = root.join("precious");
        fs::write(&precious, "kept").expect("a file");
        std::os::unix::fs::symlink(&precious, note(root, key).with_extension("new"))
            .expect("a link");
        write_fingerprint(root, key, "three").expect("kept");
        assert_eq!(read_fingerprint(root, key), Ok(Some(b"three".to_vec())));
        assert_eq!(fs::read(&precious).expect("there"), b"kept");
        fs::create_dir_all(root.join("a/b")).expect("folders");
        fs::write(root.join("a/b/value"), "12345").expect("a file");
        let about = about(root, false).expect("it is there");
        assert_eq!((about.items, about.bytes, about.evictions), (Some(1), Some(5), None));
        assert!(about.room > about.bytes && about.reuses_room, "{about:?}");
        assert_eq!(
            (remove_fingerprint(root, key), remove_fingerprint(root, key)),
            (Ok(()), Ok(()))
        );
        assert_eq!(read_fingerprint(root, key), Ok(None));
        assert!(read_fingerprint(&root.join("a/b/value"), key).is_err(), "not a directory");
    }
}

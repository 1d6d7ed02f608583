//! The record that a keeper keeps of what it starts, for a later run: when tiebreak and the keeper
//! are both killed, nobody else knows which processes were theirs.
//!
//! There is one note per keeper: a file of JSON lines, which the keeper keeps locked while it lives
//! and removes at its end. The directory of notes is accessible only to us. A note gives three
//! proofs that a process is the keeper's: its environment contains the note's mark, 128 random bits
//! that children inherit; its number and start are those of a process that the keeper started; it
//! is in the keeper's control group. A process with none of these proofs is not touched.

use crate::beneath::{Directory, TemporaryId};
use crate::process::{Identity, Stat};
use crate::protocol::LaunchOptions;
use crate::user;
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf, absolute};
use thiserror::Error;

/// The environment variable of everything that a keeper starts.
pub(super) const VARIABLE: &str = "TIEBREAK_LAUNCH";

/// A longer file is not a note of ours.
const LONGEST: u64 = 16 << 20;

/// How many times creating the directory of notes is tried again after another keeper removed it.
const TRIES: usize = 10;

/// One line of a note.
#[derive(Serialize, Deserialize)]
enum Record {
    Begin(Begin),
    Process(Identity),
    Log(PathBuf),
}

/// The first line of a note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Begin {
    pub(super) mark: String,
    /// Identifies this boot of the machine.
    boot: String,
    /// The namespace of these process numbers.
    namespace: String,
    tiebreak: Option<Identity>,
    /// The directory of the run.
    pub(super) run: Option<PathBuf>,
    pub(super) temporary: Option<TemporaryId>,
    /// The keeper's control group, identified like any other directory.
    pub(super) cgroup: Option<TemporaryId>,
    /// Whether its logs can contain secrets.
    pub(super) secrets: bool,
}

impl Begin {
    pub(super) fn of(
        launch_options: &LaunchOptions,
        mark: &str,
        tiebreak: Option<Identity>,
        cgroup: Option<&Path>,
    ) -> Begin {
        Begin {
            mark: mark.to_owned(),
            boot: boot(),
            namespace: namespace(),
            tiebreak,
            run: launch_options
                .run
                .as_ref()
                .map(|run| absolute(run).unwrap_or_else(|_| run.clone())),
            temporary: launch_options.temporary.clone(),
            cgroup: cgroup.and_then(|directory| TemporaryId::of(directory).ok()),
            secrets: !launch_options.secrets.is_empty(),
        }
    }

    /// Whether its processes can still run: the machine has not been rebooted since.
    pub(super) fn is_of_this_boot(&self) -> bool {
        self.boot == boot()
    }

    /// Whether its process numbers are valid in our namespace.
    pub(super) fn is_of_this_namespace(&self) -> bool {
        self.is_of_this_boot() && self.namespace == namespace()
    }

    /// Whether its tiebreak still runs, which will handle it.
    fn has_live_owner(&self) -> bool {
        let runs = |tiebreak: Identity| {
            let now = Stat::of(tiebreak.pid);
            now.is_some_and(|now| now.started == tiebreak.started && !now.zombie)
        };
        self.is_of_this_namespace() && self.tiebreak.is_some_and(runs)
    }
}

fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default()
}

fn namespace() -> String {
    let link = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    link.display().to_string()
}

/// A unique mark: 128 random bits.
///
/// # Errors
/// If the system provides none.
pub(super) fn new_mark() -> io::Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(text::hex::hex(&bytes))
}

/// The directory of notes.
fn directory() -> PathBuf {
    let temporary = std::env::temp_dir();
    temporary.join(format!("tiebreak-launches-{}", user::ours()))
}

/// Opens the directory of notes if it belongs to us and is accessible only to us.
fn open_directory() -> io::Result<Directory> {
    let path = directory();
    let opened = Directory::open(&path)?;
    let found = fs::symlink_metadata(&path)?;
    if opened.owner()? != user::ours() || found.mode() & 0o077 != 0 {
        return Err(io::Error::other("it belongs to another user, or is accessible to others"));
    }
    Ok(opened)
}

/// The directory of the notes cannot be written to.
#[derive(Debug, Error)]
#[error("cannot write to {}, where started processes are recorded: {source}; set TMPDIR to another \
         directory", text::shown::shown(.directory.as_os_str().as_encoded_bytes()))]
pub(super) struct NoteError {
    directory: PathBuf,
    source: io::Error,
}

/// A note that is being written.
pub(super) struct Note {
    directory: Directory,
    name: String,
    file: File,
}

impl Note {
    /// Begins the note of a keeper.
    ///
    /// # Errors
    /// If it cannot be written: what is not recorded could be left behind.
    pub(super) fn begin(begin: &Begin) -> Result<Note, NoteError> {
        let cannot = |source: io::Error| NoteError { directory: directory(), source };
        let mut last = io::Error::from(ErrorKind::NotFound);
        for _ in 0..TRIES {
            match Note::create(begin) {
                Ok(note) => return Ok(note),
                // Another keeper removed the directory, because it was empty.
                Err(error) if error.kind() == ErrorKind::NotFound => last = error,
                Err(error) => return Err(cannot(error)),
            }
        }
        Err(cannot(last))
    }

    fn create(begin: &Begin) -> io::Result<Note> {
        match DirBuilder::new().mode(0o700).create(directory()) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let directory = open_directory()?;
        // The note has a name that is not read until it is locked and has its first line.
        let unfinished = format!(".{}", begin.mark);
        let file = directory.create_file(unfinished.as_ref())?;
        let name = begin.mark.clone();
        let mut note = Note { directory, name, file };
        if !lock(&note.file) {
            return Err(io::Error::last_os_error());
        }
        note.write(&Record::Begin(begin.clone()))?;
        note.directory.rename(unfinished.as_ref(), &note.directory, note.name.as_ref())?;
        Ok(note)
    }

    /// # Errors
    /// If the disk is full, or fails otherwise.
    pub(super) fn process(&mut self, pid: i32) -> io::Result<()> {
        match Identity::of(pid as u32) {
            Some(identity) => self.write(&Record::Process(identity)),
            None => Ok(()),
        }
    }

    /// # Errors
    /// If the disk is full, or fails otherwise.
    pub(super) fn log(&mut self, log: &Path) -> io::Result<()> {
        self.write(&Record::Log(absolute(log)?))
    }

    fn write(&mut self, line: &Record) -> io::Result<()> {
        let mut text = serde_json::to_string(line)?;
        text.push('\n');
        self.file.write_all(text.as_bytes())
    }

    pub(super) fn remove(&self) {
        remove(&self.directory, &self.name);
    }
}

/// Removes the note of a keeper that was killed.
pub(super) fn forget(mark: &str) {
    if let Ok(directory) = open_directory() {
        remove(&directory, mark);
    }
}

fn remove(notes: &Directory, name: &str) {
    // A note that cannot be removed is handled by the next run, which finds no process of it.
    let _ = notes.remove_file(name.as_ref());
    // Succeeds only if the directory is empty.
    let _ = fs::remove_dir(directory());
}

/// Locks the file for this process. Returns whether the lock was free.
fn lock(file: &File) -> bool {
    file.try_lock().is_ok()
}

/// A note whose keeper and tiebreak were both killed. While this exists no other tiebreak reads the
/// note.
pub(super) struct Orphaned {
    directory: Directory,
    name: String,
    _locked: File,
    pub(super) begin: Begin,
    pub(super) processes: Vec<Identity>,
    pub(super) logs: Vec<PathBuf>,
}

impl Orphaned {
    /// Removes the note after everything in it has been handled.
    pub(super) fn remove(&self) {
        remove(&self.directory, &self.name);
    }
}

/// Returns all orphaned notes.
pub(super) fn orphaned() -> Vec<Orphaned> {
    let Ok(notes) = open_directory() else { return Vec::new() };
    let names = notes.names().unwrap_or_default();
    names.iter().filter_map(|name| orphan(name)).collect()
}

fn orphan(name: &OsStr) -> Option<Orphaned> {
    let name = name.to_str().filter(|name| !name.starts_with('.'))?;
    let directory = open_directory().ok()?;
    let file = directory.open_file(name.as_ref()).ok()?;
    if !lock(&file) {
        return None;
    }
    let mut text = String::new();
    (&file).take(LONGEST).read_to_string(&mut text).ok()?;
    // The last line may be incomplete.
    let mut lines = text.lines().map_while(|line| serde_json::from_str::<Record>(line).ok());
    let begin = match lines.next() {
        Some(Record::Begin(begin)) if begin.mark == name && !begin.has_live_owner() => begin,
        _ => return None,
    };
    let (mut processes, mut logs) = (Vec::new(), Vec::new());
    for line in lines {
        match line {
            Record::Process(identity) => processes.push(identity),
            Record::Log(log) => logs.push(log),
            Record::Begin(_) => {}
        }
    }
    Some(Orphaned { directory, name: name.to_owned(), _locked: file, begin, processes, logs })
}

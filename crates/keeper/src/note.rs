//! What a keeper writes down of what it starts, for a later run: when tiebreak and
//! the keeper are both killed, nobody else knows what was theirs.
//!
//! There is one note for each keeper, a file of lines in JSON that the keeper holds
//! locked while it lives and removes at its end. The folder of notes is ours alone.
//! A note gives three proofs that a process is the keeper's: its environment holds
//! the note's mark, 128 random bits that children inherit; its number and its start
//! are those of a process that the keeper started; it is in the keeper's control
//! group. What has none of them is not touched.

use crate::beneath::{Folder, TemporaryId};
use crate::process::{Identity, Stat};
use crate::protocol::Household;
use crate::user;
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf, absolute};

/// The variable in the environment of everything that a keeper starts.
pub(super) const VARIABLE: &str = "TIEBREAK_LAUNCH";

/// A note longer than this is none of ours.
const LONGEST: u64 = 16 << 20;

/// How often the folder of notes is made again that another keeper just removed.
const TRIES: usize = 10;

/// One line of a note.
#[derive(Serialize, Deserialize)]
enum Line {
    Begin(Begin),
    Process(Identity),
    Log(PathBuf),
}

/// The first line of a note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Begin {
    pub(super) mark: String,
    /// This start of the machine.
    boot: String,
    /// Where numbers of processes mean what they mean here.
    namespace: String,
    tiebreak: Option<Identity>,
    /// The folder of the run.
    pub(super) run: Option<PathBuf>,
    pub(super) temporary: Option<TemporaryId>,
    /// The keeper's control group; a folder like any other.
    pub(super) cgroup: Option<TemporaryId>,
    /// Whether its logs can hold secrets.
    pub(super) secrets: bool,
}

impl Begin {
    pub(super) fn of(
        household: &Household,
        mark: &str,
        tiebreak: Option<Identity>,
        cgroup: Option<&Path>,
    ) -> Begin {
        Begin {
            mark: mark.to_owned(),
            boot: boot(),
            namespace: namespace(),
            tiebreak,
            run: household.run.as_ref().map(|run| absolute(run).unwrap_or_else(|_| run.clone())),
            temporary: household.temporary.clone(),
            cgroup: cgroup.and_then(|folder| TemporaryId::of(folder).ok()),
            secrets: !household.secrets.is_empty(),
        }
    }

    /// Its processes can still run: the machine was not started anew since.
    pub(super) fn is_of_this_boot(&self) -> bool {
        self.boot == boot()
    }

    /// Numbers of processes in it are numbers here.
    pub(super) fn is_of_this_namespace(&self) -> bool {
        self.is_of_this_boot() && self.namespace == namespace()
    }

    /// The tiebreak that it belongs to runs, and will look after it.
    fn is_looked_after(&self) -> bool {
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

/// A mark that nothing else has: 128 random bits.
///
/// # Errors
/// When the system has none.
pub(super) fn new_mark() -> io::Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The folder of notes.
fn folder() -> PathBuf {
    let temporary = std::env::temp_dir();
    temporary.join(format!("tiebreak-launches-{}", user::ours()))
}

/// Opens the folder of notes, where it is ours and nobody else's.
fn open_folder() -> io::Result<Folder> {
    let path = folder();
    let opened = Folder::open(&path)?;
    let found = fs::symlink_metadata(&path)?;
    if opened.owner()? != user::ours() || found.mode() & 0o077 != 0 {
        return Err(io::Error::other("it belongs to another user, or others may enter it"));
    }
    Ok(opened)
}

/// A note that is being written.
pub(super) struct Note {
    folder: Folder,
    name: String,
    file: File,
}

impl Note {
    /// Begins the note of a keeper.
    ///
    /// # Errors
    /// A sentence with the remedy: what is not noted could be left behind.
    pub(super) fn begin(begin: &Begin) -> Result<Note, String> {
        let cannot = |error: io::Error| {
            let folder = text::shown::shown(folder().as_os_str().as_encoded_bytes());
            format!(
                "what it starts is noted in {folder}, which cannot be written: {error}; TMPDIR names \
                 another place"
            )
        };
        let mut last = io::Error::from(ErrorKind::NotFound);
        for _ in 0..TRIES {
            match Note::create(begin) {
                Ok(note) => return Ok(note),
                // Another keeper removed the folder, which was empty.
                Err(error) if error.kind() == ErrorKind::NotFound => last = error,
                Err(error) => return Err(cannot(error)),
            }
        }
        Err(cannot(last))
    }

    fn create(begin: &Begin) -> io::Result<Note> {
        match DirBuilder::new().mode(0o700).create(folder()) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let folder = open_folder()?;
        // Under a name that is not read, until it is locked and has its first line.
        let unfinished = format!(".{}", begin.mark);
        let file = folder.create_file(unfinished.as_ref())?;
        let name = begin.mark.clone();
        let mut note = Note { folder, name, file };
        if !lock(&note.file) {
            return Err(io::Error::last_os_error());
        }
        note.write(&Line::Begin(begin.clone()))?;
        note.folder.rename(unfinished.as_ref(), &note.folder, note.name.as_ref())?;
        Ok(note)
    }

    /// # Errors
    /// When the disk is full, or fails otherwise.
    pub(super) fn process(&mut self, pid: i32) -> io::Result<()> {
        match Identity::of(pid as u32) {
            Some(identity) => self.write(&Line::Process(identity)),
            None => Ok(()),
        }
    }

    /// # Errors
    /// When the disk is full, or fails otherwise.
    pub(super) fn log(&mut self, log: &Path) -> io::Result<()> {
        self.write(&Line::Log(absolute(log)?))
    }

    fn write(&mut self, line: &Line) -> io::Result<()> {
        let mut text = serde_json::to_string(line)?;
        text.push('\n');
        self.file.write_all(text.as_bytes())
    }

    pub(super) fn remove(&self) {
        remove(&self.folder, &self.name);
    }
}

/// Removes the note of a keeper that was killed.
pub(super) fn forget(mark: &str) {
    if let Ok(folder) = open_folder() {
        remove(&folder, mark);
    }
}

fn remove(notes: &Folder, name: &str) {
    // What cannot be removed is found by the next run, which finds nothing of it.
    let _ = notes.unlink(name.as_ref(), 0);
    // Only where it is empty.
    let _ = fs::remove_dir(folder());
}

/// Whether the lock was free, and is ours from now on.
fn lock(file: &File) -> bool {
    // SAFETY: a descriptor of ours.
    unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) == 0 }
}

/// A note whose keeper was killed, and its tiebreak, too. While this is there no
/// other tiebreak reads the note.
pub(super) struct Orphaned {
    folder: Folder,
    name: String,
    _locked: File,
    pub(super) begin: Begin,
    pub(super) processes: Vec<Identity>,
    pub(super) logs: Vec<PathBuf>,
}

impl Orphaned {
    /// What it tells of was dealt with.
    pub(super) fn remove(&self) {
        remove(&self.folder, &self.name);
    }
}

/// All of them.
pub(super) fn orphaned() -> Vec<Orphaned> {
    let Ok(notes) = open_folder() else { return Vec::new() };
    let names = notes.names().unwrap_or_default();
    names.iter().filter_map(|name| orphan(name)).collect()
}

fn orphan(name: &OsStr) -> Option<Orphaned> {
    let name = name.to_str().filter(|name| !name.starts_with('.'))?;
    let folder = open_folder().ok()?;
    let flags = libc::O_RDONLY | libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC;
    let file = folder.open_at(name.as_ref(), flags, 0).ok()?;
    if !lock(&file) {
        return None;
    }
    let mut text = String::new();
    (&file).take(LONGEST).read_to_string(&mut text).ok()?;
    // The last line may be torn.
    let mut lines = text.lines().map_while(|line| serde_json::from_str::<Line>(line).ok());
    let begin = match lines.next() {
        Some(Line::Begin(begin)) if begin.mark == name && !begin.is_looked_after() => begin,
        _ => return None,
    };
    let (mut processes, mut logs) = (Vec::new(), Vec::new());
    for line in lines {
        match line {
            Line::Process(identity) => processes.push(identity),
            Line::Log(log) => logs.push(log),
            Line::Begin(_) => {}
        }
    }
    Some(Orphaned { folder, name: name.to_owned(), _locked: file, begin, processes, logs })
}

//! The work tree as it is: HEAD, uncommitted changes, and files that are neither tracked nor ignored.

use super::Repository;
use super::check_out::{lacks_submodule, within};
use super::git::{self, Config};
use protocol::Error;
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use text::shown::shown;

/// The name of the copied index in the clone.
const COPIED: &str = "index-of-user";

/// The file that the directory of a run has.
const JOURNAL: &str = "journal.jsonl";

/// How a work tree differs from HEAD.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    /// Tracked files whose content, kind or right to be executed differs, deleted ones included.
    pub(crate) changed: u64,
    /// Files that are neither tracked nor ignored.
    pub(crate) untracked: u64,
}

impl Changes {
    fn add(&mut self, other: Changes) {
        self.changed += other.changed;
        self.untracked += other.untracked;
    }
}

impl Repository {
    /// Copies the work tree into this directory, which does not exist yet. Returns how it differs from the commit
    /// with this whole id, which HEAD names, and what the copy lacks, in words.
    ///
    /// # Errors
    /// If the copy cannot be written.
    pub(crate) fn copy_work_tree(
        &self,
        head: &str,
        into: &Path,
    ) -> Result<(Changes, Vec<String>), Error> {
        let mut lacks = self.check_out_alone(head, into)?;
        let mut changes = Changes::default();
        let submodules = self.submodules(head, into)?;
        let committed: Vec<PathBuf> = submodules.iter().map(|it| it.path.clone()).collect();
        for submodule in submodules {
            let (at, path) = (self.top.join(&submodule.path), into.join(&submodule.path));
            match submodule.repository.filter(|of| of.top == at || of.has(&submodule.id)) {
                Some(repository) if repository.top == at => {
                    let head = repository.id("HEAD")?;
                    let (inside, lacking) = repository.copy_work_tree(&head, &path)?;
                    changes.changed += u64::from(head != submodule.id);
                    changes.add(inside);
                    lacks.extend(lacking.into_iter().map(|what| within(&submodule.path, &what)));
                }
                Some(repository) => {
                    repository.check_out(&submodule.id, &path)?;
                }
                None => lacks.push(lacks_submodule(&submodule.path)),
            }
        }
        let staged = git::links(&self.reads(&["ls-files", "-z", "--stage"])?);
        let added = staged.into_iter().filter(|(path, _)| !committed.contains(path));
        lacks.extend(added.map(|(path, _)| {
            let path = shown(path.display().to_string());
            format!("the submodule {path} is in no commit yet: commit it")
        }));
        changes.add(self.copy_changes(into, &mut lacks)?);
        Ok((changes, lacks))
    }

    /// Copies what differs from HEAD over a tree of HEAD.
    fn copy_changes(&self, into: &Path, lacks: &mut Vec<String>) -> Result<Changes, Error> {
        let mut changes = Changes::default();
        let words = ["diff-index", "-z", "--name-only", "--ignore-submodules=all", "HEAD", "--"];
        let differ = self.with_copied_index(into, &words)?;
        for path in git::paths(&differ) {
            changes.changed += u64::from(self.copy_one(&path, into)?);
        }
        let words = ["ls-files", "-z", "--others", "--exclude-standard"];
        for path in git::paths(&self.reads(&words)?) {
            if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
                let path = shown(path.display().to_string());
                lacks.push(format!("{path} is a repository of its own, and no submodule"));
                continue;
            }
            // What tiebreak itself wrote is no part of what is compared.
            if path.ancestors().skip(1).any(|above| self.top.join(above).join(JOURNAL).is_file()) {
                continue;
            }
            changes.untracked += u64::from(self.copy_one(&path, into)?);
        }
        Ok(changes)
    }

    /// Asks about the user's work tree with a copy of its index, as a clone of our own: where git must read a
    /// file to know whether it differs, the clone knows no filter that could run a program.
    fn with_copied_index(&self, clone: &Path, words: &[&str]) -> Result<Vec<u8>, Error> {
        let from = git::path(&self.reads(&["rev-parse", "--absolute-git-dir"])?);
        let own = clone.join(".git");
        let copied = |error: io::Error| {
            Error::failed(format!("the index of the repository cannot be copied: {error}"))
        };
        let index = own.join(COPIED);
        for entry in fs::read_dir(&from).map_err(copied)?.flatten() {
            match entry.file_name().to_str() {
                Some("index") => drop(fs::copy(entry.path(), &index).map_err(copied)?),
                // Another part of an index that is split.
                Some(name) if name.starts_with("sharedindex.") => {
                    fs::copy(entry.path(), own.join(name)).map_err(copied)?;
                }
                _ => {}
            }
        }
        let mut asked = git::command(&self.top, Config::Nobody);
        asked.env("GIT_DIR", &own).env("GIT_WORK_TREE", &self.top).env("GIT_INDEX_FILE", &index);
        asked.args(words);
        let answer = git::output(asked, "the working tree cannot be read");
        let _ = fs::remove_file(index);
        answer
    }

    /// Makes the file at this path that of the work tree. Returns whether it was another one.
    fn copy_one(&self, path: &Path, into: &Path) -> Result<bool, Error> {
        let from = self.top.join(path);
        copy(&from, into, path).map_err(|error| {
            let from = shown(from.display().to_string());
            Error::failed(format!("{from} cannot be copied into a snapshot: {error}"))
        })
    }
}

fn copy(from: &Path, into: &Path, path: &Path) -> io::Result<bool> {
    let to = into.join(path);
    let about = match from.symlink_metadata() {
        Ok(about) => Some(about),
        Err(error) if is_absent(&error) => None,
        Err(error) => return Err(error),
    };
    let Some(about) = about.filter(|about| !about.is_dir()) else {
        // A directory in place of a file is copied as the files in it.
        return remove(&to).map(|()| true);
    };
    let mode = about.permissions().mode() & 0o777;
    if about.is_symlink() {
        let target = fs::read_link(from)?;
        if fs::read_link(&to).is_ok_and(|there| there == target) {
            return Ok(false);
        }
        make_room(into, path)?;
        std::os::unix::fs::symlink(target, &to)?;
        return Ok(true);
    }
    if !about.is_file() {
        // Sockets and pipes are no part of a source.
        return Ok(false);
    }
    if is_same(from, &to, mode)? {
        return Ok(false);
    }
    make_room(into, path)?;
    fs::copy(from, &to)?;
    Ok(true)
}

fn is_same(from: &Path, to: &Path, mode: u32) -> io::Result<bool> {
    match to.symlink_metadata() {
        Ok(there) if there.is_file() && (there.permissions().mode() ^ mode) & 0o100 == 0 => {
            Ok(fs::read(from)? == fs::read(to)?)
        }
        _ => Ok(false),
    }
}

/// Makes the directories above a path, below `into`, and removes what is at it. A link among them could lead
/// out of the snapshot, so it is replaced by the directory that the work tree has there.
fn make_room(into: &Path, path: &Path) -> io::Result<()> {
    let mut at = into.to_owned();
    let mut parts = path.components().peekable();
    while let Some(part) = parts.next() {
        at.push(part);
        let is_last = parts.peek().is_none();
        let is_directory = at.symlink_metadata().is_ok_and(|about| about.is_dir());
        if is_last || !is_directory {
            remove(&at)?;
        }
        if !is_last && !is_directory {
            fs::create_dir(&at)?;
        }
    }
    Ok(())
}

fn remove(path: &Path) -> io::Result<()> {
    let removed = match path.symlink_metadata() {
        Ok(about) if about.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if !is_absent(&error) => Err(error),
        _ => Ok(()),
    }
}

/// A file in place of a directory of its path means that it is not there, too.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

//! Snapshots of revisions: the tree of a commit, or of the working tree, in a directory of its own, and what
//! the `build` commands of a contender make of it there. What was built from a commit is kept for it.

mod environment;
mod kept;
mod key;
mod place;

pub(crate) use kept::clean;

use crate::system::repository::{Changes, Repository};
use crate::targets::launch::{
    BuildOrder, Builds, Failed, LaunchCommand, NO_CACHE, Secret, Snapshot,
};
use environment::Around;
use place::Place;
use protocol::Error;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use text::shown::shown;

/// The most ignored files that an error names.
const MOST_NAMED: usize = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tree<'a> {
    /// That of the commit with this whole id.
    Commit(&'a str),
    /// The working tree with its changes, whose HEAD names the commit with this whole id.
    WorkTree(&'a str),
}

/// What is to be built in a snapshot.
#[derive(Clone, Copy)]
pub(crate) struct SnapshotOrder<'a> {
    /// The contender's name, for messages.
    pub(crate) name: &'a str,
    /// The directory of the experiment file, relative to the top of the repository.
    pub(crate) below: &'a Path,
    pub(crate) build: &'a [LaunchCommand],
    /// The number of this build among several of one revision, from 1 (`--rebuilds`).
    pub(crate) rebuild: Option<u32>,
    /// Every secret of the experiment, which is redacted in the log.
    pub(crate) secrets: &'a [Secret],
    /// Whether a signal asked tiebreak to stop.
    pub(crate) stopped: &'a dyn Fn() -> bool,
    /// Called before each command with the command and the directory that it runs in.
    pub(crate) tell: &'a dyn Fn(&LaunchCommand, &Path),
    /// Called after the commands, with the time at which they began. With an error, nothing is kept.
    pub(crate) check: &'a dyn Fn(&Snapshot, SystemTime) -> Result<(), Error>,
}

/// A snapshot in which everything was built. Its directory exists until this is dropped, and then only if it
/// is kept for its commit.
pub(crate) struct BuiltSnapshot {
    place: Place,
    below: PathBuf,
    /// The top of the user's working tree.
    top: PathBuf,
    /// What the tree lacks, in words, if it was written now.
    pub(crate) lacks: Vec<String>,
    /// How the working tree differs from HEAD. None for a commit.
    pub(crate) changes: Option<Changes>,
    /// Whether it was built by an earlier command.
    pub(crate) was_kept: bool,
}

impl BuiltSnapshot {
    /// The directory that stands for that of the experiment file.
    pub(crate) fn directory(&self) -> PathBuf {
        self.place.tree().join(&self.below)
    }

    /// What is launched or run in it.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let (tree, directory) = (self.place.tree(), self.directory());
        let around = Around { top: &self.top, tree: &tree, directory: &directory };
        let env = environment::of_runs(&around);
        Snapshot { cache: self.place.cache(), env, directory }
    }
}

/// Makes a snapshot and builds it, or takes the one that is kept.
///
/// # Errors
/// If the tree cannot be written or a command fails; then the message says what the snapshot lacks.
pub(crate) fn build(
    repository: &Repository,
    tree: Tree<'_>,
    order: &SnapshotOrder<'_>,
) -> Result<BuiltSnapshot, Failed> {
    let env = environment::of_builds(repository.top(), order.rebuild);
    let key = match tree {
        Tree::Commit(id) => Some(key::of(repository.top(), id, order, &env)),
        Tree::WorkTree(_) => None,
    };
    let place = match &key {
        Some(key) => Place::kept(key),
        None => Place::temporary(),
    };
    let place = place.map_err(|error| Error::failed(format!("`{}`: {error}", order.name)))?;
    let (below, top) = (order.below.to_owned(), repository.top().to_owned());
    if place.is_complete() {
        let lacks = Vec::new();
        return Ok(BuiltSnapshot { place, below, top, lacks, changes: None, was_kept: true });
    }
    let (changes, lacks) = match tree {
        Tree::Commit(id) => (None, repository.check_out(id, &place.tree())?),
        Tree::WorkTree(head) => {
            let (changes, lacks) = repository.copy_work_tree(head, &place.tree())?;
            (Some(changes), lacks)
        }
    };
    let mut snapshot = BuiltSnapshot { place, below, top, lacks, changes, was_kept: false };
    let began = SystemTime::now();
    if let Err(failed) = run(&snapshot, order, env) {
        let Failed::Error(error) = failed else { return Err(failed) };
        snapshot.place.fail();
        let lacks = what_it_lacks(repository, snapshot.lacks, &error.text);
        return Err(Failed::Error(Error { text: format!("{}{lacks}", error.text), ..error }));
    }
    (order.check)(&snapshot.snapshot(), began)?;
    snapshot.place.complete().map_err(|error| {
        Error::failed(format!("the snapshot of `{}` cannot be kept: {error}", order.name))
    })?;
    if key.is_some()
        && let Ok(directory) = all()
    {
        kept::shrink(&directory, kept::MOST_BYTES);
    }
    Ok(snapshot)
}

/// A snapshot of a commit in which nothing is built.
///
/// # Errors
/// If the tree cannot be written.
pub(crate) fn unbuilt(
    repository: &Repository,
    id: &str,
    below: &Path,
) -> Result<BuiltSnapshot, Error> {
    let place = Place::temporary().map_err(Error::failed)?;
    let lacks = repository.check_out(id, &place.tree())?;
    let (below, top) = (below.to_owned(), repository.top().to_owned());
    Ok(BuiltSnapshot { place, below, top, lacks, changes: None, was_kept: false })
}

fn run(
    snapshot: &BuiltSnapshot,
    order: &SnapshotOrder<'_>,
    mut env: Vec<(String, String)>,
) -> Result<(), Failed> {
    let (directory, cache, tree) =
        (snapshot.directory(), snapshot.place.cache(), snapshot.place.tree());
    if !directory.is_dir() {
        return Err(Failed::Error(Error::target(format!(
            "`{}`: this revision has no directory {}, which has the experiment file today",
            order.name,
            shown(order.below.display().to_string())
        ))));
    }
    let around = Around { top: &snapshot.top, tree: &tree, directory: &directory };
    env.extend(environment::target_directory(&around));
    let builds = Builds::new(order.secrets, order.stopped, order.tell);
    builds.run_all(&BuildOrder {
        name: order.name,
        directory: &directory,
        commands: order.build,
        cache: &cache,
        log: &snapshot.place.log(),
        env,
    })
}

/// What a snapshot lacks that the build may have needed, as a sentence to add.
fn what_it_lacks(repository: &Repository, mut lacks: Vec<String>, message: &str) -> String {
    let ignored: Vec<String> =
        repository.ignored().iter().map(|path| path.display().to_string()).collect();
    let name =
        |path: &str| path.trim_end_matches('/').rsplit('/').next().unwrap_or(path).to_owned();
    // Those that the log speaks of are most probably what it missed.
    let (first, rest): (Vec<_>, Vec<_>) =
        ignored.iter().partition(|path| message.contains(&name(path)));
    let named: Vec<String> = first.into_iter().chain(rest).map(shown).take(MOST_NAMED).collect();
    if !named.is_empty() {
        let more = ignored.len() - named.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        lacks.push(format!(
            "files that git ignores are in no snapshot ({}{more}): let `build` make what it needs of them",
            named.join(", ")
        ));
    }
    lacks.iter().map(|what| format!("\n  {what}")).collect()
}

/// The directory of all snapshots.
fn all() -> Result<PathBuf, String> {
    let cache = crate::system::cache::directory().ok_or(NO_CACHE)?;
    Ok(cache.join("revisions"))
}

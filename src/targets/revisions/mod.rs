//! Snapshots of revisions: the tree of a commit, or of the working tree, in a directory of its own, and what
//! the `build` commands of a contender make of it there. What was built from a commit is kept for it.

mod kept;
mod key;
mod place;

pub(crate) use kept::clean;

use crate::system::repository::{Changes, Repository};
use crate::targets::launch::{
    BuildOrder, Builds, Failed, LaunchCommand, NO_CACHE, Secret, whole_environment,
};
use place::Place;
use protocol::Error;
use std::path::{Path, PathBuf};
use text::shown::shown;

/// Variables that lead builds of both sides into one directory.
const SHARED: [&str; 6] = [
    "CARGO_TARGET_DIR",
    "CARGO_BUILD_TARGET_DIR",
    "CARGO_BUILD_BUILD_DIR",
    "CARGO_INSTALL_ROOT",
    "GOBIN",
    "DESTDIR",
];

/// The variable with the number of a rebuild, from 1.
const REBUILD: &str = "TIEBREAK_REBUILD";

/// The most ignored files that an error names.
const MOST_NAMED: usize = 10;

/// Which tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tree<'a> {
    /// That of the commit with this whole id.
    Commit(&'a str),
    /// The working tree with its changes.
    WorkTree,
}

/// What is to be built in a snapshot.
#[derive(Clone, Copy)]
pub(crate) struct SnapshotOrder<'a> {
    /// The contender's name, for messages.
    pub(crate) name: &'a str,
    /// The directory of the experiment file, relative to the top of the repository.
    pub(crate) below: &'a Path,
    /// The commands that build it.
    pub(crate) build: &'a [LaunchCommand],
    /// The number of this build among several of one revision, from 1 (`--rebuilds`).
    pub(crate) rebuild: Option<u32>,
    /// Every secret of the experiment, which is redacted in the log.
    pub(crate) secrets: &'a [Secret],
    /// Whether a signal asked tiebreak to stop.
    pub(crate) stopped: &'a dyn Fn() -> bool,
    /// Called before each command with the command and the directory that it runs in.
    pub(crate) tell: &'a dyn Fn(&LaunchCommand, &Path),
}

/// A snapshot in which everything was built. Its directory exists until this is dropped, and then only if it
/// is kept for its commit.
pub(crate) struct BuiltSnapshot {
    place: Place,
    below: PathBuf,
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

    /// The directory that was built into: `{cache}`.
    pub(crate) fn cache(&self) -> PathBuf {
        self.place.cache()
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
    let env = environment(order.rebuild);
    let key = match tree {
        Tree::Commit(id) => Some(key::of(repository.top(), id, order, &env)),
        Tree::WorkTree => None,
    };
    let place = match &key {
        Some(key) => Place::kept(key),
        None => Place::temporary(),
    };
    let place = place.map_err(|error| Error::failed(format!("`{}`: {error}", order.name)))?;
    let below = order.below.to_owned();
    if place.is_complete() {
        return Ok(BuiltSnapshot { place, below, changes: None, was_kept: true });
    }
    let (changes, lacks) = match tree {
        Tree::Commit(id) => (None, repository.check_out(id, &place.tree())?),
        Tree::WorkTree => {
            let (changes, lacks) = repository.copy_work_tree(&place.tree())?;
            (Some(changes), lacks)
        }
    };
    let mut snapshot = BuiltSnapshot { place, below, changes, was_kept: false };
    if let Err(failed) = run(&snapshot, order, env) {
        let Failed::Error(error) = failed else { return Err(failed) };
        snapshot.place.fail();
        let lacks = what_it_lacks(repository, lacks, &error.text);
        return Err(Failed::Error(Error { text: format!("{}{lacks}", error.text), ..error }));
    }
    snapshot.place.complete().map_err(|error| {
        Error::failed(format!("the snapshot of `{}` cannot be kept: {error}", order.name))
    })?;
    if key.is_some() {
        kept::shrink(kept::MOST_BYTES);
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
    repository.check_out(id, &place.tree())?;
    Ok(BuiltSnapshot { place, below: below.to_owned(), changes: None, was_kept: false })
}

fn run(
    snapshot: &BuiltSnapshot,
    order: &SnapshotOrder<'_>,
    env: Vec<(String, String)>,
) -> Result<(), Failed> {
    let (directory, cache) = (snapshot.directory(), snapshot.cache());
    if !directory.is_dir() {
        return Err(Failed::Error(Error::target(format!(
            "`{}`: this revision has no directory {}, which has the experiment file today",
            order.name,
            shown(order.below.display().to_string())
        ))));
    }
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

/// The environment of builds: that of the user, without what leads both sides into one directory.
fn environment(rebuild: Option<u32>) -> Vec<(String, String)> {
    let mut env = whole_environment();
    env.retain(|(name, _)| {
        !SHARED.contains(&name.as_str()) && !name.starts_with("GIT_") && name != REBUILD
    });
    env.extend(rebuild.map(|number| (REBUILD.to_owned(), number.to_string())));
    env
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

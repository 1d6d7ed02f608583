//! Which commits may have made a difference: the first parents of BAD, and the side branches of merges.

use crate::system::repository::Repository;
use protocol::Error;
use report::bisect::{Asked, Commit};
use std::collections::HashSet;
use std::path::Path;
use text::lists;
use text::shown::shown;
use text::units::show_count;

/// The most commits that one search covers.
const MOST: usize = 10_000;

/// The histories of a repository.
pub(crate) trait Commits {
    /// The first parents of one commit that another one does not have, the oldest first. With paths, only those that
    /// change something there.
    ///
    /// # Errors
    /// If they cannot be read.
    fn first_parents(
        &self,
        without: &str,
        of: &str,
        paths: &[String],
    ) -> Result<Vec<Commit>, Error>;

    /// One commit.
    ///
    /// # Errors
    /// If it cannot be read.
    fn describe(&self, id: &str) -> Result<Commit, Error>;

    /// Whether history is missing, because the clone was made with a depth.
    fn is_shallow(&self) -> bool;
}

impl Commits for Repository {
    fn first_parents(
        &self,
        without: &str,
        of: &str,
        paths: &[String],
    ) -> Result<Vec<Commit>, Error> {
        let range = format!("{without}..{of}");
        let words = ["--first-parent", "--reverse", &range, "--"];
        let words: Vec<&str> = words.into_iter().chain(paths.iter().map(String::as_str)).collect();
        self.log(&words)
    }

    fn describe(&self, id: &str) -> Result<Commit, Error> {
        Repository::describe(self, id)
    }

    fn is_shallow(&self) -> bool {
        Repository::is_shallow(self)
    }
}

/// The line of history to BAD: the commit that stands for GOOD, then those that may have made a difference. GOOD itself
/// stands for itself if it is a first parent of BAD; else the commit from which both come.
///
/// # Errors
/// If there is no such commit, none of them touches the paths, or there are too many.
pub(super) fn of_bad(
    commits: &dyn Commits,
    good: &str,
    bad: &str,
    paths: &[String],
) -> Result<Vec<Commit>, Error> {
    let all = commits.first_parents(good, bad, &[])?;
    let Some(first) = all.first() else {
        return Err(Error::usage(
            "BAD is GOOD or one of its ancestors, so no commit can have made BAD dearer: name the older commit first",
        ));
    };
    let Some(before) = first.parents.first() else {
        return Err(Error::usage(match commits.is_shallow() {
            true => {
                "this clone is shallow and lacks the commits between GOOD and BAD: get them with `git fetch \
                 --unshallow --tags` (actions/checkout: `fetch-depth: 0`)"
            }
            false => "GOOD and BAD have no common ancestor",
        }));
    };
    let begin = commits.describe(before)?;
    let Some(line) = kept(commits, good, bad, all, paths)? else {
        return Err(Error::usage(format!(
            "no commit between GOOD and BAD changes anything at {}: paths are relative to the current directory",
            lists::listed(&paths.iter().map(shown).collect::<Vec<_>>())
        )));
    };
    check(&line)?;
    Ok([vec![begin], line].concat())
}

/// The side branch of a merge: the commit from which it comes, then its own commits. Returns None if it has none, or
/// more than two branches were merged.
///
/// # Errors
/// If it cannot be read.
pub(super) fn of_merge(
    commits: &dyn Commits,
    merge: &Commit,
    paths: &[String],
) -> Result<Option<Vec<Commit>>, Error> {
    let [main, side] = &merge.parents[..] else { return Ok(None) };
    let all = commits.first_parents(main, side, &[])?;
    let Some(before) = all.first().and_then(|first| first.parents.first()) else { return Ok(None) };
    let begin = commits.describe(before)?;
    let line = kept(commits, main, side, all, paths)?.filter(|line| line.len() <= MOST);
    Ok(line.map(|line| [vec![begin], line].concat()))
}

/// The commits of a line that change something at the paths, and its last one, which is measured in any case. Each
/// says how many before it were left out. Returns None if none changes anything there.
fn kept(
    commits: &dyn Commits,
    without: &str,
    of: &str,
    all: Vec<Commit>,
    paths: &[String],
) -> Result<Option<Vec<Commit>>, Error> {
    if paths.is_empty() {
        return Ok(Some(all));
    }
    let touching = commits.first_parents(without, of, paths)?;
    if touching.is_empty() {
        return Ok(None);
    }
    let touching: HashSet<String> = touching.into_iter().map(|commit| commit.id).collect();
    let last = all.len() - 1;
    let (mut line, mut left_out) = (Vec::new(), 0);
    for (at, commit) in all.into_iter().enumerate() {
        if at == last || touching.contains(&commit.id) {
            line.push(Commit { left_out: std::mem::take(&mut left_out), ..commit });
        } else {
            left_out += 1;
        }
    }
    Ok(Some(line))
}

/// Paths as the user typed them in a directory, relative to the top of the repository.
///
/// # Errors
/// If that directory is elsewhere, or a path has a form that has another meaning at the top.
pub(crate) fn below_the_top(
    repository: &Repository,
    directory: &Path,
    typed: &[String],
) -> Result<Vec<String>, Error> {
    let top = repository.top().canonicalize().unwrap_or_else(|_| repository.top().to_owned());
    let below = directory.strip_prefix(&top).ok();
    let of = |path: &String| match (path.starts_with(':'), below) {
        (false, _) if path.starts_with('/') => Ok(path.clone()),
        (false, Some(below)) => Ok(below.join(path).display().to_string()),
        (true, Some(below)) if below.as_os_str().is_empty() => Ok(path.clone()),
        _ => Err(Error::usage(format!(
            "{}: give this path in the top directory of the repository, {}",
            shown(path),
            shown(top.display().to_string())
        ))),
    };
    typed.iter().map(of).collect()
}

fn check(line: &[Commit]) -> Result<(), Error> {
    if line.len() <= MOST {
        return Ok(());
    }
    Err(Error::usage(format!(
        "there are {} commits between GOOD and BAD, and a search covers {} at most: name a later GOOD, or paths after --",
        show_count(line.len() as u64),
        show_count(MOST as u64)
    )))
}

/// Refuses to skip what must be measured.
///
/// # Errors
/// If an end of the line is skipped.
pub(crate) fn skipped(asked: &Asked, line: &[Commit]) -> Result<(), Error> {
    match skipped_end(asked, line) {
        None => Ok(()),
        Some(end) => Err(Error::usage(format!(
            "--skip {}: the first and the last commit must be measured: name others as GOOD or BAD",
            shown(&end.short)
        ))),
    }
}

/// An end of a line that is skipped.
pub(super) fn skipped_end<'a>(asked: &Asked, line: &'a [Commit]) -> Option<&'a Commit> {
    [line.first()?, line.last()?].into_iter().find(|end| asked.skipped.contains(&end.id))
}

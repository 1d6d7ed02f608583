//! Which commits may have made a difference: the first parents of BAD, and the side branches of merges.

use crate::system::repository::{Commit as Known, Repository};
use protocol::Error;
use report::bisect::{Asked, Commit};
use std::collections::HashSet;
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

const FORMAT: &str = "--format=%H%x00%h%x00%s%x00%an%x00%aI%x00%P";
/// The fields of this format.
const FIELDS: usize = 6;

impl Commits for Repository {
    fn first_parents(
        &self,
        without: &str,
        of: &str,
        paths: &[String],
    ) -> Result<Vec<Commit>, Error> {
        let range = format!("{without}..{of}");
        let words =
            ["log", "-z", "--first-parent", "--reverse", "--encoding=UTF-8", FORMAT, &range, "--"];
        let words: Vec<&str> = words.into_iter().chain(paths.iter().map(String::as_str)).collect();
        Ok(parsed(&self.reads(&words)?))
    }

    fn describe(&self, id: &str) -> Result<Commit, Error> {
        let Known { id, short, subject, author, authored } = Repository::describe(self, id)?;
        let parents = self.reads(&["rev-list", "--parents", "-1", &id])?;
        let parents = String::from_utf8_lossy(&parents);
        let parents = parents.split_whitespace().skip(1).map(str::to_owned).collect();
        Ok(Commit { id, short, subject, author, authored, parents })
    }

    fn is_shallow(&self) -> bool {
        Repository::is_shallow(self)
    }
}

/// The commits of an output whose fields are separated by zero bytes.
fn parsed(output: &[u8]) -> Vec<Commit> {
    let text = String::from_utf8_lossy(output);
    let fields: Vec<&str> = text.split('\0').collect();
    let commits = fields.chunks_exact(FIELDS).map(|of| Commit {
        id: of[0].to_owned(),
        short: of[1].to_owned(),
        subject: of[2].chars().take(text::shown::LONGEST).collect(),
        author: of[3].chars().take(text::shown::LONGEST).collect(),
        authored: of[4].to_owned(),
        parents: of[5].split(' ').filter(|id| !id.is_empty()).map(str::to_owned).collect(),
    });
    commits.collect()
}

/// The line of history to BAD: the commit that stands for GOOD, then those that may have made a difference. GOOD itself
/// stands for itself if it is a first parent of BAD; else the commit from which both come.
///
/// # Errors
/// If there is no such commit, or there are too many.
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
    let line = kept(commits, good, bad, all, paths)?;
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
    let line = kept(commits, main, side, all, paths)?;
    Ok((line.len() <= MOST).then(|| [vec![begin], line].concat()))
}

/// The commits of a line that change something at the paths, and its last one, which is measured in any case.
fn kept(
    commits: &dyn Commits,
    without: &str,
    of: &str,
    mut all: Vec<Commit>,
    paths: &[String],
) -> Result<Vec<Commit>, Error> {
    if paths.is_empty() {
        return Ok(all);
    }
    let touching = commits.first_parents(without, of, paths)?;
    let touching: HashSet<String> = touching.into_iter().map(|commit| commit.id).collect();
    let last = all.last().map(|commit| commit.id.clone());
    all.retain(|commit| touching.contains(&commit.id) || Some(&commit.id) == last.as_ref());
    Ok(all)
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
    for end in [line.first(), line.last()].into_iter().flatten() {
        if asked.skipped.contains(&end.id) {
            return Err(Error::usage(format!(
                "--skip {}: the first and the last commit must be measured: name others as GOOD or BAD",
                shown(&end.short)
            )));
        }
    }
    Ok(())
}

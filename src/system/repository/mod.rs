//! A git repository of the user, which is only read: its revisions, and copies of its trees elsewhere.

mod check_out;
mod git;
#[cfg(test)]
mod tests;
mod work_tree;

pub(crate) use work_tree::Changes;

use git::{Config, command};
use protocol::Error;
use report::bisect::Commit;
use std::path::{Path, PathBuf};
use std::process::Command;
use text::shown::{LONGEST, shown};

/// What `git log` prints of a commit, and the number of fields in that.
const FORMAT: &str = "--format=%H%x00%h%x00%s%x00%an%x00%aI%x00%P";
const FIELDS: usize = 6;

/// A repository with a work tree.
#[derive(Clone, Debug)]
pub(crate) struct Repository {
    /// The work tree, or the directory of git itself for a submodule that is not checked out.
    top: PathBuf,
    /// The directory of what all its work trees share.
    common: PathBuf,
}

impl Repository {
    /// The repository whose work tree contains this directory.
    ///
    /// # Errors
    /// If git is missing, or this is no work tree.
    pub(crate) fn containing(directory: &Path) -> Result<Repository, Error> {
        let mut asked = command(directory, Config::User);
        asked.args(["rev-parse", "--show-toplevel"]);
        let ended = git::run(asked)?;
        if !ended.status.success() {
            return Err(Error::usage(format!(
                "revisions need a git repository with a work tree, and {} is in none: {}",
                shown(directory.display().to_string()),
                git::message(&ended)
            )));
        }
        Repository::at(git::path(&ended.stdout))
    }

    /// The repository at the top of a work tree, or in a directory of git.
    fn at(top: PathBuf) -> Result<Repository, Error> {
        let mut asked = command(&top, Config::User);
        asked.args(["rev-parse", "--path-format=absolute", "--git-common-dir"]);
        let common = git::output(asked, "the repository cannot be read")?;
        Ok(Repository { top, common: git::path(&common) })
    }

    /// The top of its work tree.
    pub(crate) fn top(&self) -> &Path {
        &self.top
    }

    /// What a command of git that reads this repository prints.
    fn reads(&self, words: &[&str]) -> Result<Vec<u8>, Error> {
        git::output(self.command(words), "the repository cannot be read")
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = command(&self.top, Config::User);
        command.args(words);
        command
    }

    /// The commit that a revision names; `REV...` is its merge base with HEAD.
    ///
    /// # Errors
    /// If there is none, with the remedy for a shallow clone.
    pub(crate) fn commit(&self, revision: &str) -> Result<Commit, Error> {
        let id = match revision.strip_suffix("...") {
            Some(other) => self.merge_base(&self.id(other)?, &self.id("HEAD")?, revision)?,
            None => self.id(revision)?,
        };
        self.describe(&id)
    }

    pub(crate) fn describe(&self, id: &str) -> Result<Commit, Error> {
        let found = self.log(&["-1", id, "--"])?.pop();
        found.ok_or_else(|| Error::failed(format!("the repository cannot be read: no commit {id}")))
    }

    /// The commits that `git log` lists for these words, in its order.
    pub(crate) fn log(&self, words: &[&str]) -> Result<Vec<Commit>, Error> {
        let all = [&["log", "-z", "--no-show-signature", "--encoding=UTF-8", FORMAT], words];
        let output = self.reads(&all.concat())?;
        let text = String::from_utf8_lossy(&output);
        let fields: Vec<&str> = text.split('\0').collect();
        Ok(fields.chunks_exact(FIELDS).map(commit).collect())
    }

    /// Whether history is missing, because the clone was made with a depth.
    pub(crate) fn is_shallow(&self) -> bool {
        self.common.join("shallow").exists()
    }

    fn find(&self, revision: &str) -> Result<Option<String>, Error> {
        if revision.starts_with('-') || revision.is_empty() {
            return Ok(None);
        }
        let commit = format!("{revision}^{{commit}}");
        let ended = git::run(self.command(&["rev-parse", "--verify", "--quiet", &commit]))?;
        Ok(ended.status.success().then(|| git::line(&ended.stdout)))
    }

    fn id(&self, revision: &str) -> Result<String, Error> {
        if let Some(id) = self.find(revision)? {
            return Ok(id);
        }
        let remedy = if self.is_shallow() {
            SHALLOW.to_owned()
        } else if revision == "HEAD" {
            "it has no commit yet: make one".to_owned()
        } else if self.find(&format!("origin/{revision}"))?.is_some() {
            format!("did you mean `origin/{}`?", shown(revision))
        } else {
            "`git log --oneline` and `git tag` list revisions, and `git fetch --tags` gets those of the \
             remote"
                .to_owned()
        };
        Err(Error::usage(format!(
            "the revision `{}` was not found in {}: {remedy}",
            shown(revision),
            shown(self.top.display().to_string())
        )))
    }

    fn merge_base(&self, one: &str, other: &str, revision: &str) -> Result<String, Error> {
        let ended = git::run(self.command(&["merge-base", one, other]))?;
        if ended.status.success() {
            return Ok(git::line(&ended.stdout));
        }
        let why = if self.is_shallow() { SHALLOW } else { "their histories are not related" };
        Err(Error::usage(format!("`{}` has no merge base with HEAD: {why}", shown(revision))))
    }

    /// Files and directories of the work tree that git ignores and that are therefore in no snapshot.
    pub(crate) fn ignored(&self) -> Vec<PathBuf> {
        let words =
            ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
        self.reads(&words).map_or(Vec::new(), |output| git::paths(&output))
    }
}

fn commit(fields: &[&str]) -> Commit {
    let field = |at: usize| fields[at].chars().take(LONGEST).collect();
    Commit {
        id: field(0),
        short: field(1),
        subject: field(2),
        author: field(3),
        authored: field(4),
        parents: fields[5].split_whitespace().map(str::to_owned).collect(),
        left_out: 0,
    }
}

/// What to do in a clone that lacks history.
const SHALLOW: &str = "this clone is shallow: get its history with `git fetch --unshallow --tags` \
                       (actions/checkout: `fetch-depth: 0`)";

//! The tree of a commit, checked out into a clone of our own that shares the user's objects: the user's
//! repository is not written to, and a build may ask git for its version.

use super::Repository;
use super::git::{self, Config, command};
use protocol::Error;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};
use text::shown::shown;

/// A submodule as a commit records it.
pub(super) struct Submodule {
    /// Its path in the tree.
    pub(super) path: PathBuf,
    /// The commit that is recorded.
    pub(super) id: String,
    /// The repository of the user that has it. None if there is none.
    pub(super) repository: Option<Repository>,
}

impl Repository {
    /// Checks a commit with its submodules out into this directory, which does not exist yet. Returns what
    /// the tree lacks, in words: submodules and files of Git LFS that the user does not have.
    ///
    /// # Errors
    /// If the tree cannot be written.
    pub(crate) fn check_out(&self, id: &str, into: &Path) -> Result<Vec<String>, Error> {
        let mut lacks = self.check_out_alone(id, into)?;
        for submodule in self.submodules(id, into)? {
            let path = into.join(&submodule.path);
            match submodule.repository.filter(|of| of.has(&submodule.id)) {
                Some(repository) => {
                    let inside = repository.check_out(&submodule.id, &path)?;
                    lacks.extend(inside.into_iter().map(|what| within(&submodule.path, &what)));
                }
                None => lacks.push(lacks_submodule(&submodule.path)),
            }
        }
        Ok(lacks)
    }

    /// Checks a commit out without its submodules, and returns the files of Git LFS that it lacks.
    pub(super) fn check_out_alone(&self, id: &str, into: &Path) -> Result<Vec<String>, Error> {
        self.make_clone(id, into)?;
        let mut written = command(into, Config::Nobody);
        written.args(["read-tree", "--reset", "-u", id]);
        git::output(written, "the tree of a revision cannot be written")?;
        let mut lacks = self.fill_pointers(into)?;
        lacks.extend(other_filters(into)?);
        Ok(lacks)
    }

    /// Makes an empty clone whose HEAD is this commit.
    fn make_clone(&self, id: &str, into: &Path) -> Result<(), Error> {
        let mut objects = self.common.join("objects").into_os_string().into_vec();
        if objects.contains(&b'\n') {
            return Err(Error::usage("the path of the repository must not contain a line end"));
        }
        objects.push(b'\n');
        let format = self.reads(&["rev-parse", "--show-object-format"])?;
        // Tags are for builds that call `git describe`.
        let tags =
            self.reads(&["for-each-ref", "--format=%(objectname) %(refname)", "refs/tags"])?;
        let cannot_write = |error: io::Error| {
            let into = shown(into.display().to_string());
            Error::failed(format!("the snapshot {into} cannot be written: {error}"))
        };
        fs::create_dir_all(into).map_err(cannot_write)?;
        let mut init = command(into, Config::Nobody);
        init.args(["init", "--quiet", "--template=", "--initial-branch=main"]);
        init.arg(format!("--object-format={}", git::line(&format)));
        git::output(init, "a clone for a snapshot cannot be made")?;
        let own = into.join(".git");
        let write = || {
            fs::create_dir_all(own.join("objects/info"))?;
            fs::write(own.join("objects/info/alternates"), objects)?;
            if self.is_shallow() {
                fs::copy(self.common.join("shallow"), own.join("shallow"))?;
            }
            fs::write(own.join("packed-refs"), tags)?;
            fs::write(own.join("HEAD"), format!("{id}\n"))
        };
        write().map_err(cannot_write)
    }

    /// The submodules of a commit that was checked out here.
    pub(super) fn submodules(&self, id: &str, into: &Path) -> Result<Vec<Submodule>, Error> {
        let links = git::links(&listed(into, "--stage")?);
        if links.is_empty() {
            return Ok(Vec::new());
        }
        let names = self.names_of_submodules(id)?;
        let found = links.into_iter().map(|(path, id)| {
            let name = names.iter().find(|(_, at)| *at == path).map(|(name, _)| name.as_path());
            let repository = self.of_submodule(&path, name);
            Submodule { path, id, repository }
        });
        Ok(found.collect())
    }

    /// The names of submodules, each with its path, as `.gitmodules` of this commit has them.
    fn names_of_submodules(&self, id: &str) -> Result<Vec<(PathBuf, PathBuf)>, Error> {
        let blob = format!("{id}:.gitmodules");
        let words = ["config", "-z", "--blob", &blob, "--get-regexp", r"^submodule\..*\.path$"];
        let ended = git::run(self.command(&words))?;
        let entries = git::fields(&ended.stdout).filter_map(|entry| {
            let entry = String::from_utf8_lossy(entry);
            let (key, path) = entry.split_once('\n')?;
            let name = key.strip_prefix("submodule.")?.strip_suffix(".path")?;
            Some((PathBuf::from(name), PathBuf::from(path)))
        });
        Ok(entries.collect())
    }

    /// The user's own repository of a submodule. Its name is text of the commit, and may not lead elsewhere.
    fn of_submodule(&self, path: &Path, name: Option<&Path>) -> Option<Repository> {
        let modules = self.common.join("modules");
        let named = name.filter(|name| is_below(name)).map(|name| modules.join(name));
        let places = [Some(self.top.join(path)), named];
        let is_one = |place: &PathBuf| place.join(".git").exists() || place.join("HEAD").is_file();
        places.into_iter().flatten().filter(is_one).find_map(|place| Repository::at(place).ok())
    }

    pub(super) fn has(&self, id: &str) -> bool {
        let commit = format!("{id}^{{commit}}");
        git::run(self.command(&["cat-file", "-e", &commit]))
            .is_ok_and(|ended| ended.status.success())
    }

    /// Replaces the pointers of Git LFS by the files, as far as the user has them, and returns the others.
    fn fill_pointers(&self, into: &Path) -> Result<Vec<String>, Error> {
        let mut lacks = Vec::new();
        for path in git::paths(&listed(into, ":(attr:filter=lfs)")?) {
            let file = into.join(&path);
            let Some(id) = pointed_at(&file) else { continue };
            let object = self.common.join("lfs/objects").join(&id[..2]).join(&id[2..4]).join(&id);
            let filled = fs::read(object).and_then(|content| fs::write(&file, content));
            if filled.is_err() {
                let path = shown(path.display().to_string());
                lacks.push(format!(
                    "{path} is a pointer of Git LFS (`git lfs fetch --all` gets the file)"
                ));
            }
        }
        Ok(lacks)
    }
}

/// What `ls-files` prints of the tree of a clone with this option or pattern.
fn listed(clone: &Path, word: &str) -> Result<Vec<u8>, Error> {
    let mut command = command(clone, Config::Nobody);
    command.args(["ls-files", "-z", word]);
    git::output(command, "the tree of a revision cannot be read")
}

/// What a tree has behind filters other than Git LFS, none of which is run: the files are as git stores them.
fn other_filters(into: &Path) -> Result<Vec<String>, Error> {
    let mut names = BTreeSet::new();
    for path in git::paths(&listed(into, ":(glob)**/.gitattributes")?) {
        let file = into.join(path);
        if file.symlink_metadata().is_ok_and(|about| about.is_file()) {
            let text = String::from_utf8_lossy(&fs::read(file).unwrap_or_default()).into_owned();
            let words = text.split_whitespace().filter_map(|word| word.strip_prefix("filter="));
            let is_name = |name: &&str| {
                let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
                *name != "lfs" && !name.is_empty() && name.chars().all(fits)
            };
            names.extend(words.filter(is_name).map(str::to_owned));
        }
    }
    let mut lacks = Vec::new();
    for name in names {
        let files = git::paths(&listed(into, &format!(":(attr:filter={name})"))?);
        if let Some(first) = files.first() {
            let (first, more) = (shown(first.display().to_string()), files.len() - 1);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            lacks.push(format!(
                "{first}{more}: git's filter {name} is not run, so as git stores it"
            ));
        }
    }
    Ok(lacks)
}

/// The SHA-256 that a file names if it is a pointer of Git LFS.
fn pointed_at(file: &Path) -> Option<String> {
    let about =
        file.symlink_metadata().ok().filter(|about| about.is_file() && about.len() < 1024)?;
    let mut text = String::new();
    fs::File::open(file).ok()?.take(about.len()).read_to_string(&mut text).ok()?;
    let rest = text.strip_prefix("version https://git-lfs.github.com/spec/v1\n")?;
    let id = rest.lines().find_map(|line| line.strip_prefix("oid sha256:"))?;
    let is_hash = id.len() == 64 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| id.to_owned())
}

/// Whether a path leads to something below where it starts.
fn is_below(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_)))
}

pub(super) fn lacks_submodule(path: &Path) -> String {
    let path = shown(path.display().to_string());
    format!("the submodule {path} is not in your clone (`git submodule update --init` gets it)")
}

pub(super) fn within(path: &Path, what: &str) -> String {
    format!("in {}: {what}", shown(path.display().to_string()))
}

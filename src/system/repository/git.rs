//! Runs `git` such that it writes nothing to the user's repository, runs no program that the repository
//! names, and asks nobody on the network.

use protocol::Error;
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use text::shown::shown;

/// Hooks, the monitor of files, signatures and remotes can each start a program, and maintenance writes.
const SETTINGS: [&str; 8] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=keep",
    "log.showSignature=false",
    "submodule.recurse=false",
    "protocol.allow=never",
    "maintenance.auto=false",
    "gc.auto=0",
];

/// Whose settings git reads in addition to those of the repository.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Config {
    /// Those of the user, for questions to the user's repository.
    User,
    /// None, for a clone of our own: so no filter is known that could run a program.
    Nobody,
}

pub(super) fn command(directory: &Path, config: Config) -> Command {
    let mut command = Command::new("git");
    // A hook of git that starts tiebreak sets variables that lead to its repository.
    let own = std::env::vars_os().map(|(name, _)| name);
    own.filter(|name| name.as_bytes().starts_with(b"GIT_")).for_each(|name| {
        command.env_remove(name);
    });
    command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_TERMINAL_PROMPT", "0");
    command.env("GIT_NO_LAZY_FETCH", "1").env("LC_ALL", "C");
    if config == Config::Nobody {
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
        command.env("GIT_ATTR_NOSYSTEM", "1");
    }
    command.arg("-C").arg(directory).args(SETTINGS.iter().flat_map(|setting| ["-c", setting]));
    command.stdin(Stdio::null());
    command
}

/// Runs a command to its end.
///
/// # Errors
/// If git is not installed.
pub(super) fn run(mut command: Command) -> Result<Output, Error> {
    command.output().map_err(|error| match error.kind() {
        ErrorKind::NotFound => Error::usage(
            "revisions are read with `git`, which is not installed (not found in PATH): apt-get install git",
        ),
        _ => Error::failed(format!("`git` cannot be started: {error}")),
    })
}

/// Runs a command that must succeed, and returns what it printed.
///
/// # Errors
/// If git is not installed or fails, with its message.
pub(super) fn output(command: Command, what: &str) -> Result<Vec<u8>, Error> {
    let ended = run(command)?;
    if ended.status.success() {
        return Ok(ended.stdout);
    }
    Err(Error::failed(format!("{what}: git says: {}", message(&ended))))
}

/// What git wrote to standard error, as one shown line.
pub(super) fn message(ended: &Output) -> String {
    let text = String::from_utf8_lossy(&ended.stderr);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    shown(lines.join(" "))
}

/// The fields of an output of git that are separated by zero bytes.
pub(super) fn fields(output: &[u8]) -> impl Iterator<Item = &[u8]> {
    output.split(|byte| *byte == 0).filter(|field| !field.is_empty())
}

/// The fields as paths.
pub(super) fn paths(output: &[u8]) -> Vec<PathBuf> {
    fields(output).map(|field| PathBuf::from(OsStr::from_bytes(field))).collect()
}

/// The submodules of an index that was listed with `ls-files -z --stage`, each with its commit.
pub(super) fn links(listed: &[u8]) -> Vec<(PathBuf, String)> {
    let links = fields(listed).filter_map(|entry| {
        let (about, path) = entry.split_at(entry.iter().position(|byte| *byte == b'\t')?);
        let about = std::str::from_utf8(about).ok()?;
        let mut words = about.split(' ');
        let id = (words.next() == Some("160000")).then(|| words.next())??;
        Some((PathBuf::from(OsStr::from_bytes(&path[1..])), id.to_owned()))
    });
    links.collect()
}

pub(super) fn path(output: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(output.strip_suffix(b"\n").unwrap_or(output)))
}

pub(super) fn line(output: &[u8]) -> String {
    String::from_utf8_lossy(output).trim_end().to_owned()
}

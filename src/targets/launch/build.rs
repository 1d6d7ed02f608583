//! What an experiment builds into the user's cache (`build`): programs and libraries that take
//! too long to build for each run. The commands are run again each time, because only they know
//! whether a source changed: cargo and make build only what is out of date.

use crate::system::cache;
use crate::system::cache::Lock;
use crate::targets::launch::failed::Failed;
use crate::targets::launch::{Launch, LaunchCommand, Secret, Values, running};
use keeper::{Keeper, LaunchOptions, ProcessOrder, logs};
use protocol::Error;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;
use text::shown::shown;

/// The longest time that one command may take.
const LONGEST: Duration = Duration::from_secs(3600);

/// The file with their output, in the directory that they build into.
const LOG: &str = "build.log";

/// How long a command may take to stop.
const GRACE: Duration = Duration::from_secs(2);

/// The directory that experiments in this directory build into. Returns None if this user has no
/// cache directory.
pub(crate) fn directory(experiment: &Path) -> Option<PathBuf> {
    cache::directory().map(|cache| cache::built(&cache, experiment))
}

/// What is built for a contender, where, and into what.
pub(crate) struct BuildOrder<'a> {
    /// The contender's name.
    pub(crate) name: &'a str,
    pub(crate) directory: &'a Path,
    /// The commands, in their order.
    pub(crate) commands: &'a [LaunchCommand],
    /// The directory that they build into: `{cache}`.
    pub(crate) cache: &'a Path,
    /// The file for their output.
    pub(crate) log: &'a Path,
    /// Their whole environment.
    pub(crate) env: Vec<(String, String)>,
}

/// Runs the `build` commands of contenders.
pub(crate) struct Builds<'a> {
    /// Every secret of the experiment, which is redacted in the log.
    pub(crate) secrets: &'a [Secret],
    /// Whether a signal asked tiebreak to stop.
    pub(crate) stopped: &'a dyn Fn() -> bool,
    /// Called before each command with the command and the directory that it builds into.
    pub(crate) tell: &'a dyn Fn(&LaunchCommand, &Path),
    /// The commands that ran, each with its directory: the same words build something else elsewhere.
    done: Vec<(PathBuf, Vec<String>)>,
}

impl<'a> Builds<'a> {
    /// A value that has run no command yet.
    pub(crate) fn new(
        secrets: &'a [Secret],
        stopped: &'a dyn Fn() -> bool,
        tell: &'a dyn Fn(&LaunchCommand, &Path),
    ) -> Builds<'a> {
        Builds { secrets, stopped, tell, done: Vec::new() }
    }

    /// Runs the commands of one launch. A command that ran before in the same directory is left out, because
    /// contenders of one experiment often have the same ones.
    ///
    /// # Errors
    /// If there is no cache directory, or if a command fails, with the last lines of its log.
    pub(crate) fn run(&mut self, launch: &Launch) -> Result<(), Failed> {
        if launch.snapshot.is_some() {
            return Ok(());
        }
        self.run_in(&launch.name, &launch.directory, &launch.build)
    }

    /// Does the same for a contender that is no launch.
    ///
    /// # Errors
    /// As [`Builds::run`].
    pub(crate) fn run_in(
        &mut self,
        name: &str,
        directory: &Path,
        commands: &[LaunchCommand],
    ) -> Result<(), Failed> {
        if commands.is_empty() {
            return Ok(());
        }
        let Some(cache) = self::directory(directory) else {
            return Err(Failed::Error(Error::failed(format!("`{name}`: {NO_CACHE}"))));
        };
        let is_left = |command: &&LaunchCommand| {
            let words = command.fill(&values(directory, &cache));
            !self.done.iter().any(|(place, ran)| place == directory && *ran == words)
        };
        let left: Vec<LaunchCommand> = commands.iter().filter(is_left).cloned().collect();
        if left.is_empty() {
            return Ok(());
        }
        let _lock = enter(&cache).map_err(|error| {
            let cache = shown(cache.as_os_str().as_encoded_bytes());
            Error::failed(format!("the cache directory {cache} cannot be written: {error}"))
        })?;
        let (log, env) = (cache.join(LOG), whole_environment());
        let (commands, cache, log) = (&left[..], cache.as_path(), log.as_path());
        self.run_all(&BuildOrder { name, directory, commands, cache, log, env })?;
        let ran = left.iter().map(|command| command.fill(&values(directory, cache)));
        self.done.extend(ran.map(|words| (directory.to_owned(), words)));
        Ok(())
    }

    /// Runs all commands of an order.
    ///
    /// # Errors
    /// If a command fails, with the last lines of its log.
    pub(crate) fn run_all(&self, order: &BuildOrder<'_>) -> Result<(), Failed> {
        order.commands.iter().try_for_each(|command| {
            (self.tell)(command, order.cache);
            self.run_one(order, command)
        })
    }

    fn run_one(&self, build: &BuildOrder<'_>, command: &LaunchCommand) -> Result<(), Failed> {
        let from = logs::length(build.log);
        let secrets = self.secrets.iter().map(|secret| secret.reveal().to_owned());
        let secrets: Vec<String> = secrets.collect();
        let order = ProcessOrder {
            argv: command.fill(&values(build.directory, build.cache)),
            cwd: build.directory.to_owned(),
            env: build.env.clone(),
            user: None,
            log: build.log.to_owned(),
            cores: Vec::new(),
            stop: libc::SIGTERM,
            grace: GRACE,
            group: command.shell,
        };
        let fails = |why: String| Failed::Error(Error::target(format!("`{}`: {why}", build.name)));
        let failed = |error: keeper::Error| match error {
            keeper::Error::Stopped => Failed::Stopped,
            other => fails(other.to_string()),
        };
        let launch_options = LaunchOptions { secrets: secrets.clone(), ..LaunchOptions::default() };
        let mut keeper = Keeper::start(launch_options).map_err(failed)?;
        let ended = keeper.run(&order, LONGEST, self.stopped).map_err(failed);
        // Secrets are redacted in the log when the keeper ends.
        let stopped = keeper.stop().map_err(failed);
        let wrong = match ended? {
            Some(how) if how.good() => return stopped.map(drop),
            Some(how) => format!("`{command}` {how}"),
            None => format!("`{command}` took longer than an hour, and was stopped"),
        };
        Err(fails(format!("{wrong}{}", running::quoted(build.log, from, &secrets))))
    }
}

pub(crate) const NO_CACHE: &str = "there is no cache directory to build into: set HOME or XDG_CACHE_HOME to an \
                                   absolute path";

/// The placeholders that `build` can use.
fn values(directory: &Path, cache: &Path) -> Values {
    Values { cache: cache.to_owned(), directory: directory.to_owned(), ..Values::default() }
}

/// Creates the directory, waits until no other tiebreak builds there, and removes the old log.
fn enter(cache: &Path) -> io::Result<Lock> {
    cache::make(cache)?;
    let lock = Lock::take(&cache.join("lock"), || {})?;
    match fs::remove_file(cache.join(LOG)) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(lock),
    }
}

/// All environment variables of the user, because compilers and package managers need variables
/// such as CARGO_HOME and https_proxy. They cannot influence a measurement, since nothing is
/// measured during a build.
pub(crate) fn whole_environment() -> Vec<(String, String)> {
    let text = |text: std::ffi::OsString| text.into_string().ok();
    std::env::vars_os().filter_map(|(name, value)| Some((text(name)?, text(value)?))).collect()
}

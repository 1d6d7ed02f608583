//! What an experiment builds into the user's cache (`build`): programs and libraries that take
//! too long to build for each run. The commands are run again each time, because only they know
//! whether a source changed: cargo and make build only what is out of date.

use crate::system::cache;
use crate::system::cache::Lock;
use crate::targets::launch::failed::{Failed, named};
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

/// Runs the `build` commands of launches.
pub(crate) struct Builds<'a> {
    /// Every secret of the experiment, which is redacted in the log.
    pub(crate) secrets: &'a [Secret],
    /// Whether a signal asked tiebreak to stop.
    pub(crate) stopped: &'a dyn Fn() -> bool,
    /// Called before each command with the command and the directory that it builds into.
    pub(crate) tell: &'a dyn Fn(&LaunchCommand, &Path),
    done: Vec<Vec<String>>,
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

    /// Runs the commands of one launch. A command that was run before is left out, because
    /// contenders of one experiment often have the same ones.
    ///
    /// # Errors
    /// If there is no cache directory, or if a command fails, with the last lines of its log.
    pub(crate) fn run(&mut self, launch: &Launch) -> Result<(), Failed> {
        let Some(cache) = directory(&launch.directory) else {
            let why = "there is no cache directory to build into: set HOME or XDG_CACHE_HOME to an \
                       absolute path";
            return Err(Failed::Error(Error::failed(named(launch, why))));
        };
        let values = Values {
            cache: cache.clone(),
            directory: launch.directory.clone(),
            ..Values::default()
        };
        let commands = launch.build.iter().map(|command| (command, command.fill(&values)));
        let commands: Vec<_> = commands.filter(|(_, argv)| !self.done.contains(argv)).collect();
        if commands.is_empty() {
            return Ok(());
        }
        let _lock = enter(&cache).map_err(|error| {
            let cache = shown(cache.as_os_str().as_encoded_bytes());
            Error::failed(format!("the cache directory {cache} cannot be written: {error}"))
        })?;
        for (command, argv) in commands {
            (self.tell)(command, &cache);
            self.run_one(launch, command, argv.clone(), &cache.join(LOG))?;
            self.done.push(argv);
        }
        Ok(())
    }

    fn run_one(
        &self,
        launch: &Launch,
        command: &LaunchCommand,
        argv: Vec<String>,
        log: &Path,
    ) -> Result<(), Failed> {
        let from = logs::length(log);
        let secrets = self.secrets.iter().map(|secret| secret.reveal().to_owned());
        let secrets: Vec<String> = secrets.collect();
        let order = ProcessOrder {
            argv,
            cwd: launch.directory.clone(),
            env: whole_environment(),
            user: None,
            log: log.to_owned(),
            cores: Vec::new(),
            stop: libc::SIGTERM,
            grace: GRACE,
            group: command.shell,
        };
        let fails = |why: String| Failed::Error(Error::target(named(launch, &why)));
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
        Err(fails(format!("{wrong}{}", running::quoted(log, from, &secrets))))
    }
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
fn whole_environment() -> Vec<(String, String)> {
    let text = |text: std::ffi::OsString| text.into_string().ok();
    std::env::vars_os().filter_map(|(name, value)| Some((text(name)?, text(value)?))).collect()
}

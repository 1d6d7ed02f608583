//! A target that was launched and is ready.

use crate::exit::Error;
use crate::shown::shown;
use crate::targets::keeper::{Farewell, Keeper, Trouble};
use crate::targets::logs;
use std::path::{Path, PathBuf};

/// One launch of a target. Dropping it ends it. No `Debug`: its address can
/// hold a login.
pub struct Running {
    name: String,
    url: String,
    keeper: Keeper,
    started: Vec<Started>,
    ready_requests: u64,
    secrets: Vec<String>,
}

/// A process that was started.
pub(super) struct Started {
    pub(super) name: String,
    pub(super) pid: i32,
    pub(super) log: PathBuf,
    /// Where this launch begins in the log.
    pub(super) from: u64,
}

impl Started {
    /// Says which process it is, where there are several.
    pub(super) fn who(&self, contender: &str) -> String {
        match self.name == contender {
            true => "it ".to_owned(),
            false => format!("its process `{}` ", self.name),
        }
    }
}

impl Running {
    pub(super) fn new(
        name: &str,
        url: String,
        keeper: Keeper,
        started: Vec<Started>,
        ready_requests: u64,
        secrets: Vec<String>,
    ) -> Running {
        Running { name: name.to_owned(), url, keeper, started, ready_requests, secrets }
    }

    /// Where to drive it. It can hold a login: never print it as it is.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// How many requests were sent to see whether it is ready: its own log may
    /// count them.
    pub fn ready_requests(&self) -> u64 {
        self.ready_requests
    }

    /// The number of its keeper: everything below it is the target.
    pub fn keeper(&self) -> i32 {
        self.keeper.pid()
    }

    /// The numbers of all its processes.
    pub fn processes(&self) -> Vec<i32> {
        self.keeper.processes()
    }

    /// The control group (version 2) that holds it alone, where there is one.
    pub fn cgroup(&self) -> Option<&Path> {
        self.keeper.cgroup()
    }

    /// Names and numbers of the processes that were started.
    pub fn started(&self) -> impl Iterator<Item = (&str, i32)> {
        self.started.iter().map(|this| (this.name.as_str(), this.pid))
    }

    /// Looks whether it still runs, without waiting.
    ///
    /// # Errors
    /// When a process of it ended: how, and the last lines of its log.
    pub fn check(&mut self) -> Result<(), Error> {
        let exits = match self.keeper.exits() {
            Ok(exits) => exits,
            Err(trouble) => return Err(Error::target(format!("`{}`: {trouble}", self.name))),
        };
        let Some((pid, how)) = exits.first() else { return Ok(()) };
        let this = self.started.iter().find(|this| this.pid == *pid).unwrap_or(&self.started[0]);
        let quoted = quoted(&this.log, this.from, &self.secrets);
        let who = this.who(&self.name);
        Err(Error::target(format!("`{}`: {who}{how}{quoted}", self.name)))
    }

    /// Pins all of it to these cores.
    ///
    /// # Errors
    /// When a core is not among ours.
    pub fn pin(&mut self, cores: &[u32]) -> Result<u32, Trouble> {
        self.keeper.pin(None, cores)
    }

    /// Ends it: its signals and graces, and then whatever is left.
    ///
    /// # Errors
    /// When its keeper was gone; it has been ended all the same.
    pub fn stop(self) -> Result<Farewell, Error> {
        let name = self.name;
        self.keeper.stop().map_err(|trouble| Error::target(format!("`{name}`: {trouble}")))
    }
}

/// The last lines of a log, to stand behind an error.
pub(super) fn quoted(log: &Path, from: u64, secrets: &[String]) -> String {
    let lines = logs::tail(log, from, secrets);
    let name = shown(log.display().to_string());
    match lines.len() {
        0 => format!("; it wrote nothing to {name}"),
        1 => format!("; {name} says:\n  {}", lines[0]),
        _ => format!("; {name} ends with:\n  {}", lines.join("\n  ")),
    }
}

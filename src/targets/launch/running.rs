//! A target that was launched and is ready.

use keeper::logs;
use keeper::{EndReport, Keeper};
use protocol::Error;
use std::path::{Path, PathBuf};
use text::shown::shown;

/// One launch of a target. Dropping it stops the target. It has no `Debug`, because its address
/// can contain a login.
pub struct Running {
    pub(super) name: String,
    pub(super) url: String,
    pub(super) keeper: Keeper,
    pub(super) started: Vec<Started>,
    pub(super) ready_requests: u64,
    pub(super) secrets: Vec<String>,
    /// Whether its processes are nodes of a cluster, which can work without some of them.
    pub(super) has_nodes: bool,
    /// The nodes that ended and without which the run goes on: their process ids, and how they
    /// ended.
    pub(super) lost: Vec<(i32, String)>,
}

/// A process that was started.
pub(super) struct Started {
    pub(super) name: String,
    pub(super) pid: i32,
    pub(super) log: PathBuf,
    /// The offset in the log at which this launch begins.
    pub(super) from: u64,
}

impl Started {
    /// The subject of a sentence about the process, with its name if there are several.
    pub(super) fn who(&self, contender: &str) -> String {
        if self.name == contender {
            "it ".to_owned()
        } else {
            format!("its process `{}` ", self.name)
        }
    }
}

impl Running {
    /// The address at which it is driven. It can contain a login and must not be printed as it
    /// is.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// How many requests were sent to check whether it is ready. Its own log may contain them.
    pub fn ready_requests(&self) -> u64 {
        self.ready_requests
    }

    /// The process id of its keeper. All of its descendants are the target.
    pub fn keeper(&self) -> i32 {
        self.keeper.pid()
    }

    /// The process ids of all its processes.
    pub fn processes(&self) -> Vec<i32> {
        self.keeper.processes()
    }

    /// The control group (version 2) that contains only this target. None if there is none.
    pub fn cgroup(&self) -> Option<&Path> {
        self.keeper.cgroup()
    }

    /// Names and process ids of the processes that were started.
    pub fn started(&self) -> impl Iterator<Item = (&str, i32)> {
        self.started.iter().map(|this| (this.name.as_str(), this.pid))
    }

    /// Checks whether it still runs, without waiting. Nodes without which the run goes on are
    /// ignored.
    ///
    /// # Errors
    /// If one of its processes ended: how it ended, and the last lines of its log.
    pub fn check(&mut self) -> Result<(), Error> {
        let exits = match self.keeper.exits() {
            Ok(exits) => exits,
            Err(error) => return Err(Error::target(format!("`{}`: {error}", self.name))),
        };
        let is_lost = |pid: i32| self.lost.iter().any(|(lost, _)| *lost == pid);
        let Some((pid, how)) = exits.iter().find(|(pid, _)| !is_lost(*pid)) else { return Ok(()) };
        let this = self.started.iter().find(|this| this.pid == *pid).unwrap_or(&self.started[0]);
        let quoted = quoted(&this.log, this.from, &self.secrets);
        let who = this.who(&self.name);
        Err(Error::target(format!("`{}`: {who}{how}{quoted}", self.name)))
    }

    /// Lets the run go on without the nodes that have ended, if other nodes still run. Returns, as
    /// text, how the nodes ended that were not known to have ended.
    pub fn continue_without_ended_nodes(&mut self) -> Vec<String> {
        let Ok(exits) = self.keeper.exits() else { return Vec::new() };
        let ended = |this: &&Started| exits.iter().any(|(pid, _)| *pid == this.pid);
        if !self.has_nodes || self.started.iter().all(|this| ended(&this)) {
            return Vec::new();
        }
        let known = self.lost.len();
        for (pid, how) in exits {
            let this = self.started.iter().find(|this| this.pid == *pid);
            if let Some(this) = this.filter(|_| !self.lost.iter().any(|(lost, _)| lost == pid)) {
                self.lost.push((*pid, format!("`{}` {how}", this.name)));
            }
        }
        self.lost[known..].iter().map(|(_, how)| how.clone()).collect()
    }

    /// How the nodes without which the run went on have ended, as text.
    pub fn lost(&self) -> Vec<String> {
        self.lost.iter().map(|(_, how)| how.clone()).collect()
    }

    /// Stops it: each process with its signal and time to stop, and then what is left.
    ///
    /// # Errors
    /// If its keeper had ended; the target has been stopped even then.
    pub fn stop(self) -> Result<EndReport, Error> {
        let name = self.name;
        self.keeper.stop().map_err(|error| Error::target(format!("`{name}`: {error}")))
    }
}

/// The last lines of a log, as an error message quotes them.
pub(super) fn quoted(log: &Path, from: u64, secrets: &[String]) -> String {
    let lines = logs::tail(log, from, secrets);
    let name = shown(log.display().to_string());
    match lines.len() {
        0 => format!("; it wrote nothing to {name}"),
        1 => format!("; {name} says:\n  {}", lines[0]),
        _ => format!("; {name} ends with:\n  {}", lines.join("\n  ")),
    }
}

//! From a launch as an experiment file has it to a target that is ready.
//!
//! A [`Launcher`] belongs to one contender for a whole run: it makes the
//! temporary folder, runs what is to be prepared once, and launches as often
//! as the run has restarts. A [`Running`] is one launch; it ends with its
//! value, and its keeper ends it should we not be able to.

mod asking;
mod hidden;
mod home;
mod orders;
mod ready;
mod running;

pub(crate) use orders::inherited;
pub use running::Running;

use crate::exit::Error;
use crate::host;
use crate::plan::Settings;
use crate::plan::experiment::{Command, CoresFrom, Launch, Process, Secret, Values};
use crate::shown::shown;
use crate::targets::keeper::{Household, Keeper, LogTroubles, Trouble, user};
use crate::targets::{logs, ports};
use home::Home;
use ready::Wait;
use record::Fact;
use running::Started;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often a launch is tried whose port was taken meanwhile.
const TRIES: usize = 3;

/// How long a command may take whose first line is recorded.
const FACT: Duration = Duration::from_secs(20);

/// What a launch needs to know of the run.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    /// The folder of logs; it is there.
    pub logs: &'a Path,
    /// The cores that are left for targets; empty: all.
    pub cores: &'a [u32],
    /// Every secret of the experiment.
    pub secrets: &'a [Secret],
    /// Whether the run was asked to end.
    pub stopped: &'a dyn Fn() -> bool,
}

/// Why there is no target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failed {
    /// The run was asked to end while it was waited for.
    Stopped,
    /// A sentence, and the exit code.
    Error(Error),
}

/// The first program of a launch that this machine lacks, and the remedy.
pub fn missing(launch: &Launch) -> Option<String> {
    orders::missing(launch, &Values::default())
}

/// Launches one target, as often as asked.
pub struct Launcher<'a> {
    launch: &'a Launch,
    ground: Ground<'a>,
    home: Home,
    values: Values,
    secrets: Vec<String>,
    log_troubles: LogTroubles,
    launched: bool,
}

impl<'a> Launcher<'a> {
    /// Makes the temporary folder and looks whether every program is there.
    ///
    /// # Errors
    /// When a program or a user is missing, or the disk refuses.
    pub fn new(launch: &'a Launch, ground: Ground<'a>) -> Result<Launcher<'a>, Failed> {
        let fails = |error: String| Failed::Error(Error::target(named(launch, &error)));
        let users = launch.processes.iter().map(|process| &process.around.user);
        let user = std::iter::once(&launch.around.user).chain(users).flatten().next();
        let owner = user.map(|user| user::find(user)).transpose().map_err(fails)?;
        let home = Home::create(&launch.name, owner, launch.temp.as_deref())
            .map_err(|error| disk(launch, &error))?;
        let last = launch.processes.last().expect("a launch has a process");
        let cores = last.cores.as_deref().unwrap_or(ground.cores);
        let workers = match cores.len() {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            some => some,
        };
        let descriptors = host::descriptor_limit().map_err(|error| {
            Failed::Error(Error::failed(format!("the limit of descriptors: {error}")))
        })?;
        let (temp, site) = (home.folder().to_owned(), home.site(launch));
        let values = Values {
            temp,
            site,
            folder: launch.folder.clone(),
            workers,
            descriptors,
            ..Values::default()
        };
        if let Some(missing) = orders::missing(launch, &values) {
            return Err(fails(missing));
        }
        let mut secrets: Vec<String> =
            ground.secrets.iter().map(|secret| secret.reveal().to_owned()).collect();
        secrets.extend(orders::address(launch).iter().flat_map(hidden::of_address));
        let log_troubles = LogTroubles::default();
        Ok(Launcher { launch, ground, home, values, secrets, log_troubles, launched: false })
    }

    /// What went wrong with logs when they were cleaned, of all that has ended since
    /// this was asked last: sentences.
    pub fn take_log_troubles(&self) -> Vec<String> {
        self.log_troubles.take()
    }

    /// What the target is asked with: values of headers, and the body, are
    /// blotted out of its logs like the secrets of the file.
    pub fn hide(&mut self, settings: &Settings) {
        self.secrets.extend(hidden::of_requests(settings));
    }

    /// Writes the files and runs what is to be prepared, each to its end; then
    /// asks for the facts.
    ///
    /// # Errors
    /// When a command fails or takes too long, with the last lines of its log.
    pub fn prepare(&mut self) -> Result<Vec<Fact>, Failed> {
        self.choose_ports()?;
        self.furnish()?;
        let mut keeper = self.keeper()?;
        for command in &self.launch.prepare {
            self.prepare_one(&mut keeper, command)?;
        }
        self.launch.facts.iter().map(|command| self.fact(&mut keeper, command)).collect()
    }

    /// Launches every process in its order, and waits until it is ready. Call
    /// [`Launcher::prepare`] first.
    ///
    /// # Errors
    /// When one ends, or is not ready in its time, with the last lines of its
    /// log; what was started has been ended then.
    pub fn launch(&mut self) -> Result<Running, Failed> {
        for last in (1..=TRIES).map(|number| number == TRIES) {
            // A port that was in use a moment ago can be held by what is left
            // of its connections: each launch has ports of its own.
            if std::mem::replace(&mut self.launched, true) || self.values.ports.is_empty() {
                self.choose_ports()?;
            }
            self.furnish()?;
            let (keeper, mut started) = (self.keeper()?, Vec::new());
            let mut wait = Wait::new(keeper, self.launch, &self.secrets, self.ground.stopped);
            match self.start_all(&mut wait, &mut started) {
                Ok(()) => return Ok(self.running(wait, started)),
                Err(Refusal::PortTaken(_)) if !last => {}
                Err(Refusal::PortTaken(failed) | Refusal::Other(failed)) => return Err(failed),
            }
        }
        unreachable!("the last try returns")
    }

    fn start_all(&self, wait: &mut Wait<'_>, started: &mut Vec<Started>) -> Result<(), Refusal> {
        for process in &self.launch.processes {
            let one = self.start(wait, process)?;
            started.push(one);
            wait.until_ready(process, started, &self.of(process))?;
            if let (CoresFrom::Ready, false) = (process.cores_from, self.cores(process).is_empty())
            {
                let pid = started.last().filter(|_| self.launch.processes.len() > 1);
                let pinned = wait.keeper.pin(pid.map(|one| one.pid), self.cores(process));
                pinned.map_err(|trouble| self.fails(trouble))?;
            }
        }
        Ok(())
    }

    fn start(&self, wait: &mut Wait<'_>, process: &Process) -> Result<Started, Refusal> {
        let log = self.log(&match self.launch.processes.len() {
            1 => self.launch.name.clone(),
            _ => format!("{}-{}", self.launch.name, process.name),
        });
        let from = logs::length(&log);
        let values = self.of(process);
        let mut order = orders::process(self.launch, process, &values, log.clone());
        if process.cores_from == CoresFrom::Start {
            order.cores = self.cores(process).to_vec();
        }
        let pid = wait.keeper.launch(&order).map_err(|trouble| self.fails(trouble))?;
        Ok(Started { name: process.name.clone(), pid, log, from })
    }

    fn running(&self, wait: Wait<'_>, started: Vec<Started>) -> Running {
        let last = self.launch.processes.last().expect("a launch has a process");
        let url = orders::url(self.launch, &self.of(last));
        let (requests, keeper) = wait.over();
        Running::new(&self.launch.name, url, keeper, started, requests, self.secrets.clone())
    }

    fn prepare_one(&self, keeper: &mut Keeper, command: &Command) -> Result<(), Failed> {
        let log = self.log(&format!("{}.prepare", self.launch.name));
        let from = logs::length(&log);
        let order =
            orders::command(self.launch, command, &self.launch.around, &self.values, log.clone());
        let timeout = self.launch.prepare_timeout;
        let ended = keeper.run(&order, timeout, self.ground.stopped);
        let wrong = match ended.map_err(|trouble| self.fails(trouble))? {
            Some(how) if how.good() => return Ok(()),
            Some(how) => format!("`{command}` {how}"),
            None => format!("`{command}` took longer than its prepare_timeout, and was ended"),
        };
        let quoted = running::quoted(&log, from, &self.secrets);
        Err(Failed::Error(Error::target(named(self.launch, &format!("{wrong}{quoted}")))))
    }

    /// A fact that cannot be had is no reason not to run.
    fn fact(&self, keeper: &mut Keeper, command: &Command) -> Result<Fact, Failed> {
        let log = self.log(&format!("{}.facts", self.launch.name));
        let from = logs::length(&log);
        let order =
            orders::command(self.launch, command, &self.launch.around, &self.values, log.clone());
        match keeper.run(&order, FACT, self.ground.stopped) {
            Ok(_) | Err(Trouble::Refused(_)) => {}
            Err(trouble) => return Err(self.fails(trouble)),
        }
        let line = logs::first_line(&log, from, &self.secrets);
        Ok(Fact { command: shown(command.to_string()), line })
    }

    fn keeper(&self) -> Result<Keeper, Failed> {
        let temporary = self.home.id().map_err(|error| disk(self.launch, &error))?;
        let household = Household {
            secrets: self.secrets.clone(),
            temporary: Some(temporary),
            run: self.ground.logs.parent().map(Path::to_owned),
        };
        let mut keeper = Keeper::start(household).map_err(|trouble| match self.fails(trouble) {
            Failed::Error(error) => Failed::Error(Error::failed(error.text)),
            stopped => stopped,
        })?;
        keeper.tell_log_troubles(&self.log_troubles);
        Ok(keeper)
    }

    fn choose_ports(&mut self) -> Result<(), Failed> {
        let mut ports = BTreeMap::new();
        for process in &self.launch.processes {
            let port = ports::free().map_err(|error| {
                Failed::Error(Error::failed(format!("no port for a target: {error}")))
            })?;
            ports.insert(process.name.clone(), port);
        }
        let last = self.launch.processes.last().expect("a launch has a process");
        self.values.port = ports[&last.name];
        self.values.ports = ports;
        Ok(())
    }

    fn furnish(&self) -> Result<(), Failed> {
        self.home.furnish(self.launch, &self.values).map_err(|error| disk(self.launch, &error))
    }

    /// The values for one process: its own port is `{port}`.
    fn of(&self, process: &Process) -> Values {
        Values { port: self.values.ports[&process.name], ..self.values.clone() }
    }

    fn cores<'p>(&self, process: &'p Process) -> &'p [u32]
    where
        'a: 'p,
    {
        process.cores.as_deref().unwrap_or(self.ground.cores)
    }

    fn log(&self, name: &str) -> PathBuf {
        self.ground.logs.join(format!("{name}.log"))
    }

    fn fails(&self, trouble: Trouble) -> Failed {
        match trouble {
            Trouble::Stopped => Failed::Stopped,
            other => Failed::Error(Error::target(named(self.launch, &other.to_string()))),
        }
    }
}

/// Why a launch did not succeed, and whether another port would help.
enum Refusal {
    PortTaken(Failed),
    Other(Failed),
}

impl From<Failed> for Refusal {
    fn from(failed: Failed) -> Refusal {
        Refusal::Other(failed)
    }
}

fn named(launch: &Launch, text: &str) -> String {
    format!("`{}`: {text}", launch.name)
}

fn disk(launch: &Launch, error: &std::io::Error) -> Failed {
    let text = format!("its temporary folder cannot be written: {error}");
    Failed::Error(Error::failed(named(launch, &text)))
}

//! A [`Launcher`] belongs to one contender for a whole run. It creates the
//! temporary directory, runs the `prepare` commands once, and launches the target
//! as often as the run has launches. A [`Running`] is one launch. It stops when
//! its value is dropped; its keeper stops it if this process cannot.

use crate::targets::launch::build;
use crate::targets::launch::failed::{Failed, Refusal, named};
use crate::targets::launch::home::Home;
use crate::targets::launch::ready::Wait;
use crate::targets::launch::running::{Running, Started};
use crate::targets::launch::{
    CoresFrom, Launch, LaunchCommand, Missing, Process, Secret, Values, hidden, orders, running,
};
use crate::targets::ports;
use crate::targets::software;
use keeper::{Keeper, LaunchOptions, LogTroubles, logs, user};
use protocol::Error;
use record::Fact;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::time::Duration;
use text::shown::shown;

/// How often a launch is tried if another program takes its port meanwhile.
const TRIES: usize = 3;

/// How long a command of `facts` may take.
const FACT: Duration = Duration::from_secs(20);

/// What a launch needs to know of the run.
#[derive(Clone, Copy)]
pub struct LaunchContext<'a> {
    /// The directory of logs, which exists.
    pub logs: &'a Path,
    /// The cores for targets. If empty, targets may use all cores.
    pub cores: &'a [u32],
    /// Every secret of the experiment.
    pub secrets: &'a [Secret],
    /// Whether a signal asked tiebreak to stop.
    pub stopped: &'a dyn Fn() -> bool,
}

/// The first program of a launch that this machine lacks, and the remedy. None if it lacks none.
pub fn missing(launch: &Launch) -> Option<String> {
    let software = launch.software.and_then(|wanted| software::find(wanted).err());
    software.or_else(|| all_missing(launch).first().map(ToString::to_string))
}

/// All programs and files of a launch that this machine lacks, each with its package.
pub(crate) fn all_missing(launch: &Launch) -> Vec<Missing> {
    orders::missing(launch, &Values::default())
}

/// Launches one target, once or several times.
pub struct Launcher<'a> {
    launch: &'a Launch,
    context: LaunchContext<'a>,
    home: Home,
    values: Values,
    secrets: Vec<String>,
    log_troubles: LogTroubles,
    launched: bool,
}

impl<'a> Launcher<'a> {
    /// Creates the temporary directory and checks that every program is installed.
    ///
    /// # Errors
    /// If a program or a user is missing, or the directory cannot be created.
    pub fn new(launch: &'a Launch, context: LaunchContext<'a>) -> Result<Launcher<'a>, Failed> {
        let fails = |error: String| Failed::Error(Error::target(named(launch, &error)));
        let users = launch.processes.iter().map(|process| &process.context.user);
        let user = std::iter::once(&launch.context.user).chain(users).flatten().next();
        let owner = user.map(|user| user::find(user)).transpose();
        let owner = owner.map_err(|error| fails(error.to_string()))?;
        let home = Home::create(&launch.name, owner, launch.temp.as_deref())
            .map_err(|error| disk(launch, &error))?;
        let last = launch.processes.last().expect("a launch has a process");
        let cores = last.cores.as_deref().unwrap_or(context.cores);
        let workers = match cores.len() {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            some => some,
        };
        let descriptors = sys::limits::descriptors();
        let (temp, site) = (home.directory().to_owned(), home.site(launch));
        let choices = launch.choices.iter();
        let software = launch.software.map(software::find).transpose().map_err(fails)?;
        let values = Values {
            temp,
            site,
            choices: choices.map(|choice| (choice.name.clone(), choice.text())).collect(),
            software: software.unwrap_or_default(),
            cache: match &launch.snapshot {
                Some(snapshot) => snapshot.cache.clone(),
                None => build::directory(&launch.directory).unwrap_or_default(),
            },
            directory: launch.directory.clone(),
            workers,
            descriptors,
            ..Values::default()
        };
        if let Some(missing) = orders::missing(launch, &values).first() {
            return Err(fails(missing.to_string()));
        }
        let mut secrets: Vec<String> =
            context.secrets.iter().map(|secret| secret.reveal().to_owned()).collect();
        secrets.extend(orders::address(launch).iter().flat_map(hidden::of_address));
        let log_troubles = LogTroubles::default();
        Ok(Launcher { launch, context, home, values, secrets, log_troubles, launched: false })
    }

    /// Returns, as sentences, the errors in redacting logs since the last call.
    pub fn take_log_troubles(&self) -> Vec<String> {
        self.log_troubles.take()
    }

    /// Adds the headers and the body of requests to what is redacted in the logs of the target,
    /// like the secrets of the file.
    pub fn hide(&mut self, headers: &[(String, Vec<u8>)], body: Option<&[u8]>) {
        self.secrets.extend(hidden::of_requests(headers, body));
    }

    /// The values of the placeholders since the launch, for texts about the target.
    pub(crate) fn values(&self) -> Values {
        let last = self.launch.processes.len() - 1;
        let values = self.values.for_process(self.launch, last);
        Values { url: orders::url(self.launch, &values), ..values }
    }

    /// Writes the files, runs the `prepare` commands to completion and then the commands of
    /// `facts`, and returns the facts.
    ///
    /// # Errors
    /// If a command fails or takes too long, with the last lines of its log.
    pub fn prepare(&mut self) -> Result<Vec<Fact>, Failed> {
        self.choose_ports()?;
        self.write_files()?;
        let mut keeper = self.keeper()?;
        for command in &self.launch.prepare {
            self.prepare_one(&mut keeper, command)?;
        }
        let facts = self.launch.facts.iter().map(|command| self.fact(&mut keeper, command));
        facts.chain(self.settled().into_iter().map(Ok)).collect()
    }

    /// Launches the processes in their order, and waits until they are ready. Call
    /// [`Launcher::prepare`] first.
    ///
    /// # Errors
    /// If a process ends, or is not ready in time, with the last lines of its log. The
    /// processes that were started have been stopped then.
    pub fn launch(&mut self) -> Result<Running, Failed> {
        for last in (1..=TRIES).map(|number| number == TRIES) {
            // A port that was in use a moment ago can be blocked by connections that are still
            // being closed, so each launch gets new ports.
            let again = std::mem::replace(&mut self.launched, true);
            if again || self.values.ports.is_empty() {
                self.choose_ports()?;
            }
            if again && self.launch.fresh {
                self.use_new_directory()?;
            }
            self.write_files()?;
            let (keeper, mut started) = (self.keeper()?, Vec::new());
            let (launch, secrets) = (self.launch, &self.secrets[..]);
            let stopped = self.context.stopped;
            let mut wait = Wait { keeper, launch, secrets, stopped, requests: 0 };
            match self.start_all(&mut wait, &mut started) {
                Ok(()) => return Ok(self.running(wait, started)),
                Err(Refusal::PortTaken(_)) if !last => {}
                Err(Refusal::PortTaken(failed) | Refusal::Other(failed)) => return Err(failed),
            }
        }
        unreachable!("the last try returns")
    }

    /// Starts each process when the previous one is ready. Nodes of one target are all started
    /// before tiebreak waits for the first of them, because they may wait for each other.
    fn start_all(&self, wait: &mut Wait<'_>, started: &mut Vec<Started>) -> Result<(), Refusal> {
        let numbers = 0..self.launch.processes.len();
        if self.launch.nodes.is_empty() {
            for number in numbers {
                started.push(self.start(wait, number)?);
                self.until_ready(wait, started, number)?;
            }
            return Ok(());
        }
        for number in numbers.clone() {
            started.push(self.start(wait, number)?);
        }
        numbers.into_iter().try_for_each(|number| self.until_ready(wait, started, number))
    }

    /// Waits until a started process is ready, and pins it if it is to be pinned only then.
    fn until_ready(
        &self,
        wait: &mut Wait<'_>,
        started: &[Started],
        number: usize,
    ) -> Result<(), Refusal> {
        let process = &self.launch.processes[number];
        wait.until_ready(number, started, &self.values.for_process(self.launch, number))?;
        if (process.cores_from, self.cores(process).is_empty()) == (CoresFrom::Ready, false) {
            let pid = (self.launch.processes.len() > 1).then(|| started[number].pid);
            let pinned = wait.keeper.pin(pid, self.cores(process));
            pinned.map_err(|error| self.fails(error))?;
        }
        Ok(())
    }

    fn start(&self, wait: &mut Wait<'_>, number: usize) -> Result<Started, Refusal> {
        let process = &self.launch.processes[number];
        let log = self.log(&match self.launch.processes.len() {
            1 => self.launch.name.clone(),
            _ => format!("{}-{}", self.launch.name, process.name),
        });
        let from = logs::length(&log);
        let values = self.values.for_process(self.launch, number);
        let mut order = orders::process(self.launch, process, &values, log.clone());
        if process.cores_from == CoresFrom::Start {
            order.cores = self.cores(process).to_vec();
        }
        let pid = wait.keeper.launch(&order).map_err(|error| self.fails(error))?;
        Ok(Started { name: process.name.clone(), pid, log, from })
    }

    fn running(&self, wait: Wait<'_>, started: Vec<Started>) -> Running {
        let last = self.launch.processes.len() - 1;
        let url = orders::url(self.launch, &self.values.for_process(self.launch, last));
        Running {
            name: self.launch.name.clone(),
            url,
            keeper: wait.keeper,
            started,
            ready_requests: wait.requests,
            secrets: self.secrets.clone(),
            has_nodes: !self.launch.nodes.is_empty(),
            lost: Vec::new(),
        }
    }

    fn prepare_one(&self, keeper: &mut Keeper, command: &LaunchCommand) -> Result<(), Failed> {
        let log = self.log(&format!("{}.prepare", self.launch.name));
        let from = logs::length(&log);
        let order =
            orders::command(self.launch, command, &self.launch.context, &self.values, log.clone());
        let timeout = self.launch.prepare_timeout;
        let ended = keeper.run(&order, timeout, self.context.stopped);
        let wrong = match ended.map_err(|error| self.fails(error))? {
            Some(how) if how.good() => return Ok(()),
            Some(how) => format!("`{command}` {how}"),
            None => format!("`{command}` took longer than its prepare_timeout, and was stopped"),
        };
        let quoted = running::quoted(&log, from, &self.secrets);
        Err(Failed::Error(Error::target(named(self.launch, &format!("{wrong}{quoted}")))))
    }

    /// The facts that the launch itself determines: the choices, and the number of nodes.
    fn settled(&self) -> Vec<Fact> {
        let fact = |name: &str, value: String| Fact { command: name.to_owned(), line: Some(value) };
        let chosen = self.launch.choices.iter();
        let chosen = chosen.map(|choice| fact(&choice.name, choice.chosen.clone()));
        let nodes = Some(self.launch.nodes.len()).filter(|nodes| *nodes > 0);
        chosen.chain(nodes.map(|nodes| fact("nodes", nodes.to_string()))).collect()
    }

    /// Runs a command of `facts`. The run goes on if the command fails.
    fn fact(&self, keeper: &mut Keeper, command: &LaunchCommand) -> Result<Fact, Failed> {
        let log = self.log(&format!("{}.facts", self.launch.name));
        let from = logs::length(&log);
        let order =
            orders::command(self.launch, command, &self.launch.context, &self.values, log.clone());
        match keeper.run(&order, FACT, self.context.stopped) {
            Ok(_) | Err(keeper::Error::Refused(_)) => {}
            Err(error) => return Err(self.fails(error)),
        }
        let line = logs::first_line(&log, from, &self.secrets);
        Ok(Fact { command: shown(command.to_string()), line })
    }

    fn keeper(&self) -> Result<Keeper, Failed> {
        let temporary = self.home.id().map_err(|error| disk(self.launch, &error))?;
        let launch_options = LaunchOptions {
            secrets: self.secrets.clone(),
            temporary: Some(temporary),
            run: self.context.logs.parent().map(Path::to_owned),
            stops_at_once: !self.launch.nodes.is_empty(),
        };
        let mut keeper =
            Keeper::start(launch_options).map_err(|trouble| match self.fails(trouble) {
                Failed::Error(error) => Failed::Error(Error::failed(error.text)),
                stopped => stopped,
            })?;
        keeper.tell_log_troubles(&self.log_troubles);
        Ok(keeper)
    }

    /// Chooses free ports. Nodes of one target get the same port, each on its own host, because
    /// a node tells clients only the hosts of the others.
    fn choose_ports(&mut self) -> Result<(), Failed> {
        let hosts = self.hosts();
        let free = || {
            ports::free_on_all(&hosts).map_err(|error| {
                Failed::Error(Error::failed(format!("no free port for a target: {error}")))
            })
        };
        let of_nodes = (!self.launch.nodes.is_empty()).then(&free).transpose()?;
        let mut ports = BTreeMap::new();
        for process in &self.launch.processes {
            ports.insert(process.name.clone(), of_nodes.map_or_else(&free, Ok)?);
        }
        for name in &self.launch.more_ports {
            ports.insert(name.clone(), free()?);
        }
        let last = self.launch.processes.last().expect("a launch has a process");
        self.values.port = ports[&last.name];
        self.values.ports = ports;
        Ok(())
    }

    /// The addresses on which the ports of the target must be free.
    fn hosts(&self) -> Vec<IpAddr> {
        let nodes = self.launch.nodes.iter().filter_map(|host| host.parse().ok());
        let hosts: Vec<IpAddr> = nodes.collect();
        if hosts.is_empty() { vec![Ipv4Addr::LOCALHOST.into()] } else { hosts }
    }

    /// Creates another temporary directory and removes the previous one.
    fn use_new_directory(&mut self) -> Result<(), Failed> {
        self.home = self.home.anew().map_err(|error| disk(self.launch, &error))?;
        self.values.temp = self.home.directory().to_owned();
        self.values.site = self.home.site(self.launch);
        Ok(())
    }

    fn write_files(&self) -> Result<(), Failed> {
        self.home.write_files(self.launch, &self.values).map_err(|error| disk(self.launch, &error))
    }

    fn cores<'p>(&self, process: &'p Process) -> &'p [u32]
    where
        'a: 'p,
    {
        process.cores.as_deref().unwrap_or(self.context.cores)
    }

    fn log(&self, name: &str) -> PathBuf {
        self.context.logs.join(format!("{name}.log"))
    }

    fn fails(&self, error: keeper::Error) -> Failed {
        match error {
            keeper::Error::Stopped => Failed::Stopped,
            other => Failed::Error(Error::target(named(self.launch, &other.to_string()))),
        }
    }
}

fn disk(launch: &Launch, error: &std::io::Error) -> Failed {
    let text = format!("its temporary directory cannot be written: {error}");
    Failed::Error(Error::failed(named(launch, &text)))
}

//! A program that is run again and again, one run at a time.

use super::announced::{self, Announced};
use super::figures::{Figures, PreparedRun, Suite};
use super::servers::Servers;
use crate::targets::launch;
use crate::targets::launch::{
    LaunchCommand, Missing, ProcessContext, Snapshot, Values, inherited, missing_program,
    no_directory,
};
use engine::{EngineError, Stop, TargetClock, TargetReading};
use keeper::programs;
use keeper::{
    Error, Keeper, LaunchOptions, Measured, NotStarted, Output, ProcessOrder, RunEnd, pin,
};
use protocol::address::ProgramCommand;
use record::{CaseFigure, Failure, ProgramRun};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use text::shown::shown_sentence;

/// Where CPU time and memory of an `exec:` contender are read, for the record.
pub const SOURCE: &str = "wait4";

/// Where they are read for a contender that has servers, whose CPU time and memory are added.
pub const WITH_SERVERS: &str = "wait4_and_servers";

/// What to run, and how. It has no `Debug` because an environment can contain secrets.
#[derive(Clone)]
pub struct Program {
    /// The program and its arguments.
    pub command: ProgramCommand,
    /// Operations of one run, if the program does not announce them.
    pub operations: Option<u64>,
    /// Its figures, if it is a suite of cases. It then has no operations.
    pub figures: Option<Figures>,
    /// Where it runs.
    pub cwd: PathBuf,
    /// Its whole environment.
    pub env: Vec<(String, String)>,
    /// The cores that it may use. Empty means all of ours.
    pub cores: Vec<u32>,
    /// Values that are masked in its standard error.
    pub secrets: Vec<String>,
    /// The directory of the experiment file, in which it is built.
    pub directory: PathBuf,
    /// Commands that build it. Empty if it has servers: then they are those of the launch.
    pub build: Vec<LaunchCommand>,
    /// The snapshot that it runs in, if it is a revision of a repository.
    pub snapshot: Option<Snapshot>,
    /// The same program in each further build of the revision (`--rebuilds`), in the order of rounds.
    pub rebuilt: Vec<Program>,
    /// Servers that it talks to, which are launched for it.
    pub servers: Option<Box<Servers>>,
}

impl Program {
    /// A program in the current directory, on all cores, with the environment of launched targets:
    /// PATH, HOME, LANG and TMPDIR, and nothing else of ours.
    pub fn new(command: ProgramCommand, operations: Option<u64>) -> Program {
        let cwd = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
        let (env, cores, secrets) = (inherited(None), Vec::new(), Vec::new());
        let (directory, build, snapshot) = (cwd.clone(), Vec::new(), None);
        let servers = None;
        Program {
            command,
            operations,
            figures: None,
            cwd,
            env,
            cores,
            secrets,
            directory,
            build,
            snapshot,
            rebuilt: Vec::new(),
            servers,
        }
    }

    /// Checks that its directory and the program exist and that its cores are available to us.
    ///
    /// # Errors
    /// A sentence that names the directory, the file or the core.
    pub fn check(&self) -> Result<(), String> {
        if !self.cwd.is_dir() {
            return Err(no_directory(&self.cwd).to_string());
        }
        let path = self.env.iter().find(|(name, _)| name == "PATH").map_or("", |(_, path)| path);
        programs::find(&self.command.words()[0], path, &self.cwd)
            .map_err(|error| error.to_string())?;
        pin::set(&self.cores).map(drop).map_err(|error| error.to_string())
    }

    /// Runs it in a snapshot instead of the directory of an experiment file.
    pub(crate) fn move_to(&mut self, of_file: &Path, snapshot: &Snapshot) {
        if let Ok(below) = self.cwd.strip_prefix(of_file) {
            self.cwd = snapshot.directory.join(below);
        }
        // What the file sets stays, and the rest is that of the snapshot.
        let ours = inherited(None);
        self.env.retain(|variable| !ours.contains(variable));
        let is_set: Vec<String> = self.env.iter().map(|(name, _)| name.clone()).collect();
        let others = snapshot.env.iter().filter(|(name, _)| !is_set.contains(name));
        self.env.extend(others.cloned());
        self.directory.clone_from(&snapshot.directory);
        self.snapshot = Some(snapshot.clone());
        if let Some(servers) = &mut self.servers {
            servers.launch.move_to(of_file, snapshot);
            servers.directory.clone_from(&snapshot.directory);
        }
    }

    /// The program as it is run once it was built: with the values of `{cache}` and `{folder}`. Those of one
    /// that has servers are filled in when they are launched.
    pub(crate) fn built(&self) -> Program {
        if self.build.is_empty() {
            return self.clone();
        }
        let cache = match &self.snapshot {
            Some(snapshot) => Some(snapshot.cache.clone()),
            None => launch::build_directory(&self.directory),
        };
        let text = |path: &Path| path.display().to_string();
        let (cache, directory) = (text(&cache.unwrap_or_default()), text(&self.directory));
        let words = self.command.words();
        let word = |at: usize| words[at].replace("{cache}", &cache).replace("{folder}", &directory);
        Program { command: self.command.with_words(word), ..self.clone() }
    }

    /// Sets its directory, relative to `directory`, and adds its environment variables.
    pub(crate) fn set_context(
        &mut self,
        directory: &Path,
        context: &ProcessContext,
        values: &Values,
    ) {
        self.cwd = directory.to_owned();
        if let Some(cwd) = &context.cwd {
            self.cwd.push(cwd.fill(values));
        }
        for (name, text) in &context.env {
            self.env.retain(|(known, _)| known != name);
            self.env.push((name.clone(), text.fill(values)));
        }
    }

    /// What it needs and this machine lacks: itself, and what its servers need.
    pub(crate) fn all_missing(&self) -> Vec<Missing> {
        let program = &self.command.words()[0];
        let Some(servers) = &self.servers else {
            let first =
                |command: &LaunchCommand| command.fill(&Values::default()).into_iter().next();
            let of_build = self.build.iter().filter_map(first);
            let all = of_build.chain([program.clone()]);
            return all.filter_map(|program| missing_program(&program, &self.env, None)).collect();
        };
        let package = servers.launch.packages.get(program).cloned();
        let is_known = !servers.decide_what_runs();
        let own = is_known.then(|| missing_program(program, &self.env, package)).flatten();
        own.into_iter().chain(launch::all_missing(&servers.launch)).collect()
    }

    /// Why it cannot be run, if that is known before anything is launched.
    pub(crate) fn why_not(&self) -> Option<String> {
        let Some(servers) = &self.servers else {
            let comes_later = !self.build.is_empty() && self.snapshot.is_none();
            return if comes_later {
                self.all_missing().first().map(ToString::to_string)
            } else {
                self.built().check().err()
            };
        };
        let own = if servers.decide_what_runs() { None } else { self.check().err() };
        own.or_else(|| launch::missing(&servers.launch))
    }

    /// The program in words, as launches are described.
    pub fn outline(&self) -> Vec<String> {
        let mut line = format!("run     {}", self.command.shown());
        if let Some(figures) = &self.figures {
            line += &format!("; {}", figures.outline(&self.command));
        } else if let Some(operations) = self.operations {
            let what = if operations == 1 { "operation" } else { "operations" };
            line += &format!("; {operations} {what} per run unless the program announces a number");
        }
        let servers = self.servers.iter().flat_map(|servers| servers.launch.outline_of_servers());
        let build = self.build.iter().map(|command| shown_sentence(format!("build   {command}")));
        servers.chain(build).chain([line]).collect()
    }

    fn orders(&self) -> Vec<ProcessOrder> {
        let rebuilt = self
            .rebuilt
            .iter()
            .map(|program| ProcessOrder { cores: self.cores.clone(), ..program.built().order() });
        std::iter::once(self.order()).chain(rebuilt).collect()
    }

    fn order(&self) -> ProcessOrder {
        ProcessOrder {
            argv: self.command.words().to_vec(),
            cwd: self.cwd.clone(),
            env: self.env.clone(),
            user: None,
            // Not used for what is measured.
            log: PathBuf::new(),
            cores: self.cores.clone(),
            // The signal it gets if its keeper is killed.
            stop: libc::SIGKILL,
            grace: Duration::ZERO,
            group: true,
        }
    }
}

/// A program with its keeper, ready to run. Dropping it and its lanes ends whatever still runs.
pub struct Exec {
    pub(super) runner: Arc<Runner>,
}

impl Exec {
    /// Starts the keeper but does not run the program yet. Call it on a thread that is not pinned:
    /// the keeper inherits its cores, and so does a program without cores of its own.
    ///
    /// # Errors
    /// If the program or a core does not exist, or if the system refuses.
    pub fn start(program: &Program) -> Result<Exec, String> {
        program.check()?;
        let suite = |figures| Suite::new(figures, &program.command, program.secrets.clone());
        let suite = program.figures.clone().map(suite).transpose()?;
        let directory = suite.as_ref().map(Suite::directory).transpose();
        let launch_options = LaunchOptions {
            secrets: program.secrets.clone(),
            temporary: directory.map_err(|error| error.to_string())?,
            ..LaunchOptions::default()
        };
        let keeper = Keeper::start(launch_options).map_err(|error| error.to_string())?;
        let runner = Runner {
            keeper: Mutex::new(keeper),
            orders: program.orders(),
            name: program.command.shown(),
            operations: program.operations,
            suite,
            usual: AtomicU64::new(program.operations.unwrap_or(1)),
            cpu_ns: AtomicU64::new(0),
            peak_memory_bytes: AtomicU64::new(0),
            failure_message: Mutex::new(None),
        };
        Ok(Exec { runner: Arc::new(runner) })
    }

    /// The CPU time of all runs so far, from which that of each slice follows.
    pub fn clock(&self) -> TargetClock {
        let runner = Arc::clone(&self.runner);
        Box::new(move || Some(TargetReading::here(runner.cpu_ns.load(Ordering::Relaxed))))
    }

    /// The largest resident set of any process of any run so far, in bytes.
    pub fn peak_memory(&self) -> Option<u64> {
        Some(self.runner.peak_memory_bytes.load(Ordering::Relaxed)).filter(|bytes| *bytes > 0)
    }

    /// Runs it once, and returns how many operations it did in a second of that run.
    ///
    /// # Errors
    /// Why it failed, or that it was cut short.
    pub(crate) fn run_once(&self, timeout: Duration, stop: &Stop) -> Result<f64, String> {
        match self.runner.run(timeout, stop, None, 1).map_err(|error| error.to_string())? {
            ProgramOutcome::Cut(_) => Err("it was stopped because the run ended".to_owned()),
            ProgramOutcome::Ran(ProgramRun { failure: Some(failure), .. }) => {
                let failure_message = self.failure_message();
                Err(failure_message.unwrap_or_else(|| format!("it failed: {}", failure.name())))
            }
            ProgramOutcome::Ran(run) => Ok(run.operations as f64 * 1e9 / run.wall_ns.max(1) as f64),
        }
    }

    /// Sets the cases of the rounds that follow, each of which is run alone. Empty for runs of all cases.
    ///
    /// # Errors
    /// A sentence, if one of them cannot be run alone.
    pub(crate) fn set_cases(&self, cases: &[String]) -> Result<(), String> {
        self.runner.suite.as_ref().map_or(Ok(()), |suite| suite.set_cases(cases))
    }

    /// The process ID of the keeper. All its descendants belong to the program.
    pub fn keeper(&self) -> i32 {
        lock(&self.runner.keeper).pid()
    }

    /// The error of the first run that failed, with the last lines of its standard error.
    pub fn failure_message(&self) -> Option<String> {
        lock(&self.runner.failure_message).clone()
    }
}

/// Runs a program.
pub(super) struct Runner {
    keeper: Mutex<Keeper>,
    /// How it is run, by build: one, unless it was built several times.
    orders: Vec<ProcessOrder>,
    /// Its name for people.
    name: String,
    operations: Option<u64>,
    /// How its figures are read, if it is a suite.
    pub(super) suite: Option<Suite>,
    /// Operations of the last successful run. A failed run counts as that many.
    usual: AtomicU64,
    cpu_ns: AtomicU64,
    peak_memory_bytes: AtomicU64,
    failure_message: Mutex<Option<String>>,
}

/// The outcome of a run.
pub(super) enum ProgramOutcome {
    /// It ended, or failed.
    Ran(ProgramRun),
    /// The stop cut it short, with this many operations unfinished.
    Cut(u64),
}

impl Runner {
    /// Runs the program once, of a suite with this case or with all; returns early if the stop is raised.
    /// Each round has the next of several builds.
    pub(super) fn run(
        &self,
        timeout: Duration,
        stop: &Stop,
        case: Option<&str>,
        round: u32,
    ) -> Result<ProgramOutcome, EngineError> {
        let prepared = self.suite.as_ref().map(|suite| suite.prepare(case)).transpose();
        let prepared = prepared.map_err(|error| {
            EngineError::Helper(format!("`{}`: its temporary directory: {error}", self.name))
        })?;
        let mut order = self.orders[order_of(round, self.orders.len())].clone();
        if let Some(prepared) = &prepared {
            order.argv.iter_mut().for_each(|word| *word = prepared.fill(word));
        }
        let kept = prepared.as_ref().map(PreparedRun::kept);
        let measured = lock(&self.keeper).measure(&order, timeout, kept, stop.fd());
        match measured.map_err(|error| self.broken(&error))? {
            Ok(measured) => Ok(self.took_note(&measured, prepared.as_ref())),
            Err(refused) => {
                self.record_failure(&refused.why);
                let failure = Some(not_started(&refused));
                let operations = self.usual();
                Ok(ProgramOutcome::Ran(ProgramRun { operations, failure, ..ProgramRun::default() }))
            }
        }
    }

    fn took_note(&self, measured: &Measured, prepared: Option<&PreparedRun>) -> ProgramOutcome {
        let cpu_ns = measured.user_ns + measured.system_ns;
        self.cpu_ns.fetch_add(cpu_ns, Ordering::Relaxed);
        self.peak_memory_bytes.fetch_max(measured.peak_memory_bytes, Ordering::Relaxed);
        if measured.end == RunEnd::Cut {
            return ProgramOutcome::Cut(self.usual());
        }
        let (operations, figures, failure) = match self.counted(measured, prepared) {
            Ok((operations, figures)) => {
                self.usual.store(operations, Ordering::Relaxed);
                (operations, figures, None)
            }
            Err((failure, why)) => {
                self.record_failure(&self.sentence(&why, measured, prepared));
                (self.usual(), Vec::new(), Some(failure))
            }
        };
        let (output_bytes, output_digest) = without_announcement(&measured.output);
        ProgramOutcome::Ran(ProgramRun {
            operations,
            wall_ns: measured.wall_ns,
            user_ns: measured.user_ns,
            system_ns: measured.system_ns,
            peak_memory_bytes: measured.peak_memory_bytes,
            output_bytes,
            output_digest,
            outlived: u64::from(measured.outlived),
            failure,
            figures,
        })
    }

    /// How many operations a run did and, of a suite, its figures; or why it failed.
    fn counted(
        &self,
        measured: &Measured,
        prepared: Option<&PreparedRun>,
    ) -> Result<(u64, Vec<CaseFigure>), (Failure, String)> {
        ended_well(measured)?;
        let counted = match (&self.suite, prepared) {
            (Some(suite), Some(prepared)) => {
                suite.read(prepared, &measured.output).map(|figures| (1, figures))
            }
            _ => {
                let line = measured.output.last_line.as_deref();
                announced::operations(line, self.operations).map(|number| (number, Vec::new()))
            }
        };
        counted.map_err(|why| (Failure::Protocol, why))
    }

    fn usual(&self) -> u64 {
        self.usual.load(Ordering::Relaxed)
    }

    fn sentence(&self, why: &str, measured: &Measured, prepared: Option<&PreparedRun>) -> String {
        let printed = self.suite.as_ref().zip(prepared).map(|(suite, run)| suite.last_lines(run));
        let printed = printed.unwrap_or_default();
        let (where_from, lines) = match measured.last_errors.as_slice() {
            [] => ("output", printed.as_slice()),
            lines => ("error", lines),
        };
        match lines {
            [] => format!("`{}` {why}", self.name),
            lines => format!(
                "`{}` {why}; its standard {where_from} ends with:\n  {}",
                self.name,
                lines.join("\n  ")
            ),
        }
    }

    fn record_failure(&self, sentence: &str) {
        lock(&self.failure_message).get_or_insert_with(|| sentence.to_owned());
    }

    fn broken(&self, error: &Error) -> EngineError {
        EngineError::Helper(format!("`{}`: {error}", self.name))
    }
}

/// Which of several builds a round has: each in turn, the first in round 1.
fn order_of(round: u32, builds: usize) -> usize {
    (round.max(1) as usize - 1) % builds
}

/// Why a run failed, if its end says so.
fn ended_well(measured: &Measured) -> Result<(), (Failure, String)> {
    match measured.end {
        RunEnd::Ended(how) if how.good() => Ok(()),
        RunEnd::Ended(how) => {
            Err((if how.by_signal() { Failure::Signal } else { Failure::Exit }, how.to_string()))
        }
        RunEnd::TimedOut | RunEnd::Cut => {
            Err((Failure::Timeout, "took longer than the timeout and was killed".to_owned()))
        }
    }
}

/// Length and digest of an output without the announcing line.
fn without_announcement(output: &Output) -> (u64, u64) {
    match output.last_line.as_deref().map(announced::announced) {
        Some(Announced::Operations(_)) => (output.bytes_before, output.digest_before),
        _ => (output.bytes, output.digest),
    }
}

/// If we run out of processes or descriptors, it is not the program's fault.
fn not_started(refused: &NotStarted) -> Failure {
    match refused.errno {
        Some(libc::EMFILE | libc::ENFILE) => Failure::NoDescriptor,
        Some(libc::EAGAIN | libc::ENOMEM) => Failure::NoMemory,
        _ => Failure::Exit,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use keeper::Ending;

    fn ended(end: RunEnd, last_line: Option<&str>) -> Measured {
        let output = Output {
            last_line: last_line.map(str::to_owned),
            bytes: 20,
            digest: 2,
            bytes_before: 10,
            digest_before: 1,
        };
        Measured {
            end,
            wall_ns: 3,
            user_ns: 2,
            system_ns: 1,
            peak_memory_bytes: 4096,
            outlived: 0,
            output,
            last_errors: Vec::new(),
        }
    }

    #[test]
    fn each_round_has_the_next_build() {
        assert_eq!([0, 1, 2, 3, 4, 5].map(|round| order_of(round, 3)), [0, 0, 1, 2, 0, 1]);
        assert_eq!([0, 1, 2].map(|round| order_of(round, 1)), [0, 0, 0]);
    }

    #[test]
    fn only_a_good_end_counts() {
        let printed = Some("operations 5");
        let good = RunEnd::Ended(Ending::Status(0));
        assert_eq!(ended_well(&ended(good, printed)), Ok(()));
        for (end, failure, why) in [
            (RunEnd::Ended(Ending::Status(3)), Failure::Exit, "exited with status 3"),
            (RunEnd::Ended(Ending::Signal(9)), Failure::Signal, "was ended by SIGKILL"),
            (RunEnd::TimedOut, Failure::Timeout, "took longer than the timeout and was killed"),
        ] {
            assert_eq!(ended_well(&ended(end, printed)), Err((failure, why.to_owned())));
        }
    }

    #[test]
    fn only_an_announcement_is_left_out_of_the_output() {
        let good = RunEnd::Ended(Ending::Status(0));
        let output = |line| without_announcement(&ended(good, line).output);
        assert_eq!(output(Some("operations 5")), (10, 1));
        assert_eq!(output(Some("operations five")), (20, 2));
        assert_eq!(output(Some("the end")), (20, 2));
        assert_eq!(output(None), (20, 2));
    }

    #[test]
    fn what_we_lack_is_not_the_programs_fault() {
        for (errno, failure) in [
            (Some(libc::EMFILE), Failure::NoDescriptor),
            (Some(libc::EAGAIN), Failure::NoMemory),
            (Some(libc::ENOENT), Failure::Exit),
            (None, Failure::Exit),
        ] {
            assert_eq!(not_started(&NotStarted { why: String::new(), errno }), failure);
        }
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let find = |text: &str| {
            let command = ProgramCommand::parse(text).expect("words");
            programs::find(&command.words()[0], "/usr/bin:/bin", Path::new("/"))
                .map_err(|error| error.to_string())
        };
        assert!(find("sh -c true").is_ok_and(|file| file.ends_with("sh")));
        assert_eq!(
            find("no-such-program x"),
            Err("the program `no-such-program` is not installed (not found in PATH)".to_owned())
        );
        assert_eq!(find("./nothing"), Err("`./nothing` does not exist".to_owned()));
        assert_eq!(find("'\u{1b}[2J'"), {
            Err("the program `\\u{1b}[2J` is not installed (not found in PATH)".to_owned())
        });
    }
}

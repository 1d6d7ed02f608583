//! One case: a separate directory, temporary directory and mark; a run of tiebreak in it; and the
//! check for what was left behind.

use crate::common::{TestDirectory, rules};
use crate::processes::{self, Process, WATCHDOG, wait_for};
use serde_json::Value;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// A short comparison: what every case adds to the contenders.
pub(crate) const SHORT: &str = "--round 50ms --rounds 6 --slice 25ms --warm-up 50ms \
                                --pilot 100ms --connections 4 --out run";

/// A comparison that ends only by its fault.
pub(crate) const LONG: &str = "--round 50ms --rounds 1200 --slice 25ms --warm-up 50ms \
                               --pilot 100ms --connections 4 --out run";

/// A directory, and every process that was ever seen in it.
pub(crate) struct Case {
    directory: TestDirectory,
    seen: Arc<Mutex<Seen>>,
}

/// What the watch saw while tiebreak ran.
#[derive(Default)]
pub(crate) struct Seen {
    /// tiebreak itself, as it was started last.
    pub(crate) main: Option<Process>,
    pub(crate) processes: BTreeSet<Process>,
    /// Command lines, each with its process.
    pub(crate) commands: BTreeSet<(Process, String)>,
}

impl Case {
    pub(crate) fn new() -> Case {
        let case = Case { directory: TestDirectory::new(), seen: Arc::default() };
        fs::create_dir(case.temporary()).expect("a directory");
        case
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.directory.file(name)
    }

    /// The path of a file, as a text.
    pub(crate) fn path(&self, name: &str) -> String {
        self.file(name).to_str().expect("a plain path").to_owned()
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.file(name), text).expect("writes");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        let bytes = fs::read(self.file(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn temporary(&self) -> PathBuf {
        self.file("tmp")
    }

    /// Returns the mark in the environment of everything that the case starts: launched targets
    /// get TMPDIR and little else.
    fn mark(&self) -> String {
        format!("TMPDIR={}", self.temporary().display())
    }

    /// A program in this case's directory, with its mark, and its output in files.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>, out: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.directory.path()).env_clear().stdin(Stdio::null());
        for name in ["PATH", "HOME", "LANG"] {
            command.envs(std::env::var_os(name).map(|value| (name, value)));
        }
        command.env("TMPDIR", self.temporary());
        command.env("XDG_CACHE_HOME", self.file("cache"));
        let file = |kind: &str| File::create(self.file(&format!("{out}.{kind}"))).expect("a file");
        command.stdout(file("out")).stderr(file("err"));
        command
    }

    /// Starts tiebreak; `words` are split at blanks.
    pub(crate) fn start(&self, words: &str) -> Running<'_> {
        self.start_as(self.command(env!("CARGO_BIN_EXE_tiebreak"), "tiebreak"), words)
    }

    /// Starts tiebreak by a command that becomes tiebreak.
    pub(crate) fn start_as(&self, mut command: Command, words: &str) -> Running<'_> {
        let child = command.args(words.split_whitespace()).spawn().expect("tiebreak starts");
        let process = Process::find(child.id() as i32).expect("our child");
        let mut seen = self.seen();
        seen.main = Some(process.clone());
        seen.processes.insert(process.clone());
        drop(seen);
        Running { case: self, child, process, watch: Watch::begin(self) }
    }

    /// Runs tiebreak to its end.
    pub(crate) fn run(&self, words: &str) -> Ended<'_> {
        self.start(words).wait()
    }

    pub(crate) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().expect("no panic while it is held")
    }

    /// Returns every running process of this case, except those that this test starts and ends
    /// itself.
    pub(crate) fn running(&self) -> BTreeSet<Process> {
        processes::marked(&self.mark(), &self.seen().processes, &mut BTreeSet::new())
    }

    /// Returns the only running process whose command line contains all of this.
    pub(crate) fn process(&self, parts: &[&str]) -> Process {
        let fits = |process: &Process| {
            let command = process.command();
            parts.iter().all(|part| command.contains(part))
        };
        let all: Vec<Process> = self.running().into_iter().filter(fits).collect();
        let [process] = &all[..] else { panic!("{parts:?}: {all:?}") };
        process.clone()
    }

    /// Checks that nothing is left: no process, no temporary directory, no listener. With `now`
    /// tiebreak ended in good order, so everything must be gone already.
    pub(crate) fn left_nothing(&self, now: bool) {
        let left = || self.running().into_iter().map(|p| (p.command(), p)).collect::<Vec<_>>();
        let files = || {
            let all = fs::read_dir(self.temporary()).expect("a directory").flatten();
            all.map(|entry| entry.path()).collect::<Vec<_>>()
        };
        if !now {
            wait_for("all processes to be gone", || left().is_empty());
            wait_for("the temporary directories to be gone", || files().is_empty());
        }
        assert_eq!(left(), [], "processes are left");
        assert_eq!(files(), [""; 0].map(PathBuf::from), "temporary directories are left");
        for port in ["right", "wrong"].iter().flat_map(|name| self.ports(name)) {
            let ours: Vec<Process> =
                processes::listeners(port).into_iter().filter(|it| self.owns(it)).collect();
            assert_eq!(ours, [], "port {port} is left listening");
        }
    }

    /// Whether a process comes from this case: it was seen in it, or it works in the case's directory.
    /// Another test can have taken a port that this case used.
    fn owns(&self, process: &Process) -> bool {
        let works_in = fs::read_link(format!("/proc/{}/cwd", process.pid)).unwrap_or_default();
        self.seen().processes.contains(process) || works_in.starts_with(self.directory.path())
    }

    /// Returns the ports that the launched server of a contender reported.
    pub(crate) fn ports(&self, name: &str) -> Vec<u16> {
        let log = fs::read(self.file(&format!("run/logs/{name}.log"))).unwrap_or_default();
        let port = |line: &str| {
            let address = line.strip_prefix("listening on 127.0.0.1:")?;
            address.trim().parse().ok()
        };
        String::from_utf8_lossy(&log).lines().filter_map(port).collect()
    }
}

impl Drop for Case {
    /// Ends what a failed case left behind.
    fn drop(&mut self) {
        for process in self.running() {
            // SAFETY: kill takes numbers; one that ends meanwhile is a zombie
            // or gone.
            unsafe { libc::kill(process.pid, libc::SIGKILL) };
        }
    }
}

/// Records periodically which processes run, and their command lines.
struct Watch {
    over: Arc<Mutex<bool>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Watch {
    fn begin(case: &Case) -> Watch {
        let over = Arc::new(Mutex::new(false));
        let (mark, seen, flag) = (case.mark(), Arc::clone(&case.seen), Arc::clone(&over));
        let look = move || {
            let mut strangers = BTreeSet::new();
            while !*flag.lock().expect("a flag") {
                let known = seen.lock().expect("no panic").processes.clone();
                let found = processes::marked(&mark, &known, &mut strangers);
                let commands: Vec<_> = found.iter().map(|p| (p.clone(), p.command())).collect();
                let mut seen = seen.lock().expect("no panic");
                seen.processes.extend(found);
                seen.commands.extend(commands);
                drop(seen);
                std::thread::sleep(Duration::from_millis(100));
            }
        };
        Watch { over, thread: Some(std::thread::spawn(look)) }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        *self.over.lock().expect("a flag") = true;
        self.thread.take().map(std::thread::JoinHandle::join);
    }
}

/// A running tiebreak.
pub(crate) struct Running<'a> {
    pub(crate) case: &'a Case,
    child: Child,
    pub(crate) process: Process,
    watch: Watch,
}

impl<'a> Running<'a> {
    pub(crate) fn signal(&self, signal: i32) {
        self.process.kill(signal);
    }

    /// Waits until this many trials of the rounds are in the journal.
    pub(crate) fn wait_for_rounds(&self, trials: usize) {
        let journal = self.case.file("run/journal.jsonl");
        wait_for("rounds in the journal", || {
            assert!(self.process.runs(), "it ended too soon: {}", self.case.read("tiebreak.err"));
            let text = fs::read_to_string(&journal).unwrap_or_default();
            text.matches("\"phase\":\"round\"").count() >= trials
        });
    }

    /// Waits for its end; if it hangs it is killed and the case fails.
    pub(crate) fn wait(self) -> Ended<'a> {
        let Running { case, mut child, watch, .. } = self;
        let gives_up = Instant::now() + WATCHDOG;
        let status = loop {
            match child.try_wait().expect("our child") {
                Some(status) => break status,
                None if Instant::now() < gives_up => std::thread::sleep(Duration::from_millis(10)),
                None => {
                    child.kill().expect("our child");
                    child.wait().expect("our child");
                    panic!("it hangs: {}", case.read("tiebreak.err"));
                }
            }
        };
        drop(watch);
        let (out, err) = (case.read("tiebreak.out"), case.read("tiebreak.err"));
        Ended { case, code: status.code(), out, err }
    }
}

/// A tiebreak that has ended.
pub(crate) struct Ended<'a> {
    pub(crate) case: &'a Case,
    /// The exit code. None if a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ended<'_> {
    /// Checks its exit code and what it prints on standard error.
    pub(crate) fn expect(&self, code: i32, says: &[&str]) -> &Self {
        assert_eq!(self.code, Some(code), "{}\n{}", self.err, self.out);
        for words in says {
            assert!(self.err.contains(words), "`{words}` is missing:\n{}", self.err);
        }
        self
    }

    pub(crate) fn report(&self) -> Value {
        serde_json::from_str(&self.case.read("run/report.json")).expect("JSON")
    }

    /// Returns the rules of the findings of this severity.
    pub(crate) fn findings(&self, weight: &str) -> Vec<String> {
        let report = self.report();
        rules(&report, weight).into_iter().map(str::to_owned).collect()
    }

    /// Returns the events of the journal, each as its kind and its content. A line without a line break is
    /// torn: tiebreak was killed while it wrote it.
    pub(crate) fn journal(&self) -> Vec<(String, Value)> {
        let event = |line: &str| {
            let line: Value = serde_json::from_str(line).expect("JSON");
            let event = line["event"].as_object().expect("an event").iter().next();
            event.map(|(kind, of)| (kind.clone(), of.clone())).expect("one kind")
        };
        let text = self.case.read("run/journal.jsonl");
        text.split_inclusive('\n').filter(|line| line.ends_with('\n')).map(event).collect()
    }

    /// Returns the reason of the journal's end.
    pub(crate) fn end(&self) -> String {
        match self.journal().last() {
            Some((kind, end)) if kind == "end" => end["reason"].as_str().expect("text").to_owned(),
            _ => "none".to_owned(),
        }
    }
}

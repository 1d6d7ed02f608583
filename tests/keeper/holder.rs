//! A stand-in for tiebreak: a process that has a keeper, and can be killed.
//! It reads what to do from its standard input, and answers line by line.

use crate::common::not_tested::{Lack, lacks, unshare_arguments};
use crate::common::scratch::temporary_directory;
use crate::process::Process;
use keeper::{EndReport, Ending, Keeper, LaunchOptions, ProcessOrder};
use serde::{Deserialize, Serialize};
use std::io::{BufRead, BufReader, Write};
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

pub(crate) const ARGUMENT: &str = "__holder";

/// The longest orders have a timeout of a minute, and graces of 20 s.
const LONGEST_MS: i32 = 180_000;

const KEEPER_GONE: &str = "it was ended because its keeper was killed";

#[derive(Serialize, Deserialize)]
pub(crate) enum HolderRequest {
    Keep(LaunchOptions),
    Launch(ProcessOrder),
    Run(ProcessOrder, Duration),
    Pin(Option<i32>, Vec<u32>),
    Exits,
    Stop,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum HolderReport {
    Keeper { pid: i32 },
    Launched { pid: i32, cgroup: Option<PathBuf> },
    Ran(Option<Ending>),
    Pinned(u32),
    Exits(Vec<(i32, Ending)>),
    Stopped(EndReport),
    Error(String),
}

/// The stand-in's `main`. At the end of its input it just ends.
pub(crate) fn hold() -> ExitCode {
    let mut keeper = None;
    for line in std::io::stdin().lock().lines() {
        let request = serde_json::from_str(&line.expect("a line")).expect("an order");
        let report = obey(&mut keeper, request).unwrap_or_else(HolderReport::Error);
        println!("{}", serde_json::to_string(&report).expect("JSON"));
    }
    ExitCode::SUCCESS
}

fn obey(keeper: &mut Option<Keeper>, request: HolderRequest) -> Result<HolderReport, String> {
    let words = |error: keeper::Error| error.to_string();
    if let HolderRequest::Keep(launch_options) = request {
        let started = Keeper::start(launch_options).map_err(words)?;
        let pid = started.pid();
        *keeper = Some(started);
        return Ok(HolderReport::Keeper { pid });
    }
    if let HolderRequest::Stop = request {
        return keeper.take().expect("a keeper").stop().map(HolderReport::Stopped).map_err(words);
    }
    let keeper = keeper.as_mut().expect("a keeper");
    match request {
        HolderRequest::Launch(order) => {
            let pid = keeper.launch(&order).map_err(words)?;
            Ok(HolderReport::Launched { pid, cgroup: keeper.cgroup().map(PathBuf::from) })
        }
        HolderRequest::Run(order, timeout) => {
            keeper.run(&order, timeout, &|| false).map(HolderReport::Ran).map_err(words)
        }
        HolderRequest::Pin(pid, cores) => {
            keeper.pin(pid, &cores).map(HolderReport::Pinned).map_err(words)
        }
        _ => keeper.exits().map(|exits| HolderReport::Exits(exits.to_vec())).map_err(words),
    }
}

/// The stand-in as its test sees it.
pub(crate) struct Holder {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    pub(crate) keeper: Process,
    pub(crate) directory: TestDirectory,
}

impl Holder {
    pub(crate) fn new() -> Holder {
        Holder::with(LaunchOptions::default())
    }

    pub(crate) fn with(launch_options: LaunchOptions) -> Holder {
        Holder::below(&[], launch_options)
    }

    /// Where no control group can be made, so that `/proc` is walked: in a mount namespace of its own
    /// with another file system in place of version 2. Returns None if that cannot be arranged.
    pub(crate) fn without_cgroup() -> Option<Holder> {
        if Lack::WritableCgroup.is_here() {
            return Some(Holder::new());
        }
        if lacks(Lack::Namespaces) {
            return None;
        }
        let script = "for m in $(awk '$0 ~ / - cgroup2 / { print $5 }' /proc/self/mountinfo); \
                      do mount -t tmpfs none \"$m\" || exit 1; done; exec \"$@\"";
        let shell = ["--mount", "sh", "-c", script, "sh"];
        let before = [&["unshare"], unshare_arguments(), &shell].concat();
        Some(Holder::below(&before, LaunchOptions::default()))
    }

    /// `before`: what runs this program.
    pub(crate) fn below(before: &[&str], launch_options: LaunchOptions) -> Holder {
        let us = std::env::current_exe().expect("a program");
        let us = us.to_str().expect("a plain path");
        let argv: Vec<&str> = before.iter().copied().chain([us, ARGUMENT]).collect();
        let mut command = Command::new(argv[0]);
        command.args(&argv[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the stand-in starts");
        let mut stdin = child.stdin.take().expect("piped");
        let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
        let HolderReport::Keeper { pid } =
            say(&mut stdin, &mut stdout, &HolderRequest::Keep(launch_options))
        else {
            panic!("no keeper");
        };
        Holder { child, stdin, stdout, keeper: Process::of(pid), directory: TestDirectory::new() }
    }

    pub(crate) fn ask(&mut self, request: &HolderRequest) -> HolderReport {
        say(&mut self.stdin, &mut self.stdout, request)
    }

    /// Launches; the process runs.
    pub(crate) fn launch(&mut self, order: &ProcessOrder) -> Process {
        match self.ask(&HolderRequest::Launch(order.clone())) {
            HolderReport::Launched { pid, .. } => Process::of(pid),
            other => panic!("{other:?}"),
        }
    }

    /// Kills the keeper, and waits until the stand-in has noticed.
    pub(crate) fn kill_keeper(&mut self) {
        self.keeper.kill(libc::SIGKILL);
        let gives_up = Instant::now() + Duration::from_secs(60);
        loop {
            match self.ask(&HolderRequest::Exits) {
                HolderReport::Exits(_) => assert!(Instant::now() < gives_up, "it does not notice"),
                message => return assert_eq!(message, HolderReport::Error(KEEPER_GONE.to_owned())),
            }
            // On a single core, questions without a pause keep those from it that end the target.
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until the keeper reports that these processes ended, and how.
    pub(crate) fn wait_for_exits(&mut self, exits: &[(i32, Ending)]) {
        let gives_up = Instant::now() + Duration::from_secs(60);
        while self.ask(&HolderRequest::Exits) != HolderReport::Exits(exits.to_vec()) {
            assert!(Instant::now() < gives_up, "it is not told");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub(crate) fn stop(&mut self) -> EndReport {
        match self.ask(&HolderRequest::Stop) {
            HolderReport::Stopped(farewell) => farewell,
            other => panic!("{other:?}"),
        }
    }

    /// An order for a shell script in this test's directory.
    pub(crate) fn script(&self, script: &str) -> ProcessOrder {
        self.program(&["sh", "-c", script])
    }

    pub(crate) fn program(&self, argv: &[&str]) -> ProcessOrder {
        let path = std::env::var("PATH").expect("PATH") + ":/usr/sbin:/sbin";
        ProcessOrder {
            argv: argv.iter().map(|part| (*part).to_owned()).collect(),
            cwd: self.directory.0.clone(),
            env: vec![("PATH".to_owned(), path)],
            user: None,
            log: self.directory.0.join("log"),
            cores: Vec::new(),
            stop: libc::SIGTERM,
            grace: Duration::from_secs(20),
            group: false,
        }
    }

    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.directory.0.join("log")).expect("a log")
    }

    pub(crate) fn process(&self) -> Process {
        Process::of(self.child.id() as i32)
    }

    /// Kills it by SIGKILL and waits until it is gone.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("our child");
        self.child.wait().expect("our child");
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        // Its keeper ends what is left.
        let _ = self.child.kill();
        let _ = self.child.wait();
        crate::process::wait_for("the keeper to end", || !self.keeper.runs());
    }
}

fn say(
    request: &mut ChildStdin,
    message: &mut BufReader<ChildStdout>,
    order: &HolderRequest,
) -> HolderReport {
    writeln!(request, "{}", serde_json::to_string(order).expect("JSON")).expect("it listens");
    // It answers in whole lines, and nothing but answers.
    assert!(answers(message.get_ref()), "the stand-in does not answer");
    let mut line = String::new();
    message.read_line(&mut line).expect("it answers");
    serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: `{line}`"))
}

/// Whether an answer, or its end, comes within a generous time.
fn answers(message: &ChildStdout) -> bool {
    let mut polled = libc::pollfd { fd: message.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one valid pollfd.
    unsafe { libc::poll(&mut polled, 1, LONGEST_MS) > 0 }
}

/// A directory of one test, that other users may enter.
pub(crate) struct TestDirectory(pub(crate) PathBuf);

impl TestDirectory {
    pub(crate) fn new() -> TestDirectory {
        use std::os::unix::fs::PermissionsExt;
        let path = temporary_directory();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("chmod");
        TestDirectory(path)
    }
}

impl Drop for TestDirectory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

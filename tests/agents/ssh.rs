//! A coordinator that starts its agents through a real sshd on loopback addresses.

use crate::common::TestDirectory;
use crate::common::processes::{self, Process};
use crate::common::running::Running;
use crate::group::{QUICK, agree, contenders, errors, judged, serve, wait_for};
use crate::machine::has;
use std::net::{Ipv4Addr, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;
use testserver::TestServer;

const MS: Duration = Duration::from_millis(1);
const SSHD: &str = "/usr/sbin/sshd";
const PORT: u16 = 2222;

/// An sshd with two addresses, `h1` and `h2`, and a client that knows them. Nothing listens at
/// `nobody`.
struct Site {
    directory: TestDirectory,
    _sshd: Running,
}

/// Returns None, and says so, if there is no sshd, or this is not root, as whom it logs in.
fn site() -> Option<Site> {
    let programs = ["sshd", "ssh", "ssh-keygen", "strip"];
    if !has(&programs, "openssh-server openssh-client binutils") {
        return None;
    }
    static NEXT: AtomicU8 = AtomicU8::new(0);
    let [.., high, low] = std::process::id().to_be_bytes();
    let first = NEXT.fetch_add(4, Ordering::Relaxed);
    // Nobody else uses these addresses: those of groups are above 127.64.
    let ip = |at: u8| Ipv4Addr::new(127, 1 + (high & 31), low, first + at);
    let directory = TestDirectory::new();
    configure(&directory, ip);
    // sshd requires its directory, which the system creates when it starts the service.
    std::fs::create_dir_all("/run/sshd").expect("root");
    let mut sshd = Command::new(SSHD);
    sshd.args(["-D", "-e", "-f"]).arg(directory.file("sshd_config"));
    sshd.stdin(Stdio::null()).stdout(Stdio::null());
    sshd.stderr(std::fs::File::create(directory.file("sshd.log")).expect("a file"));
    let sshd = Running::new(sshd.spawn().expect("sshd starts"));
    wait_for("sshd", || TcpStream::connect((ip(2), PORT)).is_ok());
    Some(Site { directory, _sshd: sshd })
}

fn configure(directory: &TestDirectory, ip: impl Fn(u8) -> Ipv4Addr) {
    let home = directory.path().display();
    for key in ["host_key", "key"] {
        let mut keygen = Command::new("ssh-keygen");
        keygen.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(directory.file(key));
        assert!(keygen.status().expect("ssh-keygen starts").success());
    }
    std::fs::create_dir(directory.file("hosts")).expect("new");
    let server = format!(
        "Port {PORT}\nListenAddress {}\nListenAddress {}\nHostKey {home}/host_key\n\
         AuthorizedKeysFile {home}/key.pub\nStrictModes no\nUsePAM no\nPidFile none\n\
         PermitRootLogin prohibit-password\nPasswordAuthentication no\nPrintMotd no\n\
         SetEnv TMPDIR={home}/hosts\n",
        ip(1),
        ip(2)
    );
    let host = |name: &str, at: u8| format!("Host {name}\nHostName {}\n", ip(at));
    let client = format!(
        "{}{}{}Host *\nPort {PORT}\nBindAddress {}\nUser root\nIdentityFile {home}/key\n\
         IdentitiesOnly yes\nStrictHostKeyChecking no\nUserKnownHostsFile {home}/known_hosts\n",
        host("h1", 1),
        host("h2", 2),
        host("nobody", 3),
        ip(0)
    );
    std::fs::write(directory.file("sshd_config"), server).expect("writes");
    std::fs::write(directory.file("ssh_config"), client).expect("writes");
    // It is copied to both hosts, and lines for backtraces are most of it.
    let mut strip = Command::new("strip");
    strip.arg("-o").arg(directory.file("tiebreak")).arg(env!("CARGO_BIN_EXE_tiebreak"));
    assert!(strip.status().expect("strip starts").success());
}

impl Site {
    fn start(&self, agents: &str, words: &str) -> Running {
        let mut command = Command::new(self.directory.file("tiebreak"));
        command.args(["compare", "--agents", agents, "--out", "run", "--quiet"]);
        command.args(["--json", "report.json"]).args(words.split_whitespace());
        command.current_dir(self.directory.path()).stdin(Stdio::null());
        command.env("XDG_CACHE_HOME", self.directory.file(".cache"));
        command
            .env("TIEBREAK_SSH", format!("ssh -F {}", self.directory.file("ssh_config").display()));
        command.env("ONLY_HERE", "index");
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Running::new(command.spawn().expect("tiebreak starts"))
    }

    /// The directories that agents have on the hosts.
    fn on_hosts(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.directory.file("hosts")).expect("a directory");
        entries.map(|entry| entry.expect("an entry").path()).collect()
    }

    fn rounds(&self) -> usize {
        let journal = self.directory.text("run/journal.jsonl");
        journal.lines().filter(|line| line.contains("\"phase\":\"round\"")).count()
    }

    /// A comparison that does not end by itself, in its rounds.
    fn in_rounds(&self) -> (Running, [TestServer; 2]) {
        let servers = [serve(MS), serve(MS)];
        let words = format!("{} {QUICK}", contenders(&servers[0], &servers[1]));
        let running = self.start("ssh:h1,h2", &words.replace("--rounds 6", "--rounds 6000"));
        wait_for("some rounds", || self.rounds() >= 2);
        (running, servers)
    }

    /// The agents, as processes that run in directories of the hosts.
    fn agents(&self) -> Vec<Process> {
        let runs_there = |pid: &i32| {
            let at = std::fs::read_link(format!("/proc/{pid}/cwd"));
            at.is_ok_and(|at| at.starts_with(self.directory.file("hosts")))
        };
        let all = processes::pids().into_iter().filter(runs_there);
        let is_agent = |pid: &i32| processes::command(*pid).starts_with("./tiebreak ");
        all.filter(is_agent).filter_map(Process::find).collect()
    }

    fn nothing_is_left(&self, agents: &[Process]) {
        wait_for("the end of all agents", || agents.iter().all(|agent| !agent.runs()));
        wait_for("the end of their directories", || self.on_hosts().is_empty());
    }
}

#[test]
fn two_hosts_drive_what_the_servers_count_and_nothing_is_left() {
    let Some(site) = site() else { return };
    let servers = [serve(MS), serve(2 * MS)];
    let table = |name: &str, server: &TestServer| {
        // Quotes must reach the host as they are.
        format!("[contender.{name}]\nurl = 'http://{}/' # it's\n", server.address())
    };
    let file = format!("{}{}", table("a", &servers[0]), table("b", &servers[1]));
    std::fs::create_dir(site.directory.file("files")).expect("new");
    std::fs::write(site.directory.file("files/two.toml"), file).expect("writes");
    let running = site.start("ssh:h1,h2", &format!("files/two.toml {QUICK} --seed 7"));
    let output = running.output();
    assert!(errors(&output).is_empty(), "{}", errors(&output));
    let report = judged(&output, &site.directory);
    agree(&report, servers, 2);
    assert!(site.on_hosts().is_empty(), "{:?}", site.on_hosts());
}

#[test]
fn a_host_that_cannot_be_reached_is_named() {
    let Some(site) = site() else { return };
    let servers = [serve(MS), serve(MS)];
    let words = format!("{} {QUICK}", contenders(&servers[0], &servers[1]));
    let output = site.start("ssh:h1,nobody", &words).output();
    assert_eq!(output.status.code(), Some(5), "{}", errors(&output));
    let says = "nobody (agent 2): ssh failed with exit code 255: ssh: connect to host";
    assert!(errors(&output).contains(says), "{}", errors(&output));
    assert!(errors(&output).contains("Connection refused"), "{}", errors(&output));
    assert!(!site.directory.file("run").exists(), "nothing was driven");
    site.nothing_is_left(&[]);
}

#[test]
fn an_agent_that_cannot_start_says_why() {
    let Some(site) = site() else { return };
    let servers = [serve(MS), serve(MS)];
    // This variable is not set on the hosts.
    let words = format!("{} {QUICK}", contenders(&servers[0], &servers[1]));
    let words = words.replace("/ b=", "/${ONLY_HERE} b=");
    let output = site.start("ssh:h1,h2", &words).output();
    assert_eq!(output.status.code(), Some(5), "{}", errors(&output));
    let stderr = errors(&output);
    assert!(stderr.contains("): exit code 2: error: "), "{stderr}");
    assert!(stderr.contains("ONLY_HERE"), "{stderr}");
    assert!(!site.directory.file("run").exists(), "nothing was driven");
    site.nothing_is_left(&[]);
}

#[test]
fn a_coordinator_that_is_killed_leaves_nothing_on_the_hosts() {
    let Some(site) = site() else { return };
    let (running, _servers) = site.in_rounds();
    let agents = site.agents();
    assert_eq!((agents.len(), site.on_hosts().len()), (2, 2));
    running.signal(libc::SIGKILL);
    site.nothing_is_left(&agents);
}

#[test]
fn a_connection_that_is_lost_ends_the_run_and_its_agent() {
    let Some(site) = site() else { return };
    let (running, _servers) = site.in_rounds();
    let agents = site.agents();
    let all = processes::tree(i32::try_from(running.id()).expect("a process number"));
    let client = all.iter().find(|process| process.command().contains(" h2 "));
    client.expect("an ssh client").kill(libc::SIGKILL);
    let output = running.output();
    assert_eq!(output.status.code(), Some(5), "{}", errors(&output));
    let report = site.directory.json("report.json");
    assert_eq!(report["end"]["reason"], "failed", "{}", report["end"]);
    assert!(errors(&output).contains("h2 (agent 2)"), "{}", errors(&output));
    site.nothing_is_left(&agents);
}

#[test]
fn neither_the_token_nor_an_argument_is_seen_by_others() {
    let Some(site) = site() else { return };
    let (running, _servers) = site.in_rounds();
    let commands: Vec<String> = site.agents().iter().map(Process::command).collect();
    assert_eq!(commands, [" ./tiebreak --arguments-from arguments "; 2]);
    // The standard input of an agent, which has no name any more.
    let token_of = |agent: &Process| std::fs::read_to_string(format!("/proc/{}/fd/0", agent.pid));
    let tokens = site.agents();
    let tokens: Vec<String> = tokens.iter().map(|agent| token_of(agent).expect("a file")).collect();
    let token = tokens[0].trim();
    assert!(token.len() >= 16 && tokens.iter().all(|other| other.trim() == token));
    for pid in processes::pids() {
        assert!(!processes::command(pid).contains(token), "process {pid} shows the token");
    }
    running.signal(libc::SIGINT);
    judged(&running.output(), &site.directory);
    for entry in std::fs::read_dir(site.directory.file("run")).expect("a directory") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read(&path).unwrap_or_default();
        let found = text.windows(token.len()).any(|part| part == token.as_bytes());
        assert!(!found, "{}", path.display());
    }
}

#[test]
fn a_host_whose_processes_are_killed_keeps_nothing_secret_and_is_named() {
    let Some(site) = site() else { return };
    let servers = [serve(MS), serve(MS)];
    let table = |name: &str, server: &TestServer| {
        format!("[contender.{name}]\nurl = 'http://me:canary@{}/'\n", server.address())
    };
    let file = format!("{}{}", table("a", &servers[0]), table("b", &servers[1]));
    std::fs::write(site.directory.file("e.toml"), file).expect("writes");
    let words = format!("e.toml {QUICK}").replace("--rounds 6", "--rounds 6000");
    let running = site.start("ssh:h1", &words);
    wait_for("some rounds", || site.rounds() >= 2);
    let [at] = &site.on_hosts()[..] else { panic!("{:?}", site.on_hosts()) };
    let runs_there =
        |pid: &i32| std::fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd == *at);
    let there = processes::pids().into_iter().filter(runs_there).filter_map(Process::find);
    let there: Vec<Process> = there.collect();
    // All stop first: otherwise the end of one makes another remove the directory.
    for signal in [libc::SIGSTOP, libc::SIGKILL] {
        there.iter().for_each(|process| process.kill(signal));
    }
    let output = running.output();
    let stderr = errors(&output);
    assert_eq!(output.status.code(), Some(5), "{stderr}");
    assert!(stderr.contains(&format!("{} on the host may be left", at.display())), "{stderr}");
    let left = std::fs::read_dir(at).expect("it is left");
    let mut left: Vec<_> = left.map(|entry| entry.expect("an entry").file_name()).collect();
    left.sort();
    // The journal of an agent holds no secret.
    assert_eq!(left, ["tiebreak", "tiebreak-runs"]);
    std::fs::remove_dir_all(at).expect("ours");
}

#[test]
fn a_signal_ends_all_in_order_and_is_judged() {
    let Some(site) = site() else { return };
    let (running, _servers) = site.in_rounds();
    let agents = site.agents();
    running.signal(libc::SIGINT);
    let output = running.output();
    let report = judged(&output, &site.directory);
    assert_eq!(report["end"]["reason"], "stopped");
    assert!(site.on_hosts().is_empty(), "{}", errors(&output));
    site.nothing_is_left(&agents);
}

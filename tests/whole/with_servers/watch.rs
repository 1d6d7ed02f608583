//! `tiebreak watch` and a comparison that uses it, on loopback.

use crate::common::listening::{Listening, Watcher, server, watcher, watcher_of};
use crate::common::not_tested::{Lack, lacks};
use crate::common::processes::{command, wait_at_most};
use crate::common::running::Running;
use crate::common::{TestDirectory, errors, number};
use serde_json::Value;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

/// Longer than anything takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A comparison of two servers, or of one with itself, in which the watcher reads b's.
struct Compared<'a> {
    directory: &'a TestDirectory,
    servers: [&'a Listening; 2],
    watcher: &'a Watcher,
}

impl Compared<'_> {
    fn words(&self, more: &[&str]) -> Vec<String> {
        let [a, b] = self.servers.map(|server| format!("http://{}/", server.address));
        let mut words = vec!["compare".to_owned(), format!("a={a}"), format!("b={b}")];
        words.extend(["--set".to_owned(), format!("b.watch={}", self.watcher.listening.address)]);
        let short = ["-c", "4", "--round", "200ms", "--slice", "50ms", "--pilot", "100ms"];
        let out = ["--warm-up", "100ms", "--out", "run"];
        words.extend(short.iter().chain(&out).chain(more).map(|word| (*word).to_owned()));
        words
    }

    fn start(&self, more: &[&str]) -> Running {
        let mut command = self.directory.command(&self.words(more));
        command.env("TIEBREAK_WATCH_TOKEN", &self.watcher.token);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        Running::new(command.spawn().expect("the binary runs"))
    }

    /// Waits until this round was driven.
    fn wait_for(&self, round: u32) {
        let driven = format!("\"round\":{round},");
        wait_at_most(PATIENCE, &driven, || {
            self.directory.text("run/journal.jsonl").contains(&driven)
        });
    }

    /// The report of a run that goes on for two rounds after `lose`, and is stopped then.
    fn after(&self, lose: impl FnOnce()) -> Value {
        let run = self.start(&["--rounds", "1000"]);
        self.wait_for(3);
        lose();
        let journal = self.directory.text("run/journal.jsonl");
        let rounds = journal.matches("\"phase\":\"round\"").count() as u32 / 2;
        self.wait_for(rounds + 3);
        run.signal(libc::SIGINT);
        let output = run.output();
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        self.directory.json("run/report.json")
    }
}

/// The evidence about what was not visible to the end.
fn lost(report: &Value) -> String {
    let findings = report["findings"].as_array().expect("findings").iter();
    let lost: Vec<&Value> = findings.filter(|of| of["rule"] == "watcher_lost").collect();
    assert_eq!(lost.len(), 1, "{:#}", report["findings"]);
    assert_eq!((&lost[0]["contender"], &lost[0]["weight"]), (&"b".into(), &"caution".into()));
    lost[0]["evidence"].as_str().expect("text").to_owned()
}

/// Checks the figures of the rounds before the sight was lost, and that none is of the rounds after.
fn assert_usable_before(report: &Value) {
    let b = &report["contenders"][1];
    let lost_from = number(&b["target_cost"]["watch"]["lost_from"]);
    assert!(lost_from > 1.0, "{b:#}");
    assert!(number(&b["metrics"]["target_cpu_per_operation"]["value"]) > 0.0);
    let cpu = cpu_comparison(report);
    let rounds = cpu["rounds"].as_array().expect("rounds");
    assert!(!rounds.is_empty());
    assert!(rounds.iter().all(|round| number(&round["round"]) < lost_from), "{cpu:#}");
}

fn cpu_comparison(report: &Value) -> &Value {
    let comparisons = report["comparisons"].as_array().expect("comparisons");
    let of_cpu = |of: &&Value| of["metric"] == "target_cpu_per_operation";
    comparisons.iter().find(of_cpu).expect("CPU is compared")
}

/// All files below a directory.
fn files(folder: &Path) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(folder).expect("a directory").flatten();
    let of = |entry: fs::DirEntry| match entry.path() {
        path if path.is_dir() => files(&path),
        path => vec![fs::read(path).expect("readable")],
    };
    entries.flat_map(of).collect()
}

#[test]
fn a_watched_target_costs_what_it_costs_here_and_nobody_learns_the_token() {
    let directory = TestDirectory::new();
    let server = server(&directory);
    let watcher = watcher(&directory, server.running.id());
    let pid = server.running.id();
    assert!(watcher.listening.lines[0].starts_with(&format!("watching process {pid} (")));
    let compared = Compared { directory: &directory, servers: [&server; 2], watcher: &watcher };
    let run = compared.start(&["--rounds", "10", "--verbose"]);
    compared.wait_for(1);
    for id in [run.id(), watcher.listening.running.id()] {
        assert!(!command(id as i32).contains(&watcher.token));
    }
    let output = run.output();
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(!errors(&output).contains(&watcher.token));
    let report = directory.json("run/report.json");
    let [a, b] = [0, 1].map(|number| &report["contenders"][number]);
    let cpu = |of: &Value| number(&of["metrics"]["target_cpu_per_operation"]["value"]);
    let ratio = cpu(b) / cpu(a);
    assert!((0.9..1.1).contains(&ratio), "{ratio}: {:#}", report["findings"]);
    assert!(number(&cpu_comparison(&report)["ratio"]) > 0.8);
    // They share the process, wherever it is read.
    assert_eq!(b["target_cost"]["shares_process_with"], serde_json::json!(["a"]));
    assert_eq!(a["target_cost"]["cores"], b["target_cost"]["cores"]);
    assert!(number(&b["target_cost"]["peak_memory_bytes"]) > 0.0);
    let watch = &b["target_cost"]["watch"];
    assert!(watch["what"].as_str().expect("text").starts_with(&format!("process {pid} (")));
    assert!(number(&watch["questions"]) > 20.0 && watch["lost"].is_null());
    assert!(number(&watch["longest"]) >= number(&watch["median"]));
    assert!(a["target_cost"]["watch"].is_null());
    // The journal has when each reading was taken.
    let journal = directory.text("run/journal.jsonl");
    let trial = journal.lines().find(|line| line.contains("\"watched\":[null,{\"from_ns\":"));
    assert!(trial.is_some(), "readings with their times");
    let token = watcher.token.as_bytes();
    for file in files(&directory.file("run")) {
        assert!(!file.windows(token.len()).any(|window| window == token));
    }
    watcher.listening.running.signal(libc::SIGTERM);
    let output = watcher.listening.running.output();
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
}

#[test]
fn a_watcher_that_is_killed_leaves_the_rounds_before_and_says_from_which_round_on() {
    let directory = TestDirectory::new();
    let server = server(&directory);
    let watcher = watcher(&directory, server.running.id());
    let compared = Compared { directory: &directory, servers: [&server; 2], watcher: &watcher };
    let report = compared.after(|| watcher.listening.running.signal(libc::SIGKILL));
    let evidence = lost(&report);
    assert!(evidence.starts_with("CPU time not visible from round "), "{evidence}");
    assert!(evidence.ends_with(" on: the connection to the watcher was closed"), "{evidence}");
    assert_usable_before(&report);
}

#[test]
fn a_watcher_that_does_not_answer_is_waited_for_once() {
    let directory = TestDirectory::new();
    let server = server(&directory);
    let watcher = watcher(&directory, server.running.id());
    let compared = Compared { directory: &directory, servers: [&server; 2], watcher: &watcher };
    let report = compared.after(|| watcher.listening.running.signal(libc::SIGSTOP));
    assert!(lost(&report).ends_with(" on: the watcher did not answer within 5 s"));
    assert_usable_before(&report);
}

#[test]
fn a_watched_process_that_ends_is_not_visible_and_its_last_reading_is_not_repeated() {
    let directory = TestDirectory::new();
    let [a, b, watched] = [server(&directory), server(&directory), server(&directory)];
    // Not the one that b drives, which must go on.
    let watcher = watcher(&directory, watched.running.id());
    let compared = Compared { directory: &directory, servers: [&a, &b], watcher: &watcher };
    let report = compared.after(|| watched.running.signal(libc::SIGKILL));
    assert!(lost(&report).ends_with(" on: the watched process ended"), "{}", lost(&report));
    let lost_from = number(&report["contenders"][1]["target_cost"]["watch"]["lost_from"]);
    let journal = directory.text("run/journal.jsonl");
    let events = journal.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let trials = events.filter_map(|mut event| Some(event["event"].get_mut("trial")?.take()));
    let after = trials
        .filter(|trial| trial["phase"] == "round" && trial["round"].as_f64() > Some(lost_from));
    let slices: Vec<Value> = after
        .flat_map(|trial| trial["seen"]["slices"].as_array().expect("slices").clone())
        .collect();
    assert!(!slices.is_empty(), "lost from {lost_from}: {:#}", report["plan"]["pilot"]);
    assert!(slices.iter().all(|slice| slice["target_cpu_ns"][1].is_null()));
}

#[test]
fn who_does_not_know_the_token_gets_nothing() {
    let directory = TestDirectory::new();
    let server = server(&directory);
    let watcher = watcher(&directory, server.running.id());
    let compared = Compared { directory: &directory, servers: [&server; 2], watcher: &watcher };
    let run = |token: Option<&str>, more: &[&str]| {
        let mut command = directory.command(&compared.words(more));
        command.env_remove("TIEBREAK_WATCH_TOKEN");
        command.envs(token.map(|token| ("TIEBREAK_WATCH_TOKEN", token)));
        let output = command.output().expect("the binary runs");
        (output.status.code(), errors(&output))
    };
    let (code, without) = run(None, &[]);
    assert_eq!(code, Some(2), "{without}");
    assert!(without.contains("set the environment variable TIEBREAK_WATCH_TOKEN"), "{without}");
    let (code, wrong) = run(Some("0123456789abcdef-secret"), &[]);
    assert_eq!(code, Some(2), "{wrong}");
    assert!(wrong.contains("it refused the token") && !wrong.contains("-secret"), "{wrong}");
    let (code, short) = run(Some("short-secret"), &[]);
    assert_eq!(code, Some(2), "{short}");
    assert!(short.contains("16 to 256 characters") && !short.contains("short-secret"), "{short}");
    fs::write(directory.file("token"), &watcher.token).expect("a file");
    let quick = ["--set", "b.watch_token_file=token", "--rounds", "6"];
    let (code, right) = run(None, &quick);
    assert_eq!(code, Some(0), "{right}");
    assert!(directory.file("run/report.json").exists(), "{right}");
}

#[test]
fn strangers_are_sent_away_while_others_are_answered() {
    let directory = TestDirectory::new();
    let server = server(&directory);
    let watcher = watcher(&directory, server.running.id());
    let address = &watcher.listening.address;
    let connect = || TcpStream::connect(address).expect("it listens");
    // More than a watcher examines at the same time.
    let silent: Vec<TcpStream> = (0..100).map(|_| connect()).collect();
    let answer = |bytes: &[u8]| {
        let mut stream = connect();
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
        stream.write_all(bytes).expect("sent");
        let mut answer = Vec::new();
        // Closed, or reset because it did not read everything.
        let _ = stream.read_to_end(&mut answer);
        answer
    };
    assert_eq!(answer(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"), b"");
    assert_eq!(answer(&[0xff; 100_000]), b"");
    assert_eq!(answer(b"tb\x01"), b"tb\x03\x05\0\0\0\x01\x01", "another version learns ours");
    let compared = Compared { directory: &directory, servers: [&server; 2], watcher: &watcher };
    let output = compared.start(&["--rounds", "6"]).output();
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let report = directory.json("run/report.json");
    let watch = &report["contenders"][1]["target_cost"]["watch"];
    assert!(number(&watch["questions"]) > 10.0 && watch["lost"].is_null(), "{watch}");
    drop(silent);
}

/// A control group, removed with this value: its processes must have ended.
struct ControlGroup(PathBuf);

impl ControlGroup {
    /// Returns None if this user can make none.
    fn new() -> Option<ControlGroup> {
        let mounts = fs::read_to_string("/proc/self/mountinfo").expect("Linux");
        let mount = mounts.lines().find(|line| line.contains(" - cgroup2 "))?.split(' ').nth(4)?;
        let path = Path::new(mount).join(format!("tiebreak-test-{}", std::process::id()));
        fs::create_dir(&path).ok().map(|()| ControlGroup(path))
    }

    fn add(&self, pid: u32) {
        fs::write(self.0.join("cgroup.procs"), pid.to_string()).expect("a group of our own");
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("text")
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        // It stays if the test failed and left a process in it.
        let _ = fs::remove_dir(&self.0);
    }
}

#[test]
fn all_processes_of_a_control_group_are_watched() {
    if lacks(Lack::WritableCgroup) {
        return;
    }
    let group = ControlGroup::new().expect("the machine permits a control group");
    let directory = TestDirectory::new();
    let words = ["watch", "--listen", "127.0.0.1:0", "--cgroup", group.path()];
    let refused = directory.tiebreak(&words);
    assert_eq!(refused.status.code(), Some(4), "{}", errors(&refused));
    assert!(errors(&refused).contains("there is no process in the"), "{}", errors(&refused));
    let servers = [server(&directory), server(&directory)];
    for server in &servers {
        group.add(server.running.id());
    }
    let watcher = watcher_of(&directory, &["--cgroup", group.path()]);
    let says = format!("watching control group {}", group.path());
    assert!(watcher.listening.lines[0].starts_with(&says), "{:?}", watcher.listening.lines);
    let [a, b] = &servers;
    let compared = Compared { directory: &directory, servers: [a, b], watcher: &watcher };
    let output = compared.start(&["--rounds", "6"]).output();
    assert!(output.status.success(), "{}", errors(&output));
    let [a, b] = [0, 1].map(|at| directory.json("run/report.json")["contenders"][at].take());
    let watch = &b["target_cost"]["watch"];
    assert!(watch["lost"].is_null() && number(&watch["questions"]) > 10.0, "{b:#}");
    // The processes of both servers are in the group.
    assert_eq!(b["target_cost"]["shares_process_with"], serde_json::json!(["a"]));
    let cpu = |of: &Value| number(&of["metrics"]["target_cpu_per_operation"]["value"]);
    assert!(cpu(&b) > cpu(&a) / 2.0, "what b costs is read: {} {}", cpu(&a), cpu(&b));
}

#[test]
fn the_address_must_not_be_public_and_the_process_must_exist() {
    let directory = TestDirectory::new();
    let run = |words: &[&str]| {
        let output = directory.tiebreak(&[&["watch"], words].concat());
        (output.status.code(), errors(&output))
    };
    let own = std::process::id().to_string();
    for address in ["0.0.0.0:0", "[::]:0", "8.8.8.8:9310"] {
        let (code, error) = run(&["--listen", address, "--pid", &own]);
        assert_eq!(code, Some(2), "{error}");
        assert!(error.contains("confirm with --allow-public"), "{error}");
    }
    let (code, error) = run(&["--listen", "127.0.0.1:0", "--pid", "2147483647"]);
    assert_eq!(code, Some(4), "{error}");
    let (code, error) = run(&["--listen", "127.0.0.1:0", "--cgroup", "/proc/self"]);
    assert_eq!(code, Some(4), "{error}");
    assert!(error.contains("not a cgroup whose CPU time can be read"), "{error}");
    let (code, error) = run(&["--listen", "127.0.0.1:0", "--pid", &own, "--token-file", "nowhere"]);
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("the token file nowhere cannot be read: No such file"), "{error}");
    let (code, error) = run(&["--listen", "127.0.0.1:0"]);
    assert_eq!(code, Some(2), "{error}");
}

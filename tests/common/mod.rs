//! What the tests of the whole program share: the binary, a directory for its runs, and comparisons
//! driven inside this process.

#![allow(dead_code, reason = "each test file uses a part of it")]

pub(crate) mod bounded;
pub(crate) mod few_workers;
pub(crate) mod listening;
pub(crate) mod not_tested;
pub(crate) mod processes;
pub(crate) mod running;
pub(crate) mod scratch;
pub(crate) mod software;
pub(crate) mod stores;
pub(crate) mod turn;

use engine::{MakeLane, Stop, run};
use http::{HttpAccess, http_lanes};
use judge::Judge;
use judge::verdict::Verdict;
use record::{Address, DriveOrder, End, EndReason, LaneOrder};
use record::{Histogram, TrialRecord};
use serde_json::Value;
use std::ffi::OsStr;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;
use testserver::{Behaviour, Delay, Report, TestServer};

/// Flags of a short comparison, for tests that want no verdict. The length of a slice is given, since the
/// pilot would make turns of seconds for a server that other tests slow down.
#[rustfmt::skip]
pub(crate) const BRIEF: [&str; 10] = [
    "--rounds", "8", "--round", "50ms", "--slice", "25ms", "--pilot", "100ms", "--warm-up", "50ms",
];

/// A directory for this test, removed with this value.
pub(crate) struct TestDirectory(PathBuf);

impl TestDirectory {
    pub(crate) fn new() -> TestDirectory {
        TestDirectory(scratch::temporary_directory())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Returns the text of a file, or an empty text if it does not exist.
    pub(crate) fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.file(name)).unwrap_or_default()
    }

    /// Returns the binary as a command in this directory, without anything from this environment
    /// that would change what it prints; its cache is this test's own.
    pub(crate) fn command(&self, arguments: &[impl AsRef<OsStr>]) -> Command {
        // tests/steps has a binary of the packaged crates tested.
        let packaged = std::env::var_os("TIEBREAK_PACKAGED");
        let mut command =
            Command::new(packaged.unwrap_or_else(|| env!("CARGO_BIN_EXE_tiebreak").into()));
        command.args(arguments).current_dir(&self.0).stdin(Stdio::null());
        command.env("XDG_CACHE_HOME", self.0.join(".cache"));
        command
    }

    /// Returns what a run wrote to this file: a report, or what is made of one.
    pub(crate) fn json(&self, file: impl AsRef<Path>) -> Value {
        let path = self.0.join(file);
        let text = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        serde_json::from_str(&text).expect("JSON")
    }

    pub(crate) fn tiebreak(&self, arguments: &[impl AsRef<OsStr>]) -> Output {
        self.command(arguments).output().expect("the binary runs")
    }

    /// Runs the binary with `--json`. Returns its exit code and its report.
    pub(crate) fn report(&self, arguments: &[&str]) -> (i32, Value) {
        let file = self.file("report-of-the-test.json");
        let mut all = arguments.to_vec();
        let path = file.to_str().expect("a plain path").to_owned();
        all.extend(["--quiet", "--json", &path]);
        // A report of an earlier run must not be taken for this one's.
        let _ = std::fs::remove_file(&file);
        let output = self.tiebreak(&all);
        // Shown if the test fails.
        print!("{}", errors(&output));
        let text = std::fs::read_to_string(&file).unwrap_or_else(|error| {
            panic!("no report ({error}); exit {:?}\n{}", output.status, errors(&output))
        });
        let report = serde_json::from_str(&text).expect("the report is JSON");
        (output.status.code().expect("an exit code"), report)
    }
}

/// Makes `unshare` run what is added to the command in a separate network namespace in which the
/// client has these ports. A machine may lack [`Namespaces`](not_tested::Lack::Namespaces).
pub(crate) fn with_client_ports(unshare: &mut Command, first: u16, last: u16) {
    unshare.args(not_tested::unshare_arguments());
    let script = format!(
        "ip link set lo up && echo {first} {last} > /proc/sys/net/ipv4/ip_local_port_range \
         && exec \"$@\""
    );
    unshare.args(["--net", "sh", "-c", &script, "sh", env!("CARGO_BIN_EXE_tiebreak")]);
}

/// Makes `unshare` run what is added to the command where this directory, which it makes, is a file
/// system of this size that no other process sees. A machine may lack
/// [`Namespaces`](not_tested::Lack::Namespaces).
pub(crate) fn with_small_disk(unshare: &mut Command, directory: &str, size: &str) {
    unshare.args(not_tested::unshare_arguments());
    let script =
        "mkdir \"$0\" && mount -t tmpfs -o size=\"$1\" tmpfs \"$0\" && shift && exec \"$@\"";
    unshare.args(["--mount", "sh", "-c", script, directory, size]);
}

impl Drop for TestDirectory {
    fn drop(&mut self) {
        // What cannot be removed is left to the system.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Returns the rules of the findings of this weight.
pub(crate) fn rules<'a>(report: &'a Value, weight: &str) -> Vec<&'a str> {
    let findings = report["findings"].as_array().expect("findings").iter();
    let of_weight = findings.filter(|finding| finding["weight"] == weight);
    of_weight.filter_map(|finding| finding["rule"].as_str()).collect()
}

/// Returns the first core that this process may use: it is for the servers, since the generator
/// takes the last one.
pub(crate) fn server_core() -> u32 {
    cores()[0]
}

pub(crate) fn generator_core() -> u32 {
    *cores().last().expect("at least one core")
}

fn cores() -> Vec<u32> {
    tiebreak::system::cores::Facts::read().expect("the system tells its cores").allowed
}

/// Starts the test server on the servers' core.
/// A server whose replies take a millisecond in which nobody works, for tests that need no more operations.
pub(crate) fn unhurried() -> Behaviour {
    Behaviour { delay: Delay::Fixed(Duration::from_millis(1)), ..Behaviour::default() }
}

pub(crate) fn serve(behaviour: Behaviour) -> TestServer {
    TestServer::start(behaviour, Some(server_core())).expect("the test server starts")
}

pub(crate) fn url(server: &TestServer) -> String {
    format!("http://{}/", server.address())
}

/// Returns how many requests were sent according to the report, over all parts of the run.
pub(crate) fn sent(contender: &Value) -> u64 {
    let sent = &contender["sent"];
    ["ready", "warm_up", "pilot", "operations", "unfinished"]
        .iter()
        .map(|part| sent[part].as_u64().unwrap_or_else(|| panic!("sent.{part} in {sent}")))
        .sum()
}

pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("a number instead of {value}"))
}

/// Checks that the run is sound, or void only because the hypervisor took the generator's core
/// away so often that its own delay would be part of what it measures: such a void is correct,
/// and no truth about the target depends on it.
pub(crate) fn assert_sound(run: &(i32, Value)) {
    let findings = run.1["findings"].as_array().expect("findings");
    let disturbed = findings.iter().any(|finding| finding["rule"] == "host_interference");
    assert_void_only_by(run, if disturbed { &["generator_saturated"] } else { &[] });
}

/// Checks that the audit refused the run by no other rules than these, and that the exit code says
/// whether it did.
pub(crate) fn assert_void_only_by((code, report): &(i32, Value), excuses: &[&str]) {
    let (rules, findings) = (rules(report, "void"), &report["findings"]);
    assert!(rules.iter().all(|rule| excuses.contains(rule)), "{findings:#}");
    // Without a complete round there is no verdict either, and no rule that says so.
    assert_eq!(*code, if rules.is_empty() { 0 } else { 3 }, "{findings:#}");
}

pub(crate) fn histogram(contender: &Value) -> Histogram {
    Histogram::decode(contender["histogram"].as_str().expect("a histogram")).expect("decodes")
}

/// Returns the median of the server's own log, from the arrival of a request to its last byte.
pub(crate) fn median_of_log(report: &Report) -> f64 {
    let times = report.arrivals_ns.iter().zip(&report.completions_ns);
    let mut took: Vec<u64> =
        times.filter(|(_, end)| **end > 0).map(|(start, end)| end - start).collect();
    took.sort_unstable();
    took[took.len() / 2] as f64 / 1e9
}

/// How a comparison inside this process is driven.
#[derive(Clone, Copy)]
pub(crate) struct Drive {
    pub(crate) connections: u32,
    pub(crate) rounds: u32,
    pub(crate) round_ms: u64,
    pub(crate) slice_ms: u64,
    pub(crate) seed: u64,
}

fn order(addresses: &[SocketAddr], drive: &Drive) -> DriveOrder {
    let lane = |address: &SocketAddr| LaneOrder {
        timeout_ns: 10_000_000_000,
        burn_in_ns: 2_000_000,
        ..LaneOrder::closed(Address::Tcp(*address), drive.connections)
    };
    DriveOrder {
        seed: drive.seed,
        first_round: 1,
        cores: vec![generator_core()],
        warm_up: record::WarmUp::fixed(drive.slice_ms * 1_000_000),
        rounds: drive.rounds,
        round_ns: drive.round_ms * 1_000_000,
        slice_ns: drive.slice_ms * 1_000_000,
        requests: 0,
        lanes: addresses.iter().map(lane).collect(),
    }
}

/// Returns the trials of one call of the engine.
pub(crate) fn trials(addresses: &[SocketAddr], drive: &Drive) -> Vec<TrialRecord> {
    let order = order(addresses, drive);
    let access = HttpAccess {
        head: b"GET / HTTP/1.1\r\nHost: test\r\n\r\n".as_slice().into(),
        body: None,
        head_only: false,
        expect: Vec::new(),
        tls: None,
        requests: None,
    };
    let lanes: Vec<Vec<MakeLane>> =
        (0..addresses.len()).map(|at| http_lanes(&order, at, &access)).collect();
    let mut trials = Vec::new();
    run(&order, lanes, Vec::new(), &Stop::new().expect("a descriptor"), &mut |trial| {
        trials.push(trial);
        ControlFlow::Continue(())
    })
    .expect("the engine holds");
    trials
}

/// Returns the verdict on two contenders' trials.
pub(crate) fn judged(trials: &[TrialRecord], rounds: u32) -> Verdict {
    // As if CPU time could be read: this tests the interval, not the rule that withholds "equivalent".
    let question = record::testing::question(&["a", "b"], rounds);
    let mut judge = Judge::new(&question);
    for trial in trials {
        judge.add(trial);
    }
    judge.end(&End { reason: EndReason::Complete, detail: String::new() });
    judge.verdict()
}

/// Compares two addresses, interleaved, and returns the verdict.
pub(crate) fn interleaved(a: SocketAddr, b: SocketAddr, drive: &Drive) -> Verdict {
    judged(&trials(&[a, b], drive), drive.rounds)
}

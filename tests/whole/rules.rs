//! Rules of the audit, each raised by a real run through the binary. Every rule of
//! the judge's table is either in [`CASES`] or in [`ELSEWHERE`], but for [`NOWHERE`].
//!
//! A case arranges the truth so that the machine's noise cannot hide it; what the
//! margin is, its comment says.

use crate::common::{Place, errors, serve, url, with_client_ports};
use crate::servers::postgres::Postgres;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use tiebreak::testserver::{Behaviour, Freeze};

/// One finding that a case must bring.
struct Finds {
    rule: &'static str,
    weight: &'static str,
    /// Empty: it is about the run.
    contender: &'static str,
    /// What the evidence must name; empty: the wording is not looked at.
    names: &'static str,
}

const fn finds(
    rule: &'static str,
    weight: &'static str,
    contender: &'static str,
    names: &'static str,
) -> Finds {
    Finds { rule, weight, contender, names }
}

fn hold(drive: fn(&Place) -> Value, all: &[Finds]) {
    let report = drive(&Place::new());
    let findings = report["findings"].as_array().expect("findings");
    for wanted in all {
        let is_it = |of: &&Value| {
            of["rule"] == wanted.rule
                && of["weight"] == wanted.weight
                && of["contender"].as_str().unwrap_or("") == wanted.contender
        };
        let found = findings.iter().find(is_it);
        let found = found.unwrap_or_else(|| panic!("{} is missing: {findings:#?}", wanted.rule));
        let evidence = found["evidence"].as_str().expect("a text").replace('\u{a0}', " ");
        assert!(evidence.contains(wanted.names), "{}: {evidence}", wanted.rule);
    }
}

/// A test for each case, and the table of all.
macro_rules! cases {
    ($($name:ident: $drive:expr => [$($finds:expr),+ $(,)?];)+) => {
        $(#[test]
        fn $name() {
            hold($drive, &[$($finds),+]);
        })+

        const CASES: &[&[Finds]] = &[$(&[$($finds),+]),+];
    };
}

cases! {
    a_server_that_gets_three_times_what_it_can_do: overloaded => [
        finds("rate_not_reached", "caution", "slow", "the target did not keep up"),
        finds("long_drain", "caution", "slow", "1 of 1 slice drained for longer than they sent"),
        finds("too_short", "caution", "slow", "75 operations in round 1, at least 100"),
        finds("p99_support", "caution", "slow", "do not support response_time.p99"),
    ];
    a_server_that_stands_still_now_and_then: bursts => [
        finds("burst_tail", "note", "bursts", "replies slower than the p99 fell in"),
        finds("slice_too_short", "caution", "bursts", "a slice of 50.0 ms is"),
        finds("p99_support", "caution", "bursts", "response_time.p99"),
        finds("different_settings", "note", "bursts", "driven otherwise than even: connections"),
    ];
    a_server_that_gets_slower_and_slower: slows => [
        finds("autocorrelated_rounds", "caution", "slows", ""),
        finds("not_steady", "caution", "slows", "throughput went from"),
        finds("one_launch", "note", "", "these launches"),
    ];
    a_store_that_is_written_to_more_often: written => [
        finds("differing_stores", "caution", "many", "times the items that it was loaded with"),
    ];
    a_database_that_takes_six_connections: full => [
        finds("fewer_connections", "caution", "full", "of 12 connections could be opened"),
    ];
    fresh_connections_with_few_ports: few_ports => [
        finds("port_pressure", "caution", "fresh", "local ports allow 512/s"),
    ];
    one_core_for_everything: one_core => [
        finds("shared_core", "caution", "beside", "may use no others than"),
        finds("host_interference", "caution", "beside", "the generator waited for a core for"),
    ];
}

/// Rules that other tests raise by a real run: the rule, the file, and the test in it
/// (or the function that the test calls).
const ELSEWHERE: &[(&str, &str, &str)] = &[
    ("non_success", "tests/whole/void.rs", "a_contender_that_answers_404_voids_the_first_one_too"),
    ("misses", "tests/whole/loads.rs", "stores_without_room_are_void_and_not_broken"),
    ("evictions", "tests/whole/loads.rs", "stores_without_room_are_void_and_not_broken"),
    ("wrong_values", "tests/store_faults/main.rs", "meddled_with"),
    ("empty_reply", "tests/whole/void.rs", "a_contender_with_an_empty_body_voids"),
    (
        "differing_replies",
        "tests/whole/void.rs",
        "a_contender_with_another_page_of_the_same_length_voids",
    ),
    ("program_output", "tests/whole/local.rs", "a_program_that_says_less_is_named"),
    (
        "differing_durability",
        "tests/whole/databases.rs",
        "every_recipe_is_launched_loaded_and_verified",
    ),
    ("our_faults", "tests/faults/ports.rs", "run_out"),
    (
        "generator_bottleneck",
        "tests/truths/costs.rs",
        "a_costlier_server_is_not_called_equivalent_where_the_generator_is_slower",
    ),
    ("cpu_at_rest", "tests/truths/costs.rs", "deferred_work_is_found_and_charged"),
    (
        "carry_over",
        "tests/truths/carry_over.rs",
        "turns_find_the_effect_and_a_braid_says_that_it_may_have_missed_it",
    ),
    ("interrupted", "tests/faults/ends.rs", "judged"),
    ("log_troubles", "tests/faults/places.rs", "uncleaned"),
];

/// Rules that no test raises by a real run yet. Nothing may be added here.
const NOWHERE: &[&str] = &["outliers", "first_round", "generator_saturated"];

#[test]
fn every_rule_is_raised_by_a_real_run() {
    let here = CASES.iter().flat_map(|case| case.iter()).map(|finds| finds.rule);
    let elsewhere = ELSEWHERE.iter().map(|entry| entry.0);
    let known: Vec<&str> = here.chain(elsewhere).chain(NOWHERE.iter().copied()).collect();
    for rule in judge::audit::RULES {
        let name = rule.name;
        assert!(known.contains(&name), "`{name}` met no real run: add a case to {}", file!());
    }
    for name in known {
        let is_one = judge::audit::RULES.iter().any(|rule| rule.name == name);
        assert!(is_one, "there is no rule `{name}`");
    }
}

#[test]
fn the_tests_elsewhere_are_there() {
    for (rule, file, test) in ELSEWHERE {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
        let begins = text.find(&format!("fn {test}(")).unwrap_or_else(|| panic!("{file}: {test}"));
        assert!(begins > 0 && text.contains(&format!("{rule}\"")), "{file} says nothing of {rule}");
    }
}

/// Addresses of these servers as contenders.
fn contender(name: &str, url: &str) -> String {
    format!("{name}={url}")
}

/// 50 requests a second can be answered, and 150 are due: in half a second 75 are,
/// which take 1.5 s. A machine that takes time away makes all of it more so.
fn overloaded(place: &Place) -> Value {
    let service = Duration::from_millis(20);
    let slow = serve(Behaviour { service, ..Behaviour::default() });
    let slow = contender("slow", &url(&slow));
    let words = ["run", &slow, "--rate", "150", "--duration", "500ms", "--warm-up", "0s"];
    place.report(&[&words[..], &["--connections", "8"]].concat()).1
}

/// 300 ms in 700 ms nothing is answered. A contender is away for at most four slices
/// of 50 ms, so each of these pauses falls into one of its slices, and holds up 64
/// replies there. A round has at most 2500 replies, so these are more than its slowest
/// 1 %, which lie in as many slices as there are pauses: a round takes 1 s without
/// them, so 2 to 4 of its 10. Its 20 to 25 slowest, scattered, reach 8.8 to 9.3.
fn bursts(place: &Place) -> Value {
    let service = Duration::from_micros(200);
    let (lasts, every) = (Duration::from_millis(300), Duration::from_millis(700));
    let freeze = Some(Freeze { lasts, every, first: every });
    let even = serve(Behaviour { service, ..Behaviour::default() });
    let bursts = serve(Behaviour { service, freeze, ..Behaviour::default() });
    let (a, b) = (contender("even", &url(&even)), contender("bursts", &url(&bursts)));
    let words = ["compare", &a, &b, "--rounds", "6", "--round", "500ms", "--slice", "50ms"];
    let more = ["--warm-up", "0s", "--connections", "64", "--set", "even.connections=32"];
    place.report(&[&words[..], &more].concat()).1
}

/// Its service takes 1.8 times as long in each second as in the one before, so ln(b/a)
/// falls by 0.59 a second, however late the rounds begin. They take 5.5 s or more: ten
/// values on a straight line of length 3.2 have a lag-1 autocorrelation of 0.7, and the
/// rule's limit is 0.345. With noise of 0.25 from round to round (0.13 was seen while
/// builds ran beside) none of 100 000 simulated runs is at or below it. From the first
/// third of the slices to the last the throughput falls to an eighth.
fn slows(place: &Place) -> Value {
    let service = Duration::from_micros(100);
    let even = serve(Behaviour { service, ..Behaviour::default() });
    let service = Duration::from_micros(5);
    let slows = serve(Behaviour { service, service_growth: 0.8, ..Behaviour::default() });
    let (a, b) = (contender("even", &url(&even)), contender("slows", &url(&slows)));
    let words = ["compare", &a, &b, "--rounds", "10", "--round", "250ms", "--slice", "50ms"];
    place.report(&[&words[..], &["--warm-up", "0s", "--connections", "8"]].concat()).1
}

/// One in twenty operations is an insert. 16 in flight bring more of them than one, and
/// 1 % of 1000 keys is ten.
fn written(place: &Place) -> Value {
    let text =
        "[contender.one]\nrecipe = 'redis'\n[contender.many]\nrecipe = 'redis'\ndepth = 16\n";
    std::fs::write(place.file("e.toml"), text).expect("a file");
    let words = ["compare", "e.toml", "--workload", "ycsb-d", "--keys", "1k", "--rounds", "6"];
    let more = ["--round", "100ms", "--slice", "25ms", "--warm-up", "0s", "--connections", "2"];
    place.report(&[&words[..], &more].concat()).1
}

/// PostgreSQL refuses the seventh.
fn full(place: &Place) -> Value {
    let few = ["max_connections=6", "superuser_reserved_connections=2"];
    let server = Postgres::start("few", &few);
    let full = format!("full=postgres://bench@{}/postgres", server.address);
    let words = ["run", &full, "--query", "SELECT 1", "--connections", "12"];
    place.report(&[&words[..], &["--duration", "300ms", "--warm-up", "0s"]].concat()).1
}

/// 16 ports of the client, of which Linux hands out 8 for each of 64 addresses, each
/// again after a second: 512 connections a second. At 1000 a second 400 ms need 400.
fn few_ports(place: &Place) -> Value {
    let text = format!(
        "[contender.fresh]\nlaunch = ['{}', 'testserver', '--listen', '127.0.0.1:{{port}}']\n",
        env!("CARGO_BIN_EXE_tiebreak")
    );
    std::fs::write(place.file("e.toml"), text).expect("a file");
    let mut command = Command::new("unshare");
    with_client_ports(&mut command, 40000, 40015);
    command.current_dir(place.path()).stdin(Stdio::null());
    command.args(["run", "e.toml", "--reuse", "never", "--rate", "1000", "--warm-up", "0s"]);
    command.args(["--duration", "400ms", "--quiet", "--json", "report.json"]);
    let output = command.output().expect("unshare is there");
    let text = std::fs::read_to_string(place.file("report.json"))
        .unwrap_or_else(|error| panic!("{error}: {}", errors(&output)));
    serde_json::from_str(&text).expect("JSON")
}

/// The generator has all cores, so the server can be on none of its own; and a
/// neighbour that never rests has half of each.
fn one_core(place: &Place) -> Value {
    let cores = tiebreak::cores::Facts::read().expect("the system tells its cores").allowed;
    let first = cores[0].to_string();
    let server = ServerProcess::start(&["--core", &first]);
    let _neighbours: Vec<Neighbour> = cores.iter().map(|core| Neighbour::start(*core)).collect();
    let beside = contender("beside", &server.url);
    let all = cores.len().to_string();
    let words = ["run", &beside, "--cores", &all, "--connections", "16"];
    place.report(&[&words[..], &["--duration", "500ms", "--warm-up", "0s"]].concat()).1
}

/// The test server as a process, until it is dropped.
struct ServerProcess {
    child: Child,
    url: String,
}

impl ServerProcess {
    fn start(flags: &[&str]) -> ServerProcess {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tiebreak"));
        command.args(["testserver", "--listen", "127.0.0.1:0"]).args(flags);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("our own program");
        let mut line = String::new();
        let out = child.stdout.take().expect("piped");
        BufReader::new(out).read_line(&mut line).expect("text");
        let address = line.trim_end().strip_prefix("listening on ").expect("an address");
        let url = format!("http://{address}/");
        ServerProcess { child, url }
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.child.kill().expect("our child");
        self.child.wait().expect("our child");
    }
}

/// A thread that never rests, on one core, until it is dropped.
struct Neighbour {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Neighbour {
    fn start(core: u32) -> Neighbour {
        let over = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&over);
        let thread = std::thread::spawn(move || {
            stay_on(core);
            while !seen.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
        });
        Neighbour { over, thread: Some(thread) }
    }
}

impl Drop for Neighbour {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(ended.is_some_and(|result| result.is_ok()), "the neighbour ends");
    }
}

fn stay_on(core: u32) {
    // SAFETY: a set of cores is plain bits, and zeroes are an empty one.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the core is one of this machine's, so it fits the set.
    unsafe { libc::CPU_SET(core as usize, &mut set) };
    // SAFETY: the set outlives the call, and its size is its own.
    let result = unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set) };
    assert_eq!(result, 0, "core {core}: {}", std::io::Error::last_os_error());
}

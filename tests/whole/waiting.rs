//! Connections that wait for a reply while the others are served: the clock does not wait for them, and the
//! run says so.

use crate::common::few_workers::{answer, hands_to_workers};
use crate::common::{TestDirectory, errors, number, serve, unhurried, url};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use testserver::null::NullServer;
use testserver::{Behaviour, Slow};

pub(crate) fn finding<'a>(report: &'a Value, rule: &str) -> Option<&'a Value> {
    report["findings"].as_array().expect("findings").iter().find(|found| found["rule"] == rule)
}

/// A run of a second in which 4 of 16 connections are served.
pub(crate) fn assert_starved((code, report): &(i32, Value)) {
    assert_eq!(*code, 3, "{report:#}");
    let found = finding(report, "starved_connections").expect("a finding");
    let text = found["evidence"].as_str().expect("a text");
    assert!(text.starts_with("12 of 16 connections got no reply in "), "{text}");
    assert_eq!(found["weight"], "void");
    let contender = &report["contenders"][0];
    assert_eq!(contender["outcomes"]["target_errors"], serde_json::json!({ "waiting": 12 }));
    // What the four got while load was sent: in one second.
    let throughput = number(&contender["metrics"]["throughput"]["value"]);
    let got = number(&contender["outcomes"]["ok"]);
    assert!((throughput / got).ln().abs() < 0.05, "{throughput}/s for {got} replies");
}

#[test]
fn a_server_with_fewer_workers_than_connections_is_void() {
    // On one worker of the generator, and on as many as there are cores.
    let all = thread::available_parallelism().map_or(1, |cores| cores.get().min(8)).to_string();
    for cores in ["1", &all] {
        let server = hands_to_workers(4, answer);
        let url = format!("http://{server}/");
        let words = ["run", &url, "--duration", "1s", "--warm-up", "200ms", "-c", "16"];
        assert_starved(&TestDirectory::new().report(&[&words[..], &["--cores", cores]].concat()));
    }
}

#[test]
fn a_reply_that_never_comes_does_not_stop_the_clock() {
    let nth = NonZeroU64::new(2000).expect("not 0");
    let lost = Slow { nth, by: Duration::from_secs(3600) };
    let server = serve(Behaviour { slow: Some(lost), ..unhurried() });
    let words = ["run", &url(&server), "--duration", "1s", "--warm-up", "0s", "-c", "8"];
    let (_, report) = TestDirectory::new().report(&words);
    let contender = &report["contenders"][0];
    let waiting = number(&contender["outcomes"]["target_errors"]["waiting"]);
    assert!((1.0..=8.0).contains(&waiting), "{contender:#}");
    assert!(contender["outcomes"]["target_errors"].get("timeout").is_none(), "{contender:#}");
    let throughput = number(&contender["metrics"]["throughput"]["value"]);
    assert!(throughput > 0.8 * number(&contender["operations"]), "in one second: {throughput}/s");
    let found = finding(&report, "starved_connections").expect("a finding");
    let text = found["evidence"].as_str().expect("a text");
    assert!(text.starts_with(&format!("{waiting} of 8 connections waited at least")), "{text}");
}

/// Every 500th reply takes 250 ms, so that the last slice leaves some connections waiting, unless the machine is so busy
/// that its ordinary drain is as long as that.
#[test]
fn replies_that_come_soon_after_the_last_slice_are_no_failures() {
    let nth = NonZeroU64::new(500).expect("not 0");
    let slow = Slow { nth, by: Duration::from_millis(250) };
    let server = serve(Behaviour { slow: Some(slow), ..unhurried() });
    let words = ["run", &url(&server), "--duration", "1s", "--warm-up", "0s", "-c", "8"];
    let (code, report) = TestDirectory::new().report(&words);
    let contender = &report["contenders"][0];
    assert_eq!(code, 0, "{:#}", report["findings"]);
    assert_eq!(contender["outcomes"]["ok"], contender["operations"], "{contender:#}");
}

#[test]
fn operations_that_were_never_sent_make_percentiles_lower_bounds() {
    // At most 1000 replies a second.
    let server = serve(unhurried());
    let words = ["run", &url(&server), "--duration", "500ms", "--warm-up", "0s", "-c", "1"];
    let words = [&words[..], &["--rate", "20k/s", "--out", "run"]].concat();
    let directory = TestDirectory::new();
    let (_, report) = directory.report(&words);
    let contender = &report["contenders"][0];
    assert!(number(&contender["unsent"]) > number(&contender["operations"]), "{contender:#}");
    let times = &contender["metrics"]["response_time"];
    assert!(number(&times["at_least_from"]) < 0.5, "{times}");
    assert!(number(&times["p50"]) > 0.0 && number(&times["max"]) < 30.0, "{times}");
    let printed = directory.tiebreak(&["report", "run"]);
    let printed = String::from_utf8_lossy(&printed.stdout);
    assert!(printed.contains("≥ "), "{printed}");
}

/// Passes on what it gets to this server, but loses all further requests of one connection at a time.
pub(crate) fn one_waits(server: SocketAddr) -> SocketAddr {
    let waits = Arc::new(AtomicBool::new(false));
    hands_to_workers(64, move |client| {
        let server = TcpStream::connect(server).expect("the server listens");
        let [mut from, mut to] =
            [&server, &client].map(|stream| stream.try_clone().expect("a descriptor"));
        let back = thread::spawn(move || std::io::copy(&mut from, &mut to));
        if pass_on(client, server, &waits) {
            waits.store(false, Ordering::Relaxed);
        }
        // An error here ends a connection that has ended.
        let _ = back.join().expect("it passes bytes on");
    })
}

/// Passes requests on until the client leaves, or until this connection is the one that waits. Returns true
/// if it was.
fn pass_on(mut client: TcpStream, mut server: TcpStream, waits: &AtomicBool) -> bool {
    let mut buffer = [0; 65536];
    let mut requests = 0;
    let mut is_lost = false;
    while let Ok(length @ 1..) = client.read(&mut buffer) {
        requests += 1;
        is_lost = is_lost || (requests > 30 && !waits.swap(true, Ordering::Relaxed));
        if !is_lost {
            thread::sleep(Duration::from_millis(1));
            if server.write_all(&buffer[..length]).is_err() {
                break;
            }
        }
    }
    // The client may have closed it.
    let _ = server.shutdown(Shutdown::Both);
    is_lost
}

/// The time that the first line of a run announces, such as `(about 9 s, seed 1)`.
fn announced(progress: &str) -> Duration {
    let (_, after) = progress.split_once("(about ").unwrap_or_else(|| panic!("{progress}"));
    let (seconds, _) = after.split_once(" s").unwrap_or_else(|| panic!("{progress}"));
    Duration::from_secs(seconds.parse().unwrap_or_else(|_| panic!("{progress}")))
}

/// A comparison, with a warm-up and a pilot, of two targets that both leave connections waiting.
/// Returns its report.
pub(crate) fn assert_ends_within_twice_its_plan(targets: [String; 2], more: &[&str]) -> Value {
    let times = ["--slice", "50ms", "--warm-up", "500ms", "--pilot", "500ms"];
    assert_ends_in_time(targets, &[&times, more].concat())
}

fn assert_ends_in_time(targets: [String; 2], more: &[&str]) -> Value {
    let directory = TestDirectory::new();
    let [a, b] = [("a", &targets[0]), ("b", &targets[1])].map(|(name, of)| format!("{name}={of}"));
    let plan = "--rounds 6 --round 700ms --out run";
    let words: Vec<&str> = ["compare", &a, &b].into_iter().chain(plan.split(' ')).collect();
    let started = Instant::now();
    let output = directory.tiebreak(&[&words, more].concat());
    let took = started.elapsed();
    let progress = errors(&output);
    let plan = announced(&progress);
    assert!(took < 2 * plan, "{took:?} in place of {plan:?}: {progress}");
    // All rounds were driven, and connections waited at their end.
    let report = directory.json("run/report.json");
    for contender in report["contenders"].as_array().expect("contenders") {
        assert_eq!(contender["rounds"].as_array().map(Vec::len), Some(6), "{progress}");
        let waiting = number(&contender["outcomes"]["target_errors"]["waiting"]);
        assert!(waiting >= 1.0, "{contender:#}");
    }
    report
}

/// A server with too few workers, and one that loses requests.
fn both_leave_connections(server: &NullServer) -> [String; 2] {
    let targets = [hands_to_workers(4, answer), one_waits(server.addresses()[0])];
    targets.map(|target| format!("http://{target}/"))
}

#[test]
#[cfg_attr(not(feature = "servers"), ignore = "it takes ten seconds or more: ./test runs it")]
fn a_comparison_ends_within_twice_its_plan_though_connections_wait() {
    let server =
        NullServer::start(&[::http::ROW.null.expect("a service")], None).expect("a server");
    let targets = both_leave_connections(&server);
    assert_starved_in_all_rounds(&assert_ends_within_twice_its_plan(targets, &["-c", "16"]));
}

/// The warm-up ends by its test, and the pilot chooses the slices.
#[test]
#[cfg_attr(not(feature = "servers"), ignore = "it takes ten seconds or more: ./test runs it")]
fn a_comparison_that_finds_its_warm_up_and_slices_ends_within_twice_its_plan() {
    let server =
        NullServer::start(&[::http::ROW.null.expect("a service")], None).expect("a server");
    assert_starved_in_all_rounds(&assert_ends_in_time(
        both_leave_connections(&server),
        &["-c", "16"],
    ));
}

fn assert_starved_in_all_rounds(report: &Value) {
    // The same four were served in all rounds, though connections are reopened between rounds.
    let found = finding(report, "starved_connections").expect("a finding");
    let text = found["evidence"].as_str().expect("a text");
    assert!(text.starts_with("12 of 16 connections got no reply in "), "{text}");
}

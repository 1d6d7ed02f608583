//! The load phase on real stores that already run: existing data is not loaded again, an
//! interrupted load is continued, and a store without enough room loses data.

use super::held_load::{KEYS, killed_when_held, loaded_upto};
use crate::common::stores::Store;
use crate::common::{BRIEF, TestDirectory, assert_void_only_by, errors, number};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Output;
use std::time::{Duration, Instant};
use tiebreak::targets::ports;

/// Maximum time of anything here.
const PATIENCE: Duration = Duration::from_secs(60);

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).replace('\u{a0}', " ")
}

/// `tiebreak load`: exit code, stdout, stderr.
fn load(directory: &TestDirectory, more: &[&str]) -> (i32, String, String) {
    let output = directory.tiebreak(&[&["load"], more].concat());
    (output.status.code().expect("an exit code"), stdout(&output), errors(&output))
}

/// A short comparison of these, all with 5000 keys.
fn compare(directory: &TestDirectory, stores: &[&str], more: &[&str]) -> (i32, Value) {
    directory.report(&[&["compare"], stores, &BRIEF, &["--keys", "5k"], more].concat())
}

fn how(report: &Value, contender: usize) -> &str {
    report["contenders"][contender]["store"]["load"]["how"].as_str().expect("a load")
}

#[test]
fn what_was_loaded_is_found_until_something_writes_to_it() {
    let directory = TestDirectory::new();
    let (memcached, redis) = (Store::memcached(&[]), Store::redis(&[]));
    let (m, r) = (format!("m={}", memcached.url()), format!("r={}", redis.url()));
    let both = [m.as_str(), &r];
    let keys = ["--keys", "5k"];
    let (code, message, progress) = load(&directory, &[&both[..], &keys].concat());
    assert_eq!(code, 0, "{message}{progress}");
    for name in ["m", "r"] {
        assert!(message.contains(&format!("{name}: 5000 keys loaded in ")), "{message}");
        assert!(progress.contains(&format!("loading {name}: 0 of 5k keys")), "{progress}");
    }
    assert!(message.lines().all(|line| line.ends_with("; evicted nothing")), "{message}");
    let (code, message, _) = load(&directory, &[&both[..], &keys].concat());
    assert_eq!(code, 0, "{message}");
    assert_eq!(message.matches(": 5000 keys were loaded before and are unchanged").count(), 2);
    // Reads do not change it, as the next run shows.
    let (code, report) = compare(&directory, &both, &["--mix", "get=1"]);
    assert_eq!(code, 0, "{:#}", report["findings"]);
    assert_eq!((how(&report, 0), how(&report, 1)), ("found", "found"));
    assert_eq!(report["contenders"][0]["sent"]["load"], 0);
    // The first that writes finds it, and the next does not.
    for expected in ["found", "written"] {
        let (code, report) = compare(&directory, &both, &[]);
        assert_eq!(code, 0, "{:#}", report["findings"]);
        assert_eq!((how(&report, 0), how(&report, 1)), (expected, expected));
        let store = &report["contenders"][1]["store"];
        assert_eq!(store["items"], 5001, "the keys and the fingerprint: {store}");
        assert_eq!(store["evicted"]["rounds"], 0);
        let facts = report["contenders"][1]["target_cost"]["facts"].to_string();
        assert!(facts.contains("appendonly no"), "{facts}");
    }
    let (code, message, progress) = load(&directory, &[&both[..], &["--keys", "4k"]].concat());
    assert_eq!(code, 0, "{message}{progress}");
    assert!(message.contains("m: 4000 keys loaded"), "{message}");
    assert!(progress.contains("m: loaded again: it holds other keys or values"), "{progress}");
    let (code, message, _) = load(&directory, &[&both[..], &["--keys", "4k", "--reload"]].concat());
    assert_eq!(code, 0, "{message}");
    assert!(message.contains("r: 4000 keys loaded"), "{message}");
}

#[test]
fn a_load_that_is_killed_goes_on_where_it_was() {
    for server in [Store::memcached(&[]), Store::redis(&[])] {
        let directory = TestDirectory::new();
        let url = server.url();
        killed_when_held(&directory, server.address, &url);
        let upto = loaded_upto(&server.fingerprint());
        let (code, message, progress) = load(&directory, &[&url, "--keys", KEYS]);
        assert_eq!(code, 0, "{message}{progress}");
        let continues = format!("an interrupted load continues at {upto} of ");
        assert!(progress.contains(&continues), "{continues}: {progress}");
        assert!(message.contains(" on loaded in "), "{message}");
        assert!(server.fingerprint().contains(" clean"), "{}", server.fingerprint());
    }
}

#[test]
fn a_server_that_was_started_anew_is_loaded_again() {
    let directory = TestDirectory::new();
    let path = directory.path().to_str().expect("plain");
    let mut store = Store::redis(&["--appendonly", "yes", "--dir", path]);
    let url = store.url();
    assert_eq!(load(&directory, &[&url, "--keys", "1k"]).0, 0);
    let mut stream = TcpStream::connect(store.address).expect("it listens");
    stream.write_all(b"SHUTDOWN NOSAVE\r\n").expect("sent");
    let _ = stream.read(&mut [0; 10]);
    // Its data on disk contains the fingerprint, too.
    store.restart();
    let gives_up = Instant::now() + PATIENCE;
    while !store.fingerprint().contains(" clean") {
        assert!(Instant::now() < gives_up, "{}", store.fingerprint());
    }
    let (code, _, progress) = load(&directory, &[&url, "--keys", "1k"]);
    assert_eq!(code, 0, "{progress}");
    assert!(progress.contains("loaded again: its server was restarted"), "{progress}");
}

#[test]
fn stores_without_room_are_void_and_not_broken() {
    let directory = TestDirectory::new();
    let small = ["-m", "1", "-I", "512k"];
    let limit = ["--maxmemory", "2mb", "--maxmemory-policy"];
    let stores = [
        ("right", Store::memcached(&[])),
        ("evicts", Store::memcached(&small)),
        ("full", Store::memcached(&[&small[..], &["-M"]].concat())),
        ("oom", Store::redis(&[&limit[..], &["noeviction"]].concat())),
        ("lru", Store::redis(&[&limit[..], &["allkeys-lru"]].concat())),
    ];
    let urls: Vec<String> =
        stores.iter().map(|(name, server)| format!("{name}={}", server.url())).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    // Few connections: Redis counts their buffers as its memory.
    let poor = ["--value", "1kB", "--connections", "2", "--mix", "get=9,set=1"];
    let run = compare(&directory, &urls, &poor);
    assert_void_only_by(&run, &["misses", "non_success"]);
    let report = run.1;
    let findings = report["findings"].as_array().expect("findings");
    let of = |rule: &str| -> Vec<&str> {
        let found = findings.iter().filter(|finding| finding["rule"] == rule);
        found.map(|finding| finding["contender"].as_str().expect("a name")).collect()
    };
    assert_eq!(of("misses"), ["evicts", "full", "oom", "lru"], "{findings:#?}");
    assert_eq!(of("evictions"), ["evicts", "lru"]);
    // Those that throw nothing away refuse writes instead, each in its own words.
    assert_eq!(of("non_success"), ["full", "oom"]);
    for (at, class) in [(2, "out_of_memory"), (3, "oom")] {
        let outcomes = &report["contenders"][at]["outcomes"];
        let failed: f64 =
            outcomes["target_errors"].as_object().expect("classes").values().map(number).sum();
        assert!(failed > 0.0 && number(&outcomes["target_errors"][class]) == failed, "{outcomes}");
    }
    for of in report["contenders"].as_array().expect("five") {
        assert_eq!(of["outcomes"]["wrong"], 0, "{of}");
    }
    let called = report["comparisons"].as_array().expect("comparisons").iter();
    assert!(called.clone().all(|of| of["verdict"] == "void"), "{:#}", report["comparisons"]);
    for (at, ended) in [(0, false), (1, false), (2, true), (3, true), (4, false)] {
        let load = &report["contenders"][at]["store"]["load"];
        assert_eq!(load["ended_at"].is_number(), ended, "{} {load}", stores[at].0);
    }
    let (code, message, _) = load(&directory, &[urls[2], "--keys", "5k", "--value", "1kB"]);
    assert_eq!(code, 3, "{message}");
    assert!(message.contains("the load stopped at key "), "{message}");
}

#[test]
fn only_stores_that_run_already_can_be_loaded() {
    let directory = TestDirectory::new();
    for (what, says) in [
        ("memcached", "`memcached` would be launched, loaded and stopped"),
        ("http://127.0.0.1:1/", "is not a store: keys are loaded into caches, files and databases"),
    ] {
        let (code, message, error) = load(&directory, &[what]);
        assert_eq!((code, message.as_str()), (2, ""), "{error}");
        assert!(error.contains(says), "{error}");
    }
    let swept = "sweep.value = [8, 100]\ncontender.a.url = 'redis://127.0.0.1:1'\n";
    std::fs::write(directory.file("e.toml"), swept).expect("a file");
    let (code, _, error) = load(&directory, &["e.toml"]);
    assert_eq!(code, 2, "{error}");
    assert!(error.contains("a sweep of value loads different values at each point"), "{error}");
    let port = ports::free().expect("a port");
    let (code, _, error) = load(&directory, &[&format!("redis://127.0.0.1:{port}")]);
    assert_eq!(code, 4, "{error}");
    assert!(error.contains("it refused the connection"), "{error}");
}

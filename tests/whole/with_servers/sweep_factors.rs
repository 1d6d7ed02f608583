//! Sweeps of rate, value and depth, and what the servers saw of them.

use crate::common::stores::Store;
use crate::common::{TestDirectory, assert_sound, errors, number, sent, serve, stdout, url};
use crate::validator;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc;
use std::time::Duration;
use testserver::Behaviour;

/// 1.6 s of rounds for each contender at each load point.
const SHORT: [&str; 11] = [
    "--rounds",
    "8",
    "--round",
    "200ms",
    "--warm-up",
    "0s",
    "--pilot",
    "200ms",
    "--quiet",
    "--out",
    "run",
];

/// Sweeps, and gives the report.
fn sweep(directory: &TestDirectory, words: &[&str]) -> Value {
    let output = directory.tiebreak(&[&["compare"], words, &SHORT].concat());
    // Shown if the test fails.
    print!("{}", errors(&output));
    let report = directory.json("run/report.json");
    assert_sound(&(output.status.code().expect("a code"), report.clone()));
    report
}

/// The two contenders at each load point, by its value.
fn points(report: &Value) -> Vec<(f64, [&Value; 2])> {
    let contenders = report["contenders"].as_array().expect("contenders");
    let levels = report["sweep"]["levels"].as_array().expect("load points").iter();
    let pairs = contenders.chunks(2).map(|two| [&two[0], &two[1]]);
    levels.map(|level| number(&level["value"])).zip(pairs).collect()
}

#[test]
fn a_sweep_of_rate_sends_what_it_says() {
    let directory = TestDirectory::new();
    let servers = [serve(Behaviour::default()), serve(Behaviour::default())];
    let [a, b] = [("a", &servers[0]), ("b", &servers[1])].map(|(n, s)| format!("{n}={}", url(s)));
    let report = sweep(&directory, &[&a, &b, "--sweep", "rate=200,800/s", "--slice", "200ms"]);
    let points = points(&report);
    assert_eq!(points.iter().map(|point| point.0).collect::<Vec<_>>(), [200.0, 800.0]);
    for (rate, both) in &points {
        for contender in both {
            let due = ["operations", "unsent"].map(|of| number(&contender[of])).iter().sum::<f64>()
                + number(&contender["sent"]["unfinished"]);
            assert_eq!(due, rate * 1.6, "at {rate}: {contender:#}");
        }
    }
    for (at, server) in servers.into_iter().enumerate() {
        let sent_at: u64 = points.iter().map(|(_, both)| sent(both[at])).sum();
        assert_eq!(server.stop().requests, sent_at, "contender {at}");
    }
}

/// What a Redis or a memcached answers to these lines, up to `lines` lines.
fn ask(address: SocketAddr, line: &str, ends: impl Fn(&str) -> bool) -> Vec<String> {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a time");
    stream.write_all(format!("{line}\r\n").as_bytes()).expect("sent");
    let mut lines = Vec::new();
    for line in BufReader::new(stream).lines() {
        let line = line.expect("answered");
        let over = ends(&line);
        lines.push(line);
        if over {
            break;
        }
    }
    lines
}

/// A figure that memcached keeps.
fn memcached_says(address: SocketAddr, name: &str) -> f64 {
    let statistics = ask(address, "stats", |line| line == "END");
    let value = statistics.iter().find_map(|line| line.strip_prefix(&format!("STAT {name} ")));
    value.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("{name}: {statistics:?}"))
}

#[test]
fn a_sweep_of_value_writes_values_of_that_length() {
    let directory = TestDirectory::new();
    let servers = [Store::memcached(&[]), Store::memcached(&[])];
    let [a, b] = [("a", &servers[0]), ("b", &servers[1])].map(|(n, s)| format!("{n}={}", s.url()));
    let words = [&a, &b, "--sweep", "value=16,2000", "--keys", "500", "--connections", "4"];
    let more = ["--mix", "get=1", "--verify", "all"];
    let report = sweep(&directory, &[&words[..], &more].concat());
    let points = points(&report);
    assert_eq!(points.iter().map(|point| point.0).collect::<Vec<_>>(), [16.0, 2000.0]);
    for at in [0, 1] {
        for (_, both) in &points {
            let contender = both[at];
            assert_eq!(contender["sent"]["load"], 500, "each length has its own keys");
            assert_eq!(contender["outcomes"]["ok"], contender["operations"]);
        }
        // The server itself says so: the keys of both lengths, two notes of what was loaded, and an item's head.
        let of = |name: &str| memcached_says(servers[at].address, name);
        assert_eq!(of("curr_items"), 1002.0, "contender {at}");
        let beside = (of("bytes") - 500.0 * 2016.0) / 1002.0;
        assert!(
            (50.0..100.0).contains(&beside),
            "contender {at}: {beside} bytes beside each value"
        );
    }
}

/// What a sweep did whose load points share no rounds: its report, and what it said.
fn one_after_the_other(directory: &TestDirectory, words: &[&str]) -> (Value, String) {
    let short = ["--rounds", "8", "--round", "200ms", "--warm-up", "0s", "--out", "run"];
    let output = directory.tiebreak(&[words, &short].concat());
    let (said, stderr) = (stdout(&output), errors(&output));
    print!("{said}{stderr}");
    let report = directory.json("run/report.json");
    assert_sound(&(output.status.code().expect("a code"), report.clone()));
    assert_eq!(validator::wrong(&report), Vec::<String>::new());
    assert_eq!((&report["sweep"]["apart"], &report["complete_rounds"]), (&true.into(), &16.into()));
    assert_eq!(report["sweep"]["steps"].as_array().map(Vec::len), Some(0));
    for bend in report["sweep"]["bends"].as_array().expect("bends") {
        assert_eq!(bend["outcome"], "undetermined", "{bend}");
    }
    for contender in report["contenders"].as_array().expect("contenders") {
        assert_eq!(contender["outcomes"]["ok"], contender["operations"], "{contender:#}");
        assert_eq!(contender["sent"]["load"], 2000, "for the pilot, and for the rounds");
    }
    for level in report["sweep"]["levels"].as_array().expect("load points") {
        assert_eq!(level["void"], false, "{level}");
    }
    let again = |flag: &str| stdout(&directory.tiebreak(&["report", "run", flag]));
    let said_of_bends =
        "whether it bends cannot be said: the load points were driven one after the other";
    for text in [said, again("--markdown"), again("--html")] {
        assert!(text.contains(said_of_bends), "{text}");
    }
    (report, stderr)
}

/// Values of 8000 and of 10 000 bytes under 1000 keys each take 18 MB, and each server has 16.8 MB.
#[test]
fn sizes_that_do_not_fit_together_are_driven_one_after_the_other_in_one_run() {
    let directory = TestDirectory::new();
    let servers = [(); 2].map(|()| Store::redis(&["--maxmemory", "16mb"]));
    let [a, b] = [("a", &servers[0]), ("b", &servers[1])].map(|(n, s)| format!("{n}={}", s.url()));
    let words = ["compare", &a, &b, "--sweep", "value=8000,10000", "--keys", "1000"];
    let more = ["--mix", "get=1", "--verify", "all"];
    let (report, stderr) = one_after_the_other(&directory, &[&words[..], &more].concat());
    let said = "the values of all load points are at least 18 MB, and the store of `a` has room for 16.8 MB";
    assert!(
        report["plan"]["pilot"]["why"].to_string().contains(said),
        "{}",
        report["plan"]["pilot"]
    );
    assert!(stderr.contains(said), "{stderr}");
    // All rounds of the first load point, then those of the second, in one journal.
    let journal = std::fs::read_to_string(directory.file("run/journal.jsonl")).expect("a journal");
    let events = journal.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let trials = events.filter_map(|event| {
        let trial = event["event"].get("trial").filter(|trial| trial["phase"] == "round")?;
        Some((trial["round"].as_u64()?, trial["contender"].as_u64()?))
    });
    let trials: Vec<(u64, u64)> = trials.collect();
    assert_eq!(trials.len(), 32);
    for (round, contender) in trials {
        assert_eq!(contender / 2, (round - 1) / 8, "contender {contender} in round {round}");
    }
    // The contenders of a load point are compared as ever.
    let comparisons = report["comparisons"].as_array().expect("comparisons");
    let primaries: Vec<&Value> = comparisons.iter().filter(|of| of["primary"] == true).collect();
    assert_eq!(primaries.len(), 2);
    assert!(primaries.iter().all(|of| of["replicates"] == 8), "{primaries:#?}");
    // The data of the last load point and their note.
    assert!(servers.iter().all(|server| server.says("DBSIZE\r\n") == ":1001\r\n"));
}

/// Depths of one target whose writes need data of their own: twice 5 MB of values in 8.4 MB.
#[test]
fn depths_of_one_target_are_driven_one_after_the_other() {
    let directory = TestDirectory::new();
    let server = Store::memcached(&["-m", "8"]);
    let url = server.url();
    let words = ["run", &url, "--sweep", "depth=1,8", "--keys", "1000", "--value", "5000"];
    let more = ["--mix", "get=1,set=1", "--connections", "2"];
    let (report, _) = one_after_the_other(&directory, &[&words[..], &more].concat());
    for comparison in report["comparisons"].as_array().expect("comparisons") {
        assert_eq!(comparison["ratio"], Value::Null, "{comparison}");
        assert!(comparison["because"].to_string().contains("share no rounds"), "{comparison}");
    }
    assert_eq!(memcached_says(server.address, "evictions"), 0.0);
}

/// Sizes of values in a memcached that tiebreak launches: 9 MB of values in 8.39 MB, so that each size has a process of
/// its own, for the pilot and for its rounds.
#[test]
fn a_launched_memcached_is_driven_with_one_size_after_the_other() {
    let directory = TestDirectory::new();
    let keys = super::stores::memcached(", '-m', '8'");
    std::fs::write(directory.file("e.toml"), format!("[contender.a]\n{keys}\n")).expect("writes");
    let words = ["run", "e.toml", "--sweep", "value=4000,5000", "--keys", "1000"];
    let more = ["--mix", "get=1", "--verify", "all", "--connections", "2"];
    let (report, stderr) = one_after_the_other(&directory, &[&words[..], &more].concat());
    assert!(stderr.contains("each in a process of its own"), "{stderr}");
    assert_eq!(report["contenders"][0]["target_cost"]["launches"], 4);
}

/// Values of 100 and of 10 000 bytes under 1000 keys each take 10.1 MB: in the second sweep twice, because both of its
/// targets are one server.
#[test]
fn what_can_neither_be_together_nor_one_after_the_other_is_refused_before_it_is_loaded() {
    let directory = TestDirectory::new();
    let memcached = Store::memcached(&["-m", "9"]);
    let redis = Store::redis(&["--maxmemory", "16mb"]);
    let run = [format!("a={}", memcached.url())];
    let compare = [format!("a={}", redis.url()), format!("b={}", redis.url())];
    let table = [
        ("run", &run[..], ["at least 10.1 MB", "room for 9.44 MB", "(memcached -m)"]),
        (
            "compare",
            &compare,
            ["at least 20.2 MB", "value-10000 alone are at least 20 MB", "(Redis maxmemory)"],
        ),
    ];
    for (command, targets, said) in table {
        let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
        let sweep = ["--sweep", "value=100,10000", "--keys", "1000", "--out", command];
        let output = directory.tiebreak(&[&[command], &targets[..], &sweep].concat());
        let stderr = errors(&output);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        for text in said.into_iter().chain(["load fewer keys (--keys)"]) {
            assert!(stderr.contains(text), "{text}: {stderr}");
        }
        let journal = directory.file(&format!("{command}/journal.jsonl"));
        let journal = std::fs::read_to_string(journal).expect("a journal");
        assert!(!journal.contains("\"loaded\"") && journal.contains("\"stopped\""), "{journal}");
    }
    assert_eq!(memcached_says(memcached.address, "curr_items"), 0.0);
    assert_eq!(redis.says("DBSIZE\r\n"), ":0\r\n");
}

/// Redis counts commands, and how often it read from a socket: several commands in one
/// read were in flight at once.
#[test]
fn a_sweep_of_depth_has_that_many_in_flight() {
    let directory = TestDirectory::new();
    let server = Store::redis(&[]);
    let (a, b) = (format!("a={}", server.url()), format!("b={}", server.url()));
    let (end, ended) = mpsc::channel::<()>();
    let address = server.address;
    let watch = std::thread::spawn(move || {
        let mut seen = Vec::new();
        while ended.recv_timeout(Duration::from_millis(50)) == Err(mpsc::RecvTimeoutError::Timeout)
        {
            seen.push(redis_says(address));
        }
        seen
    });
    let words = [&a, &b, "--sweep", "depth=1,16", "--keys", "100", "--connections", "2"];
    // In turns, so that there are moments in which all commands are of one depth.
    let more = ["--mix", "get=1", "--interleave", "turns"];
    let report = sweep(&directory, &[&words[..], &more].concat());
    drop(end);
    let seen = watch.join().expect("it watches");
    let in_a_read = |two: &[(f64, f64)]| {
        let (commands, reads) = (two[1].0 - two[0].0, two[1].1 - two[0].1);
        (commands > 200.0).then(|| commands / reads)
    };
    let depths: Vec<f64> = seen.windows(2).filter_map(in_a_read).collect();
    let (least, most) = depths
        .iter()
        .fold((f64::MAX, 0_f64), |(least, most), depth| (least.min(*depth), most.max(*depth)));
    // At depth 1 a read holds one command. At 16 it holds as many as were sent together.
    assert!(least < 1.05 && most > 4.0 && most <= 16.0, "commands in a read: {depths:?}");
    let planned = report["plan"]["contenders"].as_array().expect("four").iter();
    let planned: Vec<f64> = planned.map(|of| number(&of["depth"])).collect();
    assert_eq!(planned, [1.0, 1.0, 16.0, 16.0]);
    let sent_by_pairs: u64 = report["contenders"].as_array().expect("four").iter().map(sent).sum();
    let gets = calls(server.address, "get");
    // Besides, each point asks for the notes of what is loaded, a few times.
    assert!(
        gets >= sent_by_pairs && gets <= sent_by_pairs + 40,
        "{sent_by_pairs} sent, {gets} seen"
    );
}

/// (commands, reads) that this Redis counted.
fn redis_says(address: SocketAddr) -> (f64, f64) {
    let statistics = ask(address, "INFO stats", |line| line.starts_with("total_writes_processed"));
    let figure = |name: &str| {
        let value = statistics.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        value
            .and_then(|value| value.parse().ok())
            .unwrap_or_else(|| panic!("{name}: {statistics:?}"))
    };
    (figure("total_commands_processed"), figure("total_reads_processed"))
}

/// How many keys that were read this Redis found.
pub(crate) fn hits(address: SocketAddr) -> u64 {
    let statistics = ask(address, "INFO stats", |line| line.starts_with("keyspace_hits:"));
    let last = statistics.last().and_then(|line| line.strip_prefix("keyspace_hits:"));
    last.and_then(|count| count.parse().ok()).unwrap_or_else(|| panic!("{statistics:?}"))
}

/// How often a command was called.
pub(crate) fn calls(address: SocketAddr, command: &str) -> u64 {
    let name = format!("cmdstat_{command}:calls=");
    let statistics = ask(address, "INFO commandstats", |line| line.starts_with(&name));
    let last = statistics.last().and_then(|line| line.strip_prefix(&name)?.split(',').next());
    last.and_then(|count| count.parse().ok()).unwrap_or_else(|| panic!("{statistics:?}"))
}

//! Sweeps of rate, value and depth, and what the servers saw of them.

use crate::common::{TestDirectory, assert_sound, errors, number, sent, serve, url};
use crate::with_servers::loads::Server;
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
    let servers = [Server::memcached(&[]), Server::memcached(&[])];
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

/// Redis counts commands, and how often it read from a socket: several commands in one
/// read were in flight at once.
#[test]
fn a_sweep_of_depth_has_that_many_in_flight() {
    let directory = TestDirectory::new();
    let server = Server::redis(&[]);
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

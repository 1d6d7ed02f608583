//! The experiments in `experiments/`, for real but small.

use crate::common::processes::{Process, marked};
use crate::common::{TestDirectory, errors, number, sent};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Short rounds of one launch, with slices of a fixed length: the pilot's would make rounds of seconds
/// for seven servers.
const SMALL: [&str; 12] = [
    "--launches",
    "1",
    "--round",
    "200ms",
    "--rounds",
    "10",
    "--warm-up",
    "200ms",
    "--slice",
    "50ms",
    "--pilot",
    "200ms",
];

/// Processes whose environment names this directory: what was launched from it.
fn launched_from(directory: &Path) -> Vec<String> {
    let mark = format!("TMPDIR={}", directory.display());
    let processes = marked(&mark, &BTreeSet::new(), &mut BTreeSet::new());
    processes.iter().map(Process::command).collect()
}

fn experiment(name: &str) -> String {
    format!("{}/experiments/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Returns the command, with a separate directory for temporary files.
fn command(directory: &TestDirectory, arguments: &[&str]) -> Command {
    let temporary = directory.file("tmp");
    std::fs::create_dir_all(&temporary).expect("a directory");
    let mut command = directory.command(arguments);
    command.env("TMPDIR", temporary);
    command
}

#[test]
fn seven_http_servers_one_command_and_nothing_left_behind() {
    let directory = TestDirectory::new();
    let file = experiment("http-servers.toml");
    let mut arguments = vec!["compare", &file, "--allow-launch", "--out", "run", "--quiet"];
    arguments.extend(["--connections", "20"].iter().chain(&SMALL));
    let output = command(&directory, &arguments).output().expect("the binary runs");
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let text = std::fs::read_to_string(directory.file("run/report.json")).expect("a report");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    let contenders = report["contenders"].as_array().expect("contenders");
    let names: Vec<&str> = contenders.iter().filter_map(|it| it["name"].as_str()).collect();
    assert_eq!(names, ["nginx", "lighttpd", "apache", "caddy", "node", "go", "uvicorn"]);
    for contender in contenders {
        let name = contender["name"].as_str().expect("a name");
        assert!(sent(contender) > 100, "{name}: {}", contender["sent"]);
        let ended = number(&contender["operations"]);
        assert_eq!(number(&contender["outcomes"]["ok"]), ended, "{name}: every reply was a page");
    }
    ranks_fit(&report, &names);
    // There is not one byte of difference between the seven.
    let findings = text.contains("differing_replies");
    assert!(!findings, "{text}");
    assert_eq!(launched_from(&directory.file("tmp")), Vec::<String>::new());
    let left = std::fs::read_dir(directory.file("tmp")).expect("a directory").count();
    assert_eq!(left, 0, "temporary directories are removed");
    assert!(directory.file("run/logs/nginx.log").exists());
}

/// Every contender has ranks, from those that it may share with better ones to those that it may share with worse.
pub(super) fn ranks_fit(report: &Value, contenders: &[&str]) {
    let ranked = report["ranking"]["ranked"].as_array().expect("a ranking");
    let mut names: Vec<&str> = ranked.iter().filter_map(|of| of["name"].as_str()).collect();
    for (at, of) in (1..).zip(ranked) {
        let (best, worst) = (number(&of["best"]), number(&of["worst"]));
        assert!(1.0 <= best && best <= worst && worst <= ranked.len() as f64, "{at}: {of:#}");
    }
    let estimates: Vec<f64> = ranked.iter().map(|of| number(&of["estimate"])).collect();
    assert!(estimates.is_sorted_by(|one, next| one >= next), "{estimates:?}");
    let mut wanted = contenders.to_vec();
    names.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(names, wanted);
    assert_eq!(report["ranking"]["not_ranked"], Value::Array(Vec::new()));
}

#[test]
fn published_experiments_can_be_read() {
    let directory = TestDirectory::new();
    let directories = std::fs::read_dir(experiment("published")).expect("a directory");
    let files = directories.flat_map(|path| {
        let path = path.expect("an entry").path();
        std::fs::read_dir(path).expect("a directory").map(|file| file.expect("an entry").path())
    });
    let files: Vec<_> =
        files.filter(|file| file.extension().is_some_and(|it| it == "toml")).collect();
    assert!(files.len() >= 4, "{files:?}");
    for file in files {
        let words = ["check", file.to_str().expect("a plain path")];
        let output = command(&directory, &words).output().expect("the binary runs");
        assert_eq!(output.status.code(), Some(0), "{}: {}", file.display(), errors(&output));
    }
}

#[test]
fn check_shows_every_command_and_file_and_launches_nothing() {
    let directory = TestDirectory::new();
    let file = experiment("http-servers.toml");
    let output = command(&directory, &["check", &file]).output().expect("the binary runs");
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let stdout = String::from_utf8_lossy(&output.stdout);
    for line in [
        "  start   nginx -c {temp}/nginx.conf -e stderr",
        "  prepare go build -o {temp}/server {temp}/main.go",
        "    | worker_processes {workers};",
        "  load    500 connections, persistent; as fast as replies come",
        "nothing was launched and nothing was sent",
    ] {
        assert!(stdout.lines().any(|stdout| stdout == line), "no line `{line}` in:\n{stdout}");
    }
    assert!(!directory.file("tiebreak-runs").exists());
    assert_eq!(std::fs::read_dir(directory.file("tmp")).expect("a directory").count(), 0);
}

#[test]
fn twenty_clients_that_read_and_two_that_write_are_seen_before_they_are_driven() {
    let directory = TestDirectory::new();
    let output = directory.tiebreak(&["check", &experiment("readers-and-writers.toml")]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let stdout = String::from_utf8_lossy(&output.stdout).replace('\u{a0}', " ");
    for line in [
        "readers: get 100 %; 640 connections, closed loop",
        "writers: set 100 %; 64 connections, closed loop",
    ] {
        let contenders = stdout.lines().filter(|stdout| stdout.trim() == line).count();
        assert_eq!(contenders, 4, "`{line}` in:\n{stdout}");
    }
}

#[test]
fn twenty_clients_that_read_and_two_that_write_are_driven_at_once() {
    let directory = TestDirectory::new();
    let file = experiment("readers-and-writers.toml");
    let words = ["compare", &file, "--allow-file", "--keys", "200"];
    let (code, report) = directory.report(&[&words[..], &SMALL].concat());
    assert_eq!(code, 0, "{:#}", report["findings"]);
    let contenders = report["contenders"].as_array().expect("contenders");
    assert_eq!(contenders.len(), 4);
    for contender in contenders {
        assert_eq!(contender["outcomes"]["ok"], contender["operations"], "{contender:#}");
        let groups = contender["groups"].as_array().expect("groups");
        let asked = |of: &Value| (of["name"].to_string(), number(&of["connections"]["requested"]));
        let wanted = [("\"readers\"".to_owned(), 640.0), ("\"writers\"".to_owned(), 64.0)];
        assert_eq!(groups.iter().map(asked).collect::<Vec<_>>(), wanted, "{contender:#}");
        // How many of them get replies in a short round depends on the machine; all are opened.
        let are_opened = |of: &Value| number(&of["connections"]["opened"]) >= asked(of).1;
        assert!(groups.iter().all(are_opened), "{contender:#}");
    }
}

#[test]
fn one_nginx_gets_a_fresh_connection_for_each_request_and_the_other_none() {
    let directory = TestDirectory::new();
    let file = experiment("fresh-connections.toml");
    let words = ["compare", &file, "--allow-file"];
    let (code, report) = directory.report(&[&words[..], &SMALL].concat());
    assert_eq!(code, 0, "{:#}", report["findings"]);
    let [persistent, fresh] = &report["contenders"].as_array().expect("contenders")[..] else {
        panic!("two contenders: {report:#}")
    };
    for contender in [persistent, fresh] {
        assert_eq!(contender["outcomes"]["ok"], contender["operations"], "{contender:#}");
    }
    let opened = |of: &Value| number(&of["connections"]["opened"]) as u64;
    // At most 32 for the warm-up, the pilot and each of 10 rounds, and one for each check whether it
    // is ready.
    let ready = |of: &Value| number(&of["sent"]["ready"]) as u64;
    assert!(opened(persistent) <= ready(persistent) + 32 * (1 + 1 + 10), "{persistent:#}");
    assert!(opened(fresh) >= sent(fresh) - ready(fresh), "{fresh:#}");
}

#[test]
fn a_file_from_elsewhere_needs_permission_and_a_slip_is_seen() {
    let directory = TestDirectory::new();
    let file = experiment("http-servers.toml");
    let refused = directory.tiebreak(&["compare", &file]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(errors(&refused).contains("then add --allow-file"), "{}", errors(&refused));
    let slip = directory.tiebreak(&["compare", "ngnix", "node"]);
    assert_eq!(slip.status.code(), Some(2));
    assert!(errors(&slip).contains("did you mean `nginx`?"), "{}", errors(&slip));
}

#[test]
fn five_caches_one_command_and_every_byte_is_verified() {
    let directory = TestDirectory::new();
    let text = std::fs::read_to_string(experiment("caches.toml")).expect("the experiment");
    let cache = directory.file("cache").display().to_string();
    let text = text.replace("/dev/shm/tiebreak-cache", &cache);
    assert!(text.contains(&cache), "the test has a cache of its own");
    std::fs::write(directory.file("caches.toml"), text).expect("a file");
    for (workload, mix) in [("kv", "get=1"), ("ycsb-b", "get=0.95,set=0.05")] {
        let mut arguments = vec!["compare", "caches.toml", "--workload", workload, "--mix", mix];
        arguments.extend(["--keys", "2k"].iter().chain(&SMALL));
        let (code, report) = directory.report(&arguments);
        assert_eq!(code, 0, "{workload}: {:#}", report["findings"]);
        let contenders = report["contenders"].as_array().expect("contenders");
        let names: Vec<&str> = contenders.iter().filter_map(|it| it["name"].as_str()).collect();
        assert_eq!(names, ["memcached", "redis", "mariadb-memory", "postgres-tmpfs", "files"]);
        for contender in contenders {
            let outcomes = &contender["outcomes"];
            assert_eq!(outcomes["ok"], contender["operations"], "{workload}: {outcomes}");
            assert_eq!(contender["sent"]["load"], 2000, "{workload}");
        }
    }
}

#[test]
fn three_policies_on_two_databases_one_command() {
    let directory = TestDirectory::new();
    let file = experiment("pools.toml");
    let (code, report) =
        directory.report(&[&["compare", &file, "--allow-launch"][..], &SMALL].concat());
    assert_eq!(code, 0, "{:#}", report["findings"]);
    let contenders = report["contenders"].as_array().expect("contenders");
    assert_eq!(contenders.len(), 6);
    for contender in contenders {
        let outcomes = &contender["outcomes"];
        assert_eq!(outcomes["ok"], contender["operations"], "{outcomes}");
    }
    let throughput = |at: usize| number(&contenders[at]["metrics"]["throughput"]["value"]);
    // On both, a new connection costs more than everything that is done with it.
    for (fresh, persistent) in [(0, 1), (3, 4)] {
        assert!(throughput(persistent) > 1.5 * throughput(fresh), "{contenders:#?}");
    }
}

//! `tiebreak compare` on real memcached and Redis, in every dialect and with custom commands.

use crate::common::processes::wait_at_most;
use crate::common::{BRIEF, TestDirectory, errors, number, stdout};
use serde_json::Value;

/// Two stores as contenders of an experiment file.
fn experiment(contenders: &[(&str, String)]) -> String {
    let each = contenders.iter().map(|(name, keys)| format!("[contender.{name}]\n{keys}\n"));
    each.collect()
}

/// Keys of a memcached that is launched with these words more, each after a comma.
pub(crate) fn memcached(more: &str) -> String {
    format!(
        "url = 'memcached://127.0.0.1:{{port}}'\nlaunch = ['memcached', '-l', '127.0.0.1', '-p', \
         '{{port}}', '-U', '0', '-u', 'nobody'{more}]"
    )
}

pub(crate) fn redis(login: &str, more: &str) -> String {
    format!(
        "url = 'redis://{login}127.0.0.1:{{port}}'\nlaunch = ['redis-server', '--bind', \
         '127.0.0.1', '--port', '{{port}}', '--dir', '{{temp}}', '--save', ''{more}]"
    )
}

fn compare(directory: &TestDirectory, text: &str, more: &[&str]) -> (i32, Value) {
    std::fs::write(directory.file("e.toml"), text).expect("a file");
    let mut words = vec!["compare", "e.toml"];
    words.extend(BRIEF);
    words.extend(["--keys", "1k"]);
    words.extend(more);
    directory.report(&words)
}

fn voids(report: &Value) -> Vec<(&str, &str)> {
    let findings = report["findings"].as_array().expect("findings").iter();
    let void = findings.filter(|finding| finding["weight"] == "void");
    void.map(|of| (of["contender"].as_str().unwrap_or(""), of["rule"].as_str().unwrap_or("")))
        .collect()
}

#[test]
fn reads_and_writes_of_ycsb_f_are_one_operation_in_every_dialect() {
    let redis = redis("", ", '--protected-mode', 'no'");
    for both in [
        [("text", memcached("")), ("resp2", redis.clone() + "\nreuse = 'never'")],
        [
            ("meta", memcached("") + "\ndialect = 'meta'\ndepth = 4"),
            ("resp3", redis + "\ndialect = 'resp3'"),
        ],
    ] {
        let directory = TestDirectory::new();
        let more = ["--workload", "ycsb-f", "--verify", "all", "--connections", "8"];
        let (code, report) = compare(&directory, &experiment(&both), &more);
        assert_eq!(code, 0, "{:#}", report["findings"]);
        halves_and_wholes(&report);
    }
}

fn halves_and_wholes(report: &Value) {
    for contender in report["contenders"].as_array().expect("two") {
        let outcomes = &contender["outcomes"];
        assert_eq!(outcomes["ok"], contender["operations"], "{outcomes}");
        let kinds = contender["kinds"].as_array().expect("kinds");
        let names: Vec<_> = kinds.iter().map(|kind| kind["operation"].as_str()).collect();
        assert_eq!(names, [Some("get"), Some("read-modify-write")]);
        let all: f64 = kinds.iter().map(|kind| number(&kind["operations"])).sum();
        assert_eq!(all, number(&contender["operations"]));
        let (get, both) = (&kinds[0], &kinds[1]);
        assert_eq!(get["read"], Value::Null);
        assert_eq!(both["read"]["count"], both["update"]["count"]);
        let p50 = |of: &Value| number(&of["response_time"]["p50"]);
        assert!(p50(both) > p50(get), "two requests take longer than one: {kinds:?}");
    }
    let skew = &report["plan"]["contenders"][0]["skew"];
    assert!(number(&skew["top_10_percent"]) > 0.2, "{skew}");
}

#[test]
fn user_defined_commands_are_driven_from_a_file_and_from_the_command_line() {
    let directory = TestDirectory::new();
    let both = experiment(&[("a", redis("", "")), ("b", redis("", ""))]);
    let text = both.clone()
        + "[workload]\ncommands = [{ run = 'LPUSH {key} {value}', weight = 3 }, \
           { run = 'LPOP {key}' }]\n";
    let (code, report) = compare(&directory, &text, &[]);
    // A pop that finds nothing is a miss, and that is allowed.
    assert_eq!(code, 0, "{:#}", report["findings"]);
    let kinds = report["contenders"][0]["kinds"].as_array().expect("kinds");
    assert_eq!(kinds[0]["operation"], "LPUSH {key} {value}");
    assert!(number(&kinds[0]["operations"]) > 2.0 * number(&kinds[1]["operations"]));
    assert_eq!(report["contenders"][0]["sent"]["load"], 0);
    let description = report["plan"]["contenders"][0]["workload"].as_str().expect("words");
    assert!(description.contains("replies not verified"), "{description}");
    let (code, report) = compare(&directory, &both, &["--command", "LPUSH {key}"]);
    assert_eq!(code, 3, "an error reply is an error");
    assert_eq!(voids(&report), [("a", "non_success"), ("b", "non_success")]);
}

#[test]
fn a_command_that_would_wait_is_refused_with_its_place() {
    let directory = TestDirectory::new();
    let text = experiment(&[("a", redis("", "")), ("b", redis("", ""))])
        + "[workload]\ncommands = [{ run = 'PING' }, { run = 'BLPOP {key} 1' }]\n";
    std::fs::write(directory.file("e.toml"), text).expect("a file");
    let output = directory.tiebreak(&["check", "e.toml"]);
    assert_eq!(output.status.code(), Some(2));
    let stderr = errors(&output);
    for says in ["e.toml:8", "workload.commands[1].run", "would wait for another client"] {
        assert!(stderr.contains(says), "{stderr}");
    }
}

#[test]
fn one_store_is_asked_at_two_depths() {
    let directory = TestDirectory::new();
    let both = [("one", redis("", "")), ("sixteen", redis("", "") + "\ndepth = 16")];
    let (code, report) = compare(&directory, &experiment(&both), &["--connections", "4"]);
    assert_eq!(code, 0, "{:#}", report["findings"]);
    let throughput = &report["comparisons"][0];
    assert_eq!(throughput["metric"], "throughput");
    assert!(number(&throughput["ratio"]) > 1.5, "sixteen in flight cost fewer calls: {throughput}");
}

#[test]
fn a_wrong_password_is_reported_and_shown_nowhere() {
    for (login, says) in
        [(":CANARY@", "rejects the user or the password"), ("", "requires a password")]
    {
        let directory = TestDirectory::new();
        let locked = redis(login, ", '--requirepass', 'right'");
        let text = experiment(&[("a", redis("", "")), ("b", locked)]);
        std::fs::write(directory.file("e.toml"), text).expect("a file");
        let mut words = vec!["compare", "e.toml", "--out", "run"];
        words.extend(BRIEF);
        words.extend(["--keys", "1k"]);
        let output = directory.tiebreak(&words);
        let stderr = errors(&output);
        assert_eq!(output.status.code(), Some(4), "{stderr}");
        assert!(stderr.contains(says), "{stderr}");
        let journal =
            std::fs::read_to_string(directory.file("run/journal.jsonl")).expect("a journal");
        let out = stdout(&output);
        for text in [stderr, journal, out] {
            assert!(!text.contains("CANARY"), "{text}");
        }
    }
}

/// A store that listens on a socket of its directory, until it is dropped.
struct OnSocket(std::process::Child);

impl OnSocket {
    fn start(directory: &TestDirectory, socket: &str, words: &[&str]) -> OnSocket {
        let mut command = std::process::Command::new(words[0]);
        let null = std::process::Stdio::null;
        let command = command.args(&words[1..]).current_dir(directory.path()).stdin(null());
        let child = command.stdout(null()).stderr(null()).spawn().expect("./test installs it");
        let started = OnSocket(child);
        let listens = || std::os::unix::net::UnixStream::connect(directory.file(socket)).is_ok();
        wait_at_most(std::time::Duration::from_secs(30), "the store listens", listens);
        started
    }
}

impl Drop for OnSocket {
    fn drop(&mut self) {
        self.0.kill().expect("our child");
        self.0.wait().expect("our child");
    }
}

#[test]
fn stores_are_driven_over_unix_sockets() {
    let directory = TestDirectory::new();
    let memcached = ["memcached", "-u", "root", "-s", "m.sock"];
    let redis = ["redis-server", "--port", "0", "--save", "", "--unixsocket", "r.sock"];
    let both = [("m.sock", &memcached[..]), ("r.sock", &redis)]
        .map(|(s, w)| OnSocket::start(&directory, s, w));
    let mut words = vec!["compare", "m=memcached+unix://m.sock", "r=redis+unix://r.sock/2"];
    words.extend(BRIEF);
    words.extend(["--keys", "1k"]);
    let (code, report) = directory.report(&words);
    assert_eq!(code, 0, "{:#}", report["findings"]);
    for contender in report["contenders"].as_array().expect("two") {
        assert_eq!(contender["outcomes"]["ok"], contender["operations"]);
        assert_eq!(
            contender["target_cost"]["cpu_unavailable"],
            Value::Null,
            "its process is found"
        );
    }
    drop(both);
}

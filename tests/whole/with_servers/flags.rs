//! Flags and keys that other tests do not give, each with its effect on a real server.

use super::stores::memcached;
use crate::common::stores::Store;
use crate::common::{TestDirectory, errors, sent};
use crate::web::{certificate, free_port, nginx_with};
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

/// A command that removes all keys is sent only if the command line allows it.
#[test]
fn a_destructive_command_needs_permission_on_the_command_line() {
    let (directory, redis) = (TestDirectory::new(), Store::redis(&[]));
    let url = redis.url();
    let file = format!("contender.c.url = '{url}'\nworkload.commands = [{{ run = 'flushall' }}]\n");
    fs::write(directory.file("e.toml"), &file).expect("a file");
    let allows = "allow_destructive = true\n".to_owned() + &file;
    fs::write(directory.file("allows.toml"), allows).expect("a file");
    let short = ["-n", "20", "--warm-up", "0s", "--connections", "2"];
    let keys_with_one_set = || {
        assert_eq!(redis.says("SET mine 1\r\n"), "+OK\r\n");
        redis.says("DBSIZE\r\n")
    };
    for (words, says) in [
        (&["run", &url, "--command", "FLUSHALL"][..], "add --allow-destructive to the command"),
        (&["run", "e.toml"], "add --allow-destructive to the command line"),
        (&["run", "allows.toml"], "allow_destructive"),
    ] {
        let words = [words, &short].concat();
        assert_eq!(keys_with_one_set(), ":1\r\n", "{words:?}");
        let refused = directory.tiebreak(&words);
        assert_eq!(refused.status.code(), Some(2), "{words:?}: {}", errors(&refused));
        assert!(errors(&refused).contains(says), "{words:?}: {}", errors(&refused));
        assert_eq!(redis.says("DBSIZE\r\n"), ":1\r\n", "{words:?}: nothing was sent");
    }
    for words in [&["run", &url, "--command", "FLUSHALL"][..], &["run", "e.toml"]] {
        let words = [words, &short, &["--allow-destructive"]].concat();
        assert_eq!(keys_with_one_set(), ":1\r\n", "{words:?}");
        let (code, report) = directory.report(&words);
        assert_eq!(code, 0, "{words:?}: {:#}", report["findings"]);
        assert_eq!(report["contenders"][0]["outcomes"]["ok"], 20, "{words:?}");
        assert_eq!(redis.says("DBSIZE\r\n"), ":0\r\n", "{words:?}: it was sent");
    }
}

/// nginx notes a request in one of two logs: whether its connection resumed a session.
#[test]
fn tls_sessions_are_resumed_only_if_asked_for() {
    let (served, directory) = (TestDirectory::new(), TestDirectory::new());
    let (key, certificate) = certificate(&served);
    let (port, root) = (free_port(), served.path().display());
    let _nginx = nginx_with(
        &served,
        &format!(
            "listen 127.0.0.1:{port} ssl; ssl_certificate {}; ssl_certificate_key {};\n\
             location = /index.html {{ access_log {root}/full.log;\n\
             if ($ssl_session_reused = r) {{ access_log {root}/resumed.log; }} }}",
            certificate.display(),
            key.display(),
        ),
    );
    let lines = |name: &str| served.text(name).lines().count() as u64;
    let url = format!("https://127.0.0.1:{port}/index.html");
    let words = ["run", &url, "--insecure", "--reuse", "never", "-n", "100", "--warm-up", "0s"];
    let words = [&words[..], &["--connections", "1"]].concat();
    let (code, report) = directory.report(&words);
    assert_eq!(code, 0, "{:#}", report["findings"]);
    let full = sent(&report["contenders"][0]);
    assert_eq!((lines("full.log"), lines("resumed.log")), (full, 0));

    let (code, report) = directory.report(&[&words[..], &["--tls-resume"]].concat());
    assert_eq!(code, 0, "{:#}", report["findings"]);
    let all = sent(&report["contenders"][0]);
    let (full, resumed) = (lines("full.log") - full, lines("resumed.log"));
    // One session is begun in full: that of the check whether the server is ready.
    assert_eq!((full, resumed), (1, all - 1));
}

/// The commands that a Redis receives, as it shows them to a client that asks for it.
struct Monitor(BufReader<TcpStream>);

impl Monitor {
    fn of(redis: &Store) -> Monitor {
        let mut stream = TcpStream::connect(redis.address).expect("it listens");
        stream.write_all(b"MONITOR\r\n").expect("sent");
        let mut monitor = Monitor(BufReader::new(stream));
        assert_eq!(monitor.line(), "+OK");
        monitor
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).expect("text");
        line.trim_end().to_owned()
    }

    /// The words of all commands up to now, as one text for each command.
    fn commands(mut self, redis: &Store) -> Vec<String> {
        redis.says("ECHO that-is-all\r\n");
        let mut all = Vec::new();
        loop {
            let line = self.line();
            let (_, command) = line.split_once("] ").expect("a client, and its command");
            if command.contains("that-is-all") {
                return all;
            }
            all.push(command.to_owned());
        }
    }
}

#[test]
fn only_the_hot_part_of_the_keys_is_read() {
    let (directory, redis) = (TestDirectory::new(), Store::redis(&[]));
    let url = redis.url();
    let words = ["run", &url, "--keys", "200", "--mix", "get=1", "-n", "4000", "--warm-up", "0s"];
    for (hot, most) in [(&[][..], 200), (&["--hot", "10%"], 20)] {
        let monitor = Monitor::of(&redis);
        let (code, report) = directory.report(&[&words[..], hot].concat());
        assert_eq!(code, 0, "{hot:?}: {:#}", report["findings"]);
        let commands = monitor.commands(&redis);
        let is_read = |command: &&String| {
            command.starts_with("\"GET\" \"tiebreak00:") && !command.contains("loaded")
        };
        let read: Vec<&String> = commands.iter().filter(is_read).collect();
        assert!(read.len() >= 4000, "{hot:?}: {}", read.len());
        // That 4000 reads leave out one of 200 keys happens once in two million runs.
        assert_eq!(BTreeSet::from_iter(read).len(), most, "{hot:?}");
    }
}

#[test]
fn redis_is_asked_in_the_dialect_of_its_key() {
    let (directory, redis) = (TestDirectory::new(), Store::redis(&[]));
    let target = format!("c={}", redis.url());
    for (dialect, greets) in [("resp2", false), ("resp3", true)] {
        let monitor = Monitor::of(&redis);
        let set = format!("c.dialect={dialect}");
        let words = ["run", &target, "--set", &set, "--keys", "100", "-n", "500"];
        let (code, report) = directory.report(&[&words[..], &["--warm-up", "0s"]].concat());
        assert_eq!(code, 0, "{dialect}: {:#}", report["findings"]);
        let greeting = |command: &String| command.starts_with("\"HELLO\" \"3\"");
        assert_eq!(monitor.commands(&redis).iter().any(greeting), greets, "{dialect}");
    }
}

/// A memcached that prints each command that it receives.
#[test]
fn memcached_is_asked_in_the_dialect_of_its_key() {
    for (dialect, get, others) in [("text", " get ", " mg "), ("meta", " mg ", " get ")] {
        let directory = TestDirectory::new();
        let keys = memcached(", '-vv'") + &format!("\ndialect = '{dialect}'\n");
        fs::write(directory.file("e.toml"), format!("[contender.c]\n{keys}")).expect("a file");
        let words = ["run", "e.toml", "--keys", "100", "--mix", "get=1", "-n", "500"];
        let more = ["--warm-up", "0s", "--out", "run"];
        let (code, report) = directory.report(&[&words[..], &more].concat());
        assert_eq!(code, 0, "{dialect}: {:#}", report["findings"]);
        let log = directory.text("run/logs/c.log");
        let received = |command: &str| log.matches(&format!("{command}tiebreak00:0")).count();
        // The load asks in text for what is there already.
        let (get, others) = (received(get), received(others));
        assert!(get >= 500 && others < 300, "{dialect}: {get}, and {others} in the other dialect");
    }
}

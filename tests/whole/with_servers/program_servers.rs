//! Programs (`exec:`) with servers that tiebreak launches for them: real memcached and Redis.

use crate::common::processes::{Process, tree, wait_at_most};
use crate::common::running::Running;
use crate::common::{TestDirectory, errors, number};
use serde_json::Value;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Sets a value and reads it back, this many times; the server it is given must answer.
const SCRIPT: &str = r#"<?php
[, $cache, $redis] = $argv + ['', '', getenv('REDIS')];
$cache = stream_socket_client(preg_replace('/^memcached/', 'tcp', $cache)) or exit(1);
for ($i = 0; $i < 200; $i++) {
    fwrite($cache, "set k 0 0 3\r\nabc\r\n");
    fgets($cache) === "STORED\r\n" or exit(2);
}
if ($redis) {
    $redis = stream_socket_client("tcp://127.0.0.1:$redis") or exit(3);
    fwrite($redis, "PING\r\n");
    fgets($redis) === "+PONG\r\n" or exit(4);
}
echo "operations 200\n";
"#;

/// The first has the server of a recipe, the second two of its own.
const FILE: &str = r#"
[contender.one]
recipe = "memcached"
url = "exec:php talk.php {url}"

[contender.two]
url = "exec:php talk.php memcached://127.0.0.1:{cache.port}"
env = { REDIS = "{redis.port}" }

[[contender.two.process]]
name = "cache"
launch = ["memcached", "-l", "127.0.0.1", "-p", "{port}", "-U", "0", "-u", "nobody"]
ready = { run = ["php", "talk.php", "memcached://127.0.0.1:{port}"] }
env = { REDIS = "" }

[[contender.two.process]]
name = "redis"
launch = ["redis-server", "--bind", "127.0.0.1", "--port", "{port}", "--dir", "{temp}", "--save", ""]
ready = { log = "Ready to accept connections" }
"#;

const SHORT: [&str; 6] = ["--round", "200ms", "--warm-up", "100ms", "--pilot", "200ms"];

fn directory() -> TestDirectory {
    let directory = TestDirectory::new();
    std::fs::write(directory.file("talk.php"), SCRIPT).expect("a file");
    std::fs::write(directory.file("e.toml"), FILE).expect("a file");
    directory
}

/// A comparison that would go on for a minute, once a program has run beside its servers.
fn under_way(directory: &TestDirectory) -> (Running, Vec<Process>) {
    let mut tiebreak = Command::new(env!("CARGO_BIN_EXE_tiebreak"));
    tiebreak.args(["compare", "e.toml", "--rounds", "150"]).args(SHORT);
    tiebreak.args(["--out", "run"]).current_dir(directory.path());
    tiebreak.env("XDG_CACHE_HOME", directory.file(".cache")).stdin(Stdio::null());
    tiebreak.stdout(Stdio::piped()).stderr(Stdio::piped());
    let running = Running::new(tiebreak.spawn().expect("it starts"));
    let pid = running.id() as i32;
    let is = |process: &Process, name: &str| process.command().contains(name);
    wait_at_most(Duration::from_secs(120), "a program beside its servers", || {
        let all = tree(pid);
        let servers = all.iter().filter(|it| is(it, "memcached -l") || is(it, "redis-server"));
        servers.count() == 3 && all.iter().any(|it| is(it, "php talk.php"))
    });
    let all = tree(pid);
    (running, all)
}

fn all_end(processes: &[Process]) {
    let limit = Duration::from_secs(30);
    wait_at_most(limit, "the end of all", || !processes.iter().any(Process::runs));
}

#[test]
fn programs_get_their_servers_and_both_count() {
    let directory = directory();
    let words = ["compare", "e.toml", "--rounds", "8", "--out", "run"];
    let output = directory.tiebreak(&[&words[..], &SHORT].concat());
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let stderr = errors(&output);
    assert!(stderr.contains("one: start   memcached -l 127.0.0.1 -p {port}"), "{stderr}");
    assert!(
        stderr.contains("two: run     php talk.php memcached://127.0.0.1:{cache.port}"),
        "{stderr}"
    );
    let report = directory.json("run/report.json");
    for contender in report["contenders"].as_array().expect("contenders") {
        assert_eq!(contender["outcomes"]["ok"], contender["operations"], "{contender:#}");
        let target = &contender["target_cost"];
        for source in ["cpu_source", "memory_source"] {
            assert_eq!(target[source], "wait4_and_servers", "{contender:#}");
        }
    }
    // Its launch is one, whose verdict is about that launch.
    let findings = report["findings"].as_array().expect("findings");
    assert!(findings.iter().any(|of| of["rule"] == "one_launch"), "{findings:#?}");
    for log in ["one.log", "two-cache.log", "two-redis.log"] {
        assert!(directory.file("run/logs").join(log).exists(), "{log}");
    }
}

#[test]
fn servers_of_programs_end_with_the_run_however_it_ends() {
    for signal in [libc::SIGINT, libc::SIGKILL] {
        let directory = directory();
        let (running, all) = under_way(&directory);
        wait_at_most(Duration::from_secs(120), "a complete round", || {
            directory.text("run/journal.jsonl").contains("\"round\":2,")
        });
        running.signal(signal);
        let output = running.output();
        let code = (signal == libc::SIGINT).then_some(0);
        assert_eq!(output.status.code(), code, "{}", errors(&output));
        all_end(&all);
    }
}

#[test]
fn a_server_of_a_program_that_dies_ends_the_run() {
    let directory = directory();
    let (running, all) = under_way(&directory);
    let server = all.iter().find(|it| it.command().contains("redis-server"));
    server.expect("it runs").kill(libc::SIGKILL);
    let output = running.output();
    assert_eq!(output.status.code(), Some(4), "{}", errors(&output));
    let stderr = errors(&output);
    assert!(stderr.contains("`two`: its process `redis` was ended by SIGKILL"), "{stderr}");
    all_end(&all);
}

#[test]
fn what_a_program_of_a_recipe_needs_is_known_before_anything_is_launched() {
    let directory = directory();
    let missing = FILE.replace(
        "url = \"exec:php talk.php {url}\"",
        "url = \"exec:php talk.php {url}\"\npackages = { \"/usr/*/such.so\" = \"php-such\" }",
    );
    std::fs::write(directory.file("e.toml"), missing).expect("a file");
    let output = directory.tiebreak(&["compare", "e.toml"]);
    assert_eq!(output.status.code(), Some(4), "{}", errors(&output));
    let stderr = errors(&output);
    let why = "`one`: the file `/usr/*/such.so` does not exist: apt-get install php-such";
    assert!(stderr.contains(why), "{stderr}");
}

#[test]
fn one_run_of_each_program_is_timed_as_the_articles_method() {
    let directory = directory();
    let article = "[published]\nquestion = 'Which?'\narticle = 'One.'\nunit = 'operations/s'\n\
                   method = 'one run'\n";
    std::fs::write(directory.file("e.toml"), format!("{article}{FILE}")).expect("a file");
    let words = ["compare", "e.toml", "--rounds", "8", "--out", "run", "--quiet"];
    let output = directory.tiebreak(&[&words[..], &SHORT].concat());
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let report = directory.json("run/report.json");
    let runs = report["published"]["single_runs"].as_array().expect("single runs");
    let of = |run: &Value| run["contender"].as_str().map(str::to_owned);
    assert_eq!(runs.iter().filter_map(of).collect::<Vec<_>>(), ["one", "two"]);
    for run in runs {
        assert!(number(&run["figure"]) > 0.0, "{run:#}");
        assert!(
            run["command"].as_str().is_some_and(|it| it.starts_with("php talk.php")),
            "{run:#}"
        );
    }
}

//! Several memcached servers: keys are where PHP's clients look for them, and failures of a
//! server that dies are reported by class.

use crate::common::processes::wait_at_most;
use crate::common::running::Running;
use crate::common::stores::Store;
use crate::common::{TestDirectory, errors, number, stdout};
use serde_json::Value;
use std::net::{SocketAddr, TcpStream};
use std::process::{Command, Stdio};
use std::time::Duration;

const KEYS: u64 = 300;

/// Reads the keys of the first contender with a client of PHP's, and tells how many of them
/// it found.
const CLIENT: &str = r#"<?php
[$client, $setting, $keys] = array_slice($argv, 1);
$servers = array_map(fn($server) => explode(':', $server), array_slice($argv, 4));
if ($client === 'memcached') {
    $cache = new Memcached();
    if ($setting === 'consistent') {
        $cache->setOption(Memcached::OPT_DISTRIBUTION, Memcached::DISTRIBUTION_CONSISTENT);
    }
    if ($setting === 'ketama') {
        $cache->setOption(Memcached::OPT_LIBKETAMA_COMPATIBLE, true);
    }
} else {
    $cache = new Memcache();
}
foreach ($servers as [$host, $port]) {
    $cache->addServer($host, (int)$port);
}
$found = 0;
for ($i = 0; $i < $keys; $i++) {
    $found += $cache->get(sprintf('tiebreak00:%012d', $i)) !== false;
}
echo $found;
"#;

/// The rules, and how a client of PHP's is set to the same.
const RULES: [(&str, &str, &str, &[&str]); 6] = [
    ("modula", "memcached", "modula", &[]),
    ("consistent", "memcached", "consistent", &[]),
    ("ketama", "memcached", "ketama", &[]),
    ("php-memcache", "memcache", "", &[]),
    ("php-memcache-fnv", "memcache", "", &["-d", "memcache.hash_function=fnv"]),
    ("php-memcache-standard", "memcache", "", &["-d", "memcache.hash_strategy=standard"]),
];

fn memcached() -> [Store; 3] {
    [(); 3].map(|()| Store::memcached(&[]))
}

fn url(servers: &[Store; 3]) -> String {
    let addresses = servers.each_ref().map(|server| server.address.to_string());
    format!("c=memcached://{}", addresses.join(","))
}

#[test]
fn php_finds_every_key_where_it_was_loaded() {
    let directory = TestDirectory::new();
    let script = directory.file("client.php");
    std::fs::write(&script, CLIENT).expect("a file");
    for (rule, client, setting, more) in RULES {
        let servers = memcached();
        let set = format!("c.distribution={rule}");
        let output = directory.tiebreak(&[
            "load",
            &url(&servers),
            "--keys",
            "300",
            "--set",
            &set,
            "--quiet",
        ]);
        assert_eq!(output.status.code(), Some(0), "{rule}: {}", errors(&output));
        let mut php = Command::new("php");
        php.args(more).arg(&script).args([client, setting, &KEYS.to_string()]);
        php.args(servers.each_ref().map(|server| server.address.to_string()));
        let output = php.output().expect("./test installs it");
        let found = stdout(&output);
        assert_eq!(found, KEYS.to_string(), "{rule}: {}", errors(&output));
    }
}

/// A run on three servers of which one is killed while it is measured.
fn with_one_killed(set: &str) -> Value {
    let directory = TestDirectory::new();
    let mut servers = memcached();
    let target = url(&servers);
    let mut command = directory.command(&[
        "run",
        &target,
        "--keys",
        "600",
        "--mix",
        "get=1",
        "--duration",
        "4s",
        "--warm-up",
        "100ms",
        "--connections",
        "4",
        "--rate",
        "3000",
        "--set",
        "c.distribution=ketama",
        "--set",
        set,
        "--verify",
        "all",
        "--json",
        "report.json",
    ]);
    let mut run = Running::new(command.stderr(Stdio::piped()).spawn().expect("the binary runs"));
    // It asks all servers only when it measures: before that it loads.
    let [first, ..] = &mut servers;
    wait_at_most(Duration::from_secs(60), "gets", || gets(first.address) > 1000);
    first.kill();
    // Operations that a dead server leaves undone are counted, and the run continues to its end.
    assert_eq!(run.status().code(), Some(3), "errors make it void");
    directory.json("report.json")
}

/// How many gets a server has answered.
fn gets(address: SocketAddr) -> u64 {
    use std::io::{Read, Write};
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.write_all(b"stats\r\nquit\r\n").expect("it listens");
    let mut message = String::new();
    stream.read_to_string(&mut message).expect("it answers");
    let line = message.lines().find_map(|line| line.strip_prefix("STAT cmd_get "));
    line.and_then(|count| count.parse().ok()).expect("a count of gets")
}

#[test]
fn one_that_is_killed_in_mid_run_is_counted_by_class() {
    let report = with_one_killed("c.failover=false");
    let outcomes = &report["contenders"][0]["outcomes"];
    assert!(number(&outcomes["target_errors"]["refused"]) > 0.0, "{outcomes:#}");
    assert!(number(&outcomes["ok"]) > 0.0, "{outcomes:#}");
    assert_eq!(outcomes["miss"], 0, "the other servers' keys are untouched: {outcomes:#}");
    assert_eq!(report["plan"]["contenders"][0]["sharding"]["rule"], "ketama");

    let report = with_one_killed("c.failover=true");
    let moved = &report["contenders"][0]["outcomes"];
    assert!(number(&moved["miss"]) > 0.0, "its keys move, and are not there: {moved:#}");
    let failed = |outcomes: &Value| number(&outcomes["target_errors"]["refused"]);
    assert!(failed(moved) < failed(outcomes), "{moved:#} {outcomes:#}");
}

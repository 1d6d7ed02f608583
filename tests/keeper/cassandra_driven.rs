//! `cassandra://` on real Cassandras 5.0, from the command line to the report: one node, and
//! three of which one fails.

use crate::Test;
use crate::cassandra::prepared;
use crate::common::processes::wait_at_most;
use crate::common::software::share_software;
use crate::common::{TestDirectory, assert_void_only_by, errors, number};
use crate::launches::{LaunchTest, started};
use crate::process::{Process, tree};
use ::cassandra::{CassandraAccess, CassandraSettings, Sending};
use drivers::Database;
use record::{Address, Consistency};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;
use tiebreak::targets::launch::Running;

pub(crate) const TESTS: &[Test] = &[
    ("cassandra::what_was_loaded_is_found_and_what_was_written_comes_back", one_node),
    ("cassandra::a_node_that_is_killed_or_stopped_is_counted_by_its_class", three_nodes),
    ("cassandra::a_launched_cluster_goes_on_without_a_node", a_node_is_lost),
];

/// How long a node may take to catch up with the others on a busy machine.
const PATIENCE: Duration = Duration::from_secs(90);

/// A short run on 2000 keys that are there: its exit code and its report.
fn run(url: &str, more: &[&str]) -> (i32, Value) {
    let short =
        ["run", &format!("c={url}"), "--keys", "2k", "--connections", "8", "--verify", "all"];
    let times = ["--duration", "500ms", "--warm-up", "100ms"];
    TestDirectory::new().report(&[&short[..], &times, more].concat())
}

/// `tiebreak load` of 2000 keys: its exit code and what it printed.
fn load(url: &str, more: &[&str]) -> (Option<i32>, String) {
    let words = ["load", &format!("c={url}"), "--keys", "2k", "--connections", "8"];
    let output = TestDirectory::new().tiebreak(&[&words[..], more].concat());
    (output.status.code(), errors(&output).replace('\u{a0}', " "))
}

/// Everything was answered, and rightly.
fn assert_all_ok((code, report): &(i32, Value), what: &str) {
    assert_eq!(*code, 0, "{what}: {:#}", report["findings"]);
    for of in report["contenders"].as_array().expect("contenders") {
        assert!(number(&of["operations"]) > 10.0, "{what}");
        assert_eq!(of["outcomes"]["ok"], of["operations"], "{what}: {}", of["outcomes"]);
    }
}

fn one_node() {
    let launch_test = LaunchTest::new("[contender.driven]\nrecipe = 'cassandra'\n");
    let Some(mut launcher) = prepared(&launch_test) else { return };
    let running = started(&mut launcher);
    let url = running.url();
    loads(url);
    ways(url);
    custom_statements(url);
    counted(url);
    leaves_alone(url);
    running.stop().expect("it stops");
}

/// A load is noted in the keyspace, and done again only where it must be.
fn loads(url: &str) {
    let loaded = |message: (Option<i32>, String), what: &str| {
        assert!(message.0 == Some(0) && message.1.contains(what), "{what}: {message:?}");
    };
    loaded(load(url, &[]), "until its compactions were done (1 node asked)");
    loaded(load(url, &[]), "2000 keys were loaded before and are unchanged");
    let read = run(url, &["--mix", "get=1"]);
    assert_all_ok(&read, "reads");
    assert_eq!(read.1["contenders"][0]["sent"]["load"], 0, "they were loaded before");
    for fact in ["5.0.", "commitlog_sync periodic", "replication_factor: 1", "nodes 1"] {
        assert!(read.1.to_string().contains(fact), "{fact}");
    }
    loaded(load(url, &["--value", "64B"]), "loaded again: it holds other keys or values");
}

/// Each kind of operation, in each way to send it.
fn ways(url: &str) {
    for more in [
        &["--mix", "get=4,set=2,add=1,read-modify-write=1"][..],
        &["--mix", "get=1,set=1,add=1", "--set", "c.protocol=simple"],
        &["--workload", "ycsb-e"],
        &["--workload", "ycsb-e", "--set", "c.protocol=simple"],
        &["--mix", "get=1,set=1", "--reuse", "20"],
        &["--mix", "get=1", "--reuse", "never"],
        &["--mix", "get=1,set=1", "--set", "c.pool.max=2"],
        &["--mix", "get=1,set=1", "--rate", "300"],
        &["--mix", "get=1,set=1", "--set", "c.compression=lz4", "--set", "c.sockets_per_node=3"],
        &[
            "--mix",
            "get=1,set=1",
            "--set",
            "c.routing=round-robin",
            "--set",
            "c.write_coalescing=true",
        ],
        &["--mix", "get=1,set=1", "--set", "c.consistency=all", "--set", "c.table=leveled"],
    ] {
        assert_all_ok(&run(url, more), &more.join(" "));
    }
    let removed = run(url, &["--mix", "get=1,delete=1"]);
    let outcomes = &removed.1["contenders"][0]["outcomes"];
    assert!(number(&outcomes["miss"]) > 0.0, "what was deleted is not found: {outcomes}");
    assert_eq!(outcomes["wrong"], 0, "{outcomes}");
}

/// Statements of a table with clustering columns: batches, conditions, values of the load.
const OWN: &str = r#"
round = "200ms"
rounds = 7
warm_up = "100ms"
[defaults]
connections = 4
[workload]
keys = 500
setup = ["DROP TABLE IF EXISTS {posts}", "CREATE TABLE {posts} (id int, at int, body text, PRIMARY KEY (id, at)) WITH CLUSTERING ORDER BY (at DESC)"]
[[workload.tables]]
name = "posts"
columns = { id = "key(1)", at = "pick(1)", body = "text(40)" }
[[workload.statements]]
name = "read"
parameters = { id = "key(1)" }
sql = "SELECT body FROM {posts} WHERE id = {id} AND at = 1"
rows = 1
returns = "posts.body"
[[workload.statements]]
name = "both"
parameters = { id = "key(1)", at = "uniform(2, 100)", body = "text(40)" }
sql = ["INSERT INTO {posts} (id, at, body) VALUES ({id}, {at}, {body})", "DELETE FROM {posts} WHERE id = {id} AND at = {at}"]
[[workload.statements]]
name = "once"
parameters = { id = "key(1)", body = "text(40)" }
sql = "INSERT INTO {posts} (id, at, body) VALUES ({id}, 1, {body}) IF NOT EXISTS"
at_least = 0
"#;

fn custom_statements(url: &str) {
    let directory = TestDirectory::new();
    let contenders = [
        ("logged", ""),
        ("unlogged", "batch = 'unlogged'"),
        ("text", "batch = 'none'\nprotocol = 'simple'"),
    ];
    let contenders = contenders.map(|(name, settings)| {
        format!("[contender.{name}]\nurl = '{url}'\npage_size = 2\n{settings}\n")
    });
    let file = directory.file("own.toml");
    std::fs::write(&file, OWN.to_owned() + &contenders.concat()).expect("a file");
    let ran = directory.report(&["compare", file.to_str().expect("a plain path")]);
    assert_all_ok(&ran, "custom statements");
}

/// What is left in the table of a run: with a number of its own in each row, and counters.
const ROWS: (&str, &str, &str) = (
    "(id bigint PRIMARY KEY, body text)",
    "INSERT INTO {table} (id, body) VALUES ({id}, {body})",
    "SELECT count(*) FROM tiebreak00",
);
const COUNTERS: (&str, &str, &str) = (
    "(id bigint PRIMARY KEY, n counter)",
    "UPDATE {table} SET n = n + 1 WHERE id = {few}",
    "SELECT sum(n) FROM tiebreak00",
);

/// What operations leave is exactly theirs, however many statements each of them has.
fn counted(url: &str) {
    for ((table, statement, left), settings, times) in [
        (ROWS, "", 1),
        (ROWS, "batch = 'unlogged'\nbatch_size = 10", 10),
        (ROWS, "batch = 'logged'\nbatch_size = 3\nprotocol = 'simple'", 3),
        (COUNTERS, "", 1),
        (COUNTERS, "protocol = 'simple'", 1),
        (COUNTERS, "batch = 'unlogged'\nbatch_size = 7", 7),
    ] {
        let directory = TestDirectory::new();
        let file = format!(
            "[contender.c]\nurl = '{url}'\nconnections = 8\n{settings}\n[workload]\n\
             setup = ['DROP TABLE IF EXISTS {{table}}', 'CREATE TABLE {{table}} {table}']\n\
             [[workload.statements]]\nname = 'own'\nsql = '{statement}'\nparameters = \
             {{ {} }}\n",
            if statement.contains("{few}") {
                "few = 'uniform(1, 20)'"
            } else {
                "id = 'seq(1)', body = 'text(40)'"
            }
        );
        std::fs::write(directory.file("own.toml"), file).expect("a file");
        let words = ["run", "own.toml", "--operations", "500", "--warm-up", "100ms"];
        let ran = directory.report(&words);
        let of = &ran.1["contenders"][0];
        let what = format!("{statement} {settings}: {:#}", ran.1["findings"]);
        assert_eq!((ran.0, &of["outcomes"]["ok"]), (0, &500.into()), "{what} {of:#}");
        let sent = number(&of["sent"]["operations"]) + number(&of["sent"]["warm_up"]);
        assert_eq!(number_of(url, left), times * sent as u64, "{what}");
    }
}

/// The number that a statement brings.
fn number_of(url: &str, statement: &str) -> u64 {
    let (at, keyspace) =
        url.strip_prefix("cassandra://").expect("CQL").split_once('/').expect("a keyspace");
    let (consistency, settings) = (Consistency::All, CassandraSettings::default());
    let sending = Sending { prepares: true, consistency, replication: 1, settings };
    let mut access = CassandraAccess::cheapest(sending);
    keyspace.clone_into(&mut access.common.database);
    let address = Address::Tcp(at.parse().expect("an address"));
    let rows = access.ask(&address, &[statement.to_owned()], PATIENCE).expect("an answer");
    rows[0][0][0].as_deref().and_then(|cell| cell.parse().ok()).expect("a number")
}

/// A table of the user's is not dropped, and what is not there is named.
fn leaves_alone(url: &str) {
    let mine = url.replace("/tiebreak", "/mine");
    let keyspace = "CREATE KEYSPACE IF NOT EXISTS mine WITH replication = \
                    {'class': 'SimpleStrategy', 'replication_factor': 1}";
    let table = "CREATE TABLE IF NOT EXISTS tiebreak00 (id int PRIMARY KEY)";
    for (url, statement) in [(url, keyspace), (&mine, table)] {
        let output =
            TestDirectory::new().tiebreak(&["run", url, "--query", statement, "--operations", "1"]);
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    }
    let (code, stderr) = load(&mine, &[]);
    assert!(code == Some(4) && stderr.contains("was not made by tiebreak"), "{stderr}");
    for (url, statement, why) in [
        (url.replace("/tiebreak", "/nowhere"), "SELECT cluster_name FROM system.local", "database"),
        (url.to_owned(), "SELECT a FROM nothing", "table"),
        (url.to_owned(), "SELEC a", "cannot parse the statement"),
        (url.to_owned(), "SELECT key FROM system.local WHERE key = 1", "Invalid INTEGER constant"),
        // It does not speak TLS.
        (format!("{url}?sslmode=verify-full"), "SELECT key FROM system.local", "TLS handshake"),
    ] {
        let words = ["run", &url, "--query", statement, "--duration", "200ms"];
        let output = TestDirectory::new().tiebreak(&words);
        let stderr = errors(&output);
        assert!(output.status.code() == Some(4) && stderr.contains(why), "{statement}: {stderr}");
    }
}

fn three_nodes() {
    let launch_test = LaunchTest::new("[contender.cluster]\nrecipe = 'cassandra-cluster'\n");
    let Some(mut launcher) = prepared(&launch_test) else { return };
    let running = started(&mut launcher);
    let url = running.url().to_owned();
    let loaded = load(&url, &["--set", "c.replication=3"]);
    let waited = "until its compactions were done (3 nodes asked)";
    assert!(loaded.0 == Some(0) && loaded.1.contains(waited), "{loaded:?}");
    for level in ["one", "quorum", "all"] {
        let ran = run(&url, &["--set", &format!("c.consistency={level}")]);
        let outcomes = &ran.1["contenders"][0]["outcomes"];
        assert_eq!(outcomes["wrong"], 0, "{level}: {outcomes}");
        assert!(level == "one" || outcomes["stale"] == 0, "{level}: {outcomes}");
    }
    let last = node(&running, "node3");
    // What was sent to a node that stands still is not answered, and all else is.
    let of = while_driven(&url, "one", last, libc::SIGSTOP);
    // SAFETY: one number each; it is a process of this test's keeper, which still runs.
    unsafe { libc::kill(last, libc::SIGCONT) };
    let outcomes = &of["outcomes"];
    assert!(number(&outcomes["ok"]) > 0.0 && outcomes["wrong"] == 0, "{outcomes}");
    assert!(number(&outcomes["target_errors"]["timeout"]) > 0.0, "{outcomes}");
    // It is behind, and takes part again when it has caught up.
    let all_answer = || {
        let of = &run(&url, &["--set", "c.consistency=all"]).1["contenders"][0];
        number(&of["operations"]) > 10.0 && of["outcomes"]["ok"] == of["operations"]
    };
    wait_at_most(PATIENCE, "a node that was continued", all_answer);
    // Its connections end, and the two others are a quorum.
    let of = while_driven(&url, "quorum", last, libc::SIGKILL);
    let outcomes = &of["outcomes"];
    assert!(number(&outcomes["ok"]) > number(&of["operations"]) / 2.0, "{outcomes}");
    assert_eq!((&outcomes["wrong"], &outcomes["stale"]), (&0.into(), &0.into()), "{outcomes}");
    let of = run(&url, &["--set", "c.consistency=all"]).1;
    let outcomes = &of["contenders"][0]["outcomes"];
    assert_eq!(outcomes["ok"], 0, "ALL needs every node: {outcomes}");
    running.stop().expect("it stops");
}

/// The process of a node.
fn node(running: &Running, name: &str) -> i32 {
    running.started().find(|(of, _)| *of == name).expect("a node").1
}

/// A cluster that the run itself launches, over Thrift: its nodes start in seconds. The rule
/// `"lost_nodes"` of the audit says which is gone.
fn a_node_is_lost() {
    let launch_test = LaunchTest::new("[contender.cluster]\nrecipe = 'cassandra-1.2-cluster'\n");
    if prepared(&launch_test).is_none() {
        return;
    }
    let last = |run: i32| {
        let is_last = |of: &Process| of.command().contains("initial_token=3074457345618258602 ");
        tree(run).iter().find(|of| is_last(of)).expect("a node").pid
    };
    let (code, report) = conducted("cassandra-1.2-cluster", "quorum", last, libc::SIGKILL);
    let of = &report["contenders"][0];
    assert!(number(&of["outcomes"]["ok"]) > number(&of["operations"]) / 2.0, "{of:#}");
    assert_eq!(of["outcomes"]["wrong"], 0, "{of:#}");
    // What was in flight to the node fails, and may be more than one operation in 1000.
    assert_void_only_by(&(code, report.clone()), &["non_success"]);
    let lost = |of: &&Value| of["rule"] == "lost_nodes" && of["weight"] == "caution";
    let findings = report["findings"].as_array().expect("findings");
    let found = findings.iter().find(lost).unwrap_or_else(|| panic!("{findings:#?}"));
    let evidence = found["evidence"].as_str().expect("a text");
    assert!(evidence.contains("`node3` was ended by SIGKILL"), "{evidence}");
}

/// What was seen of a run in whose middle a node got this signal.
fn while_driven(url: &str, level: &str, node: i32, signal: i32) -> Value {
    conducted(url, level, |_| node, signal).1["contenders"][0].clone()
}

/// The exit code of a run in whose middle a node got this signal, and its report. `node`:
/// its number, by the run's.
fn conducted(target: &str, level: &str, node: impl Fn(i32) -> i32, signal: i32) -> (i32, Value) {
    let directory = TestDirectory::new();
    // A target that the run itself launches is looked for in the place's own cache.
    assert!(share_software(&directory.file(".cache")), "it was there when the test began");
    let consistency = format!("c.consistency={level}");
    let target = format!("c={target}");
    let words = [
        "run",
        &target,
        "--keys",
        "2k",
        "--connections",
        "8",
        "--verify",
        "all",
        // The operations in flight wait for 2 s when the node goes. On a busy machine few of the
        // others are done in a second, so there are several seconds for them.
        "--duration",
        "10s",
        "--timeout",
        "2s",
        "--set",
        &consistency,
        "--json",
        "report.json",
    ];
    let mut command = directory.command(&words);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it runs");
    let stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut message = Vec::new();
    for line in stderr.lines().map(|line| line.expect("text")) {
        if line.starts_with("driving")
            && message.last().is_none_or(|last: &String| !last.starts_with("driving"))
        {
            // In the rounds, and not in the warm-up before them: until the other nodes of 1.2 notice
            // that a node is gone, which takes up to 20 s, most reads at QUORUM time out.
            sleep(Duration::from_secs(3));
            // SAFETY: one number each; it is a node that this test launched.
            unsafe { libc::kill(node(child.id() as i32), signal) };
        }
        message.push(line);
    }
    let code = child.wait().expect("our child").code().expect("no signal");
    assert!(message.iter().any(|line| line.starts_with("driving")), "{message:#?}");
    (code, directory.json("report.json"))
}

//! Faults that a real Cassandra 5.0 shows by itself, driven by CQL: each is counted by its class
//! and as the server's, nothing hangs, and a contender that errs is never called faster because
//! of it. Each server has settings that make it fail on demand, and serves several tests.

mod ends;
mod limits;
mod node;
mod secured;
mod slow;

use crate::Test;
use crate::common::{TestDirectory, number};
use ::cassandra::{CassandraAccess, CassandraSettings, Sending};
use drivers::Database;
use node::Node;
use record::{Address, Consistency};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

pub(crate) const TESTS: &[Test] = &[
    ("cassandra::a_server_with_passwords_tls_and_low_limits", with_low_limits),
    (
        "cassandra::a_server_that_is_restarted_gone_and_slower_than_its_timeouts",
        that_ends_and_is_slow,
    ),
];

fn with_low_limits() {
    let authority = secured::Authority::new();
    let tls = secured::tls(&authority, "DNS:localhost");
    let settings = tls + secured::PASSWORDS + limits::SETTINGS;
    let Some(node) = Node::start(&settings, &[]) else { return };
    // What was measured of the generator by itself is kept there.
    let runs = TestDirectory::new();
    secured::passwords(&node);
    secured::certificate_of_a_name((&node, &runs), &authority);
    limits::tombstones((&node, &runs));
    limits::sizes((&node, &runs));
    limits::schema_changes((&node, &runs));
    limits::no_more_connections((&node, &runs));
}

fn that_ends_and_is_slow() {
    let authority = secured::Authority::new();
    let tls = secured::tls(&authority, "IP:127.0.0.1");
    let Some(mut node) = Node::start(&(tls + ends::SETTINGS), &[]) else { return };
    let runs = TestDirectory::new();
    secured::certificate_of_an_address((&node, &runs), &authority);
    slow::make_table(&node);
    ends::restarted(&mut node, &runs);
    ends::gone(&mut node, &runs);
    node.start_again(slow::SETTINGS, slow::OPTIONS);
    slow::timeouts((&node, &runs));
    slow::overloaded((&node, &runs));
}

/// The superuser that a server with passwords begins with. Others ask for none.
const SUPERUSER: &str = "cassandra:cassandra";
/// How long a statement beside the runs may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);
const SHORT: [&str; 8] =
    ["--duration", "300ms", "--warm-up", "50ms", "--connections", "4", "--timeout", "20s"];

/// Has the server carry out one statement.
fn execute(node: &Node, statement: &str) {
    let settings = CassandraSettings::default();
    let sending =
        Sending { prepares: false, consistency: Consistency::One, replication: 1, settings };
    let (user, password) = SUPERUSER.split_once(':').expect("both");
    let mut access = CassandraAccess::cheapest(sending);
    access.common.user = user.to_owned();
    access.common.password = Some(password.to_owned());
    let address = Address::Tcp(node.address());
    // The server makes its superuser some time after it has opened its port.
    let begun = Instant::now();
    while let Err(why) = access.ask(&address, &[statement.to_owned()], PATIENCE) {
        assert!(begun.elapsed() < PATIENCE, "{statement}: {}", why.why);
        sleep(Duration::from_millis(200));
    }
}

/// The only contender of a run that says this. It ends with this exit code.
fn contender(runs: &TestDirectory, words: &[&str], wanted: i32) -> Value {
    let (code, report) = runs.report(&[&["run"], words].concat());
    assert_eq!(code, wanted, "{:#}", report["findings"]);
    counted(&report["contenders"][0])
}

/// The contender of a run of user-defined statements.
fn with_statements(
    (node, runs): (&Node, &TestDirectory),
    statements: &str,
    (connections, duration): (u32, &str),
    wanted: i32,
) -> Value {
    let url = node.url(SUPERUSER, "app");
    let text = format!(
        "[defaults]\nconnections = {connections}\ntimeout = '20s'\n[contender.c]\nurl = '{url}'\n\
         [workload]\n{statements}"
    );
    std::fs::write(runs.file("e.toml"), text).expect("a file");
    contender(runs, &["e.toml", "--duration", duration], wanted)
}

/// Every operation has its outcome, and no failure is called ours.
fn counted(of: &Value) -> Value {
    let outcomes = &of["outcomes"];
    let sum = |of: &Value| of.as_object().expect("classes").values().map(number).sum::<f64>();
    let plain: f64 = ["ok", "miss", "stale", "wrong"].iter().map(|of| number(&outcomes[of])).sum();
    assert_eq!(plain + sum(&outcomes["target_errors"]), number(&of["operations"]), "{outcomes}");
    assert_eq!(
        sum(&outcomes["generator_errors"]) + sum(&outcomes["host_errors"]),
        0.0,
        "{outcomes}"
    );
    of.clone()
}

/// How many operations of a contender ended in this class.
fn theirs(of: &Value, class: &str) -> f64 {
    of["outcomes"]["target_errors"].get(class).map_or(0.0, number)
}

/// Classes in which operations of a contender ended that failed.
fn classes(of: &Value) -> Vec<&str> {
    of["outcomes"]["target_errors"]
        .as_object()
        .expect("classes")
        .keys()
        .map(String::as_str)
        .collect()
}

/// Operations of one kind, and how many of them were answered rightly.
fn kind(of: &Value, name: &str) -> (f64, f64) {
    let kinds = of["kinds"].as_array().expect("kinds");
    let of = kinds.iter().find(|of| of["operation"] == name).unwrap_or_else(|| panic!("{kinds:?}"));
    (number(&of["operations"]), number(&of["ok"]))
}

/// Ends a run, which is this test's child, after some more time.
fn end_after(driver: u32, time: Duration) {
    sleep(time);
    // SAFETY: one number each; the child was not waited for yet.
    unsafe { libc::kill(driver.cast_signed(), libc::SIGINT) };
}

/// The report of a run in whose middle something is done. `act` gets the process that drives.
fn while_driven(runs: &TestDirectory, words: &[&str], act: impl FnOnce(u32)) -> Value {
    let always = ["run", "--json", "report.json", "--warm-up", "100ms"];
    let mut command = runs.command(&[&always[..], words].concat());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it runs");
    let stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    let (mut act, mut message) = (Some(act), Vec::new());
    for line in stderr.lines().map(|line| line.expect("text")) {
        if line.starts_with("driving")
            && let Some(act) = act.take()
        {
            sleep(Duration::from_millis(800));
            act(child.id());
        }
        message.push(line);
    }
    child.wait().expect("our child");
    assert!(act.is_none(), "{message:#?}");
    runs.json("report.json")
}

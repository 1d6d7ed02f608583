//! Requests that a server refuses or can no longer execute because of its own limits.

use super::node::Node;
use super::{
    SUPERUSER, classes, contender, counted, end_after, execute, kind, theirs, while_driven,
    with_statements,
};
use crate::common::processes::wait_at_most;
use crate::common::running::Running;
use crate::common::{TestDirectory, number};
use std::net::TcpStream;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

pub(super) const SETTINGS: &str = "
tombstone_warn_threshold: 20
tombstone_failure_threshold: 50
max_mutation_size: 64KiB
native_transport_max_frame_size: 1MiB
native_transport_max_concurrent_connections: 16
commitlog_sync: periodic
commitlog_sync_period: 10000ms
";

const KEYSPACE: &str = "CREATE KEYSPACE IF NOT EXISTS app WITH replication = {'class': \
                        'SimpleStrategy', 'replication_factor': 1}";

/// A read that meets too many deleted rows fails. All others go on.
pub(super) fn tombstones((node, runs): (&Node, &TestDirectory)) {
    execute(node, KEYSPACE);
    execute(node, "CREATE TABLE app.graves (id int, at int, PRIMARY KEY (id, at))");
    let bury = "[[workload.statements]]\nname = 'bury'\nparameters = { at = 'uniform(1, 5000)' }\n\
                sql = 'DELETE FROM app.graves WHERE id = 1 AND at = {at}'\n";
    let visit = "[[workload.statements]]\nname = 'visit'\n\
                 sql = 'SELECT at FROM app.graves WHERE id = 1'\nat_least = 0\n";
    let buried = with_statements((node, runs), bury, (4, "1s"), 0);
    assert!(number(&buried["operations"]) > 100.0, "{}", buried["outcomes"]);
    let of = with_statements((node, runs), &format!("{bury}{visit}"), (4, "1s"), 3);
    let (visits, answered) = kind(&of, "visit");
    assert_eq!((theirs(&of, "read_failure"), answered), (visits, 0.0), "{}", of["outcomes"]);
    let (burials, done) = kind(&of, "bury");
    assert!(visits > 0.0 && burials > 0.0 && burials == done, "{}", of["outcomes"]);
}

/// A value that is larger than a mutation may be, and one that is larger than a frame.
pub(super) fn sizes((node, runs): (&Node, &TestDirectory)) {
    let target = format!("c={}", node.url(SUPERUSER, "app"));
    for (value, known) in
        [("100kB", &["mutation_too_large"][..]), ("1500kB", &["request_too_large", "timeout"])]
    {
        let words = [&target, "--value", value, "--keys", "20", "--connections", "2"];
        let more = ["--mix", "set=1", "--duration", "1s", "--timeout", "2s"];
        let of = contender(runs, &[&words[..], &more].concat(), 3);
        assert_eq!(of["outcomes"]["ok"], 0, "{value}: {}", of["outcomes"]);
        assert!(classes(&of).iter().all(|class| known.contains(class)), "{}", of["outcomes"]);
        assert!(theirs(&of, known[0]) > 0.0, "{}", of["outcomes"]);
    }
}

/// Another client changes the table.
pub(super) fn schema_changes((node, runs): (&Node, &TestDirectory)) {
    let target = format!("c={}", node.url(SUPERUSER, "app"));
    let words = [&target, "--keys", "200", "--connections", "4", "--verify", "all"];
    let short = ["--value", "64B", "--duration", "5m", "--timeout", "20s"];
    let words = [&words[..], &short].concat();
    // A column more makes no difference: statements name theirs.
    let after = Duration::from_secs(1);
    let report = while_driven(runs, &words, |driver| {
        execute(node, "ALTER TABLE app.tiebreak00 ADD more int");
        execute(node, "ALTER TABLE app.tiebreak00 DROP more");
        end_after(driver, after);
    });
    let of = counted(&report["contenders"][0]);
    assert_eq!(of["outcomes"]["ok"], of["operations"], "{}", of["outcomes"]);
    for (statement, class) in [
        ("ALTER TABLE app.tiebreak00 DROP value", "no_such_column"),
        ("DROP TABLE app.tiebreak00", "no_such_table"),
    ] {
        let report = while_driven(runs, &words, |driver| {
            execute(node, statement);
            end_after(driver, after);
        });
        let of = counted(&report["contenders"][0]);
        let outcomes = &of["outcomes"];
        assert!(number(&outcomes["ok"]) > 0.0 && theirs(&of, class) > 0.0, "{outcomes}");
        // While a column is dropped a read may bring its row without it, which is counted, too.
        assert!(outcomes["wrong"] == 0 || class == "no_such_column", "{outcomes}");
        // The change itself, while it is made.
        let known = [class, "server_error", "read_failure", "write_failure", "invalid"];
        assert!(classes(&of).iter().all(|class| known.contains(class)), "{outcomes}");
    }
}

/// The server takes no more connections: who has some goes on, and who opens fresh ones fails
/// and is not called faster for it.
pub(super) fn no_more_connections((node, runs): (&Node, &TestDirectory)) {
    let url = node.url(SUPERUSER, "system");
    let [keep, fresh] = ["keep", "fresh"].map(|name| format!("{name}={url}"));
    let words = ["compare", &keep, &fresh, "--query", "SELECT key FROM system.local"];
    let more = ["--set", "fresh.reuse=never", "--connections", "1", "--timeout", "2s"];
    let times = ["--rounds", "6", "--round", "400ms", "--pilot", "200ms", "--warm-up", "100ms"];
    let out = ["--out", "run", "--json", "report.json", "--quiet"];
    let mut command = runs.command(&[&words[..], &more, &times, &out].concat());
    let child = command.stderr(Stdio::piped()).spawn().expect("it runs");
    let mut run = Running::new(child);
    let journal = runs.file("run/journal.jsonl");
    wait_at_most(Duration::from_secs(60), "a second round", || {
        std::fs::read_to_string(&journal).is_ok_and(|text| text.contains("\"round\":2"))
    });
    // All that there are, and again what a fresh connection leaves meanwhile.
    let mut held = Vec::new();
    while run.runs() {
        held.retain(|stream: &TcpStream| !is_closed(stream));
        held.extend(TcpStream::connect(node.address()));
        sleep(Duration::from_millis(10));
    }
    let report = runs.json("report.json");
    let [keep, fresh] = [0, 1].map(|at| counted(&report["contenders"][at]));
    assert_eq!(keep["outcomes"]["ok"], keep["operations"], "{}", keep["outcomes"]);
    let outcomes = &fresh["outcomes"];
    assert!(number(&outcomes["ok"]) > 0.0, "{outcomes}");
    assert!(theirs(&fresh, "closed") + theirs(&fresh, "reset") > 0.0, "{outcomes}");
    let known = ["closed", "reset", "timeout"];
    assert!(classes(&fresh).iter().all(|class| known.contains(class)), "{outcomes}");
    let verdicts = report["comparisons"].as_array().expect("comparisons");
    let faster = verdicts.iter().filter(|of| of["verdict"] == "faster");
    assert_eq!(faster.count(), 0, "{verdicts:#?}");
}

/// The server has closed it.
fn is_closed(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).expect("a socket");
    match stream.peek(&mut [0]) {
        Ok(0) => true,
        Ok(_) => false,
        Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
    }
}

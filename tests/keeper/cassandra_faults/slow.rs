//! A server that is slower than its own timeouts.

use super::node::Node;
use super::{classes, execute, kind, theirs, with_statements};
use crate::common::{TestDirectory, number};
use serde_json::Value;

/// An acknowledgement waits for the log, which is written once a second.
/// Statements are carried out one after the other, and none that has waited for two seconds.
pub(super) const SETTINGS: &str = "
read_request_timeout: 300ms
write_request_timeout: 300ms
commitlog_sync: group
commitlog_sync_group_window: 1000ms
native_transport_max_threads: 1
native_transport_timeout: 2s
";
/// Cassandra's own switch for tests: each read of a user's table takes longer than it may.
pub(super) const OPTIONS: &[&str] = &["-Dcassandra.test.read_iteration_delay_ms=450"];

const STATEMENTS: &str = r#"
[[workload.statements]]
name = "write"
parameters = { id = "uniform(1, 100)" }
sql = "INSERT INTO app.slow (id, v) VALUES ({id}, 1)"
[[workload.statements]]
name = "read"
parameters = { id = "uniform(1, 100)" }
sql = "SELECT v FROM app.slow WHERE id = {id}"
at_least = 0
[[workload.statements]]
name = "local"
sql = "SELECT key FROM system.local"
"#;

/// The node gives up its own read before or after its coordinator does.
const KNOWN: [&str; 4] = ["overloaded", "read_failure", "read_timeout", "write_timeout"];

fn driven(server: (&Node, &TestDirectory), connections: u32) -> Value {
    let of = with_statements(server, STATEMENTS, (connections, "5s"), 3);
    let outcomes = &of["outcomes"];
    assert!(classes(&of).iter().all(|class| KNOWN.contains(class)), "{outcomes}");
    assert_eq!(kind(&of, "read").1, 0.0, "no read ends in time: {outcomes}");
    of
}

pub(super) fn make_table(node: &Node) {
    execute(
        node,
        "CREATE KEYSPACE app WITH replication = {'class': 'SimpleStrategy', \
         'replication_factor': 1}",
    );
    execute(node, "CREATE TABLE app.slow (id int PRIMARY KEY, v int)");
}

/// Statements that need no row of a table go on.
pub(super) fn timeouts(server: (&Node, &TestDirectory)) {
    let of = driven(server, 3);
    let outcomes = &of["outcomes"];
    let [(writes, written), (reads, _), (locals, found)] =
        ["write", "read", "local"].map(|name| kind(&of, name));
    let [read_timeouts, write_timeouts, overloaded] =
        ["read_timeout", "write_timeout", "overloaded"].map(|class| theirs(&of, class));
    assert!(read_timeouts > 0.0 && write_timeouts > 0.0 && found > 0.0, "{outcomes}");
    // Nothing takes so long unless the machine stands still.
    if overloaded == 0.0 {
        assert_eq!((write_timeouts, found), (writes - written, locals), "{outcomes}");
        assert_eq!(read_timeouts + theirs(&of, "read_failure"), reads, "{outcomes}");
    }
}

/// More operations wait than can be served in time.
pub(super) fn overloaded(server: (&Node, &TestDirectory)) {
    let of = driven(server, 100);
    let outcomes = &of["outcomes"];
    assert!(theirs(&of, "overloaded") > number(&of["operations"]) / 10.0, "{outcomes}");
}

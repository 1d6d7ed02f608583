//! A server that is started anew, and one that is gone. The replication factor is 1.

use super::node::Node;
use super::{SUPERUSER, classes, counted, end_after, while_driven};
use crate::common::{TestDirectory, number};
use serde_json::Value;
use std::time::Duration;

/// Operations in a second, far fewer than it can take.
const RATE: &str = "60/s";

/// What was acknowledged is there after a kill.
pub(super) const SETTINGS: &str = "
commitlog_sync: batch
";

fn target(node: &Node) -> String {
    format!("c={}", node.url(SUPERUSER, "app"))
}

/// A node that was started anew has forgotten all statements, or has read them again.
pub(super) fn restarted(node: &mut Node, runs: &TestDirectory) {
    let target = target(node);
    let words = [&target, "--keys", "50", "--connections", "2", "--rate", RATE, "--value", "64B"];
    let long = ["--duration", "10m", "--timeout", "2s", "--verify", "all"];
    let report = while_driven(runs, &[&words[..], &long].concat(), |driver| {
        node.kill();
        node.start_as_before();
        // Some time in which all is well.
        end_after(driver, Duration::from_secs(4));
    });
    let of = counted(&report["contenders"][0]);
    let outcomes = &of["outcomes"];
    // One second before it was killed, and four after it was back.
    assert!(number(&outcomes["ok"]) > 60.0 * 2.5, "{outcomes}");
    lost_only(&of);
    assert_eq!((&outcomes["wrong"], &outcomes["miss"]), (&0.into(), &0.into()), "{outcomes}");
}

/// The server does not come back.
pub(super) fn gone(node: &mut Node, runs: &TestDirectory) {
    let target = target(node);
    let words = [&target, "--keys", "50", "--connections", "2", "--rate", RATE];
    let more = ["--value", "64B", "--duration", "4s", "--timeout", "2s"];
    let report = while_driven(runs, &[&words[..], &more].concat(), |_| node.kill());
    let of = counted(&report["contenders"][0]);
    let outcomes = &of["outcomes"];
    assert!(number(&outcomes["ok"]) > 0.0, "{outcomes}");
    lost_only(&of);
}

/// Checks that every failure is a lost connection, or one that could not be opened.
fn lost_only(of: &Value) {
    let known = ["closed", "reset", "refused", "timeout"];
    let outcomes = &of["outcomes"];
    assert!(!classes(of).is_empty(), "{outcomes}");
    assert!(classes(of).iter().all(|class| known.contains(class)), "{outcomes}");
}

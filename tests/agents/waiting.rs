//! Connections of agents that wait for a reply while others are served.

use crate::common::few_workers::{answer, hands_to_workers};
use crate::common::{assert_void_only_by, number};
use crate::group::{Group, QUICK, errors};

/// Each agent has at least four connections that are served. They are not renewed: an agent decides that for its
/// own connections, and where it has none that waits, those of the other one would be served in their place.
#[test]
fn agents_leave_the_connections_that_a_server_with_few_workers_leaves() {
    let group = Group::of(2);
    let [a, b] = [16, 12].map(|workers| hands_to_workers(workers, answer));
    let words = QUICK.replace("--connections 8", "--connections 16 --reuse 1000000");
    let words = format!("a=http://{a}/ b=http://{b}/ {words} --seed 7");
    for (rank, output) in group.run(&words).iter().enumerate().skip(1) {
        assert_eq!(output.status.code(), Some(0), "{rank}: {}", errors(output));
    }
    let report = group.report();
    assert_void_only_by(&(3, report.clone()), &["agents_out_of_step", "starved_connections"]);
    let findings = report["findings"].as_array().expect("findings");
    let found = findings.iter().find(|found| found["rule"] == "starved_connections");
    let text = found.expect("a finding")["evidence"].as_str().expect("a text");
    assert!(text.starts_with("4 of 16 connections got no reply in "), "{text}");
    let [all, few] = [&report["contenders"][0], &report["contenders"][1]];
    assert_eq!(all["outcomes"]["target_errors"], serde_json::json!({}));
    // They were left at the end of each slice: nobody waited for the timeout.
    assert_eq!(few["outcomes"]["target_errors"], serde_json::json!({ "waiting": 4 }));
    assert_eq!(few["rounds"].as_array().map(Vec::len), Some(6));
    assert!(number(&few["outcomes"]["ok"]) > 0.0, "{few}");
}

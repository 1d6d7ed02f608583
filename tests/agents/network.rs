//! Agents in network namespaces, one of which loses its network.

use crate::common::running::Running;
use crate::common::{TestDirectory, assert_void_only_by};
use crate::group::{TOKEN, errors};
use crate::machine::{has, in_namespaces};

const SCRIPT: &str = include_str!("network.sh");

/// Cuts the network of agent 2, for so many seconds or for good. Returns the directory of the run,
/// and the exit codes of the coordinator and both agents. Returns None, and says so, if that cannot
/// be done here.
fn cut(how: &str) -> Option<(TestDirectory, Vec<i32>)> {
    if !has(&["ip", "nginx", "unshare"], "iproute2 nginx-light") {
        return None;
    }
    let directory = TestDirectory::new();
    std::fs::write(directory.file("network.sh"), SCRIPT).expect("writes");
    std::fs::write(directory.file("token"), TOKEN).expect("writes");
    let mut command = in_namespaces(&directory, "network.sh");
    command.args([env!("CARGO_BIN_EXE_tiebreak"), how]);
    let output = Running::new(command.spawn().expect("unshare starts")).output();
    let all = ["coordinator.err", "agent-1.err", "agent-2.err", "nginx.log"];
    let messages = all.map(|name| format!("{name}: {}", directory.text(name))).join("\n");
    assert!(output.status.success(), "{}\n{messages}", errors(&output));
    // Shown if the test fails.
    println!("{messages}");
    let codes = directory.text("codes");
    let codes = codes.lines().map(|line| line.parse().expect("an exit code")).collect();
    Some((directory, codes))
}

#[test]
fn a_network_that_comes_back_holds_up_the_run_and_loses_no_round() {
    let Some((directory, codes)) = cut("2") else { return };
    assert_eq!(codes[1..], [0, 0], "the agents");
    let report = directory.json("report.json");
    // What agent 2 had in flight waits for longer than the timeout, and its first slice after the cut
    // may begin late.
    assert_void_only_by(&(codes[0], report.clone()), &["non_success", "agents_out_of_step"]);
    assert_eq!(report["end"]["reason"], "complete");
    assert_eq!(report["complete_rounds"], 20);
    for of in report["contenders"].as_array().expect("two") {
        assert_eq!(of["agents"].as_array().map(Vec::len), Some(2), "{of}");
    }
}

#[test]
fn an_agent_without_network_is_lost_and_ends_by_itself() {
    let Some((directory, codes)) = cut("for-good") else { return };
    assert_eq!(codes, [5, 0, 5]);
    let messages = directory.text("coordinator.err");
    assert!(messages.contains("agent 2 is lost"), "{messages}");
    let report = directory.json("report.json");
    assert_eq!(report["end"]["reason"], "failed", "{}", report["end"]);
    assert!(report["complete_rounds"].as_u64() >= Some(2), "{}", report["complete_rounds"]);
}

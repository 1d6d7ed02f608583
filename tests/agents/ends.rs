//! Signals to the processes of a group: the others end, and what all were there for is judged.

use crate::common::running::Running;
use crate::group::{Group, contenders, endless, errors, judged, serve, wait_for};
use std::time::Duration;

const MS: Duration = Duration::from_millis(1);

/// Starts a comparison that ends only by its fault, and waits until some rounds are recorded.
fn in_rounds(group: &Group, agents: u32) -> (Vec<Running>, [testserver::TestServer; 2]) {
    let servers = [serve(MS), serve(MS)];
    let words = format!("{} {}", contenders(&servers[0], &servers[1]), endless());
    let processes = group.start_all(&words);
    assert_eq!(processes.len() as u32, agents + 1);
    wait_for("some rounds", || group.rounds() >= 2);
    (processes, servers)
}

#[test]
fn an_agent_that_is_killed_ends_the_run_and_complete_rounds_are_judged() {
    let group = Group::of(3);
    let (processes, _servers) = in_rounds(&group, 3);
    processes[2].signal(libc::SIGKILL);
    let outputs: Vec<_> = processes.into_iter().map(Running::output).collect();
    assert_eq!(outputs[0].status.code(), Some(5), "{}", errors(&outputs[0]));
    assert!(errors(&outputs[0]).contains("agent 2 is lost"), "{}", errors(&outputs[0]));
    for rank in [1, 3] {
        assert_eq!(outputs[rank].status.code(), Some(0), "{}", errors(&outputs[rank]));
    }
    let report = group.report();
    assert_eq!(report["end"]["reason"], "failed", "{}", report["end"]);
    assert!(report["complete_rounds"].as_u64() >= Some(2), "{}", report["complete_rounds"]);
}

#[test]
fn agents_end_when_the_coordinator_is_killed() {
    let group = Group::of(2);
    let (mut processes, _servers) = in_rounds(&group, 2);
    processes[0].signal(libc::SIGKILL);
    for agent in processes.drain(1..) {
        let output = agent.output();
        assert_eq!(output.status.code(), Some(5), "{}", errors(&output));
        assert!(errors(&output).contains("the connection was closed"), "{}", errors(&output));
    }
    for rank in [1, 2] {
        let events = group.events(rank);
        assert_eq!(events.last().expect("an end")["end"]["reason"], "failed");
    }
}

#[test]
fn a_signal_to_the_coordinator_ends_all_and_is_judged() {
    let group = Group::of(2);
    let (processes, _servers) = in_rounds(&group, 2);
    processes[0].signal(libc::SIGINT);
    let outputs: Vec<_> = processes.into_iter().map(Running::output).collect();
    let report = judged(&outputs[0], &group.directory);
    assert_eq!(report["end"]["reason"], "stopped");
    for output in &outputs[1..] {
        assert_eq!(output.status.code(), Some(0), "{}", errors(output));
    }
}

#[test]
fn an_agent_that_stood_still_is_waited_for_and_counted() {
    let group = Group::of(2);
    let (processes, _servers) = in_rounds(&group, 2);
    processes[1].signal(libc::SIGSTOP);
    std::thread::sleep(500 * MS);
    let before = group.rounds();
    std::thread::sleep(500 * MS);
    assert!(group.rounds() <= before + 1, "nobody drives without it");
    processes[1].signal(libc::SIGCONT);
    wait_for("more rounds", || group.rounds() > before + 2);
    processes[0].signal(libc::SIGINT);
    let outputs: Vec<_> = processes.into_iter().map(Running::output).collect();
    let report = judged(&outputs[0], &group.directory);
    assert_eq!(report["end"]["reason"], "stopped");
    // All waited for it, in a slice or between two.
    let events = group.events(0);
    let slices = events.iter().filter_map(|event| event["trial"]["seen"]["slices"].as_array());
    let mut starts: Vec<u64> = slices.flatten().filter_map(|it| it["starts_ns"].as_u64()).collect();
    starts.sort_unstable();
    let longest = starts.windows(2).map(|pair| pair[1] - pair[0]).max();
    assert!(longest > Some(300_000_000), "{longest:?}");
}

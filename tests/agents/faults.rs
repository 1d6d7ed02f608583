//! What happens on one machine of a group: its disk is full, its clock steps. And a group as large
//! as the one of the Cassandra publication.

use crate::common::not_tested::{Lack, lacks};
use crate::common::running::Running;
use crate::common::with_small_disk;
use crate::group::{Group, QUICK, agree, contenders, endless, errors, serve, serve_with, wait_for};
use serde_json::Value;
use std::process::{Command, Stdio};
use std::time::Duration;
use testserver::delay::Delay;
use testserver::{Behaviour, Report};

const MS: Duration = Duration::from_millis(1);

#[test]
fn a_full_disk_at_one_agent_ends_the_run_and_complete_rounds_are_judged() {
    if lacks(Lack::Namespaces) {
        return;
    }
    let group = Group::of(2);
    let (a, b) = (serve(MS), serve(MS));
    let words = format!("{} {}", contenders(&a, &b), endless());
    let coordinator = group.start(0, &words);
    let full = Running::new(on_a_small_disk(&group.command(1, &words)).spawn().expect("it starts"));
    let other = group.start(2, &words);
    let full = full.output();
    assert_eq!(full.status.code(), Some(5), "{}", errors(&full));
    let why = "its journal cannot be written: No space left on device";
    assert!(errors(&full).contains(why), "{}", errors(&full));
    let coordinator = coordinator.output();
    assert_eq!(coordinator.status.code(), Some(5), "{}", errors(&coordinator));
    assert!(errors(&coordinator).contains("agent 1 is lost"), "{}", errors(&coordinator));
    let other = other.output();
    assert_eq!(other.status.code(), Some(0), "{}", errors(&other));
    let report = group.report();
    assert_eq!(report["end"]["reason"], "failed", "{}", report["end"]);
    assert!(report["complete_rounds"].as_u64() >= Some(1), "{}", report["complete_rounds"]);
}

/// The same command, whose current directory is a file system of 256 kB that no other process sees.
fn on_a_small_disk(command: &Command) -> Command {
    let mut small = Command::new("unshare");
    with_small_disk(&mut small, "small", "256k");
    small.args(["env", "--chdir", "small"]).arg(command.get_program()).args(command.get_args());
    small.current_dir(command.get_current_dir().expect("that of the group"));
    for (name, value) in command.get_envs() {
        small.env(name, value.expect("a group removes no variable"));
    }
    small.stdout(Stdio::piped()).stderr(Stdio::piped());
    small
}

/// Each agent's clock steps, by 30 ms times its rank, half a second after its first round.
#[test]
fn a_clock_that_steps_is_seen_and_lets_no_two_contenders_be_driven_at_once() {
    for step_ns in [30_000_000, -30_000_000] {
        let (report, servers) = stepped(step_ns, Duration::from_millis(500));
        let findings = report["findings"].as_array().expect("findings");
        let found = findings.iter().find(|finding| finding["rule"] == "agents_out_of_step");
        assert_eq!(found.expect("the rule fires")["weight"], "void", "{step_ns}: {findings:#?}");
        assert_never_at_once(&servers[0], &servers[1]);
    }
}

/// The report of a run in whose rounds the clocks step, so long after the first one, and the logs of the
/// servers.
fn stepped(step_ns: i64, after: Duration) -> (Value, [Report; 2]) {
    let group = Group::of(2);
    let logged =
        || serve_with(Behaviour { delay: Delay::Fixed(DELAY), log: true, ..Behaviour::default() });
    let (a, b) = (logged(), logged());
    let clock = format!("--simulate-clock 0,0,0,{step_ns},{}", after.as_nanos());
    let processes = group.start_all(&format!("{} {} {clock}", contenders(&a, &b), endless()));
    // The coordinator has a round only after all agents recorded theirs.
    wait_for("the first round", || group.rounds() >= 1);
    std::thread::sleep(after);
    let before = group.rounds();
    // The rule averages over all slices: 30 ms in more than half of them are more than the 12.5 ms that
    // `--matters 50%` permits in a slice of 25 ms.
    wait_for("more rounds after the step than before", || group.rounds() >= 2 * before + 3);
    processes[0].signal(libc::SIGINT);
    let outputs: Vec<_> = processes.into_iter().map(Running::output).collect();
    assert_eq!(outputs[0].status.code(), Some(3), "{}", errors(&outputs[0]));
    (group.report(), [a.stop(), b.stop()])
}

/// How long each request takes these servers at least.
const DELAY: Duration = MS;

/// Checks in the logs of two servers that no request of one arrived while the other had not answered
/// yet.
///
/// A server answers `DELAY` after the arrival at the earliest. The completions in its log are no
/// measure: they are noted after the reply was sent, and a server that loses its core in between
/// notes them when the other one is already driven (up to 2.5 ms late on a busy machine).
fn assert_never_at_once(a: &Report, b: &Report) {
    assert!(!a.log_full && !b.log_full);
    let requests = |of: &Report, server: usize| -> Vec<(u64, usize)> {
        of.arrivals_ns.iter().map(|arrived| (*arrived, server)).collect()
    };
    let mut all = [requests(a, 0), requests(b, 1)].concat();
    assert!(all.len() > 1000, "{} requests", all.len());
    all.sort_unstable();
    let mut busy_until = [0, 0];
    for (arrived, server) in all {
        assert!(busy_until[1 - server] <= arrived, "both servers were driven at {arrived} ns");
        busy_until[server] = arrived + DELAY.as_nanos() as u64;
    }
}

#[test]
fn twenty_five_agents_on_one_machine_count_what_the_servers_count() {
    let group = Group::of(25);
    let (a, b) = (serve(10 * MS), serve(20 * MS));
    let words = format!("{} {QUICK} --seed 7", contenders(&a, &b))
        .replace("--connections 8", "--connections 50")
        .replace("--round 100ms --slice 25ms", "--round 400ms --slice 200ms");
    let report = group.driven(&words);
    assert!(report["gate"]["pause"].as_f64() > Some(0.0), "{}", report["gate"]);
    agree(&report, [a, b], 25);
}

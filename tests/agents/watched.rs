//! A target on another machine: the coordinator asks its watcher, and the agents do not.

use crate::common::listening::{server, watcher};
use crate::common::number;
use crate::common::running::Running;
use crate::group::{Group, QUICK, errors, judged};

/// As with `--agents ssh`, the environment of the agents has no token of the watcher.
#[test]
fn agents_need_no_token_of_a_watcher() {
    let group = Group::of(2);
    let [a, b] = [server(&group.directory), server(&group.directory)];
    let watcher = watcher(&group.directory, b.running.id());
    let words = format!(
        "a=http://{}/ b=http://{}/ --set b.watch={} {QUICK}",
        a.address, b.address, watcher.listening.address
    );
    let mut coordinator = group.command(0, &words);
    coordinator.env("TIEBREAK_WATCH_TOKEN", &watcher.token);
    let coordinator = Running::new(coordinator.spawn().expect("tiebreak starts"));
    let agents = [1, 2].map(|rank| group.start(rank, &words));
    let report = judged(&coordinator.output(), &group.directory);
    for agent in agents.map(Running::output) {
        assert_eq!(agent.status.code(), Some(0), "{}", errors(&agent));
    }
    let cpu = &report["contenders"][1]["metrics"]["target_cpu_per_operation"]["value"];
    assert!(number(cpu) > 0.0, "the watcher's readings are used: {cpu}");
}

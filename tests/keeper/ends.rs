//! Orderly ends: signals, grace periods, and what is left over.

use crate::Test;
use crate::common::not_tested::{Lack, lacks};
use crate::holder::{Holder, HolderReport, HolderRequest};
use crate::process::{Process, tree, wait_for};
use keeper::{EndReport, Ending, ProcessOrder};
use std::time::{Duration, Instant};

pub(crate) const TESTS: &[Test] = &[
    ("ends::the_signal_is_the_one_asked_for", signal),
    ("ends::a_target_that_ignores_it_is_killed_after_its_grace", stubborn),
    ("ends::the_last_one_started_is_stopped_first", order_of_ends),
    ("ends::a_daemon_is_asked_and_then_killed", daemon),
    ("ends::a_shells_children_are_asked_too", shell),
    ("ends::a_target_that_keeps_forking_is_ended", forking),
    ("ends::sigterm_to_the_keeper_ends_everything", keeper_asked),
    ("ends::the_cgroup_goes_with_its_keeper", cgroup),
];

/// Says which signal it got, and ends with status 7.
const POLITE: &str = "
    for s in TERM INT QUIT USR1; do trap \"echo got $s; exit 7\" $s; done
    echo up
    while :; do sleep 0.05; done";

fn up(holder: &Holder, times: usize) {
    wait_for("it to be up", || holder.log().matches("up\n").count() == times);
}

fn signal() {
    for (signal, name) in [(libc::SIGTERM, "TERM"), (libc::SIGQUIT, "QUIT"), (libc::SIGINT, "INT")]
    {
        let mut holder = Holder::new();
        let order = ProcessOrder { stop: signal, ..holder.script(POLITE) };
        let process = holder.launch(&order);
        up(&holder, 1);
        let farewell = holder.stop();
        assert_eq!(farewell.endings, [(process.pid, Ending::Status(7))]);
        assert_eq!(farewell.killed, 0);
        assert_eq!(holder.log(), format!("up\ngot {name}\n"));
        assert!(!process.runs() && !holder.keeper.runs());
    }
}

fn stubborn() {
    let mut holder = Holder::new();
    let order = ProcessOrder {
        grace: Duration::from_millis(400),
        ..holder.script("trap '' TERM; echo up; while :; do sleep 0.05; done")
    };
    let process = holder.launch(&order);
    up(&holder, 1);
    let begun = Instant::now();
    let farewell = holder.stop();
    assert!(begun.elapsed() >= Duration::from_millis(400), "it had its grace");
    assert_eq!(farewell.endings, [(process.pid, Ending::Signal(libc::SIGKILL))]);
    assert!(farewell.killed >= 1);
    assert!(!process.runs());
}

fn order_of_ends() {
    let mut holder = Holder::new();
    for (name, wait) in [("first", "0"), ("second", "0.2"), ("third", "0.1")] {
        let script = format!(
            "trap 'sleep {wait}; echo {name} ends; exit 0' TERM; echo up; \
             while :; do sleep 0.05; done"
        );
        holder.launch(&holder.script(&script));
    }
    up(&holder, 3);
    assert_eq!(holder.stop().killed, 0);
    assert!(holder.log().ends_with("third ends\nsecond ends\nfirst ends\n"), "{}", holder.log());
}

fn daemon() {
    let mut holder = Holder::new();
    let script = "
        setsid sh -c 'trap \"echo bye; exit\" TERM; echo up; while :; do sleep 0.05; done' &
        setsid sh -c 'trap \"\" TERM; echo up; while :; do sleep 0.05; done' &
        exit 0";
    let order = ProcessOrder { grace: Duration::from_millis(500), ..holder.script(script) };
    let HolderReport::Launched { pid, .. } = holder.ask(&HolderRequest::Launch(order)) else {
        panic!("no start")
    };
    up(&holder, 2);
    holder.wait_for_exits(&[(pid, Ending::Status(0))]);
    let all = tree(holder.keeper.pid);
    let farewell = holder.stop();
    assert!(farewell.killed >= 1, "{farewell:?}");
    assert!(holder.log().contains("bye\n"), "{}", holder.log());
    assert!(!all.iter().any(Process::runs), "{all:?}");
}

fn shell() {
    for group in [true, false] {
        let mut holder = Holder::new();
        let script = "
            sh -c 'trap \"echo child got TERM; exit\" TERM; echo up; while :; do sleep 0.05; done' &
            trap 'wait; exit' TERM
            wait";
        let grace = Duration::from_millis(if group { 20_000 } else { 300 });
        let order = ProcessOrder { group, grace, ..holder.script(script) };
        holder.launch(&order);
        up(&holder, 1);
        // Without it the shell waits for a child that should not exist.
        assert_eq!(holder.stop().killed == 0, group);
        assert!(holder.log().contains("child got TERM"), "{}", holder.log());
    }
}

fn forking() {
    let Some(mut holder) = Holder::without_cgroup() else { return };
    // Each of its children forks and ends, again and again, 4000 times at most.
    let script = "
        trap '' TERM
        run() { [ $1 -lt 2000 ] || return; (run $(($1 + 1))) & }
        echo up
        run 0 & run 0 &
        wait; sleep 1000";
    let order = ProcessOrder { grace: Duration::from_millis(50), ..holder.script(script) };
    holder.launch(&order);
    up(&holder, 1);
    let EndReport { left, .. } = holder.stop();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(tree(holder.process().pid), [holder.process()]);
}

fn keeper_asked() {
    let mut holder = Holder::new();
    let process = holder.launch(&holder.script(POLITE));
    up(&holder, 1);
    holder.keeper.kill(libc::SIGTERM);
    wait_for("its end", || !process.runs());
    assert!(holder.log().ends_with("got TERM\n"));
}

fn cgroup() {
    let mut holder = Holder::new();
    let order = holder.script("setsid sleep 1000 & wait");
    let HolderReport::Launched { pid, cgroup } = holder.ask(&HolderRequest::Launch(order)) else {
        panic!("no start");
    };
    if lacks(Lack::WritableCgroup) {
        return assert_eq!(cgroup, None);
    }
    let cgroup = cgroup.expect("a group can be made");
    wait_for("its child", || tree(pid).len() == 2);
    let members = std::fs::read_to_string(cgroup.join("cgroup.procs")).expect("a group");
    assert_eq!(members.lines().count(), 2, "{members}");
    let cpu = std::fs::read_to_string(cgroup.join("cpu.stat")).expect("its CPU");
    assert!(cpu.starts_with("usage_usec "), "{cpu}");
    holder.stop();
    assert!(!cgroup.exists());
}

//! SIGKILL of tiebreak, of the keeper, or of a target: all processes are gone afterwards.

use crate::Test;
use crate::common::scratch::temporary_directory;
use crate::holder::{Holder, HolderReport, HolderRequest};
use crate::process::{Process, all_end, tree, wait_for};
use keeper::beneath::TemporaryId;
use keeper::{Ending, LaunchOptions, ProcessOrder};
use std::time::Duration;

pub(crate) const TESTS: &[Test] = &[
    ("kills::of_tiebreak_end_everything", of_tiebreak),
    ("kills::of_tiebreak_end_everything_without_a_cgroup", of_tiebreak_without_cgroup),
    ("kills::of_the_keeper_end_everything", of_the_keeper),
    ("kills::of_the_keeper_end_everything_without_a_cgroup", of_the_keeper_without_cgroup),
    ("kills::of_a_target_are_told_and_its_children_end", of_a_target),
    ("kills::of_tiebreak_end_nginx_with_its_workers", nginx_after_tiebreak),
    ("kills::of_the_keeper_end_nginx_with_its_workers", nginx_after_the_keeper),
    ("kills::of_tiebreak_remove_the_temporary_directory", directory_of_a_program),
    ("kills::spare_the_other_children_of_tiebreak", spared),
];

/// What is hard to end: a child that ignores SIGTERM and SIGHUP, a daemon
/// (forked twice, in a session of its own) that does, too, and a daemon's
/// child.
const HARD: &str = "
    (trap '' TERM HUP; exec sleep 1000) &
    setsid sh -c '(trap \"\" TERM HUP; exec sleep 1001) & sleep 1002 & wait' &
    (setsid sh -c 'sleep 1003 & exit' &)
    wait";
const HARD_SIZE: usize = 6;

/// Launches it, and waits until all of it is there: keeper and processes.
fn launch_hard(holder: &mut Holder) -> Vec<Process> {
    let order = holder.script(HARD);
    let order = ProcessOrder { grace: Duration::from_millis(300), ..order };
    holder.launch(&order);
    let keeper = holder.keeper.pid;
    let sleeping = || {
        let all = tree(keeper);
        (1000..=1003)
            .all(|n| all.iter().any(|p| crate::process::command(p.pid) == format!("sleep {n} ")))
            && all.len() == HARD_SIZE + 1
    };
    wait_for("the whole tree", sleeping);
    tree(keeper)
}

fn of_tiebreak() {
    after_tiebreak(Holder::new());
}

fn of_tiebreak_without_cgroup() {
    if let Some(holder) = Holder::without_cgroup() {
        after_tiebreak(holder);
    }
}

fn after_tiebreak(mut holder: Holder) {
    let all = launch_hard(&mut holder);
    holder.kill();
    all_end(&all);
}

fn of_the_keeper() {
    after_the_keeper(Holder::new());
}

fn of_the_keeper_without_cgroup() {
    if let Some(holder) = Holder::without_cgroup() {
        after_the_keeper(holder);
    }
}

fn after_the_keeper(mut holder: Holder) {
    let all = launch_hard(&mut holder);
    // The stand-in ends what fell to it before it answers.
    holder.kill_keeper();
    assert!(!all.iter().any(Process::runs), "{all:?}");
    assert_eq!(tree(holder.process().pid), [holder.process()], "no zombies either");
}

fn of_a_target() {
    let mut holder = Holder::new();
    let order = holder.script("sleep 1000 & setsid sleep 1001 & wait");
    let main = holder.launch(&order);
    wait_for("its children", || tree(main.pid).len() == 3);
    let all = tree(main.pid);
    main.kill(libc::SIGKILL);
    holder.wait_for_exits(&[(main.pid, Ending::Signal(libc::SIGKILL))]);
    let farewell = holder.stop();
    assert_eq!(farewell.endings, [(main.pid, Ending::Signal(libc::SIGKILL))]);
    assert!(farewell.left.is_empty());
    assert!(!all.iter().any(Process::runs), "{all:?}");
}

/// nginx as a daemon if requested: forked twice, in its own session.
fn nginx(holder: &mut Holder, daemon: &str) -> Vec<Process> {
    let root = holder.directory.0.display();
    let configuration = format!(
        "daemon {daemon}; pid {root}/pid; worker_processes 2; error_log {root}/error.log;\n\
         events {{ worker_connections 64; }}\n\
         http {{ access_log off; client_body_temp_path {root}/a; proxy_temp_path {root}/b;\n\
         fastcgi_temp_path {root}/c; uwsgi_temp_path {root}/d; scgi_temp_path {root}/e;\n\
         server {{ listen unix:{root}/socket; }} }}\n"
    );
    std::fs::write(holder.directory.0.join("nginx.conf"), configuration).expect("writes");
    let file = format!("{root}/nginx.conf");
    let order = holder.program(&["nginx", "-c", &file, "-e", "stderr"]);
    // A daemon's first process may have ended by the time we look for it.
    let report = holder.ask(&HolderRequest::Launch(order));
    assert!(matches!(report, HolderReport::Launched { .. }), "{report:?}");
    let keeper = holder.keeper.pid;
    let workers = || {
        let all = tree(keeper);
        let of = |what: &str| {
            all.iter().filter(|p| crate::process::command(p.pid).starts_with(what)).count()
        };
        of("nginx: worker") == 2 && of("nginx: master") == 1
    };
    wait_for("nginx with two workers (./test installs it)", workers);
    tree(keeper)
}

fn nginx_after_tiebreak() {
    for daemon in ["off", "on"] {
        let mut holder = Holder::new();
        let all = nginx(&mut holder, daemon);
        holder.kill();
        all_end(&all);
    }
}

fn nginx_after_the_keeper() {
    for daemon in ["off", "on"] {
        let Some(mut holder) = Holder::without_cgroup() else { return };
        let all = nginx(&mut holder, daemon);
        holder.kill_keeper();
        assert!(!all.iter().any(Process::runs), "{all:?}");
    }
}

fn directory_of_a_program() {
    let directory = temporary_directory();
    std::fs::write(directory.join("file"), "x").expect("writes");
    let temporary = TemporaryId::of(&directory).expect("a directory");
    let launch_options = LaunchOptions { temporary: Some(temporary), ..Default::default() };
    // While tiebreak lives it is tiebreak's to remove.
    Holder::with(launch_options.clone()).stop();
    assert!(directory.exists());
    let mut holder = Holder::with(launch_options);
    let order = holder.script("sleep 1000");
    holder.launch(&order);
    holder.kill();
    wait_for("the directory to be removed", || !directory.exists());
}

/// Processes that tiebreak started itself, or that a shell which became tiebreak had started,
/// are not targets of a keeper.
fn spared() {
    let script = "setsid sleep 1000 & exec \"$@\"";
    let mut holder = Holder::below(&["sh", "-c", script, "sh"], Default::default());
    let us = holder.process();
    wait_for("the stranger", || {
        tree(us.pid).iter().any(|p| crate::process::command(p.pid) == "sleep 1000 ")
    });
    let all = tree(us.pid);
    let stranger = all.iter().find(|p| crate::process::command(p.pid) == "sleep 1000 ");
    let stranger = stranger.expect("just seen").clone();
    let order = holder.script("sleep 1001");
    let target = holder.launch(&order);
    holder.kill_keeper();
    assert!(!target.runs());
    assert!(stranger.runs(), "it is not ours to end");
    stranger.kill(libc::SIGKILL);
}

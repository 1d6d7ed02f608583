//! File descriptors: too few before the run, and none left during it.

use crate::case::{Case, Running, SHORT};
use crate::experiment::Program;
use crate::processes::Process;
use crate::{Test, test};
use std::fs;
use std::os::unix::process::CommandExt;

pub(crate) fn cases() -> Vec<Test> {
    vec![
        test("descriptors::too_few_are_refused_before_the_run", too_few),
        test("descriptors::that_run_out_are_ours", run_out),
        test("descriptors::the_recipes_of_stores_take_what_there_is", recipes),
    ]
}

fn limit(descriptors: u64) -> libc::rlimit {
    libc::rlimit { rlim_cur: descriptors, rlim_max: descriptors }
}

fn limit_to(command: &mut std::process::Command, descriptors: u64) {
    let few = limit(descriptors);
    // SAFETY: between fork and exec, one system call on a valid limit.
    unsafe {
        command.pre_exec(move || match libc::setrlimit(libc::RLIMIT_NOFILE, &few) {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        });
    }
}

fn two(case: &Case, keys: &str) {
    let right = Program::testserver("").contender("right", "connections = 4");
    let wrong = Program::testserver("").contender("wrong", keys);
    case.write("e.toml", format!("{right}{wrong}"));
}

fn too_few() {
    let case = Case::new();
    two(&case, "");
    let mut command = case.command(env!("CARGO_BIN_EXE_tiebreak"), "tiebreak");
    limit_to(&mut command, 150);
    let words = SHORT.replace("--connections 4", "--connections 64");
    let ended = case.start_as(command, &format!("compare e.toml {words}")).wait();
    ended.expect(
        2,
        &[
            "error: 128 connections in total need about ",
            "descriptors, but this process may open 150: use fewer --connections, or raise the \
             hard limit (ulimit -Hn)",
        ],
    );
    assert!(!case.file("run").exists(), "nothing was begun");
    assert_eq!(case.seen().processes.len(), 1, "and nothing launched");
    case.left_nothing(true);
}

/// memcached refuses to start if it may not open as many as its options demand.
fn recipes() {
    let case = Case::new();
    let mut command = case.command(env!("CARGO_BIN_EXE_tiebreak"), "tiebreak");
    limit_to(&mut command, 1000);
    let words = SHORT.replace("--connections 4", "--connections 64 --keys 100 --value 32B");
    let ended = case.start_as(command, &format!("compare memcached redis {words}")).wait();
    ended.expect(0, &[]);
    assert_eq!(ended.end(), "complete", "{}", ended.err);
    case.left_nothing(true);
}

/// During the run the limit falls to slightly more than what is open at rest: new connections
/// have no descriptor then.
fn run_out() {
    let case = Case::new();
    two(&case, "reuse = 'never'\nconnections = 32");
    let words = SHORT.replace("--rounds 6", "--rounds 12").replace("--connections 4", "");
    let running = case.start(&format!("compare e.toml {words}"));
    running.wait_for_rounds(4);
    let lowered = limit(others(&running.process) + 12);
    lower(&running, &lowered);
    let ended = running.wait();
    ended.expect(3, &[]);
    case.left_nothing(true);
    assert!(ended.findings("void").contains(&"our_faults".to_owned()), "{}", ended.out);
    let counts = ended.counts(1);
    assert!(counts.failed("no_descriptor") > 0, "{counts:?}");
    assert_eq!(counts.failures(), counts.failed("no_descriptor"), "all ours: {counts:?}");
    assert_eq!(ended.report()["complete_rounds"], 12, "no round is left out");
    ended.server_agrees(0, "right");
    ended.server_agrees(1, "wrong");
}

/// Returns how many open descriptors are not sockets.
fn others(process: &Process) -> u64 {
    let open = fs::read_dir(format!("/proc/{}/fd", process.pid)).expect("it runs").flatten();
    let links = open.filter_map(|fd| fs::read_link(fd.path()).ok());
    links.filter(|link| !link.to_string_lossy().starts_with("socket:")).count() as u64
}

fn lower(running: &Running<'_>, to: &libc::rlimit) {
    let nothing = std::ptr::null_mut();
    // SAFETY: a valid limit; the old one is not requested.
    let set = unsafe { libc::prlimit(running.process.pid, libc::RLIMIT_NOFILE, to, nothing) };
    assert_eq!(set, 0, "{}", std::io::Error::last_os_error());
}

//! What the memory of a process is accessible to, as an ordinary user: that of tiebreak to nobody if it holds a
//! secret, and those of its keepers and targets to tiebreak, which reads their CPU time.

use crate::case::{Case, LONG};
use crate::common::not_tested::{Lack, lacks};
use crate::experiment::Program;
use crate::processes::Process;
use crate::{Test, test};
use std::fs;
use std::os::unix::fs::{MetadataExt, chown};

/// The user and the group `nobody`.
const NOBODY: u32 = 65534;

pub(crate) fn cases() -> Vec<Test> {
    vec![
        test("memory::with_a_secret_is_closed_to_others", || owned_by("user:pw-of-it@", 0)),
        test("memory::without_one_is_not", || owned_by("", NOBODY)),
    ]
}

/// Drives two targets with this login in their addresses. The files of a process in /proc belong to root if other
/// processes of its user may not read its memory.
fn owned_by(login: &str, owner: u32) {
    if lacks(Lack::Root) {
        return;
    }
    let case = Case::new();
    // Others may not enter the directory that it is in.
    fs::copy(env!("CARGO_BIN_EXE_tiebreak"), case.file("tiebreak")).expect("copies");
    let server = [&case.path("tiebreak"), "testserver", "--listen", "127.0.0.1:PORT"];
    let server = Program::other(&[&server[..], &["--delay", "1ms"]].concat());
    let url = format!("url = 'http://{login}127.0.0.1:{{port}}/'");
    case.write("e.toml", server.contender("right", &url) + &server.contender("wrong", &url));
    for file in ["", "tmp"] {
        chown(case.file(file), Some(NOBODY), Some(NOBODY)).expect("root");
    }
    let mut command = case.command("setpriv", "tiebreak");
    command.args([&format!("--reuid={NOBODY}"), &format!("--regid={NOBODY}")]);
    command.args(["--clear-groups", &case.path("tiebreak")]);
    let running = case.start_as(command, &format!("compare e.toml {LONG}"));
    running.wait_for_rounds(2);
    let owner_of = |process: &Process| {
        fs::metadata(format!("/proc/{}/environ", process.pid)).expect("it runs").uid()
    };
    assert_eq!(owner_of(&running.process), owner);
    let others = case.running().into_iter().filter(|process| *process != running.process);
    let others: Vec<Process> = others.collect();
    assert_eq!(others.len(), 4, "a keeper and a server for each: {others:?}");
    for process in others.iter().chain([&running.process]) {
        let limits = fs::read_to_string(format!("/proc/{}/limits", process.pid)).expect("runs");
        let core = limits.lines().find(|line| line.starts_with("Max core file size"));
        assert_eq!(core.and_then(|line| line.split_whitespace().nth(4)), Some("0"), "{limits}");
    }
    assert!(others.iter().all(|process| owner_of(process) == NOBODY));
    running.signal(libc::SIGINT);
    let ended = running.wait();
    ended.expect(0, &[]);
    for (kind, target) in ended.journal() {
        match kind.as_str() {
            "target" => assert!(target["cpu_source"].is_string(), "{target}"),
            "target_done" => assert!(target["peak_memory_bytes"].is_u64(), "{target}"),
            _ => {}
        }
    }
    case.left_nothing(true);
}

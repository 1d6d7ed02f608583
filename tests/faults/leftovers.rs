//! tiebreak and its keepers are all killed at once: the next run ends what they left behind,
//! reports it, and touches nothing else.

use crate::case::{Case, LONG, SHORT};
use crate::experiment::Program;
use crate::processes::{Process, wait_for};
use crate::{Test, test};
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Child, Command, Stdio};

pub(crate) fn cases() -> Vec<Test> {
    vec![
        test("leftovers::are_ended_and_named_by_the_next_run", ended),
        test("leftovers::with_secrets_in_their_logs_are_named", || with_secrets("")),
        test("leftovers::are_named_even_with_quiet", || with_secrets(" --quiet")),
        test("leftovers::of_a_run_that_goes_on_are_none", goes_on),
        test("leftovers::are_listeners_only_if_a_process_of_the_case_holds_them", listeners),
    ]
}

/// A process of the user that looks like one of tiebreak's but has another mark.
fn users_own(case: &Case) -> Child {
    let mut command = Command::new("sleep");
    command.arg("1000").stdin(Stdio::null()).env_clear();
    command.env("TIEBREAK_LAUNCH", "0123456789abcdef0123456789abcdef");
    // Not the case's mark: its end is ours.
    command.current_dir(case.file("."));
    command.spawn().expect("sleep")
}

/// Kills all at once, so that none of them sees another's end.
fn kill_all(running: &crate::case::Running<'_>) {
    let all = running.case.running();
    let keepers = all.into_iter().filter(|process| process.command() == " tiebreak __keeper ");
    let keepers: Vec<Process> = keepers.collect();
    assert_eq!(keepers.len(), 2, "one for each target");
    let those = || keepers.iter().chain(std::iter::once(&running.process));
    those().for_each(|process| process.kill(libc::SIGSTOP));
    wait_for("all to stand still", || those().all(Process::stands_still));
    those().for_each(|process| process.kill(libc::SIGKILL));
}

fn experiment(case: &Case, keys: &str) {
    let right = Program::testserver("").in_company().contender("right", keys);
    let wrong = Program::testserver("").in_company().contender("wrong", keys);
    case.write("e.toml", format!("{right}{wrong}"));
}

fn ended() {
    let case = Case::new();
    experiment(&case, "");
    let mut stranger = users_own(&case);
    let running = case.start(&format!("compare e.toml {LONG}"));
    running.wait_for_rounds(2);
    kill_all(&running);
    running.wait();
    // Each ignores the signal that a keeper's death sends, or is a daemon.
    assert!(case.running().len() >= 4, "{:?}", case.running());
    let next = case.run(&format!("compare e.toml {}", SHORT.replace("--out run", "--out next")));
    next.expect(
        0,
        &[
            "caution: the run in ",
            "/run was killed with its keepers; these processes were still running and were",
        ],
    );
    for named in ["sleep (", "was removed"] {
        assert_eq!(next.err.lines().filter(|line| line.contains(named)).count(), 2, "{}", next.err);
    }
    assert!(stranger.try_wait().expect("our child").is_none(), "it is not ours to end");
    stranger.kill().expect("our child");
    stranger.wait().expect("our child");
    case.left_nothing(true);
    let again = case.run(&format!("compare e.toml {}", SHORT.replace("--out run", "--out again")));
    assert!(!again.expect(0, &[]).err.contains("was killed"), "once: {}", again.err);
}

fn with_secrets(quiet: &str) {
    let case = Case::new();
    experiment(&case, "headers = { X-Key = 'a-secret-key' }");
    let running = case.start(&format!("compare e.toml {LONG}"));
    running.wait_for_rounds(2);
    kill_all(&running);
    running.wait();
    let words = SHORT.replace("--out run", "--out next") + quiet;
    let next = case.run(&format!("compare e.toml {words}"));
    next.expect(0, &["these logs were not cleaned of secrets: ", "/run/logs/wrong.log"]);
    case.left_nothing(true);
}

/// Another run at the same time is not a leftover.
fn goes_on() {
    let case = Case::new();
    experiment(&case, "");
    let running = case.start(&format!("compare e.toml {LONG}"));
    running.wait_for_rounds(2);
    let words = SHORT.replace("--out run", "--out other");
    let mut other = case.command(env!("CARGO_BIN_EXE_tiebreak"), "other");
    let status = other.args(format!("compare e.toml {words}").split_whitespace()).status();
    assert!(status.expect("it runs").success(), "{}", case.read("other.err"));
    assert!(!case.read("other.err").contains("was killed"), "{}", case.read("other.err"));
    assert!(running.process.runs(), "{}", case.read("tiebreak.err"));
    running.signal(libc::SIGINT);
    running.wait().expect(0, &[]);
    case.left_nothing(true);
}

/// A port that the case used may be another test's by the time of the check.
fn listeners() {
    let case = Case::new();
    let log = |address: &str| {
        fs::create_dir_all(case.file("run/logs")).expect("a directory");
        case.write("run/logs/right.log", format!("listening on {address}\n"));
    };
    let strangers = TcpListener::bind("127.0.0.1:0").expect("a port");
    log(&strangers.local_addr().expect("bound").to_string());
    case.left_nothing(true);

    // One that nobody knows: without the mark in its environment, and not started by tiebreak.
    let mut command = Command::new(env!("CARGO_BIN_EXE_tiebreak"));
    command.args(["testserver", "--listen", "127.0.0.1:0"]).env_clear();
    command.current_dir(case.file("")).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut server = command.spawn().expect("the binary runs");
    let mut line = String::new();
    let out = server.stdout.take().expect("a pipe");
    BufReader::new(out).read_line(&mut line).expect("text");
    log(line.trim().strip_prefix("listening on ").expect("its address"));
    let checked = catch_unwind(AssertUnwindSafe(|| case.left_nothing(true)));
    server.kill().expect("our child");
    server.wait().expect("our child");
    let why = checked.expect_err("it listens");
    let why = why.downcast_ref::<String>().expect("a message");
    assert!(why.contains("is left listening"), "{why}");
}

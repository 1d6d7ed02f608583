//! However a run ends, nothing of it is left running.

use crate::Test;
use crate::common::processes::Process;
use crate::drive::{drive, once, once_by, order, script, sleeping, started, us, wait_for};
use engine::Stop;
use record::Failure;
use std::process::{Command, ExitCode, Stdio};

pub(crate) const TESTS: &[Test] = &[
    ("ends::a_grandchild_that_holds_the_output_open_is_not_waited_for", held_open),
    ("ends::a_program_that_takes_too_long_is_ended_with_all_below_it", too_long),
    ("ends::a_stop_ends_the_program", stopped),
    ("ends::a_stop_before_the_first_run_runs_nothing", stopped_before),
    ("ends::dropping_it_ends_its_keeper", dropped),
    ("ends::of_tiebreak_by_sigkill_end_everything", of_tiebreak),
    ("ends::of_the_keeper_by_sigkill_end_everything", of_the_keeper),
];

/// Returns a script that is hard to end: a child that ignores signals, a separate session, and a
/// daemon, forked twice. `seconds` distinguishes them from those of other tests.
fn hard(seconds: [&str; 3]) -> String {
    let [child, session, daemon] = seconds;
    format!(
        "(trap \"\" TERM HUP; exec sleep {child}) & setsid sleep {session} & \
         (setsid sh -c \"sleep {daemon} & exit\" &) ; "
    )
}

fn held_open() {
    let names = ["3000.11", "3000.12", "3000.13"];
    let exec = started(&script(&(hard(names) + "echo operations 5")));
    let seen = once(&exec);
    assert_eq!((exec.failure_message(), seen.outcomes.ok), (None, 5));
    assert!(seen.programs.outlived >= 1, "{:?}", seen.programs);
    assert_eq!(sleeping(us(), &names), []);
    // The next run finds none of them, and is measured as if there had been none.
    assert_eq!(once(&exec).outcomes.ok, 5);
}

fn too_long() {
    let names = ["3000.21", "3000.22", "3000.23"];
    let exec = started(&script(&(hard(names) + "echo operations 5; wait")));
    let mut order = order(1, 1, 1);
    order.lanes[0].timeout_ns = 500_000_000;
    let seen = once_by(&exec, &order);
    assert_eq!(seen.outcomes.failed.get(&Failure::Timeout), Some(&1));
    assert!(seen.programs.wall_ns >= 500_000_000);
    assert_eq!(seen.response_time.len(), 0);
    assert_eq!(sleeping(us(), &names), []);
    let message = exec.failure_message().expect("it was late");
    assert!(message.ends_with("took longer than the timeout and was killed"), "{message}");
}

fn stopped() {
    let names = ["3000.31", "3000.32", "3000.33"];
    let exec = started(&script(&(hard(names) + "wait; sleep 3000.31")));
    let stop = Stop::new().expect("a descriptor");
    let trials = std::thread::scope(|scope| {
        let raising = scope.spawn(|| {
            // Raised also if the wait was in vain: nothing else ends the program.
            let _raised_at_the_end = Raised(&stop);
            wait_for("the program", || sleeping(us(), &names).len() == 3);
        });
        let trials = drive(&[&exec], &order(1, 3, 1), &stop);
        raising.join().expect("raised");
        trials.unwrap_or_else(|broken| panic!("{broken}"))
    });
    let [trial] = trials.as_slice() else { panic!("{} trials", trials.len()) };
    assert!(trial.cut_short);
    assert_eq!((trial.seen.operations, trial.seen.unfinished), (0, 1));
    assert_eq!((trial.seen.programs.runs, trial.seen.throughput()), (0, None));
    assert_eq!(sleeping(us(), &names), []);
    assert_eq!(exec.failure_message(), None, "it was we who ended it");
}

/// Raises the stop when it is dropped.
struct Raised<'a>(&'a Stop);

impl Drop for Raised<'_> {
    fn drop(&mut self) {
        self.0.raise();
    }
}

fn stopped_before() {
    let exec = started(&script("echo operations 1"));
    let stop = Stop::new().expect("a descriptor");
    stop.raise();
    let trials =
        drive(&[&exec], &order(1, 1, 1), &stop).unwrap_or_else(|broken| panic!("{broken}"));
    assert!(trials.iter().all(|trial| trial.seen.programs.runs == 0));
    // The keeper still works.
    assert_eq!(once(&exec).outcomes.ok, 1);
}

fn dropped() {
    let exec = started(&script("echo operations 1"));
    let keeper = Process::of(exec.keeper());
    once(&exec);
    assert!(keeper.runs());
    drop(exec);
    assert!(!keeper.runs());
}

pub(crate) const ARGUMENT: &str = "__holder";

const HELD: [&str; 3] = ["3000.41", "3000.42", "3000.43"];

/// Acts as tiebreak and runs a program for ever.
pub(crate) fn hold() -> ExitCode {
    let exec = started(&script(&(hard(HELD) + "wait")));
    once(&exec);
    ExitCode::SUCCESS
}

fn of_tiebreak() {
    let this = std::env::current_exe().expect("a program");
    let mut holder = Command::new(this);
    let mut holder = holder.arg(ARGUMENT).stdin(Stdio::null()).spawn().expect("the stand-in");
    let pid = holder.id() as i32;
    wait_for("the program", || sleeping(pid, &HELD).len() == 3);
    let all = crate::common::processes::tree(pid);
    holder.kill().expect("our child");
    holder.wait().expect("our child");
    wait_for("all of it to end", || !all.iter().any(Process::runs));
}

fn of_the_keeper() {
    let names = ["3000.51", "3000.52", "3000.53"];
    let exec = started(&script(&(hard(names) + "wait")));
    let keeper = Process::of(exec.keeper());
    let stop = Stop::new().expect("a descriptor");
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            wait_for("the program", || sleeping(us(), &names).len() == 3);
            keeper.kill(libc::SIGKILL);
        });
        drive(&[&exec], &order(1, 1, 1), &stop)
    });
    let broken = result.expect_err("nobody is left to measure");
    assert!(broken.to_string().ends_with("it was ended because its keeper was killed"), "{broken}");
    wait_for("all of it to end", || sleeping(us(), &names).is_empty());
}

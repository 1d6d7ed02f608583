//! Drives programs as a run does, with keeper, lanes and engine.

use crate::common::processes::{Process, command, tree, wait_at_most};
use engine::{EngineError, Stop};
use protocol::address::ProgramCommand;
use record::{Address, DriveOrder, LaneOrder, Programs, Seen, TrialRecord};
use std::ops::ControlFlow;
use std::time::Duration;
use tiebreak::targets::exec::{Exec, Program};

/// A turn that ends before a program does.
pub(crate) const SHORT_NS: u64 = 1_000_000;

/// How long a run may take without being late.
const PATIENT_NS: u64 = 60_000_000_000;

/// Parses the text after `exec:`.
pub(crate) fn program(text: &str) -> Program {
    Program::new(ProgramCommand::parse(text).expect("words"), None)
}

/// Returns a program that is a shell script.
pub(crate) fn script(script: &str) -> Program {
    program(&format!("sh -c '{script}'"))
}

pub(crate) fn started(program: &Program) -> Exec {
    Exec::start(program).unwrap_or_else(|why| panic!("{why}"))
}

/// Returns an order of one turn for each of these contenders in each of these rounds.
pub(crate) fn order(contenders: usize, rounds: u32, turn_ns: u64) -> DriveOrder {
    let lane =
        LaneOrder { timeout_ns: PATIENT_NS, ..LaneOrder::closed(Address::Unix(String::new()), 1) };
    DriveOrder {
        seed: 1,
        rounds,
        first_round: 1,
        round_ns: turn_ns,
        slice_ns: turn_ns,
        lanes: vec![lane; contenders],
        ..DriveOrder::default()
    }
}

/// Drives an order until it is done or stopped.
pub(crate) fn drive(
    execs: &[&Exec],
    order: &DriveOrder,
    stop: &Stop,
) -> Result<Vec<TrialRecord>, EngineError> {
    let lanes = execs.iter().enumerate().map(|(at, exec)| exec.lanes(order, at).expect("lanes"));
    let (lanes, clocks) = (lanes.collect(), execs.iter().map(|exec| exec.clock()).collect());
    let mut trials = Vec::new();
    engine::run(order, lanes, clocks, stop, &mut |trial| {
        trials.push(trial);
        ControlFlow::Continue(())
    })?;
    Ok(trials)
}

/// Drives one run of a program by this order.
pub(crate) fn once_by(exec: &Exec, order: &DriveOrder) -> Seen {
    let stop = Stop::new().expect("a descriptor");
    let trials = drive(&[exec], order, &stop).unwrap_or_else(|broken| panic!("{broken}"));
    assert_eq!(trials.len(), 1);
    trials.into_iter().next().expect("just counted").seen
}

/// Drives one run of a program.
pub(crate) fn once(exec: &Exec) -> Seen {
    let seen = once_by(exec, &order(1, 1, 1));
    assert_eq!(seen.programs.runs, 1);
    seen
}

/// Drives one run, which must do its work.
pub(crate) fn good(program: &Program) -> Programs {
    let exec = started(program);
    let seen = once(&exec);
    assert_eq!(exec.failure_message(), None);
    assert_eq!(seen.outcomes.ok, seen.operations);
    seen.programs
}

/// Waits for a generous time; then it panics and names what it waited for.
pub(crate) fn wait_for(what: &str, done: impl Fn() -> bool) {
    wait_at_most(Duration::from_secs(60), what, done);
}

/// Returns the descendants of this process, and itself, that run `sleep` for these seconds.
pub(crate) fn sleeping(root: i32, seconds: &[&str]) -> Vec<Process> {
    let wanted = |process: &Process| {
        seconds.iter().any(|seconds| command(process.pid).trim() == format!("sleep {seconds}"))
    };
    tree(root).into_iter().filter(wanted).collect()
}

pub(crate) fn us() -> i32 {
    std::process::id() as i32
}

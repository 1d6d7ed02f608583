//! Whole programs with a keeper, as `exec:` runs them: what is counted and measured, and that
//! nothing is left running.
//!
//! This program has no `main` of the test harness, because a keeper is the
//! program that starts it, run once more: it is the tests, the keeper, the
//! programs that are measured, and a stand-in for tiebreak that can be killed.

#[path = "../common/mod.rs"]
mod common;
mod costs;
mod counts;
mod drive;
mod ends;
mod failures;
mod programs;

use common::bounded::bounded;
use libtest_mimic::{Arguments, Trial};
use std::process::ExitCode;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some(keeper::ARGUMENT) => keeper::keep(),
        Some(programs::ARGUMENT) => programs::act(),
        Some(ends::ARGUMENT) => ends::hold(),
        _ => {
            let tests = [counts::TESTS, costs::TESTS, failures::TESTS, ends::TESTS];
            let trials = tests
                .concat()
                .into_iter()
                .map(|(name, test)| Trial::test(name, move || bounded(test)));
            libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
        }
    }
}

/// A test: its name, and a function that panics if it fails.
type Test = (&'static str, fn());

//! Keepers with real processes: whatever is killed, nothing is left running.
//!
//! This program has no `main` of the test harness, because a keeper is the
//! program that starts it, run once more: it is the tests, the keeper, and
//! (as a process that can be killed) a stand-in for tiebreak. It is also a
//! server to launch.

mod cassandra;
mod cassandra_driven;
mod cassandra_faults;
#[path = "../common/mod.rs"]
mod common;
mod ends;
mod holder;
mod kills;
mod launches;
mod links;
mod process;
mod programs;
mod recipes;
mod server;

use common::bounded::bounded;
use common::turn::CassandraTurn;
use libtest_mimic::{Arguments, Failed, Trial};
use std::process::ExitCode;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some(keeper::ARGUMENT) => keeper::keep(),
        Some(holder::ARGUMENT) => holder::hold(),
        Some(server::ARGUMENT) => server::serve(),
        _ => {
            let tests = [
                kills::TESTS,
                ends::TESTS,
                programs::TESTS,
                launches::TESTS,
                links::TESTS,
                recipes::TESTS,
                cassandra_driven::TESTS,
                cassandra_faults::TESTS,
            ];
            let trials = tests
                .concat()
                .into_iter()
                .map(|(name, test)| Trial::test(name, move || in_turn(name, test)));
            libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
        }
    }
}

/// Runs a test. Those of Cassandra wait for their turn.
fn in_turn(name: &str, test: fn()) -> Result<(), Failed> {
    if !name.contains("cassandra") {
        return bounded(test);
    }
    let Some(_turn) = CassandraTurn::take() else { return Ok(()) };
    bounded(test)
}

/// A test: its name, and a function that panics if it fails.
type Test = (&'static str, fn());

//! What goes wrong, and the required result: exact counts, the right exit code, helpful
//! messages, and nothing left running.
//!
//! Every case drives the real program in a directory of its own, and looks for
//! orphans when it is over. This program has no `main` of the test harness,
//! because it is also a server with bad habits ([`server`]), and tiebreak with
//! a wall clock that jumps ([`clock`]).

mod case;
mod clock;
#[path = "../common/mod.rs"]
mod common;
mod counts;
mod descriptors;
mod drips;
mod ends;
mod experiment;
mod files;
mod leftovers;
mod memory;
mod ours;
mod ownership;
mod planted;
mod ports;
mod processes;
mod secrets;
mod server;
mod shown;
mod targets;

use common::bounded::bounded;
use libtest_mimic::{Arguments, Trial};
use std::process::ExitCode;

/// Concurrent cases, whatever the number of cores: their counts do not depend on speed, and they wait for
/// most of their time.
const AT_ONCE: usize = 8;

fn main() -> ExitCode {
    if clock::jumps() {
        return clock::tiebreak();
    }
    if std::env::args().nth(1).as_deref() == Some(server::ARGUMENT) {
        return server::serve();
    }
    let cases = [
        targets::cases(),
        ports::cases(),
        descriptors::cases(),
        ours::cases(),
        ends::cases(),
        clock::cases(),
        files::cases(),
        secrets::cases(),
        shown::cases(),
        leftovers::cases(),
        ownership::cases(),
        planted::cases(),
        memory::cases(),
        drips::cases(),
    ];
    let trials =
        cases.into_iter().flatten().map(|(name, case)| Trial::test(name, move || bounded(case)));
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert(AT_ONCE);
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

/// A case: its name, and a function that panics if it fails.
type Test = (String, Box<dyn FnOnce() + Send>);

fn test(name: &str, case: impl FnOnce() + Send + 'static) -> Test {
    (name.to_owned(), Box::new(case))
}

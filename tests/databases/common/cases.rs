//! Cases that share their servers, in a program without a harness: the servers end with it.

use libtest_mimic::{Arguments, Failed, Trial};
use std::process::ExitCode;
use std::sync::{Arc, LazyLock};

/// Servers that are started when the first case needs them, and ended after the last one.
pub(crate) type Shared<S> = Arc<LazyLock<S>>;

/// A case: its name, and a function that panics if it fails.
pub(crate) type Case = (&'static str, Box<dyn FnOnce() + Send>);

/// A case that uses shared servers.
pub(crate) type WithServers<S> = (&'static str, fn(&S));

/// Turns functions of shared servers into cases.
pub(crate) fn with_servers<S: Send + Sync + 'static>(
    servers: &Shared<S>,
    cases: &[WithServers<S>],
) -> Vec<Case> {
    let case = |&(name, case): &WithServers<S>| -> Case {
        let servers = servers.clone();
        (name, Box::new(move || case(&servers)))
    };
    cases.iter().map(case).collect()
}

/// Runs the cases one at a time. cargo-nextest has a process for each test, in which the servers would
/// be started again and again, so for it all cases are one test.
pub(crate) fn run(cases: Vec<Case>) -> ExitCode {
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    let passes = |case: Box<dyn FnOnce() + Send>| {
        case();
        Ok::<(), Failed>(())
    };
    let trials = if std::env::var_os("NEXTEST").is_some() {
        let all = move || {
            for (name, case) in cases {
                println!("{name}");
                case();
            }
        };
        vec![Trial::test("all_cases", move || passes(Box::new(all)))]
    } else {
        let trial = |(name, case): Case| Trial::test(name, move || passes(case));
        cases.into_iter().map(trial).collect()
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}

//! Known truths about ranks: servers whose work is known have their ranks, and equal servers share theirs.

use crate::common::{TestDirectory, number, serve, url};
use crate::driver::{figure, truths};
use crate::equal::{equality, passes_as_equal};
use serde_json::Value;
use std::time::Duration;
use testserver::{Behaviour, TestServer};

truths! {
    All: servers_of_known_work_have_their_ranks,
    All: equal_servers_share_all_ranks,
}

/// The work for each reply, in microseconds, and the ranks that it gives.
pub(crate) const WORK_US: [(&str, u64, (f64, f64)); 6] = [
    ("a", 110, (4.0, 5.0)),
    ("b", 100, (1.0, 2.0)),
    ("c", 150, (6.0, 6.0)),
    ("d", 103, (3.0, 3.0)),
    ("e", 100, (1.0, 2.0)),
    ("f", 110, (4.0, 5.0)),
];

pub(crate) fn service(micros: u64) -> TestServer {
    serve(Behaviour { service: Duration::from_micros(micros), ..Behaviour::default() })
}

/// Ranks servers by name, and returns best and worst rank of each.
pub(crate) fn ranked(
    servers: &[(&str, TestServer)],
    [rounds, round]: [&str; 2],
) -> Vec<(String, f64, f64)> {
    let targets: Vec<String> =
        servers.iter().map(|(name, server)| format!("{name}={}", url(server))).collect();
    let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
    let times = ["--rounds", rounds, "--round", round, "--pilot", "600ms", "--connections", "8"];
    let (_, report) = TestDirectory::new().report(&[&["rank"][..], &targets, &times].concat());
    let ranked = report["ranking"]["ranked"].as_array();
    let of = |of: &Value| {
        let name = of["name"].as_str().expect("a name").to_owned();
        (name, number(&of["best"]), number(&of["worst"]))
    };
    ranked.unwrap_or_else(|| panic!("{:#}", report["findings"])).iter().map(of).collect()
}

/// A wrong rank needs a wrong verdict on one of two equal pairs, each at a level of 0.05 / 15. Both runs of a truth
/// that fails is run again have one with a probability of 0.5 in 10 000. A difference of 10 % is found by twelve
/// rounds in all but 1 of 10 000 runs, as long as a round's ln ratio scatters by at most 0.03 (normal rounds,
/// simulated); whether 3 % is found is only told. A tool that ranks by estimates alone gives `b` and `e` one rank each
/// in all runs, and fails.
fn servers_of_known_work_have_their_ranks() {
    let servers = WORK_US.map(|(name, work, _)| (name, service(work)));
    let ranked = ranked(&servers, ["12", "300ms"]);
    for (name, _, (best, worst)) in WORK_US {
        let of = ranked.iter().find(|of| of.0 == name).expect("it is ranked");
        figure(format!("{name}: {} to {}", of.1, of.2), format!("holds {best} to {worst}"));
        assert!(of.1 <= best && of.2 >= worst, "{name}: {ranked:?}");
    }
    // 100 and 103 µs before 110 µs, and these before 150 µs.
    let range = |name: &str| ranked.iter().find(|of| of.0 == name).expect("it is ranked");
    for (name, least, most) in [("b", 1.0, 3.0), ("d", 1.0, 3.0), ("a", 4.0, 5.0), ("c", 6.0, 6.0)]
    {
        let (_, best, worst) = range(name);
        assert!(*best >= least && *worst <= most, "{name}: {ranked:?}");
    }
}

/// Six intervals of ten rounds at 0.05 / 6 err together in at most 5 % of the rankings, as one of `compare` does, so
/// that the rule of comparisons applies.
fn equal_servers_share_all_ranks() {
    let servers = ["a", "b", "c", "d"].map(|name| (name, service(100)));
    let separates = |_| {
        ranked(&servers, ["10", "100ms"])
            .iter()
            .any(|(_, best, worst)| (*best, *worst) != (1.0, 4.0))
    };
    let called = passes_as_equal(separates);
    let shown = called.as_ref().unwrap_or_else(|called| called);
    figure(shown, equality());
    assert!(called.is_ok(), "{shown}");
}

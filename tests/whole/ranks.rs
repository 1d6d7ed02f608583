//! Rankings.

use crate::common::{TestDirectory, number, serve, url};
use serde_json::Value;
use std::time::Duration;
use testserver::{Behaviour, Delay};

/// Servers whose replies take so many milliseconds.
const DELAYS_MS: [u64; 4] = [40, 1, 8, 1];
const SHORT: &str = "--rounds 8 --round 100ms --pilot 200ms --warm-up 0s --connections 4 --out run";

/// Best and worst rank of the contender of this name.
fn ranks(report: &Value, name: &str) -> (f64, f64) {
    let ranked = report["ranking"]["ranked"].as_array().expect("entries");
    let of = ranked.iter().find(|of| of["name"] == name).expect("it is ranked");
    (number(&of["best"]), number(&of["worst"]))
}

#[test]
fn contenders_are_ranked_from_the_best_to_the_worst_and_share_ranks() {
    let servers = DELAYS_MS.map(|ms| {
        let delay = Delay::Fixed(Duration::from_millis(ms));
        serve(Behaviour { delay, ..Behaviour::default() })
    });
    let targets: Vec<String> = ["d", "a", "c", "b"]
        .iter()
        .zip(&servers)
        .map(|(name, it)| format!("{name}={}", url(it)))
        .collect();
    let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
    let directory = TestDirectory::new();
    let words = [&["rank"][..], &targets, &SHORT.split(' ').collect::<Vec<_>>()].concat();
    let (code, report) = directory.report(&words);
    assert_eq!(code, 0, "{:#}", report["findings"]);
    assert_eq!(
        report["comparisons"]
            .as_array()
            .map(|all| all.iter().filter(|of| of["primary"] == true).count()),
        Some(6)
    );
    assert_eq!([ranks(&report, "c"), ranks(&report, "d")], [(3.0, 3.0), (4.0, 4.0)]);
    for name in ["a", "b"] {
        let (best, worst) = ranks(&report, name);
        assert!(best >= 1.0 && worst <= 2.0, "{name}: {best} to {worst}");
    }
    let printed = directory.tiebreak(&["report", "run"]);
    let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
    let at =
        |name: &str| printed.find(&format!("   {name}  ")).unwrap_or_else(|| panic!("{printed}"));
    assert!(at("c") < at("d"), "{printed}");
    assert!(printed.contains("all ranks hold together with 95 %"), "{printed}");
}

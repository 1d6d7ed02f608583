//! What a lane costs by itself is kept for the next run if the machine was left alone. Each journal says
//! whether it was, so each run is judged; but on a machine that never is nothing is kept to be found.

use crate::common::{TestDirectory, errors, serve, url};
use crate::driver::{exact, truths};
use record::{Seen, own_cost};
use serde_json::Value;
use std::fs;
use testserver::Behaviour;

truths! {
    All: what_a_lane_costs_is_kept_for_the_next_run,
}

/// Drives a server for a moment; journal, report and what was printed.
fn short_run(directory: &TestDirectory, url: &str, more: &[&str]) -> (String, Value, String) {
    let _ = fs::remove_dir_all(directory.file("run"));
    let short = ["--duration", "50ms", "--warm-up", "0s", "--out", "run", "--verbose"];
    let connections =
        if more.contains(&"--connections") { &[][..] } else { &["--connections", "4"] };
    let output = directory.tiebreak(&[&["run", url], &short[..], connections, more].concat());
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let journal = fs::read_to_string(directory.file("run/journal.jsonl")).expect("written");
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    (journal, directory.json("run/report.json"), stdout)
}

/// A cost is measured in 45 ms. Where every second measurement is disturbed, twenty in a row are in one of
/// a million truths.
const MOST_RUNS: u32 = 20;

/// Whether the journal says so of the measurement of the own cost.
fn was_left_alone(journal: &str) -> bool {
    let events = journal.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let mut trials = events.map(|mut line| line["event"]["trial"].take());
    let null = trials.find(|trial| trial["phase"] == "null").expect("it was measured");
    let seen: Seen = serde_json::from_value(null["seen"].clone()).expect("a trial");
    own_cost::may_be_kept(&seen)
}

fn what_a_lane_costs_is_kept_for_the_next_run() {
    let directory = TestDirectory::new();
    let server = serve(Behaviour::default());
    let url = url(&server);
    let kept = directory.file(".cache/tiebreak/own-costs");
    let (measured, used) = (r#""phase":"null""#, r#""own_cost""#);
    let costs = (0..MOST_RUNS).find_map(|_| {
        let (journal, report, _) = short_run(&directory, &url, &[]);
        let is_kept = kept.is_dir();
        exact(|| {
            assert!(journal.contains(measured) && !journal.contains(used), "{journal}");
            assert_eq!(is_kept, was_left_alone(&journal), "{journal}");
        });
        let own = report["contenders"][0]["metrics"]["own_cpu_per_operation"]["value"].as_f64();
        own.filter(|_| is_kept)
    });
    let costs = costs.unwrap_or_else(|| panic!("each of {MOST_RUNS} runs was disturbed"));
    let (journal, report, message) = short_run(&directory, &url, &[]);
    assert!(journal.contains(used) && !journal.contains(measured), "{journal}");
    let metrics = &report["contenders"][0]["metrics"];
    let again = metrics["own_cpu_per_operation"]["value"].as_f64().expect("known");
    assert!((again / costs - 1.0).abs() < 1e-9, "{again} and {costs}");
    assert!(metrics["own_cpu_measured_before"]["value"].is_number(), "{metrics}");
    assert!(message.contains("(measured ") && message.contains(" before)"), "{message}");
    // The same report from the journal alone, with the cache gone.
    let damaged =
        fs::read_dir(&kept).expect("a directory").flatten().next().expect("a file").path();
    fs::write(&damaged, "damaged").expect("written");
    let later = directory.tiebreak(&["report", "run", "--verbose"]);
    assert_eq!(String::from_utf8_lossy(&later.stdout), message);
    // Another lane, a lane that is not to be taken from there, and a damaged file.
    for more in [&["--connections", "5"][..], &["--no-cache"], &[]] {
        let (journal, _, _) = short_run(&directory, &url, more);
        assert!(journal.contains(measured) && !journal.contains(used), "{more:?}");
    }
}

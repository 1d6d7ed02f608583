//! What a lane costs by itself is kept for the next run. Not a truth about times, but it is
//! kept on a machine that is left alone, which no machine is while other tests run.

use crate::common::{TestDirectory, errors, serve, url};
use crate::driver::truths;
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

fn what_a_lane_costs_is_kept_for_the_next_run() {
    let directory = TestDirectory::new();
    let server = serve(Behaviour::default());
    let url = url(&server);
    let kept = directory.file(".cache/tiebreak/own-costs");
    let (measured, used) = (r#""phase":"null""#, r#""own_cost""#);
    // It is kept where it was not disturbed, which other tests may do for a while.
    let costs = (0..100).find_map(|_| {
        let (journal, report, _) = short_run(&directory, &url, &[]);
        assert!(journal.contains(measured) && !journal.contains(used), "{journal}");
        let own = report["contenders"][0]["metrics"]["own_cpu_per_operation"]["value"].as_f64();
        own.filter(|_| kept.is_dir())
    });
    let costs = costs.expect("one run in a hundred that was left alone");
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

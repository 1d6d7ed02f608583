//! `tiebreak demo`, as a new user runs it.

use crate::common::{TestDirectory, errors};
use crate::driver::truths;
use crate::validator;
use serde_json::Value;
use std::path::PathBuf;

truths! {
    All: the_demo_prints_both_verdicts_and_the_truth_and_leaves_two_runs,
}

fn the_demo_prints_both_verdicts_and_the_truth_and_leaves_two_runs() {
    let directory = TestDirectory::new();
    let output = directory.tiebreak(&["demo", "--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let stdout = String::from_utf8(output.stdout).expect("UTF-8");
    let slower = "this launch of 110us was slower than this launch of 100us: ";
    let claims = ["fresh is slower than persistent: ", slower];
    for claim in claims {
        assert_eq!(stdout.matches(claim).count(), 2, "in its report and at the end: {stdout}");
    }
    let last: Vec<&str> = stdout.lines().rev().take(6).collect();
    let end = [5, 4, 3, 2].map(|at| last[at]).concat();
    assert!(claims.iter().all(|claim| end.contains(claim)), "{stdout}");
    assert!(end.contains("  0.909x: "), "{stdout}");
    assert!(last[0].contains("try next: tiebreak compare "), "{stdout}");

    let runs = std::fs::read_dir(directory.file("tiebreak-runs")).expect("the runs' directory");
    let runs: Vec<PathBuf> = runs.map(|run| run.expect("a directory").path()).collect();
    assert_eq!(runs.len(), 2, "{runs:?}");
    for run in runs {
        let name = run.file_name().and_then(|name| name.to_str()).expect("a plain name");
        assert!(stdout.contains(name), "{name} is not named");
        assert!(run.join("report.html").exists() && run.join("journal.jsonl").exists());
        let text = std::fs::read_to_string(run.join("report.json")).expect("a report");
        let report: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(validator::wrong(&report), Vec::<String>::new());
    }
}

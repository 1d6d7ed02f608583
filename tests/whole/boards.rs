//! `tiebreak audit` of leaderboards that others published.

use crate::common::{TestDirectory, errors, stdout};
use std::fs;
use std::path::Path;
use std::process::Stdio;

/// A directory with a copy of a sample under a name that says nothing.
fn with(samples: &[(&str, &str)]) -> TestDirectory {
    let directory = TestDirectory::new();
    for (sample, name) in samples {
        fs::write(directory.file(name), text(sample)).expect("a file");
    }
    directory
}

fn text(sample: &str) -> String {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/published/tests/boards");
    fs::read_to_string(samples.join(sample)).expect("a sample")
}

#[test]
fn one_figure_of_each_entry_says_what_would_have_to_be_published() {
    let directory = with(&[("web-frameworks.json", "x.txt")]);
    let output = directory.tiebreak(&["audit", "x.txt"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let report = stdout(&output);
    let first = report.lines().next().unwrap_or("").trim();
    assert!(first.starts_with("Which of two neighbours is faster cannot be said"), "{report}");
    let words = report.split_whitespace().collect::<Vec<&str>>().join(" ");
    for part in [
        "5 of 7 entries lie within 1.5 % of a neighbour",
        "at least 10 runs of each would have to be published, interleaved",
        "birch 98.1 k/s 1.002x",
        "256 connections p99 7 4 cannot be said",
        "1 more entry has no figure.",
    ] {
        assert!(words.contains(part), "{part}: {words}");
    }
}

#[test]
fn several_runs_are_ranked_in_every_format_and_from_standard_input() {
    let directory = with(&[("http-arena-runs.json", "x")]);
    let outputs = ["audit", "x", "--html", "page.html", "--markdown", "summary.md", "--json"];
    let output = directory.tiebreak(&outputs);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let json: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(json["lists"][0]["answer"], "ranked");
    assert_eq!(json["lists"][0]["separated"], 5);
    assert!(directory.text("page.html").contains("512 connections by throughput"));
    assert!(directory.text("summary.md").contains("| 1 to 2 | `fir` |"));
    let mut command = directory.command(&["audit", "-"]);
    let file = fs::File::open(directory.file("x")).expect("the sample");
    let output = command.stdin(Stdio::from(file)).output().expect("tiebreak runs");
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(stdout(&output).contains("5 of 6 pairs are separated"), "{}", stdout(&output));
}

#[test]
fn a_broken_leaderboard_names_file_line_and_key() {
    let whole = text("http-arena.json");
    let directory = with(&[("http-arena.json", "whole.json")]);
    let cut = &whole[..whole.len() / 2];
    let wrong = whole.replace("401200,", "\"many\",");
    for (name, text, says) in [
        (
            "cut.json",
            cut,
            "cut.json:4: the leaderboard is not valid JSON: the document is incomplete",
        ),
        ("wrong.json", &wrong, "wrong.json:2: entry[0].rps must be a number that is not negative"),
    ] {
        fs::write(directory.file(name), text).expect("a file");
        let output = directory.tiebreak(&["audit", "whole.json", name]);
        assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
        assert!(errors(&output).contains(says), "{}", errors(&output));
    }
}

/// A printout beside a leaderboard is audited as ever.
#[test]
fn a_leaderboard_stands_beside_a_printout() {
    let directory = with(&[("http-arena.json", "board.json")]);
    let printed = include_str!("../../crates/published/tests/data/ab-failing.txt");
    fs::write(directory.file("ab.txt"), printed).expect("a file");
    let output = directory.tiebreak(&["audit", "board.json", "ab.txt"]);
    assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
    let report = stdout(&output);
    assert!(report.contains("void: bad_status") && report.contains("elm"), "{report}");
    assert!(!report.contains("no output of a known tool"), "{report}");
}

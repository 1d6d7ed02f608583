//! How long a comparison is: a difference to see, a time to fit into, `tiebreak plan`, and the next command.

use crate::common::{TestDirectory, errors, number, serve, stdout, url};
use crate::validator;
use serde_json::Value;
use std::fs;
use std::time::Duration;
use testserver::{Behaviour, Delay, TestServer};

/// A run of a given length drives little.
const LITTLE: [&str; 8] =
    ["--round", "50ms", "--pilot", "100ms", "--warm-up", "0s", "--connections", "4"];

pub(crate) fn delayed(delay: Delay) -> TestServer {
    serve(Behaviour { delay, ..Behaviour::default() })
}

pub(crate) fn fixed(ms: u64) -> TestServer {
    delayed(Delay::Fixed(Duration::from_millis(ms)))
}

pub(crate) fn named(name: &str, server: &TestServer) -> String {
    format!("{name}={}", url(server))
}

/// The lines of the journal that hold this event.
pub(crate) fn events(directory: &TestDirectory, kind: &str) -> Vec<Value> {
    let journal = directory.text("run/journal.jsonl");
    let lines = journal.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    lines.filter_map(|line| line["event"].get(kind).cloned()).collect()
}

#[test]
fn a_difference_to_see_sets_the_number_of_rounds() {
    let (a, b) = (fixed(1), fixed(1));
    let (a, b) = (named("a", &a), named("b", &b));
    let directory = TestDirectory::new();
    let words = [&["compare", &a, &b, "--see", "30%", "--out", "run"], &LITTLE[..]].concat();
    let (code, report) = directory.report(&words);
    assert_eq!(code, 0, "{:#}", report["findings"]);
    let stages = events(&directory, "second_stage");
    let [stage] = stages.as_slice() else { panic!("{stages:?}") };
    let rounds = number(&stage["replicates"]);
    assert!((10.0..=200.0).contains(&rounds), "{stage}");
    let headline = &report["comparisons"][0];
    assert_eq!([number(&report["plan"]["rounds"]), number(&headline["replicates"])], [rounds; 2]);
    assert!((number(&headline["confidence"]) - 0.956).abs() < 1e-9, "{headline:#}");
    assert_eq!(number(&report["plan"]["question"]["matters"]), 0.3);
    assert!(number(&headline["sees"]) > 0.0);
}

#[test]
fn a_time_holds_as_many_rounds_as_fit() {
    let (a, b) = (fixed(1), fixed(1));
    let (a, b) = (named("a", &a), named("b", &b));
    let directory = TestDirectory::new();
    let words = [&["compare", &a, &b, "--within", "6s", "--out", "run"], &LITTLE[..]].concat();
    let (code, report) = directory.report(&words);
    assert_eq!(code, 0, "{:#}", report["findings"]);
    let rounds = number(&report["plan"]["rounds"]);
    // Of 100 ms each, and with the last replies of their slices.
    assert!((6.0..=60.0).contains(&rounds), "{rounds}");
    assert_eq!(number(&events(&directory, "pilot")[0]["rounds"]), rounds);
    assert_eq!(number(&report["comparisons"][0]["replicates"]), rounds);
    let short = directory.tiebreak(&["compare", &a, &b, "--within", "5s"]);
    assert_eq!(short.status.code(), Some(2));
    let message = errors(&short);
    assert!(message.contains("--within 5 s: at least 6 replicates are needed"), "{message}");
}

#[test]
fn a_plan_says_how_long_and_leaves_nothing() {
    let (a, b) = (fixed(1), fixed(1));
    let (a, b) = (named("a", &a), named("b", &b));
    let directory = TestDirectory::new();
    let temporary = directory.file("temporary");
    fs::create_dir(&temporary).expect("a directory");
    let plan = |more: &[&str]| {
        let words = [&["plan", &a, &b, "--quiet"], &LITTLE[..], more].concat();
        let output = directory.command(&words).env("TMPDIR", &temporary).output().expect("it runs");
        let left = fs::read_dir(&temporary).expect("a directory").count();
        assert_eq!(left, 0, "{more:?}");
        assert!(!directory.file("tiebreak-runs").exists());
        output
    };
    let see = plan(&["--see", "30%"]);
    assert_eq!(see.status.code(), Some(0), "{}", errors(&see));
    let text = stdout(&see);
    assert!(text.contains(" rounds of ") && text.contains(" ms each: "), "{text}");
    assert!(text.contains("with a chance of 80 % to call a true "), "{text}");
    let within = plan(&["--within", "20s", "--json", "-", "--require", "b/a throughput >= 0.9"]);
    assert_eq!(within.status.code(), Some(0), "{}", errors(&within));
    let answer: Value = serde_json::from_str(&stdout(&within)).expect("JSON");
    validator::assert_fits(include_str!("../../schema/plan.v1.json"), &answer);
    assert_eq!(
        (&answer["within"], &answer["replicate"]),
        (&Value::from(20.0), &Value::from("round"))
    );
    assert!(number(&answer["takes"]) <= 21.0 && number(&answer["replicates"]) > 20.0, "{answer:#}");
    for (words, wanted) in [
        (&[][..], "say what to plan for: --see 2%"),
        (&["--see", "2%", "--out", "x"], "--out: `tiebreak plan` drives"),
        (&["--see", "2%", "--html", "x"], "--html: `tiebreak plan` drives"),
    ] {
        let refused = plan(words);
        assert_eq!(refused.status.code(), Some(2), "{words:?}");
        assert!(errors(&refused).contains(wanted), "{}", errors(&refused));
    }
}

#[test]
fn a_plan_for_a_server_that_fails_is_void() {
    let a = fixed(1);
    let broken = serve(Behaviour { status: 500, ..Behaviour::default() });
    let (a, b) = (named("a", &a), named("b", &broken));
    let directory = TestDirectory::new();
    let words = [&["plan", &a, &b, "--see", "30%", "--quiet"], &LITTLE[..]].concat();
    let output = directory.tiebreak(&words);
    assert_ne!(output.status.code(), Some(0));
    assert_eq!(stdout(&output), "");
    assert!(errors(&output).starts_with("error: "), "{}", errors(&output));
}

#[test]
fn lengths_exclude_each_other() {
    let directory = TestDirectory::new();
    let refused = |more: &[&str]| {
        let addresses = ["compare", "a=http://127.0.0.1:1/", "b=http://127.0.0.1:2/"];
        let output = directory.tiebreak(&[&addresses[..], more].concat());
        assert_eq!(output.status.code(), Some(2), "{more:?}: {}", errors(&output));
        errors(&output)
    };
    for (other, value) in
        [("--rounds", Some("10")), ("--launches", Some("10")), ("--until-decided", None)]
    {
        for length in [["--see", "2%"], ["--within", "2min"]] {
            let message = refused(&[&length[..], &[other], value.as_slice()].concat());
            assert!(
                message.contains(&format!("{other} sets them: leave one of them out")),
                "{message}"
            );
        }
    }
    assert!(refused(&["--see", "2%", "--within", "1min"]).contains("leave one of them out"));
    assert!(refused(&["--see", "90%"]).contains("from 0.01% to 50%"));
    let sweep = refused(&["--see", "2%", "--sweep", "connections=1,8"]);
    assert!(sweep.contains("not supported with --sweep"), "{sweep}");
}

#[test]
fn a_file_says_what_to_see_and_a_typed_length_replaces_it() {
    let directory = TestDirectory::new();
    let contenders =
        "[contender.a]\nurl = 'http://127.0.0.1:1/'\n[contender.b]\nurl = 'http://127.0.0.1:2/'\n";
    let check = |keys: &str, more: &[&str]| {
        fs::write(directory.file("e.toml"), format!("{keys}{contenders}")).expect("a file");
        let output = directory.tiebreak(&[&["check", "e.toml"], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        stdout(&output)
    };
    let see = check("see = '2%'\n", &[]);
    assert!(see.contains("as many rounds of 1 s as see 2 %, after a first stage of 10"), "{see}");
    assert!(see.contains("at least 2 % matters"), "{see}");
    let within = check("within = '2min'\n", &[]);
    assert!(within.contains("as many rounds of 1 s as fit into 2 min"), "{within}");
    assert!(check("see = '2%'\n", &["--rounds", "12"]).contains("12 rounds of 1 s"));
    assert!(check("rounds = 12\n", &["--see", "3%"]).contains("as see 3 %"));
    let usual = check("", &[]);
    assert!(
        usual.contains("rounds of 300 ms") && usual.contains("10 rounds of 1 s where"),
        "{usual}"
    );
}

/// Runs that are too short to decide anything, until one is undecided and fewer than 200 rounds would decide it: of two
/// equal servers about every second one is.
fn undecided(more: &[&str]) -> (TestDirectory, String) {
    let (a, b) = (fixed(1), fixed(1));
    let (a, b) = (named("a", &a), named("b", &b));
    for _ in 0..16 {
        let directory = TestDirectory::new();
        let words =
            [&["compare", &a, &b, "--quiet", "--out", "run", "--rounds", "6"], &LITTLE[..], more];
        let output = directory.tiebreak(&words.concat());
        let text = stdout(&output);
        if text.contains("UNDECIDED") && text.contains("would probably decide it") {
            return (directory, text);
        }
    }
    panic!("sixteen runs of six short rounds were all decided, or would need too many rounds");
}

#[test]
fn an_undecided_run_names_the_command_to_type() {
    let (directory, text) = undecided(&["--matters", "0.1%"]);
    let command = text.lines().find(|line| line.contains("tiebreak compare a=http://127.0.0.1:"));
    let command = command.unwrap_or_else(|| panic!("{text}")).trim();
    assert!(command.contains("--round 50ms") && command.contains(" --see "), "{command}");
    for left_out in ["--rounds", "--out", "--quiet"] {
        assert!(!command.contains(left_out), "{command}");
    }
    // It is a command that works.
    let words: Vec<&str> = command.split(' ').skip(2).collect();
    let checked = directory.tiebreak(&[&["check"], &words[..]].concat());
    assert_eq!(checked.status.code(), Some(0), "{}", errors(&checked));
    let (directory, text) = undecided(&["--matters", "0.1%", "-H", "X-Key: canary-in-a-header"]);
    assert!(text.contains("the same command with --see "), "{text}");
    assert!(!directory.text("run/journal.jsonl").contains("\"words\""));
}

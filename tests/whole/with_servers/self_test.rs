//! `tiebreak conformance self`: one whole self-test, and how it ends before it has a result. How small
//! a difference a machine finds is a reading of that machine. The rule is tested on journals
//! (src/run/conformance/counting/tests.rs).

use crate::common::running::Running;
use crate::common::{TestDirectory, errors, serve, stdout, url};
use crate::validator;
use crate::web::nginx;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Output, Stdio};
use std::time::Duration;
use testserver::Behaviour;

/// Comparisons of about two seconds.
const SHORT: [&str; 12] = [
    "conformance",
    "self",
    "--rounds",
    "6",
    "--round",
    "100ms",
    "--pilot",
    "200ms",
    "--out",
    "runs",
    "--json",
    "self.json",
];

fn output(directory: &TestDirectory, more: &[&str]) -> Output {
    let words = [&SHORT[..], more].concat();
    let mut command = directory.command(&words);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    Running::new(child).output()
}

/// Returns what was printed first, and the figures, which have their schema.
fn answer(directory: &TestDirectory, output: &Output) -> (String, Value) {
    let stdout = stdout(output);
    let json = directory.json("self.json");
    validator::assert_fits(include_str!("../../../schema/self.v1.json"), &json);
    (stdout.lines().next().unwrap_or_default().trim().to_owned(), json)
}

/// Every comparison as short as it may be, since no result of it is asserted.
const SHORTEST: [&str; 6] = ["--rounds", "6", "--round", "10ms", "--pilot", "10ms"];

#[test]
fn everything_that_a_self_test_leaves_says_the_same() {
    let (served, directory) = (TestDirectory::new(), TestDirectory::new());
    let nginx = nginx(&served);
    let against = nginx.url();
    let words = ["conformance", "self", "--against", &against, "--out", "runs"];
    let words = [&words[..], &["--json", "self.json"], &SHORTEST].concat();
    let mut command = directory.command(&words);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    let output = Running::new(child).output_within(Duration::from_secs(600));
    let (answer, json) = answer(&directory, &output);
    let code = match &json["trusted"] {
        Value::Bool(true) => 0,
        _ if json["alike"]["passed"].is_null() => 3,
        _ => 1,
    };
    assert_eq!(output.status.code(), Some(code), "{}", errors(&output));
    assert_eq!(answer, expected_answer(&json));
    assert_eq!(json["alike"]["against"], against);
    each_comparison_is_counted_as_its_report_says(&directory, &json);
}

/// The answer that these figures call for.
fn expected_answer(json: &Value) -> String {
    let alike = &json["alike"];
    match (&alike["passed"], &json["finds_percent"]) {
        (Value::Bool(true), Value::Null) => "this machine reports no difference between equal \
                                             servers, but found none of the known differences: it \
                                             is too noisy"
            .to_owned(),
        (Value::Bool(true), percent) => {
            let known = json["known"].as_array().expect("known differences");
            let longest = known.iter().map(|one| one["longest_round"].as_f64().expect("a time"));
            let longest = longest.fold(0.0, f64::max);
            let up_to = if Some(longest) > json["round"].as_f64() { "up to " } else { "" };
            format!(
                "this machine can be trusted to find a difference of {percent} % and more in {} \
                 rounds of {up_to}{:.0} ms",
                json["rounds"],
                1000.0 * longest
            )
        }
        (Value::Null, _) => format!(
            "nothing can be said about this machine: the audit refused {} of {} comparisons of a \
             server with itself",
            alike["void"], alike["compared"]
        ),
        _ => format!(
            "this machine cannot be trusted: a server was reported as different from itself in {} \
             of {} comparisons",
            alike["different"], alike["compared"]
        ),
    }
}

fn each_comparison_is_counted_as_its_report_says(directory: &TestDirectory, json: &Value) {
    let verdict = |run: String| {
        let output = directory.tiebreak(&["report", &format!("runs/{run}"), "--json"]);
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let all = report["comparisons"].as_array().expect("comparisons").clone();
        let primary = all.into_iter().find(|one| one["primary"] == true).expect("a primary one");
        primary["verdict"].as_str().expect("a word").to_owned()
    };
    let counted = |words: &[String], word: &str| words.iter().filter(|one| *one == word).count();
    let number = |value: &Value| value.as_u64().expect("a number") as usize;
    let alike = &json["alike"];
    let words: Vec<String> =
        (1..=number(&alike["compared"])).map(|at| verdict(format!("equal-{at:02}"))).collect();
    let different = counted(&words, "faster") + counted(&words, "slower");
    assert_eq!(number(&alike["different"]), different, "{words:?}");
    assert_eq!(number(&alike["void"]), counted(&words, "void"), "{words:?}");
    if alike["passed"] != true {
        return;
    }
    let known = json["known"].as_array().expect("known differences");
    let percents: Vec<&Value> = known.iter().map(|one| &one["percent"]).collect();
    assert_eq!(percents, [10, 3, 1]);
    for one in known {
        let name = |at| format!("slower-by-{}-percent-{at}", one["percent"]);
        let words: Vec<String> = (1..=6).map(|at| verdict(name(at))).collect();
        assert_eq!(number(&one["compared"]), 6);
        assert_eq!(number(&one["found"]), counted(&words, "slower"), "{words:?}");
        assert_eq!(number(&one["wrong"]), counted(&words, "faster"), "{words:?}");
        assert_eq!(number(&one["void"]), counted(&words, "void"), "{words:?}");
    }
}

#[test]
fn refused_comparisons_say_nothing_about_the_machine() {
    let directory = TestDirectory::new();
    let server = serve(Behaviour { status: 404, ..Behaviour::default() });
    let against = url(&server).replace("http://", "http://someone:pa55word@");
    let output = output(&directory, &["--against", &against]);
    assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
    let (answer, json) = answer(&directory, &output);
    assert_eq!(
        answer,
        "nothing can be said about this machine: the audit refused 3 of 3 comparisons of a server \
         with itself"
    );
    let alike = &json["alike"];
    assert_eq!((&alike["void"], &alike["compared"]), (&3.into(), &3.into()));
    assert_eq!((&alike["passed"], &alike["median_width"]), (&Value::Null, &Value::Null));
    let stdout = stdout(&output);
    assert!(stdout.contains("tiebreak audit runs/equal-03"), "{stdout}");
    let audit = directory.tiebreak(&["audit", "runs/equal-03"]);
    assert!(String::from_utf8_lossy(&audit.stdout).contains("void: non_success"));
    // A login is not repeated anywhere.
    assert_eq!(alike["against"], url(&server));
    for text in [stdout, errors(&output), json.to_string()] {
        assert!(!text.contains("pa55word"), "{text}");
    }
}

#[test]
fn a_signal_ends_it_and_nothing_is_said_about_the_machine() {
    let directory = TestDirectory::new();
    let mut command = directory.command(&SHORT);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
    let child = Running::new(child);
    let first = lines.find(|line| line.as_ref().is_ok_and(|line| line.contains("1 of 20")));
    assert!(first.is_some(), "it never compared anything");
    child.signal(libc::SIGINT);
    let output = child.output();
    assert_eq!(output.status.code(), Some(3));
    let (answer, json) = answer(&directory, &output);
    assert_eq!(answer, "stopped before the end: nothing can be said about this machine");
    assert_eq!((&json["stopped"], &json["trusted"]), (&true.into(), &false.into()));
    // The comparison that was under way does not count.
    assert_eq!(json["alike"]["compared"], 1);
    assert_eq!((&json["rounds"], &json["round"]), (&6.into(), &0.1.into()));
    assert_eq!(json["alike"]["against"], Value::Null);
}

#[test]
fn what_cannot_work_is_refused_and_leaves_nothing() {
    let cases: [(&[&str], &str); 6] = [
        (&["--rounds", "5"], "5 is not in 6..=1000"),
        (&["--connections", "0"], "0 is not in 1..=1000"),
        (&["--round", "1ms"], "--round 1 ms is too short"),
        (&["--json", "none/self.json"], "it is in a directory that does not exist"),
        (&["--against", "http://192.0.2.1/"], "192.0.2.1 is a public address"),
        (&["--against", "nonsense"], "there is no recipe `nonsense`"),
    ];
    for (words, named) in cases {
        let directory = TestDirectory::new();
        let output = directory.tiebreak(&[&["conformance", "self"], words].concat());
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(errors(&output).contains(named), "{words:?}: {}", errors(&output));
        assert!(!directory.file("tiebreak-runs").exists(), "{words:?}");
    }
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let closed = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port");
    let directory = TestDirectory::new();
    let output = output(&directory, &["--against", &format!("http://{closed}/")]);
    assert_eq!(output.status.code(), Some(4));
    let said = errors(&output);
    assert!(said.contains("error: one server with itself, 1 of 20: "), "{said}");
    assert!(said.contains(&format!("http://{closed}/")), "{said}");
    assert!(said.contains("refused the connection"), "{said}");
    assert!(!directory.file("self.json").exists());
}

//! `tiebreak conformance self`: how it ends before it has a result. That it finds the known
//! differences is a truth (tests/truths/self_test.rs), since it compares times.

use crate::common::running::Running;
use crate::common::{TestDirectory, errors, serve, url};
use crate::validator;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Output, Stdio};
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
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let json = directory.json("self.json");
    validator::assert_fits(include_str!("../../../schema/self.v1.json"), &json);
    (stdout.lines().next().unwrap_or_default().trim().to_owned(), json)
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
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
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

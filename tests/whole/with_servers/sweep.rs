//! Sweeps as people meet them: directories, reports, refusals, a signal.

use crate::common::processes::wait_at_most;
use crate::common::running::Running;
use crate::common::{TestDirectory, assert_sound, errors, serve, stdout, url};
use crate::validator;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use testserver::{Behaviour, Delay};

/// Short rounds: no figure is tested here.
const SHORT: [&str; 7] = ["--round", "100ms", "--warm-up", "0s", "--pilot", "200ms", "--out"];

fn schema() -> Value {
    serde_json::from_str(include_str!("../../../schema/sweep.v1.json")).expect("the schema is JSON")
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Void, and exit code 3, only for what a busy machine does to a point.
pub(crate) fn is_sound(code: Option<i32>, points: &[Value]) {
    let void = points.iter().any(|point| point["void"] == true);
    assert_eq!(code, Some(if void { 3 } else { 0 }), "{points:#?}");
    for point in points {
        let code = if point["void"] == true { 3 } else { 0 };
        assert_sound(&(code, point.clone()));
    }
}

#[test]
fn a_sweep_is_reported_again_from_its_journals() {
    let directory = TestDirectory::new();
    let server = serve(Behaviour::default());
    let (a, b) = (format!("a={}", url(&server)), format!("b={}", url(&server)));
    let sweep = ["compare", &a, &b, "--sweep", "connections=4,1", "--rounds", "6"];
    let arguments = [&sweep[..], &SHORT[..], &["run", "--json", "copy.json"]].concat();
    let driven = directory.tiebreak(&arguments);
    let stderr = errors(&driven);
    for part in ["sweep: run (2 load points, about", "point 1 of 2, ", "point 2 of 2, "] {
        assert!(stderr.contains(part), "{part}: {stderr}");
    }

    let json = text(&directory.file("run/report.json"));
    let report: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(validator::wrong_by(&schema(), &report), Vec::<String>::new());
    let points = report["points"].as_array().expect("points");
    is_sound(driven.status.code(), points);
    let values: Vec<f64> = points.iter().filter_map(|point| point["value"].as_f64()).collect();
    assert_eq!(values, [1.0, 4.0]);
    for point in points {
        let path = directory.file("run").join(point["folder"].as_str().expect("a directory"));
        let of_point = directory.json(path.join("report.json"));
        let connections = &of_point["plan"]["contenders"][1]["connections"];
        assert_eq!(connections.as_f64(), point["value"].as_f64());
        let figures =
            [&of_point["contenders"][0]["operations"], &point["contenders"][0]["operations"]];
        assert_eq!(figures[0], figures[1]);
        assert!(path.join("report.html").exists());
    }

    let again = |what: &[&str]| directory.tiebreak(&[&["report", "run"], what].concat());
    let same = again(&["--json"]);
    assert_eq!(String::from_utf8_lossy(&same.stdout), json);
    assert_eq!(text(&directory.file("copy.json")), json);
    let page = text(&directory.file("run/report.html"));
    assert_eq!(String::from_utf8_lossy(&again(&["--html"]).stdout), page);
    assert!(page.contains("href=\"connections-4/report.html\""));
    let terminal = again(&[]);
    assert_eq!(terminal.stdout, driven.stdout);
    let audit = directory.tiebreak(&["audit", "run"]);
    for output in [&same, &terminal, &audit] {
        assert_eq!(output.status.code(), driven.status.code());
    }
    let audit = stdout(&audit);
    assert!(audit.contains("connections-1: ") && audit.contains("connections-4: "), "{audit}");

    let twice = directory.tiebreak(&arguments);
    assert_eq!(twice.status.code(), Some(2));
    assert!(errors(&twice).contains("already contains a sweep"), "{}", errors(&twice));

    fs::remove_file(directory.file("run/connections-4/journal.jsonl")).expect("it is there");
    let one: Value = serde_json::from_slice(&again(&["--json"]).stdout).expect("JSON");
    assert_eq!(
        (&one["points"][0]["driven"], &one["points"][1]["driven"]),
        (&true.into(), &false.into())
    );
    assert_eq!(one["bends"][0]["outcome"], "undetermined");
}

#[test]
fn what_cannot_be_a_sweep_leaves_nothing_behind() {
    let directory = TestDirectory::new();
    let table: [(&[&str], &str); 7] = [
        (&["compare", "--sweep", "connections=8"], "a sweep must have 2 to 16 load points"),
        (&["compare", "--sweep", "threads=1,8"], "`threads` cannot be swept"),
        (&["compare", "--sweep", "depth=1,8"], "at depth 1: `a` is not a store"),
        (&["compare", "--sweep", "rate=1k,2k", "--rate", "5k"], "--rate fixes what the sweep"),
        (
            &["compare", "--sweep", "rate=1k,2k", "--markdown", "x.md"],
            "--markdown is not supported for a sweep",
        ),
        (&["compare", "--sweep", "rate=1k,2k", "--require", "p99 < 1 by luck"], "at rate 1000: "),
        (&["run", "--sweep", "connections=1,8"], "`tiebreak run` drives one contender"),
    ];
    for (arguments, message) in table {
        let contenders: &[&str] = &["a=http://127.0.0.1:9/", "b=http://127.0.0.1:9/"];
        let output = directory
            .tiebreak(&[&arguments[..1], contenders, &arguments[1..], &["--out", "run"]].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", errors(&output));
        assert!(errors(&output).contains(message), "{arguments:?}: {}", errors(&output));
        assert!(!directory.file("run").exists(), "{arguments:?}");
    }
}

#[test]
fn an_experiment_file_sweeps_and_check_says_what_it_will_do() {
    let directory = TestDirectory::new();
    let file = "sweep = { rate = [250, \"1k/s\"] }\nrounds = 6\n\
                contender.a.url = \"http://127.0.0.1:9/\"\ncontender.b.url = \"http://127.0.0.1:9/\"\n";
    fs::write(directory.file("e.toml"), file).expect("writes");
    let output = directory.tiebreak(&["check", "e.toml"]);
    let stdout = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(stdout.starts_with("file e.toml\n  contents:\n    sweep.rate = [250, "), "{stdout}");
    assert!(stdout.contains("\nsweep of rate: 250, 1000; takes about "), "{stdout}");
    assert!(stdout.contains("at rate 250:") && stdout.contains("250 /s at equal gaps"), "{stdout}");
}

#[test]
fn check_says_what_a_sweep_of_one_target_will_do() {
    let directory = TestDirectory::new();
    let file = "sweep = { connections = [1, 4, 16] }\nrounds = 6\nround = \"1s\"\n\
                contender.a.url = \"http://127.0.0.1:9/\"\n";
    fs::write(directory.file("e.toml"), file).expect("writes");
    for words in [
        &["check", "e.toml"][..],
        &[
            "check",
            "a=http://127.0.0.1:9/",
            "--sweep",
            "connections=1,4,16",
            "--rounds",
            "6",
            "--round",
            "1s",
        ],
    ] {
        let output = directory.tiebreak(words);
        let stdout = stdout(&output);
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        for text in [
            "sweep of connections of one target (`tiebreak run`): 1, 4, 16; every round drives each \
             of them once, in random order; takes about ",
            "6 rounds of 1 s",
            "up to which load throughput grows, confidence 95 %",
            "connections-4  http://127.0.0.1:9/",
            "load    16 connections, persistent",
            "nothing was launched and nothing was sent",
        ] {
            assert!(stdout.replace('\u{a0}', " ").contains(text), "{text}: {stdout}");
        }
        assert!(!stdout.contains("verdict on"), "{stdout}");
    }
}

#[test]
fn a_signal_ends_the_sweep_and_what_is_there_is_reported() {
    let directory = TestDirectory::new();
    let server = serve(Behaviour::default());
    let (a, b) = (format!("a={}", url(&server)), format!("b={}", url(&server)));
    let sweep = ["compare", &a, &b, "--sweep", "connections=1,2,4", "--rounds", "600"];
    let mut command = directory.command(&[&sweep[..], &SHORT[..], &["run"]].concat());
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = Running::new(command.spawn().expect("starts"));
    let journal = || {
        let directories = ["connections-1", "connections-2", "connections-4"].into_iter();
        directories
            .map(|it| directory.file("run").join(it).join("journal.jsonl"))
            .find(|it| it.exists())
    };
    let in_rounds =
        |file: &Path| fs::read_to_string(file).is_ok_and(|it| it.contains("\"round\":2,"));
    wait_at_most(Duration::from_secs(60), "a second round", || {
        journal().is_some_and(|file| in_rounds(&file))
    });
    child.signal(libc::SIGTERM);
    let output = child.output();
    let report = directory.json("run/report.json");
    let points = report["points"].as_array().expect("points");
    let driven: Vec<&Value> = points.iter().filter(|point| point["driven"] == true).collect();
    let [only] = driven.as_slice() else { panic!("{points:#?}") };
    is_sound(output.status.code(), std::slice::from_ref(*only));
    assert_eq!((&only["end"]["reason"], &only["turn"]), (&"stopped".into(), &1.into()));
    let stdout = stdout(&output);
    assert!(stdout.contains("not driven") && stdout.contains("stopped before the end"), "{stdout}");
}

/// A server that answers after 10 ms, however many ask: throughput is as many times larger as
/// there are connections. Other tests run beside this one, and what they delay is short against
/// that.
#[test]
fn the_load_points_of_one_target_are_driven_in_every_round() {
    let directory = TestDirectory::new();
    let server =
        serve(Behaviour { delay: Delay::Fixed(Duration::from_millis(10)), ..Behaviour::default() });
    let url = url(&server);
    let sweep = ["run", &url, "--sweep", "connections=4,1", "--rounds", "6"];
    let short = ["--round", "400ms", "--warm-up", "100ms", "--out", "run"];
    let driven = directory.tiebreak(&[&sweep[..], &short].concat());
    let report = directory.json("run/report.json");
    let points = report["sweep"]["points"].as_array().expect("points");
    let values: Vec<f64> = points.iter().filter_map(|point| point["value"].as_f64()).collect();
    assert_eq!(values, [1.0, 4.0], "{}", errors(&driven));
    let [step] = &report["sweep"]["steps"].as_array().expect("steps")[..] else {
        panic!("one step: {}", report["sweep"])
    };
    // Four, unless a busy machine disturbs rounds; it is always at least "grown".
    assert_eq!(step["change"], "grows", "{step}");
    let ratio = step["throughput"]["value"].as_f64().expect("a ratio");
    assert!((3.0..5.0).contains(&ratio), "{step}");
    assert_eq!(report["sweep"]["limit"]["outcome"], "not_reached", "{}", report["sweep"]["limit"]);

    let again = directory.tiebreak(&["report", "run"]);
    assert_eq!(again.status.code(), driven.status.code(), "{}", errors(&again));
    let stderr = errors(&directory.tiebreak(&["run", &url, "--rounds", "6"]));
    assert!(stderr.contains("`tiebreak run` has none"), "{stderr}");
}

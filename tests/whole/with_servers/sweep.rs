//! Sweeps as people meet them: one run, its reports, refusals, a signal.

use crate::common::processes::wait_at_most;
use crate::common::running::Running;
use crate::common::{TestDirectory, assert_sound, errors, serve, stdout, url};
use crate::validator;
use serde_json::Value;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use testserver::{Behaviour, Delay};

/// Short rounds: no figure is tested here.
const SHORT: [&str; 7] = ["--round", "100ms", "--warm-up", "0s", "--pilot", "200ms", "--out"];

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn levels(report: &Value) -> &Vec<Value> {
    report["sweep"]["levels"].as_array().expect("load points")
}

/// The values of the load points.
fn values(report: &Value) -> Vec<f64> {
    levels(report).iter().filter_map(|level| level["value"].as_f64()).collect()
}

#[test]
fn a_sweep_is_one_run_that_is_reported_again_from_its_journal() {
    let directory = TestDirectory::new();
    let server = serve(Behaviour::default());
    let (a, b) = (format!("a={}", url(&server)), format!("b={}", url(&server)));
    let sweep = ["compare", &a, &b, "--sweep", "connections=4,1", "--rounds", "8"];
    let more = ["run", "--json", "copy.json", "--markdown", "copy.md", "--junit", "copy.xml"];
    let arguments = [&sweep[..], &SHORT[..], &more].concat();
    let driven = directory.tiebreak(&arguments);
    let stderr = errors(&driven);
    assert!(stderr.contains("run: run (about"), "{stderr}");

    let json = text(&directory.file("run/report.json"));
    let report: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(validator::wrong(&report), Vec::<String>::new());
    assert_sound(&(driven.status.code().expect("a code"), report.clone()));
    assert_eq!(values(&report), [1.0, 4.0]);
    let contenders = report["contenders"].as_array().expect("contenders");
    let names: Vec<&str> = contenders.iter().filter_map(|of| of["name"].as_str()).collect();
    let wanted = ["a@connections-1", "b@connections-1", "a@connections-4", "b@connections-4"];
    assert_eq!(names, wanted);
    for (contender, connections) in [(0, 1), (1, 1), (2, 4), (3, 4)] {
        let planned = &report["plan"]["contenders"][contender]["connections"];
        assert_eq!(planned.as_u64(), Some(connections));
        let operations = report["contenders"][contender]["operations"].as_u64();
        assert!(operations.is_some_and(|of| of > 0), "{contender}");
    }
    // Each is compared at its load point only.
    let primaries = report["comparisons"].as_array().expect("comparisons");
    let primaries = primaries.iter().filter(|of| of["primary"] == true);
    let pairs: Vec<_> = primaries.map(|of| [&of["a"], &of["b"]]).collect();
    assert_eq!(pairs, [[wanted[0], wanted[1]], [wanted[2], wanted[3]]]);
    assert_eq!(report["complete_rounds"], 8);
    let journals = fs::read_dir(directory.file("run")).expect("a directory").flatten();
    let journals = journals.filter(|entry| entry.file_name().to_string_lossy().contains("journal"));
    assert_eq!(journals.count(), 1, "one journal for all load points");

    let again = |what: &[&str]| directory.tiebreak(&[&["report", "run"], what].concat());
    let same = again(&["--json"]);
    assert_eq!(String::from_utf8_lossy(&same.stdout), json);
    for (flag, copy) in
        [("--json", "copy.json"), ("--markdown", "copy.md"), ("--junit", "copy.xml")]
    {
        let output = again(&[flag]);
        assert_eq!(text(&directory.file(copy)), String::from_utf8_lossy(&output.stdout));
    }
    let markdown = text(&directory.file("copy.md"));
    assert!(markdown.contains("Load points of `a`:") && markdown.contains("Load points of `b`:"));
    let page = text(&directory.file("run/report.html"));
    assert_eq!(String::from_utf8_lossy(&again(&["--html"]).stdout), page);
    let terminal = again(&[]);
    assert_eq!(terminal.stdout, driven.stdout);
    assert!(stdout(&terminal).contains("sweep of connections: 1, 4"), "{}", stdout(&terminal));
    let audit = directory.tiebreak(&["audit", "run"]);
    for output in [&same, &terminal, &audit] {
        assert_eq!(output.status.code(), driven.status.code());
    }

    let twice = directory.tiebreak(&arguments);
    assert_eq!(twice.status.code(), Some(2));
    assert!(errors(&twice).contains("already contains a journal"), "{}", errors(&twice));
}

/// A server that answers after a millisecond, with an error if more than two requests are waiting.
fn overwhelmed_by_three() -> String {
    let waiting = AtomicU32::new(0);
    let address = protocol::testing::serve(move |connection| answer_all(connection, &waiting));
    format!("http://{address}/")
}

/// Ends when the connection is closed.
fn answer_all(mut connection: TcpStream, waiting: &AtomicU32) {
    let mut request = Vec::new();
    let mut part = [0; 1000];
    while let Ok(read @ 1..) = connection.read(&mut part) {
        request.extend_from_slice(&part[..read]);
        if !request.ends_with(b"\r\n\r\n") {
            continue;
        }
        request.clear();
        let others = waiting.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(1));
        waiting.fetch_sub(1, Ordering::Relaxed);
        let status = if others > 1 { "503 Busy" } else { "200 OK" };
        let reply = format!("HTTP/1.1 {status}\r\nContent-Length: 5\r\n\r\nhello");
        if connection.write_all(reply.as_bytes()).is_err() {
            return;
        }
    }
}

#[test]
fn a_void_load_point_leaves_the_others_their_verdicts() {
    let directory = TestDirectory::new();
    let (a, b) = (format!("a={}", overwhelmed_by_three()), format!("b={}", overwhelmed_by_three()));
    let sweep = ["compare", &a, &b, "--sweep", "connections=1,8", "--rounds", "8", "--verbose"];
    let more = ["run", "--require", "b/a throughput >= 0.1"];
    let driven = directory.tiebreak(&[&sweep[..], &SHORT[..], &more].concat());
    let report = directory.json("run/report.json");
    assert_eq!(driven.status.code(), Some(3), "that of the worst load point");
    let void: Vec<&Value> = levels(&report).iter().map(|level| &level["void"]).collect();
    assert_eq!((void, &report["void"]), (vec![&false.into(), &true.into()], &false.into()));
    let rules: Vec<&Value> =
        levels(&report).iter().map(|level| &level["headline"]["status"]).collect();
    assert_eq!(rules[1], "does_not_stand");
    assert_ne!(rules[0], "does_not_stand");
    let comparisons = report["comparisons"].as_array().expect("comparisons");
    let primaries: Vec<&Value> = comparisons.iter().filter(|of| of["primary"] == true).collect();
    assert_ne!(primaries[0]["verdict"], "void", "{:#}", primaries[0]);
    assert_eq!(primaries[1]["verdict"], "void", "{:#}", primaries[1]);
    let met: Vec<&Value> = report["requirements"]
        .as_array()
        .expect("one at each load point")
        .iter()
        .map(|of| &of["status"])
        .collect();
    assert_eq!(met, ["met", "undetermined"], "{:#}", report["requirements"]);
    for target in ["a", "b"] {
        let bends = report["sweep"]["bends"].as_array().expect("bends");
        let bend = bends.iter().find(|bend| bend["contender"] == target).expect("its curve");
        assert_eq!(bend["outcome"], "undetermined", "of one sound load point: {bend}");
    }
    for output in [stdout(&driven), stdout(&directory.tiebreak(&["report", "run"]))] {
        assert!(output.contains("VOID at connections 8: no verdict there"), "{output}");
    }
    let page = text(&directory.file("run/report.html"));
    assert!(page.contains("<title>VOID in part: Sweep of connections: 1, 8"));
}

/// A sweep with these words, in its third round.
fn in_a_third_round(directory: &TestDirectory, sweep: &[&str]) -> Running {
    let mut command = directory.command(&[sweep, &SHORT[..], &["run"]].concat());
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = Running::new(command.spawn().expect("starts"));
    let journal = directory.file("run/journal.jsonl");
    wait_at_most(Duration::from_secs(60), "a third round", || {
        fs::read_to_string(&journal).is_ok_and(|it| it.contains("\"round\":3,"))
    });
    child
}

/// A target that ends takes its load points along, and the run goes on with those of the other one.
#[test]
fn a_target_that_is_killed_leaves_and_the_other_is_driven_to_the_end() {
    let directory = TestDirectory::new();
    let us = env!("CARGO_BIN_EXE_tiebreak");
    let server = format!("exec \"{us}\" testserver --listen 127.0.0.1:{{port}} --delay 1ms");
    let pid = directory.file("pid").display().to_string();
    let launch = |before: &str| format!("launch = ['sh', '-c', '{before} {server}']\n");
    let file = format!(
        "[contender.a]\n{}[contender.b]\n{}",
        launch(""),
        launch(&format!("echo $$ > {pid};"))
    );
    fs::write(directory.file("e.toml"), file).expect("writes");
    let sweep = ["compare", "e.toml", "--sweep", "connections=1,2", "--rounds", "20"];
    let child = in_a_third_round(&directory, &sweep);
    let killed =
        std::process::Command::new("kill").args(["-9", text(Path::new(&pid)).trim()]).status();
    assert!(killed.expect("kill runs").success(), "it still ran");
    let output = child.output();
    assert_eq!(output.status.code(), Some(4), "{}", errors(&output));
    assert!(errors(&output).contains("leaves the sweep: "), "{}", errors(&output));
    let report = directory.json("run/report.json");
    assert_eq!(
        (&report["end"]["reason"], &report["complete_rounds"]),
        (&"complete".into(), &20.into())
    );
    for contender in report["contenders"].as_array().expect("contenders") {
        let is_of_b = contender["name"].as_str().is_some_and(|name| name.starts_with("b@"));
        assert_eq!(contender["withdrawn"].is_string(), is_of_b, "{}", contender["name"]);
    }
    let again = directory.tiebreak(&["report", "run"]);
    assert_eq!((again.status.code(), &again.stdout), (Some(4), &output.stdout));
}

#[test]
fn the_directory_of_an_old_sweep_says_how_to_read_its_parts() {
    let directory = TestDirectory::new();
    let old = directory.file("old");
    for part in ["connections-1", "connections-8"] {
        fs::create_dir_all(old.join(part)).expect("a directory");
        fs::write(old.join(part).join("journal.jsonl"), "").expect("writes");
    }
    fs::write(old.join("sweep.json"), "{}").expect("writes");
    for command in ["report", "audit"] {
        let output = directory.tiebreak(&[command, "old"]);
        let stderr = errors(&output);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        for said in ["is a sweep of an earlier version", "tiebreak report old/connections-1\n"] {
            assert!(stderr.contains(said), "{said}: {stderr}");
        }
        assert!(stderr.contains("tiebreak report old/connections-8"), "{stderr}");
    }
    let server = "http://127.0.0.1:9/";
    let output = directory.tiebreak(&["run", server, "--out", "old"]);
    assert!(errors(&output).contains("already contains a sweep"), "{}", errors(&output));
}

#[test]
fn what_cannot_be_a_sweep_leaves_nothing_behind() {
    let directory = TestDirectory::new();
    let table: [(&[&str], &str); 6] = [
        (&["compare", "--sweep", "connections=8"], "a sweep must have 2 to 16 load points"),
        (&["compare", "--sweep", "threads=1,8"], "`threads` cannot be swept"),
        (&["compare", "--sweep", "depth=1,8"], "at depth 1: `a` is not a store"),
        (&["compare", "--sweep", "rate=1k,2k", "--rate", "5k"], "--rate fixes what the sweep"),
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
    let file = "sweep = { rate = [250, \"1k/s\"] }\nrounds = 8\n\
                contender.a.url = \"http://127.0.0.1:9/\"\ncontender.b.url = \"http://127.0.0.1:9/\"\n";
    fs::write(directory.file("e.toml"), file).expect("writes");
    let output = directory.tiebreak(&["check", "e.toml"]);
    let stdout = stdout(&output).replace('\u{a0}', " ");
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(stdout.starts_with("file e.toml\n  contents:\n    sweep.rate = [250, "), "{stdout}");
    for said in [
        "\nsweep of rate: 250, 1000; every round drives all of them, in random order\n",
        "\na@rate-250  http://127.0.0.1:9/",
        "\nb@rate-1000  http://127.0.0.1:9/",
        "250 /s at equal gaps",
        "1 k/s at equal gaps",
        "verdict on response_time.p50",
    ] {
        assert!(stdout.contains(said), "{said}: {stdout}");
    }
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
            "sweep of connections of one target (`tiebreak run`): 1, 4, 16; every round drives all \
             of them, in random order\n",
            "takes about ",
            "6 rounds of 1 s",
            "where the curve bends, confidence 95 %",
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
fn a_signal_ends_the_sweep_and_every_load_point_is_reported() {
    let directory = TestDirectory::new();
    let server = serve(Behaviour::default());
    let (a, b) = (format!("a={}", url(&server)), format!("b={}", url(&server)));
    let sweep = ["compare", &a, &b, "--sweep", "connections=1,2,4", "--rounds", "600"];
    let child = in_a_third_round(&directory, &sweep);
    child.signal(libc::SIGTERM);
    let output = child.output();
    let report = directory.json("run/report.json");
    assert_sound(&(output.status.code().expect("a code"), report.clone()));
    assert_eq!(report["end"]["reason"], "stopped");
    assert_eq!(values(&report), [1.0, 2.0, 4.0]);
    let points = report["sweep"]["points"].as_array().expect("points");
    assert_eq!(points.len(), 6);
    assert!(points.iter().all(|point| point["throughput"]["value"].is_number()), "{points:#?}");
    assert!(stdout(&output).contains("stopped before the end"), "{}", stdout(&output));
}

/// A server that answers after 10 ms, however many ask: throughput is as many times larger as
/// there are connections. Other tests run beside this one, and what they delay is short against
/// that.
#[test]
fn the_load_points_of_one_target_are_driven_in_every_round() {
    let directory = TestDirectory::new();
    // So long that what a reply waits for a core on a busy machine hardly adds to it.
    let server =
        serve(Behaviour { delay: Delay::Fixed(Duration::from_millis(25)), ..Behaviour::default() });
    let url = url(&server);
    let sweep = ["run", &url, "--sweep", "connections=4,1", "--rounds", "6"];
    let short = ["--round", "500ms", "--warm-up", "100ms", "--out", "run"];
    let driven = directory.tiebreak(&[&sweep[..], &short].concat());
    let report = directory.json("run/report.json");
    let points = report["sweep"]["points"].as_array().expect("points");
    let loads: Vec<f64> = points.iter().filter_map(|point| point["value"].as_f64()).collect();
    assert_eq!(loads, [1.0, 4.0], "{}", errors(&driven));
    let [step] = &report["sweep"]["steps"].as_array().expect("steps")[..] else {
        panic!("one step: {}", report["sweep"])
    };
    let ratio = step["throughput"]["value"].as_f64().expect("a ratio");
    assert!((3.0..5.0).contains(&ratio), "{step}");
    // Four, unless a busy machine disturbs rounds; it is always more than two, where the curve would bend.
    assert!(step["throughput"]["low"].as_f64().is_some_and(|low| low > 2.0), "{step}");
    assert_eq!(report["sweep"]["bends"][0]["outcome"], "not_up_to", "{}", report["sweep"]["bends"]);

    let again = directory.tiebreak(&["report", "run"]);
    assert_eq!(again.status.code(), driven.status.code(), "{}", errors(&again));
    let stderr = errors(&directory.tiebreak(&["run", &url, "--rounds", "6"]));
    assert!(stderr.contains("`tiebreak run` has none"), "{stderr}");
}

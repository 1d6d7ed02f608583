//! The command as people use it: messages, exit codes, directories. It runs against a server of
//! this file, which knows one reply.

use crate::common::TestDirectory;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Command, Output};

/// Answers everything with `reply` until the test's process ends.
fn serve(reply: &'static str) -> SocketAddr {
    protocol::testing::serve(move |connection| _ = answer(connection, reply))
}

fn answer(connection: TcpStream, reply: &str) -> Option<()> {
    let mut reader = BufReader::new(connection.try_clone().ok()?);
    let mut writer = connection;
    loop {
        let mut body = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).ok()? == 0 {
                return None;
            }
            if let Some(length) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                body = length.trim().parse().ok()?;
            }
            if line == "\r\n" {
                break;
            }
        }
        reader.read_exact(&mut vec![0; body]).ok()?;
        writer.write_all(reply.as_bytes()).ok()?;
    }
}

const PAGE: &str = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
const MISSING: &str = "HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\nsorry";

struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Ran {
    fn of(output: Output) -> Ran {
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

fn run(directory: &TestDirectory, words: &[&str]) -> Ran {
    Ran::of(directory.tiebreak(words))
}

/// A short run of one contender.
const SHORT: [&str; 6] = ["-c", "2", "--duration", "200ms", "--warm-up", "20ms"];

fn short<'a>(words: &[&'a str]) -> Vec<&'a str> {
    words.iter().chain(&SHORT).copied().collect()
}

#[test]
fn what_cannot_be_understood_exits_with_2_and_names_the_remedy() {
    let directory = TestDirectory::new();
    let table: &[(&[&str], &str)] = &[
        (
            &["compare", "a=http://127.0.0.1:1/"],
            "error: a comparison requires at least two contenders; for one use `tiebreak run URL`\n",
        ),
        (
            &["compare", "localhost:1", "b=http://127.0.0.1:1/"],
            "error: contender 1: `localhost:1` is not an address: did you mean `http://localhost:1/`?\n",
        ),
        (
            &["compare", "experiment.toml", "b=http://127.0.0.1:1/"],
            "error: the file experiment.toml cannot be read: No such file or directory (os error 2)\n",
        ),
        (
            &["run", "http://127.0.0.1:1/", "http://u:CANARY@127.0.0.1:2/"],
            "error: `tiebreak run` drives one contender; to compare several use `tiebreak compare`\n",
        ),
        (
            &["run", "http://u:CANARY@127.0.0.1:x/"],
            "error: the port `x` is not a number from 1 to 65535\n",
        ),
        (
            &["run", "http://127.0.0.1:1/", "-H", "CANARY"],
            "error: -H, number 1: write a header as 'Name: value'\n",
        ),
        (
            &["run", "http://127.0.0.1:1/", "-d", "@/no/such"],
            "error: -d: the file /no/such cannot be read: No such file or directory (os error 2)\n",
        ),
        (
            &["run", "http://8.8.8.8/"],
            "error: 8.8.8.8 is a public address: put load only on servers that you are allowed to \
             load, and confirm it with --allow-public\n",
        ),
        (
            &["run", "http://169.254.169.254/"],
            "error: 169.254.169.254 is a public address: put load only on servers that you are \
             allowed to load, and confirm it with --allow-public\n",
        ),
        (
            &["run", "http://127.0.0.1:1/", "--json", "-", "--html", "-"],
            "error: --json and --html cannot both go to standard output: name a file for one\n",
        ),
        (
            &["report", "nowhere"],
            "error: the run nowhere was not found: pass the directory of a run, such as one under \
             tiebreak-runs/\n",
        ),
        (
            &["explain", "nosuchrule"],
            "error: there is no rule `nosuchrule`; `tiebreak explain` lists all\n",
        ),
    ];
    for (words, message) in table {
        let ran = run(&directory, words);
        assert_eq!((ran.code, ran.err.as_str()), (Some(2), *message), "{words:?}");
        assert_eq!(ran.out, "", "{words:?}");
    }
    assert_eq!(fs::read_dir(directory.path()).expect("readable").count(), 0, "nothing was created");
}

#[test]
fn clap_names_the_argument_and_the_remedy() {
    let directory = TestDirectory::new();
    for (words, parts) in [
        (&["run", "http://h/", "--timeout", "5"][..], ["--timeout", "write 5s or 5ms"]),
        (&["run", "http://h/", "--timeuot", "5s"], ["--timeuot", "--timeout"]),
        (&["compare", "a", "b", "--rate", "fast"], ["--rate", "5k/s, 1000/s or 250"]),
        (&["compare", "a", "b", "--matters", "1"], ["--matters", "write 1%"]),
        (
            &["compare", "a", "b", "--interleave", "slice"],
            ["--interleave", "did you mean `slices`?"],
        ),
        (&["compare"], ["required", "[NAME=]URL"]),
        (&["run", "http://h/", "-d", "5s"], ["did you mean --duration 5s?", "--data=5s"]),
        (&["report"], ["no run in tiebreak-runs/", "name the directory"]),
        (&["audit"], ["no run in tiebreak-runs/", "name the directory"]),
        (&["compair"], ["compair", "compare"]),
    ] {
        let ran = run(&directory, words);
        assert_eq!(ran.code, Some(2), "{words:?}");
        for part in parts {
            assert!(ran.err.contains(part), "{words:?}: {}", ran.err);
        }
    }
    for words in [["--version"], ["--help"]] {
        assert_eq!(run(&directory, &words).code, Some(0));
    }
}

#[test]
fn a_target_that_is_not_there_exits_with_4_and_is_named() {
    let directory = TestDirectory::new();
    let closed = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port");
    let url = format!("gone=http://{closed}/");
    let ran = run(&directory, &short(&["run", &url, "--out", "R", "-q"]));
    assert_eq!(ran.code, Some(4));
    assert_eq!(
        ran.err,
        format!("error: `gone` (http://{closed}/) is not ready: it refused the connection\n")
    );
    for again in ["report", "audit"] {
        assert_eq!(run(&directory, &[again, "R"]).code, Some(4), "{again}");
    }
}

#[test]
fn a_run_leaves_its_directory_and_its_report_can_be_made_again() {
    let directory = TestDirectory::new();
    let url = format!("http://{}/", serve(PAGE));
    let copies = ["--html", "page.html", "--markdown", "summary.md", "--junit", "checks.xml"];
    let ran = run(&directory, &short(&[&["run", &url][..], &copies].concat()));
    let runs: Vec<_> = fs::read_dir(directory.file("tiebreak-runs"))
        .expect("runs")
        .map(|entry| entry.expect("readable").file_name().into_string().expect("text"))
        .collect();
    let [name] = runs.as_slice() else { panic!("{runs:?}") };
    assert!(ran.err.contains(&format!("run: tiebreak-runs/{name} ")), "{}", ran.err);
    let path = format!("tiebreak-runs/{name}");
    let json = directory.file(&path).join("report.json");
    let copies = copies.chunks_exact(2).map(|copy| (copy[0], directory.file(copy[1])));
    for (flag, file) in copies.chain([("--json", json)]) {
        let made = fs::read_to_string(&file).expect("a report");
        let again = run(&directory, &["report", &path, flag]);
        assert_eq!(again.out, made, "{flag}");
        assert_eq!(again.code, ran.code);
        // Without a directory it is the newest one, which is named elsewhere.
        let newest = run(&directory, &["report", flag]);
        assert_eq!((newest.out, newest.err), (made.clone(), format!("run: {path}\n")));
        let copied = run(&directory, &["report", &path, flag, "copy"]);
        assert_eq!((copied.code, copied.out.as_str()), (ran.code, ""));
        assert_eq!(fs::read_to_string(directory.file("copy")).expect("a copy"), made);
    }
    assert_eq!(run(&directory, &["audit", &path]).code, ran.code);
    // The terminal shows what fits on a screen, and everything with --verbose.
    let report = run(&directory, &["report", &path]);
    assert_eq!(report.out, ran.out);
    assert!(report.out.contains(&format!("report   {path}/report.json\n")), "{}", report.out);
    let verbose = run(&directory, &["report", &path, "--verbose"]);
    assert!(report.out.lines().count() <= 24, "{}", report.out);
    let own = "our CPU/op by itself";
    assert!(!report.out.contains(own) && verbose.out.contains(own), "{}", verbose.out);
}

#[test]
fn json_on_standard_output_stands_alone() {
    let directory = TestDirectory::new();
    let url = format!("http://{}/", serve(PAGE));
    let ran = run(&directory, &short(&["run", &url, "--json", "-", "--out", "R"]));
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("nothing but JSON");
    assert_eq!(report["schema"], "tiebreak.report/1");
    assert!(ran.err.contains("audit:"), "the report for people goes elsewhere: {}", ran.err);
    let twice = run(&directory, &short(&["run", &url, "--out", "R"]));
    assert_eq!(twice.code, Some(2));
    assert!(twice.err.contains("already contains a journal"), "{}", twice.err);
}

#[test]
fn replies_that_are_errors_are_ready_and_void() {
    let directory = TestDirectory::new();
    let url = format!("http://{}/", serve(MISSING));
    let ran = run(&directory, &short(&["run", &url, "--out", "R", "-q"]));
    assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
    // It is written nevertheless.
    assert_eq!(directory.json("R/report.json")["void"], true);
    assert_eq!(run(&directory, &["report", "R"]).code, Some(3));
    let expected = run(&directory, &short(&["run", &url, "--out", "E", "-q", "--expect", "404"]));
    assert_eq!(expected.code, Some(0), "{}{}", expected.out, expected.err);
    let report = directory.json("E/report.json");
    assert_eq!(report["void"], false);
    assert!(!report["findings"].to_string().contains("non_success"), "{}", expected.out);
}

#[test]
fn a_secret_is_found_nowhere() {
    let directory = TestDirectory::new();
    let address = serve(PAGE);
    let (a, b) = (
        format!("a=http://me:CANARY@{address}/p?token=CANARY"),
        format!("b=http://{address}/p?CANARY"),
    );
    let words = [
        "compare",
        &a,
        &b,
        "-H",
        "X-Key: CANARY",
        "-d",
        "CANARY",
        "--set",
        "b.header=Y: CANARY",
        "-c",
        "1",
        "--rounds",
        "6",
        "--round",
        "50ms",
        "--slice",
        "25ms",
        "--pilot",
        "200ms",
        "--warm-up",
        "20ms",
        "--out",
        "R",
    ];
    let ran = run(&directory, &words);
    // `me:CANARY` as Basic authorization has it.
    let secrets = ["CANARY", "bWU6Q0FOQVJZ"];
    let mut places = vec![("stdout".to_owned(), ran.out), ("stderr".to_owned(), ran.err)];
    for entry in fs::read_dir(directory.file("R")).expect("a run") {
        let path = entry.expect("readable").path();
        places.push((path.display().to_string(), fs::read_to_string(&path).expect("text")));
    }
    assert_eq!(places.len(), 5, "journal and two reports");
    for (name, text) in &places {
        assert!(secrets.iter().all(|secret| !text.contains(secret)), "{name}");
    }
    assert!(places.iter().any(|(_, text)| text.contains("token=…")));
}

#[test]
fn rules_are_explained() {
    let directory = TestDirectory::new();
    let all = run(&directory, &["explain"]);
    assert_eq!(all.code, Some(0));
    let name = all.out.lines().nth(2).and_then(|line| line.split(' ').next()).expect("a rule");
    let one = run(&directory, &["explain", name]);
    assert_eq!(one.code, Some(0));
    assert!(one.out.starts_with(name) && one.out.contains("why:"), "{}", one.out);
}

#[test]
fn completions_are_accepted_by_bash_and_complete() {
    let directory = TestDirectory::new();
    let script = run(&directory, &["completions", "bash"]);
    assert_eq!((script.code, script.err.as_str()), (Some(0), ""));
    fs::write(directory.file("tiebreak.bash"), &script.out).expect("scratch");
    let bash = |words: &str| {
        let mut command = Command::new("bash");
        command.args(["--norc", "-c", words]).current_dir(directory.path());
        Ran::of(command.output().expect("bash runs"))
    };
    let checked = bash("bash -n tiebreak.bash");
    assert_eq!((checked.code, checked.err.as_str()), (Some(0), ""));
    for (typed, wanted, unwanted) in [
        ("tiebreak com", &["compare", "completions"][..], "run"),
        ("tiebreak run --dur", &["--duration"], "--rate"),
        ("tiebreak completions z", &["zsh"], "bash"),
    ] {
        let words: Vec<&str> = typed.split(' ').collect();
        let (last, before) = (words[words.len() - 1], words[words.len() - 2]);
        let completed = bash(&format!(
            "source ./tiebreak.bash; COMP_WORDS=({typed}); COMP_CWORD={}
             _tiebreak tiebreak {last} {before}; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            words.len() - 1
        ));
        assert_eq!(completed.code, Some(0), "{typed}: {}", completed.err);
        let found: Vec<&str> = completed.out.lines().collect();
        assert!(wanted.iter().all(|word| found.contains(word)), "{typed}: {found:?}");
        assert!(!found.contains(&unwanted), "{typed}: {found:?}");
    }
}

#[test]
fn every_shell_has_its_completions() {
    let directory = TestDirectory::new();
    for shell in ["zsh", "fish", "elvish", "powershell"] {
        let script = run(&directory, &["completions", shell]);
        assert_eq!(script.code, Some(0), "{shell}");
        for word in ["compare", "testserver", "duration"] {
            assert!(script.out.contains(word), "{shell} does not know {word}");
        }
    }
    assert_eq!(run(&directory, &["completions", "ksh"]).code, Some(2));
}

#[test]
fn manual_pages_are_installed_together() {
    let directory = TestDirectory::new();
    fs::create_dir(directory.file("man1")).expect("scratch");
    assert_eq!(run(&directory, &["man", "--dir", "man1"]).code, Some(0));
    for name in ["tiebreak", "tiebreak-compare", "tiebreak-testserver", "tiebreak-man"] {
        let page = fs::read_to_string(directory.file("man1").join(format!("{name}.1")));
        assert!(page.is_ok_and(|page| page.contains(".SH SYNOPSIS")), "{name}");
    }
    let nowhere = run(&directory, &["man", "--dir", "no"]);
    assert_eq!(nowhere.code, Some(2));
    assert_eq!(
        nowhere.err,
        "error: --dir no: the directory does not exist; create it with mkdir -p\n"
    );
    assert_eq!(run(&directory, &["man", "compair"]).code, Some(2));
}

#[test]
fn the_seed_is_drawn_for_each_run_and_printed_unless_it_is_named() {
    let directory = TestDirectory::new();
    let url = format!("http://{}/", serve(PAGE));
    let seed = |more: &[&str], path: &str| {
        let words = [&short(&["run", &url, "--out", path])[..], more].concat();
        let ran = run(&directory, &words);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let report = directory.json(format!("{path}/report.json"));
        let seed = report["plan"]["seed"].as_u64().expect("a seed");
        assert!(ran.err.contains(&format!("seed {seed})")), "it is printed: {}", ran.err);
        seed
    };
    // Two random seeds are equal once in four thousand million runs.
    assert_ne!(seed(&[], "a"), seed(&[], "b"));
    assert_eq!(seed(&["--seed", "17"], "c"), 17);
    let check = |seed: &str| {
        let text = format!("{seed}\n[contender.a]\nurl = '{url}'\n[contender.b]\nurl = '{url}'\n");
        fs::write(directory.file("e.toml"), text).expect("a file");
        run(&directory, &["check", "e.toml"]).out
    };
    let shown = check("");
    assert!(shown.contains("a seed drawn for each run"), "{shown}");
    let shown = check("seed = 17");
    assert!(shown.contains(", seed 17"), "{shown}");
}

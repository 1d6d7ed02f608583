//! The command as people meet it: messages, exit codes, folders. Against a
//! server of this file, which knows one reply.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Answers everything with `reply` until the test's process ends.
fn serve(reply: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            std::thread::spawn(move || answer(connection, reply));
        }
    });
    address
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

/// A current directory of its own for each test.
struct Place(PathBuf);

impl Place {
    fn new() -> Place {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("tiebreak-cli-{}-{next}", std::process::id()));
        fs::create_dir_all(&path).expect("a scratch folder");
        Place(path)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tiebreak"));
        command.args(words).current_dir(&self.0);
        command
    }

    fn run(&self, words: &[&str]) -> Ran {
        Ran::of(self.command(words).output().expect("the command runs"))
    }

    fn start(&self, words: &[&str]) -> Child {
        let mut command = self.command(words);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command runs")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

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

/// A short run of one contender.
const SHORT: [&str; 6] = ["-c", "2", "--duration", "200ms", "--warm-up", "20ms"];

fn short<'a>(words: &[&'a str]) -> Vec<&'a str> {
    words.iter().chain(&SHORT).copied().collect()
}

#[test]
fn what_cannot_be_understood_exits_with_2_and_names_the_remedy() {
    let place = Place::new();
    let table: &[(&[&str], &str)] = &[
        (
            &["compare", "a=http://127.0.0.1:1/"],
            "error: a comparison needs at least two contenders; for one use `tiebreak run URL`\n",
        ),
        (
            &["compare", "localhost:1", "b=http://127.0.0.1:1/"],
            "error: contender 1: `localhost:1` is not an address: did you mean `http://localhost:1/`?\n",
        ),
        (
            &["compare", "experiment.toml", "b=http://127.0.0.1:1/"],
            "error: contender 1: `experiment.toml` looks like a file, and experiment files come later; give addresses such as http://127.0.0.1:8080/\n",
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
            "error: 8.8.8.8 is a public address: load only servers that you may load, and say so with --allow-public\n",
        ),
        (
            &["run", "http://169.254.169.254/"],
            "error: 169.254.169.254 is a public address: load only servers that you may load, and say so with --allow-public\n",
        ),
        (
            &["run", "http://127.0.0.1:1/", "--json", "-", "--html", "-"],
            "error: --json and --html cannot both go to standard output: give one a file\n",
        ),
        (
            &["report", "nowhere"],
            "error: there is no run nowhere: give the folder of a run, such as one under tiebreak-runs/\n",
        ),
        (
            &["explain", "nosuchrule"],
            "error: there is no rule `nosuchrule`; `tiebreak explain` lists all\n",
        ),
    ];
    for (words, message) in table {
        let ran = place.run(words);
        assert_eq!((ran.code, ran.err.as_str()), (Some(2), *message), "{words:?}");
        assert_eq!(ran.out, "", "{words:?}");
    }
    assert_eq!(fs::read_dir(&place.0).expect("readable").count(), 0, "nothing was created");
}

#[test]
fn clap_names_the_argument_and_the_remedy() {
    let place = Place::new();
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
        (&["compair"], ["compair", "compare"]),
    ] {
        let ran = place.run(words);
        assert_eq!(ran.code, Some(2), "{words:?}");
        for part in parts {
            assert!(ran.err.contains(part), "{words:?}: {}", ran.err);
        }
    }
    for words in [["--version"], ["--help"]] {
        assert_eq!(place.run(&words).code, Some(0));
    }
}

#[test]
fn a_target_that_is_not_there_exits_with_4_and_is_named() {
    let place = Place::new();
    let gone = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port");
    let url = format!("gone=http://{gone}/");
    let ran = place.run(&short(&["run", &url, "--out", "R", "-q"]));
    assert_eq!(ran.code, Some(4));
    assert_eq!(
        ran.err,
        format!("error: `gone` (http://{gone}/) is not ready: it refused the connection\n")
    );
    for again in ["report", "audit"] {
        assert_eq!(place.run(&[again, "R"]).code, Some(4), "{again}");
    }
}

#[test]
fn a_run_leaves_its_folder_and_its_report_can_be_made_again() {
    let place = Place::new();
    let url = format!("http://{}/", serve(PAGE));
    let ran = place.run(&short(&["run", &url]));
    let runs: Vec<_> = fs::read_dir(place.path("tiebreak-runs"))
        .expect("runs")
        .map(|entry| entry.expect("readable").file_name().into_string().expect("text"))
        .collect();
    let [run] = runs.as_slice() else { panic!("{runs:?}") };
    assert!(ran.err.contains(&format!("run: tiebreak-runs/{run} ")), "{}", ran.err);
    let run = format!("tiebreak-runs/{run}");
    for (flag, file) in [("--json", "report.json"), ("--html", "report.html")] {
        let made = fs::read_to_string(place.path(&run).join(file)).expect("a report");
        let again = place.run(&["report", &run, flag]);
        assert_eq!(again.out, made, "{file}");
        assert_eq!(again.code, ran.code);
        let copied = place.run(&["report", &run, flag, "copy"]);
        assert_eq!((copied.code, copied.out.as_str()), (ran.code, ""));
        assert_eq!(fs::read_to_string(place.path("copy")).expect("a copy"), made);
    }
    assert_eq!(place.run(&["audit", &run]).code, ran.code);
}

#[test]
fn json_on_standard_output_stands_alone() {
    let place = Place::new();
    let url = format!("http://{}/", serve(PAGE));
    let ran = place.run(&short(&["run", &url, "--json", "-", "--out", "R"]));
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("nothing but JSON");
    assert_eq!(report["schema"], "tiebreak.report/1");
    assert!(ran.err.contains("audit:"), "the report for people goes elsewhere: {}", ran.err);
    let twice = place.run(&short(&["run", &url, "--out", "R"]));
    assert_eq!(twice.code, Some(2));
    assert!(twice.err.contains("it holds a journal already"), "{}", twice.err);
}

#[test]
fn replies_that_are_errors_are_ready_and_void() {
    let place = Place::new();
    let url = format!("http://{}/", serve(MISSING));
    let ran = place.run(&short(&["run", &url, "--out", "R", "-q"]));
    assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
    let report = fs::read_to_string(place.path("R/report.json")).expect("written all the same");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["void"], true);
    assert_eq!(place.run(&["report", "R"]).code, Some(3));
    let expected = place.run(&short(&["run", &url, "--out", "E", "-q", "--expect", "404"]));
    let report = fs::read_to_string(place.path("E/report.json")).expect("a report");
    assert!(!report.contains("non_success"), "{}", expected.out);
}

#[test]
fn a_secret_is_found_nowhere() {
    let place = Place::new();
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
        "--warm-up",
        "20ms",
        "--out",
        "R",
    ];
    let ran = place.run(&words);
    // `me:CANARY` as Basic authorization has it.
    let secrets = ["CANARY", "bWU6Q0FOQVJZ"];
    let mut places = vec![("stdout".to_owned(), ran.out), ("stderr".to_owned(), ran.err)];
    for entry in fs::read_dir(place.path("R")).expect("a run") {
        let path = entry.expect("readable").path();
        places.push((path.display().to_string(), fs::read_to_string(&path).expect("text")));
    }
    assert_eq!(places.len(), 5, "journal and two reports");
    for (name, text) in &places {
        assert!(secrets.iter().all(|secret| !text.contains(secret)), "{name}");
    }
    assert!(places.iter().any(|(_, text)| text.contains("token=…")));
}

fn signal(child: &Child, signal: &str) {
    let id = child.id().to_string();
    let sent = Command::new("kill").args([signal, &id]).status().expect("kill runs");
    assert!(sent.success());
}

/// Waits until the journal says this.
fn wait_for(journal: &Path, text: &str) {
    for _ in 0..600 {
        if fs::read_to_string(journal).is_ok_and(|journal| journal.contains(text)) {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("`{text}` never came");
}

const LONG: [&str; 8] = ["-c", "1", "--round", "100ms", "--warm-up", "20ms", "--out", "R"];

#[test]
fn a_signal_judges_what_is_there() {
    let place = Place::new();
    let address = serve(PAGE);
    let (a, b) = (format!("a=http://{address}/"), format!("b=http://{address}/"));
    for name in ["-INT", "-TERM"] {
        let words = ["compare", &a, &b, "--rounds", "5000", "--expect-different"];
        let child = place.start(&[words.as_slice(), &LONG].concat());
        wait_for(&place.path("R/journal.jsonl"), "\"round\":3,");
        signal(&child, name);
        let ran = Ran::of(child.wait_with_output().expect("it ends"));
        assert_eq!(ran.code, place.run(&["report", "R"]).code, "{name}: {}", ran.err);
        assert!(matches!(ran.code, Some(0 | 3)), "{:?}", ran.code);
        let journal = fs::read_to_string(place.path("R/journal.jsonl")).expect("a journal");
        assert!(journal.contains("\"reason\":\"stopped\""), "{name}");
        assert!(place.path("R/report.html").exists());
        fs::remove_dir_all(place.path("R")).expect("scratch");
    }
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let place = Place::new();
    // Accepts, and never answers: the first signal waits for nothing, but the
    // two come before anything can end.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    let mut child = place.start(&short(&["run", &url, "--out", "R"]));
    wait_for(&place.path("R/journal.jsonl"), "header");
    std::thread::sleep(Duration::from_millis(200));
    signal(&child, "-STOP");
    signal(&child, "-INT");
    signal(&child, "-TERM");
    signal(&child, "-CONT");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
}

#[test]
fn a_killed_run_leaves_a_journal_that_can_be_judged() {
    let place = Place::new();
    let address = serve(PAGE);
    let (a, b) = (format!("a=http://{address}/"), format!("b=http://{address}/"));
    let words = ["compare", &a, &b, "--rounds", "5000"];
    let mut child = place.start(&[words.as_slice(), &LONG].concat());
    let journal = place.path("R/journal.jsonl");
    wait_for(&journal, "\"round\":3,");
    signal(&child, "-KILL");
    assert_eq!(child.wait().expect("it ends").code(), None);
    let whole = place.run(&["report", "R", "--json"]);
    assert!(matches!(whole.code, Some(0 | 3)), "{}", whole.err);
    assert!(whole.out.contains("interrupted"), "the audit says so");

    // Torn in the last line; then damaged in the second.
    let mut text = fs::read_to_string(&journal).expect("a journal");
    text.truncate(text.trim_end().len() - 5);
    fs::write(&journal, &text).expect("scratch");
    let torn = place.run(&["audit", "R"]);
    assert_eq!(torn.code, whole.code);
    assert!(torn.out.contains("is torn and was left out"), "{}", torn.out);
    fs::write(&journal, text.replacen("\"seq\":1,", "\"seq\":7,", 1)).expect("scratch");
    let damaged = place.run(&["report", "R"]);
    assert_eq!(damaged.code, Some(5));
    assert!(damaged.err.contains("R/journal.jsonl: line 2 has the number 7"), "{}", damaged.err);
}

#[test]
fn rules_are_explained() {
    let place = Place::new();
    let all = place.run(&["explain"]);
    assert_eq!(all.code, Some(0));
    let name = all.out.lines().nth(2).and_then(|line| line.split(' ').next()).expect("a rule");
    let one = place.run(&["explain", name]);
    assert_eq!(one.code, Some(0));
    assert!(one.out.starts_with(name) && one.out.contains("why:"), "{}", one.out);
}

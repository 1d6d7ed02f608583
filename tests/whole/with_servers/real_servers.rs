//! Real nginx and Node: the counts, the report when one dies, and what is left after a signal.

use crate::common::processes::wait_at_most;
use crate::common::running::Running;
use crate::common::{TestDirectory, errors, sent};
use crate::web::{Server, certificate, free_port, log_lines, nginx, node};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Arguments of a comparison of two servers, in the directory `run`.
fn comparison(a: (&str, &Server), b: (&str, &Server), rounds: &str) -> Vec<String> {
    let contender = |(name, server): (&str, &Server)| format!("{name}={}", server.url());
    let mut all = vec!["compare".to_owned(), contender(a), contender(b)];
    let rest = [
        "--round",
        "200ms",
        "--warm-up",
        "100ms",
        "--pilot",
        "200ms",
        "--quiet",
        "--out",
        "run",
        "--rounds",
    ];
    all.extend(rest.into_iter().chain([rounds]).map(str::to_owned));
    all
}

#[test]
fn nginx_is_compared_with_node_and_its_log_has_every_request() {
    let (served, directory) = (TestDirectory::new(), TestDirectory::new());
    let (nginx, node) = (nginx(&served), node(&served));
    let (code, report) = directory.report(&[
        "compare",
        &format!("nginx={}", nginx.url()),
        &format!("node={}", node.url()),
        "--rounds",
        "6",
        "--round",
        "500ms",
        "--warm-up",
        "300ms",
        "--pilot",
        "200ms",
    ]);
    assert_eq!(code, 0, "{}", report["findings"]);
    assert_eq!(report["void"], false);
    for contender in report["contenders"].as_array().expect("contenders") {
        let outcomes = &contender["outcomes"];
        assert_eq!(outcomes["ok"], contender["operations"], "{outcomes}");
        assert_eq!(contender["codes"]["200"], contender["operations"]);
    }
    drop(nginx);
    assert_eq!(log_lines(&served), sent(&report["contenders"][0]));
}

#[test]
fn a_contender_that_is_not_there_is_named_with_exit_code_4() {
    let (served, directory) = (TestDirectory::new(), TestDirectory::new());
    let nginx = nginx(&served);
    let gone = format!("gone=http://127.0.0.1:{}/", free_port());
    let output = directory.tiebreak(&["compare", &nginx.url(), &gone, "--quiet"]);
    assert_eq!(output.status.code(), Some(4), "{}", errors(&output));
    let stderr = errors(&output);
    assert!(stderr.contains("gone") && stderr.contains("refused"), "{stderr}");
}

#[test]
fn a_server_that_dies_in_mid_run_ends_it_with_exit_code_4_and_a_report() {
    let (served, directory) = (TestDirectory::new(), TestDirectory::new());
    let (nginx, node) = (nginx(&served), node(&served));
    let mut command = directory.command(&comparison(("nginx", &nginx), ("node", &node), "60"));
    let child = command.stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("starts");
    let child = Running::new(child);
    wait_for_rounds(&directory, 3);
    node.signal(libc::SIGKILL);
    let output = child.output();
    assert_eq!(output.status.code(), Some(4), "{}", errors(&output));
    assert!(errors(&output).contains("node"), "{}", errors(&output));
    assert!(
        directory.file("run/report.json").exists() && directory.file("run/report.html").exists()
    );
}

/// Waits until the journal holds `rounds` rounds of two contenders.
fn wait_for_rounds(directory: &TestDirectory, rounds: usize) {
    let journal = directory.file("run/journal.jsonl");
    wait_at_most(Duration::from_secs(60), "the rounds in the journal", || {
        let text = std::fs::read_to_string(&journal).unwrap_or_default();
        text.matches("\"phase\":\"round\"").count() >= 2 * rounds
    });
}

/// Starts a long comparison of one nginx with itself, and sends a signal after
/// three rounds.
fn interrupted(signal: i32) -> (Option<i32>, TestDirectory) {
    let (served, directory) = (TestDirectory::new(), TestDirectory::new());
    let nginx = nginx(&served);
    let mut command = directory.command(&comparison(("a", &nginx), ("b", &nginx), "200"));
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts");
    let mut child = Running::new(child);
    wait_for_rounds(&directory, 3);
    child.signal(signal);
    (child.status().code(), directory)
}

#[test]
fn one_signal_judges_what_is_there() {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        let (code, directory) = interrupted(signal);
        assert_eq!(code, Some(0), "signal {signal}");
        let report = directory.json("run/report.json");
        assert!(report["complete_rounds"].as_u64() >= Some(3));
        let findings = report["findings"].to_string();
        assert!(findings.contains("\"interrupted\""), "{findings}");
    }
}

#[test]
fn after_sigkill_the_journal_still_reads_and_says_interrupted() {
    let (code, directory) = interrupted(libc::SIGKILL);
    assert_eq!(code, None);
    let again = directory.tiebreak(&["report", "run", "--json"]);
    assert_eq!(again.status.code(), Some(0), "{}", errors(&again));
    let report: serde_json::Value = serde_json::from_slice(&again.stdout).expect("JSON");
    assert!(report["findings"].to_string().contains("\"interrupted\""));
    let twice = directory.tiebreak(&["report", "run", "--json"]);
    assert_eq!(again.stdout, twice.stdout, "a report is a pure function of its journal");
}

#[test]
fn the_report_of_a_finished_run_is_made_again_to_the_byte() {
    let (served, directory) = (TestDirectory::new(), TestDirectory::new());
    let nginx = nginx(&served);
    let output = directory.tiebreak(&comparison(("a", &nginx), ("b", &nginx), "6"));
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    for (flag, file) in [("--json", "run/report.json"), ("--html", "run/report.html")] {
        let again = directory.tiebreak(&["report", "run", flag]);
        let first = std::fs::read(directory.file(file)).expect("written by the run");
        assert!(again.stdout == first, "{file} differs from `tiebreak report run {flag}`");
    }
}

#[test]
fn https_is_verified_and_measured_apart() {
    let (served, directory) = (TestDirectory::new(), TestDirectory::new());
    let (key, certificate) = certificate(&served);
    let port = free_port();
    let script = format!(
        "const fs = require('fs');\n\
         const tls = {{ key: fs.readFileSync({key:?}), cert: fs.readFileSync({certificate:?}) }};\n\
         require('https').createServer(tls, (request, reply) => {{\n\
           reply.writeHead(200, {{ 'Content-Length': 5 }}); reply.end('hello');\n\
         }}).listen({port}, '127.0.0.1');\n"
    );
    std::fs::write(served.file("tls.js"), script).expect("writes");
    let child = Command::new("node").arg(served.file("tls.js")).spawn().expect("node");
    let server = Server { child, port };
    wait_at_most(Duration::from_secs(20), "node to listen", || {
        TcpStream::connect(("127.0.0.1", port)).is_ok()
    });
    let url = format!("https://127.0.0.1:{}/", server.port);
    let short = ["--warm-up", "0s", "--duration", "1s", "--connections", "4"];
    let run = |extra: &[&str]| {
        let mut arguments = vec!["run", url.as_str()];
        arguments.extend(short);
        arguments.extend(extra);
        arguments.extend(["--quiet", "--json", "out.json"]);
        directory.tiebreak(&arguments)
    };
    let distrusted = run(&[]);
    assert_eq!(distrusted.status.code(), Some(4), "{}", errors(&distrusted));
    assert!(errors(&distrusted).contains("--cacert"), "{}", errors(&distrusted));
    for trust in [["--cacert", certificate.to_str().expect("plain")].as_slice(), &["--insecure"]] {
        let output = run(trust);
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        let report = directory.json("out.json");
        let metrics = &report["contenders"][0]["metrics"];
        assert!(metrics["tls_time"]["p50"].is_number(), "{metrics}");
    }
}

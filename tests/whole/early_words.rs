//! What a new user sees when something is wrong before the measurement begins, through the binary.

use crate::common::{TestDirectory, errors, serve, stdout, unhurried, url};
use std::fs;
use std::io::{Read, Write};
use std::net::SocketAddr;
use testserver::{Behaviour, Body, TestServer};

/// A brief run.
const SHORT: [&str; 6] = ["-c", "1", "--duration", "50ms", "--warm-up", "0s"];
/// A brief comparison.
#[rustfmt::skip]
const ROUNDS: [&str; 11] = [
    "--rounds", "6", "--round", "50ms", "--slice", "25ms", "--pilot", "100ms", "--warm-up", "0s", "-c1",
];

fn answering(status: u16, body: &str) -> TestServer {
    let body = Body::Bytes(body.as_bytes().into());
    serve(Behaviour { status, body, ..unhurried() })
}

/// The address of a server that answers what is no HTTP as web servers do.
fn refusing_tls() -> SocketAddr {
    protocol::testing::serve(|mut client| {
        // A client that has gone is none of our business.
        let _ = client.read(&mut [0; 4096]);
        let _ = client.write_all(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
    })
}

/// The text without line ends, which depend on the width.
fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_run_that_never_began_does_not_occupy_its_directory() {
    let (directory, server) = (TestDirectory::new(), answering(200, "x"));
    let address = refusing_tls();
    let run = |address: &str| {
        directory.tiebreak(&[&["run", address, "--out", "here"][..], &SHORT].concat())
    };
    let plain = url(&server);
    let failed = run(&format!("https://{address}/"));
    assert_eq!(failed.status.code(), Some(4));
    let text = errors(&failed);
    assert!(text.contains("it does not speak TLS there: write http:// "), "{text}");
    assert!(!text.contains("--cacert"), "{text}");
    assert!(directory.file("here/journal.jsonl").exists(), "the failure can be read again");
    let good = run(&plain);
    assert!(directory.file("here/report.json").exists(), "{}", errors(&good));
    // What was measured is kept.
    let refused = run(&plain);
    assert_eq!(refused.status.code(), Some(2));
    assert!(errors(&refused).contains("already contains a journal"), "{}", errors(&refused));
}

#[test]
fn the_method_and_the_words_of_an_error_page_are_shown() {
    let directory = TestDirectory::new();
    let server = answering(500, "<html><head><title>t</title></head><h1>no  db</h1>");
    let target = url(&server);
    let words = [&["run", &target, "-X", "PUT", "--verbose"][..], &SHORT].concat();
    let output = directory.tiebreak(&words);
    let (progress, report) = (errors(&output), in_one_line(&stdout(&output)));
    assert!(progress.contains("\nevery request is PUT\n"), "{progress}");
    let wanted = "answers with status 500 and says \"no db\"; if requests go on to fail";
    assert!(progress.contains(wanted), "{progress}");
    assert!(report.contains("every request is PUT"), "{report}");
    assert!(report.contains("it said \"no db\" ("), "{report}");
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn replies_that_differ_are_shown_before_the_pilot() {
    let directory = TestDirectory::new();
    let servers = [answering(200, "hello, world"), answering(200, "hello, World")];
    let [a, b] = [("a", &servers[0]), ("b", &servers[1])]
        .map(|(name, server)| format!("{name}={}", url(server)));
    let run = |more: &[&str]| {
        let words = [&["compare", &a, &b][..], &ROUNDS, more].concat();
        errors(&directory.tiebreak(&words))
    };
    let text = run(&[]);
    let wanted = "caution: the first replies of `a` and `b` differ from byte 8 on: \"hello, world\" \
                  and \"hello, World\"; ";
    let at = text.find(wanted).unwrap_or_else(|| panic!("{text}"));
    assert!(at < text.find("pilot").expect("a pilot"), "{text}");
    assert!(!run(&["--expect-different"]).contains("first replies"));
}

#[test]
fn a_launched_server_on_another_port_and_a_missing_directory_are_named() {
    let directory = TestDirectory::new();
    let us = env!("CARGO_BIN_EXE_tiebreak");
    let elsewhere = answering(200, "x");
    // A free port, found by a server that is gone.
    let free = url(&elsewhere).trim_end_matches('/').rsplit(':').next().expect("a port").to_owned();
    drop(elsewhere);
    let file = |lines: &str| {
        let text = format!(
            "[contender.a]\nlaunch = ['{us}', 'testserver', '--listen', '127.0.0.1:{free}']\n\
             ready = {{ timeout = '1s' }}\n{lines}"
        );
        fs::write(directory.file("e.toml"), text).expect("a file");
    };
    file("");
    let text = errors(&directory.tiebreak(&[&["run", "e.toml"][..], &SHORT].concat()));
    assert!(text.contains(&format!("; it listens on port {free} instead of ")), "{text}");
    file("cwd = 'nowhere'\n[contender.b]\nurl = 'http://127.0.0.1:1/x'\n");
    let check = directory.tiebreak(&["check", "e.toml"]);
    let text = stdout(&check);
    assert!(text.contains("nowhere` does not exist: create it, or correct `cwd`"), "{text}");
    assert!(text.contains("request GET /x; success is"), "{text}");
    let run = directory.tiebreak(&["compare", "e.toml"]);
    assert_eq!(run.status.code(), Some(4));
    assert!(errors(&run).contains("nowhere` does not exist: "), "{}", errors(&run));
}

#[test]
fn the_keys_of_a_file_and_the_topics_are_in_the_binary() {
    let directory = TestDirectory::new();
    let keys = stdout(&directory.tiebreak(&["help", "keys"]));
    for wanted in
        ["\n  connections = 64\n", "\n  mix = { get = 0.9, set = 0.1 }\n", "; 64 by default."]
    {
        assert!(keys.contains(wanted), "{wanted}: {keys}");
    }
    let help = stdout(&directory.tiebreak(&["help"]));
    assert!(help.contains("\n  keys ") && help.contains("\n  ci "), "{help}");
    let ci = stdout(&directory.tiebreak(&["help", "ci"]));
    assert!(
        ci.contains("git worktree add old")
            && ci.contains("--against")
            && ci.contains("CI_MERGE_REQUEST_"),
        "{ci}"
    );
}

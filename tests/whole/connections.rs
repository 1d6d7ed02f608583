//! Servers that end their connections, and servers that send what nobody asked for.

use crate::common::few_workers::{REPLY, hands_to_workers};
use crate::common::{BRIEF, TestDirectory, errors, number};
use crate::waiting::finding;
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

const CLOSING: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
/// What a server says before it closes a connection that is idle for too long.
const IDLE: &[u8] =
    b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/// A server that answers each request with these bytes after a millisecond, and each connection with the
/// `first` bytes before.
fn answering(first: &'static [u8], reply: &'static [u8]) -> String {
    let server = hands_to_workers(8, move |mut client| {
        let mut request = [0; 4096];
        let mut sent = client.write_all(first);
        while sent.is_ok() && client.read(&mut request).is_ok_and(|read| read > 0) {
            thread::sleep(Duration::from_millis(1));
            sent = client.write_all(reply);
        }
    });
    format!("http://{server}/")
}

fn run_for(duration: &str, url: &str, more: &[&str]) -> (i32, Value) {
    let words = ["run", url, "--duration", duration, "--warm-up", "100ms", "-c", "4"];
    TestDirectory::new().report(&[&words[..], more].concat())
}

fn run(url: &str, more: &[&str]) -> (i32, Value) {
    run_for("500ms", url, more)
}

#[test]
fn a_target_that_closes_its_connections_is_named() {
    let [keeps, closes] = [REPLY, CLOSING].map(|reply| answering(b"", reply));
    let (keeps, closing) = (format!("keeps={keeps}"), format!("closes={closes}"));
    let words = [&["compare", &keeps, &closing, "-c", "4"], &BRIEF[..]].concat();
    let (_, report) = TestDirectory::new().report(&words);
    let found = finding(&report, "closed_connections").expect("a finding");
    assert_eq!((&found["weight"], &found["contender"]), (&"caution".into(), &"closes".into()));
    let text = found["evidence"].as_str().expect("a text");
    assert!(
        text.contains("(100 %), and others were opened in their place, which took about "),
        "{text}"
    );
    let closed = |at: usize| &report["contenders"][at]["connections"]["closed_by_target"];
    assert!(closed(0).is_null() && number(closed(1)) > 0.0, "{} {}", closed(0), closed(1));
    // Alone it is a note, and where connections are renewed anyway it is nothing.
    let found = |more: &[&str]| finding(&run(&closes, more).1, "closed_connections").cloned();
    assert_eq!(found(&[]).expect("a finding")["weight"], "note");
    assert_eq!(found(&["--reuse", "never"]), None);
}

/// Closes each connection that was idle for 100 ms, with or without a word.
fn closes_when_idle(word: &'static [u8]) -> String {
    let server = hands_to_workers(8, move |mut client: TcpStream| {
        let mut request = [0; 4096];
        client.set_read_timeout(Some(Duration::from_millis(100))).expect("a socket");
        while client.read(&mut request).is_ok_and(|read| read > 0) {
            if client.write_all(REPLY).is_err() {
                return;
            }
        }
        // The client may be gone.
        let _ = client.write_all(word);
    });
    format!("http://{server}/")
}

#[test]
fn an_idle_connection_that_ends_is_opened_again() {
    for word in [&b""[..], IDLE] {
        let (_, report) = run_for("2s", &closes_when_idle(word), &["--rate", "8"]);
        let contender = &report["contenders"][0];
        assert_eq!(contender["outcomes"]["ok"], contender["operations"], "{contender:#}");
        let connections = &contender["connections"];
        assert!(number(&connections["reopened_at_rest"]) >= 4.0, "{connections}");
        assert!(finding(&report, "unasked_bytes").is_none(), "{:#}", report["findings"]);
    }
}

#[test]
fn bytes_that_nobody_asked_for_are_void() {
    const TWICE: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n\
                           Content-Length: 2\r\n\r\nok";
    const LONG: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokay";
    // A reply before the request shows while nothing is in flight: if requests follow each other at once, the
    // first may be sent before it comes, and then each reply is taken for that of the next request.
    let slowly: &[&str] = &["--rate", "40"];
    for (first, reply, load) in
        [(&b""[..], TWICE, &[][..]), (b"", LONG, &[]), (REPLY, REPLY, slowly)]
    {
        let (code, report) = run(&answering(first, reply), load);
        assert_eq!(code, 3, "{report:#}");
        assert_eq!(finding(&report, "unasked_bytes").expect("a finding")["weight"], "void");
    }
}

#[test]
fn replies_that_may_be_without_a_body_are_no_finding() {
    const CREATED: &[u8] = b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n";
    const FOUND: &[u8] = b"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n";
    const EMPTY: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    let cases: [(&[u8], &[&str]); 7] = [
        (CREATED, &["--data", "a=1"]),
        (EMPTY, &["--method", "PUT", "--data", "a=1"]),
        (EMPTY, &["--method", "DELETE"]),
        (EMPTY, &["--method", "OPTIONS"]),
        (EMPTY, &["--method", "HEAD"]),
        (FOUND, &["--expect", "302"]),
        (EMPTY, &["--expect-empty"]),
    ];
    for (reply, more) in cases {
        let (code, report) = run(&answering(b"", reply), more);
        let found = finding(&report, "empty_reply");
        assert!(code == 0 && found.is_none(), "{more:?}: {:#}", report["findings"]);
    }
    let (code, report) = run(&answering(b"", EMPTY), &[]);
    assert_eq!(finding(&report, "empty_reply").expect("a finding")["weight"], "void");
    assert_eq!(code, 3);
}

#[test]
fn one_contender_without_bodies_is_void_whatever_the_method() {
    const EMPTY: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    let [full, empty] = [REPLY, EMPTY].map(|reply| answering(b"", reply));
    let (full, empty) = (format!("full={full}"), format!("empty={empty}"));
    let words = ["compare", &full, &empty, "-c", "4", "--data", "a=1"];
    let (code, report) = TestDirectory::new().report(&[&words[..], &BRIEF[..]].concat());
    assert_eq!(code, 3, "{:#}", report["findings"]);
    assert_eq!(finding(&report, "differing_replies").expect("a finding")["weight"], "void");
}

const TWO_LENGTHS: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok";

#[test]
fn how_a_reply_violates_the_protocol_is_told_in_words() {
    let run = |url: &str| {
        let words = ["run", url, "--duration", "500ms", "--warm-up", "0", "-c", "4", "--out", "R"];
        let directory = TestDirectory::new();
        let output = directory.tiebreak(&words);
        (output.status.code(), errors(&output), directory.text("R/report.json"))
    };
    let (code, printed, _) = run(&answering(b"", TWO_LENGTHS));
    assert_eq!(code, Some(4), "{printed}");
    let told = "it does not speak this protocol there: conflicting Content-Length";
    assert!(printed.contains(told), "{printed}");
    // The first replies are right.
    let server = hands_to_workers(8, |mut client| {
        let mut request = [0; 4096];
        for number in 0.. {
            let reply = if number < 20 { REPLY } else { TWO_LENGTHS };
            let read = client.read(&mut request);
            if !read.is_ok_and(|read| read > 0) || client.write_all(reply).is_err() {
                return;
            }
        }
    });
    let (code, _, report) = run(&format!("http://{server}/"));
    assert_eq!(code, Some(3), "{report}");
    assert!(report.contains("; why: conflicting Content-Length ("), "{report}");
}

#[test]
fn what_a_store_says_is_told_escaped_and_without_the_password() {
    const DENIED: &[u8] = b"-NOPERM \x1b[31m me may not, with pw-of-me\r\n";
    let server = answering(b"", DENIED).replace("http://", "redis://me:pw-of-me@");
    let directory = TestDirectory::new();
    let output = directory.tiebreak(&["run", &server, "--duration", "500ms", "--keys", "10"]);
    let printed = errors(&output);
    assert_eq!(output.status.code(), Some(4), "{printed}");
    let told = r#"it says "NOPERM \u{1b}[31m me may not, with ****""#;
    assert!(printed.contains(told) && !printed.contains('\x1b'), "{printed}");
}

#[test]
fn the_address_of_all_interfaces_is_this_machine() {
    let server = answering(b"", REPLY).replace("127.0.0.1", "0.0.0.0");
    assert_eq!(run(&server, &[]).0, 0);
}

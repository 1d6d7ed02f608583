//! Databases that run already, through the binary: the load phase, and TLS.

use super::held_load::{KEYS, killed_when_held, loaded_upto};
use crate::common::{TestDirectory, errors};
use crate::servers::PASSWORD;
use crate::servers::certificates::{Authority, NAME};
use crate::servers::mariadb::{self, Mariadb};
use crate::servers::postgres::{self, Postgres};
use drivers::Database;
use drivers::{QueryError, Rows};
use std::net::SocketAddr;
use std::time::Duration;

/// Maximum time of anything here.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn a_table_is_loaded_once_and_again_when_it_was_written_to() {
    // A load has 64 connections.
    let (directory, server) =
        (TestDirectory::new(), Postgres::start("attached", &["max_connections=100"]));
    let url = format!("postgres://bench@{}/postgres", server.address);
    let load = |workload: &str| {
        let words = ["load", &url, "--workload", workload, "--keys", "2k"];
        let output = directory.tiebreak(&words);
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        errors(&output)
    };
    assert!(load("ycsb-a").contains("2000 keys loaded"));
    let again = load("ycsb-a");
    assert!(!again.contains("keys loaded in"), "they are there: {again}");
    let mut words = vec!["run", &url, "--workload", "ycsb-a", "--keys", "2k"];
    words.extend(["--duration", "300ms", "--warm-up", "0s", "--connections", "4"]);
    let (code, report) = directory.report(&words);
    assert_eq!(code, 0, "{:#}", report["findings"]);
    assert_eq!(report["contenders"][0]["sent"]["load"], 0, "a run finds what a load left");
    let after = load("ycsb-a");
    assert!(after.contains("2000 keys loaded"), "it was written to: {after}");
    assert!(load("kv").contains("2000 keys loaded"), "other values");
}

/// What a load left in the server.
const NOTE: &str = "SELECT note FROM tiebreak_notes";

/// It, word for word, from the server's answer.
fn note(answer: Result<Vec<Rows>, QueryError>) -> String {
    let first = |mut rows: Vec<Rows>| rows.pop()?.pop()?.pop()?;
    answer.ok().and_then(first).unwrap_or_default()
}

/// Kills a load that is under way, and has another one continue it.
fn killed_and_resumed(url: &str, server: SocketAddr, note: impl Fn() -> String) {
    let directory = TestDirectory::new();
    killed_when_held(&directory, server, url);
    let upto = loaded_upto(&note());
    let output = directory.tiebreak(&["load", url, "--keys", KEYS]);
    let progress = errors(&output);
    assert_eq!(output.status.code(), Some(0), "{progress}");
    let continues = format!("an interrupted load continues at {upto} of ");
    assert!(progress.contains(&continues), "{continues}: {progress}");
    assert!(note().contains(" clean"), "{}", note());
    // Every row exists and is right: a second run reads them, and finds them loaded.
    let run = ["run", url, "--keys", KEYS, "--mix", "get=1", "--verify", "all"];
    let short = ["--duration", "1s", "--warm-up", "0s", "--connections", "8"];
    let (code, report) = directory.report(&[&run[..], &short].concat());
    assert_eq!(code, 0, "{:#}", report["findings"]);
    let of = &report["contenders"][0];
    assert_eq!(of["outcomes"]["ok"], of["operations"], "{}", of["outcomes"]);
    assert_eq!((&of["sent"]["load"], &of["store"]["items"]), (&0.into(), &5000.into()));
}

#[test]
fn a_load_of_postgres_that_is_killed_goes_on_where_it_was() {
    let server = Postgres::start("killed", &["max_connections=100"]);
    let url = format!("postgres://bench@{}/postgres", server.address);
    let access = server.access("t");
    killed_and_resumed(&url, server.address, || {
        note(access.ask(&server.tcp(), &[NOTE.to_owned()], PATIENCE))
    });
}

#[test]
fn a_load_of_mariadb_that_is_killed_goes_on_where_it_was() {
    let server = Mariadb::start("killed", &[]);
    let url = format!("mysql://bench:{PASSWORD}@{}/bench", server.address);
    let access = server.access("t");
    killed_and_resumed(&url, server.address, || {
        note(access.ask(&server.tcp(), &[NOTE.to_owned()], PATIENCE))
    });
}

/// One short run against a server whose certificate is for [`NAME`]: by this name, and
/// trusting these. Returns the exit code and what was printed.
fn asked_over_tls(url: &str, port: u16, trust: &[&str]) -> (i32, String) {
    let directory = TestDirectory::new();
    let to = format!("{NAME}:{port}:127.0.0.1:{port}");
    let words = ["run", url, "--query", "SELECT 1", "--connect-to", &to, "--out", "run"];
    let short = ["--duration", "200ms", "--warm-up", "0s", "--connections", "4"];
    let output = directory.tiebreak(&[&words[..], &short, trust].concat());
    let journal = std::fs::read_to_string(directory.file("run/journal.jsonl")).unwrap_or_default();
    assert!(!journal.contains(PASSWORD), "a secret in the journal");
    let stderr = format!("{}{}", String::from_utf8_lossy(&output.stdout), errors(&output));
    assert!(!stderr.contains(PASSWORD), "a secret in {stderr}");
    (output.status.code().expect("an exit code"), stderr)
}

/// A trusted server is used; one that is not trusted, or is not the one that the address names, is
/// refused.
fn verified(authority: &Authority, url: impl Fn(&str) -> String, port: u16) {
    let trusted = authority.file("ca.pem").display().to_string();
    let trust = ["--cacert", &trusted];
    let (code, message) = asked_over_tls(&url(NAME), port, &trust);
    assert_eq!(code, 0, "{message}");
    let (code, message) = asked_over_tls(&url(NAME), port, &["--insecure"]);
    assert_eq!(code, 0, "{message}");
    for (name, trust, what) in
        [(NAME, &[][..], "an authority of nobody's"), ("127.0.0.1", &trust, "another name")]
    {
        let (code, message) = asked_over_tls(&url(name), port, trust);
        assert_eq!(code, 4, "{what}: {message}");
        assert!(message.contains("TLS"), "{what}: {message}");
    }
}

#[test]
fn postgres_is_verified_over_tls() {
    let authority = Authority::new("pg-binary", postgres::USER);
    let file = |name: &str| authority.file(name).display().to_string();
    let settings = [
        format!("ssl_cert_file={}", file("server.pem")),
        format!("ssl_key_file={}", file("server.key")),
    ];
    let server = Postgres::start("binary", &["ssl=on", &settings[0], &settings[1]]);
    let port = server.address.port();
    let url = |host: &str| format!("postgres://bench@{host}:{port}/postgres?sslmode=verify-full");
    verified(&authority, url, port);
}

#[test]
fn mariadb_is_verified_over_tls() {
    let authority = Authority::new("my-binary", mariadb::USER);
    let file = |name: &str| authority.file(name).display().to_string();
    let settings =
        [format!("--ssl-cert={}", file("server.pem")), format!("--ssl-key={}", file("server.key"))];
    let server = Mariadb::start("binary", &[&settings[0], &settings[1]]);
    let port = server.address.port();
    let login = format!("bench:{PASSWORD}");
    let url = |host: &str| format!("mysql://{login}@{host}:{port}/bench?sslmode=verify-full");
    verified(&authority, url, port);
}

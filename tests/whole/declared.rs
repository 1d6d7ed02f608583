//! Secrets that were declared leave no trace.

use crate::common::{TestDirectory, errors, serve, stdout, unhurried, url};
use std::fs;
use std::path::Path;
use std::process::Output;

const TOKEN: &str = "CANARY-4711";
const SHORT: [&str; 12] = [
    "--rounds",
    "6",
    "--round",
    "50ms",
    "--slice",
    "25ms",
    "--warm-up",
    "0s",
    "--pilot",
    "100ms",
    "--out",
    "run",
];

fn run(directory: &TestDirectory, arguments: &[&str]) -> Output {
    let mut command = directory.command(arguments);
    command.env("TIEBREAK_CASE_TOKEN", TOKEN).env("TIEBREAK_CASE_SHORT", "abc");
    command.output().expect("the binary runs")
}

/// Returns every file below this directory.
fn texts(directory: &Path, all: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry"))
    {
        let path = entry.path();
        if path.is_dir() {
            texts(&path, all);
        } else {
            let text = String::from_utf8_lossy(&fs::read(&path).expect("a file")).into_owned();
            all.push((path.display().to_string(), text));
        }
    }
}

/// Checks that nothing that was printed or written contains the token, and that the target is
/// shown without it.
fn shows_none(directory: &TestDirectory, output: &Output, what: &str) {
    let mut all = Vec::new();
    if directory.file("run").exists() {
        texts(&directory.file("run"), &mut all);
    }
    all.push(("standard output".to_owned(), stdout(output)));
    all.push(("standard error".to_owned(), errors(output)));
    for (name, text) in &all {
        assert!(!text.contains(TOKEN), "{what}: {name} holds it\n{text}");
        assert!(!text.contains("CANARY%2D4711"), "{what}: {name} holds it");
    }
}

#[test]
fn a_token_in_a_path_is_blotted_out_however_it_was_declared() {
    let server = serve(unhurried());
    let base = url(&server).trim_end_matches('/').to_owned();
    let plain = [format!("a={base}/x/{TOKEN}/1"), format!("b={base}/x/{TOKEN}/2?k=1")];
    let nameless = [format!("{base}/{TOKEN}/1"), format!("{base}/{TOKEN}/2")];
    let filled = [
        format!("a={base}/x/${{TIEBREAK_CASE_TOKEN}}/1"),
        format!("b={base}/${{TIEBREAK_CASE_TOKEN}}"),
    ];
    for (what, addresses, flags) in [
        ("--secret", &plain, &["--secret", TOKEN][..]),
        ("--secret-env", &plain, &["--secret-env", "TIEBREAK_CASE_TOKEN"]),
        ("names from paths", &nameless, &["--secret", TOKEN]),
        ("${NAME}", &filled, &[]),
    ] {
        let directory = TestDirectory::new();
        let addresses = [addresses[0].as_str(), &addresses[1]];
        let output = run(&directory, &[&["compare"], &addresses[..], flags, &SHORT].concat());
        assert_eq!(output.status.code(), Some(0), "{what}: {}", errors(&output));
        shows_none(&directory, &output, what);
        let journal = fs::read_to_string(directory.file("run/journal.jsonl")).expect("a journal");
        assert!(journal.contains("/****"), "{what}: the target is shown without it");
        let checked = run(&directory, &[&["check"], &addresses[..], flags].concat());
        assert_eq!(checked.status.code(), Some(0), "{what}: {}", errors(&checked));
        shows_none(&directory, &checked, what);
    }
    assert!(server.stop().requests > 0);
}

#[test]
fn of_an_experiment_file_addresses_templates_and_errors_show_none() {
    let server = serve(unhurried());
    let base = url(&server).trim_end_matches('/').to_owned();
    let directory = TestDirectory::new();
    let one =
        |name: &str| format!("[contender.{name}]\nurl = '{base}/${{TIEBREAK_CASE_TOKEN}}/x'\n");
    let requests = "[[workload.requests]]\npath = '/t/${TIEBREAK_CASE_TOKEN}'\n";
    fs::write(directory.file("e.toml"), one("a") + &one("b") + requests).expect("a file");
    let output = run(&directory, &[&["compare", "e.toml"], &SHORT[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    shows_none(&directory, &output, "templates");
    // The value is quoted where the host is wrong: not so a secret one.
    let wrong = one("a").replace("127.0.0.1", "127.0.0.1${TIEBREAK_CASE_TOKEN}~");
    fs::write(directory.file("e.toml"), wrong + &one("b")).expect("a file");
    let refused = run(&directory, &["compare", "e.toml"]);
    assert_eq!(refused.status.code(), Some(2));
    shows_none(&directory, &refused, "an error");
    assert!(errors(&refused).contains("****"), "{}", errors(&refused));
    // A target that does not exist: its socket's path is in the error.
    let socket = "url = 'http+unix://%2Ftmp%2F${TIEBREAK_CASE_TOKEN}.sock/'\n";
    fs::write(directory.file("e.toml"), format!("[contender.a]\n{socket}[contender.b]\n{socket}"))
        .expect("a file");
    fs::remove_dir_all(directory.file("run")).expect("it was there");
    let failed = run(&directory, &[&["compare", "e.toml"], &SHORT[..]].concat());
    assert_eq!(failed.status.code(), Some(4), "{}", errors(&failed));
    shows_none(&directory, &failed, "a socket");
    assert!(errors(&failed).contains("****"), "{}", errors(&failed));
}

#[test]
fn short_secrets_are_refused_with_the_reason() {
    let directory = TestDirectory::new();
    let url = "http://127.0.0.1:1/";
    for (what, arguments) in [
        ("--secret", &["run", url, "--secret", "abc"][..]),
        ("--secret-env", &["run", url, "--secret-env", "TIEBREAK_CASE_SHORT"]),
        ("${NAME}", &["run", "http://127.0.0.1:1/${TIEBREAK_CASE_SHORT}"]),
    ] {
        let refused = run(&directory, arguments);
        assert_eq!(refused.status.code(), Some(2), "{what}: {}", errors(&refused));
        let stderr = errors(&refused);
        assert!(
            stderr.contains("has 3 bytes, but a secret must have at least 4"),
            "{what}: {stderr}"
        );
    }
    let refused = run(&directory, &["run", url, "--secret-env", "TIEBREAK_NOT_SET"]);
    assert!(errors(&refused).contains("TIEBREAK_NOT_SET: the variable is not set"));
}

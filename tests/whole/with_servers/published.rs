//! The published experiments in `experiments/published/`, for real but small.

use super::experiments::ranks_fit;
use crate::common::{TestDirectory, errors, number};
use serde_json::Value;

#[test]
fn http_servers_on_event_loops_and_the_method_of_their_article() {
    let directory = TestDirectory::new();
    let path = format!("{}/experiments/published/http-servers", env!("CARGO_MANIFEST_DIR"));
    let mut arguments = vec!["compare", &path, "--allow-file", "--out", "run", "--quiet"];
    arguments.extend(["--round", "100ms", "--slice", "20ms", "--pilot", "200ms"]);
    arguments.extend(["--warm-up", "200ms", "--connections", "16"]);
    let output = directory.tiebreak(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let text = std::fs::read_to_string(directory.file("run/report.json")).expect("a report");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    for contender in report["contenders"].as_array().expect("contenders") {
        let ended = number(&contender["operations"]);
        assert!(ended > 100.0, "{contender:#}");
        assert_eq!(number(&contender["outcomes"]["ok"]), ended, "{contender:#}");
    }
    assert!(!text.contains("differing_replies"), "all answer the same bytes");
    let servers = [
        "nginx",
        "evhttp-old",
        "evhttp",
        "php-evhttp",
        "php-streams",
        "node",
        "lighttpd",
        "caddy",
        "go",
        "uvicorn",
    ];
    ranks_fit(&report, &servers);
    let published = &report["published"];
    let runs = published["single_runs"].as_array().expect("single runs");
    assert_eq!(runs.len(), 10, "{published:#}");
    for run in runs {
        assert!(run["figure"].as_f64().is_some_and(|figure| figure > 100.0), "{run:#}");
        assert_eq!(run["command"], "ab -q -n 5000 -c 64 {url}");
    }
    assert!(number(&published["would_mislead"][0]["pairs"]) > 0.0, "{published:#}");
    let page = std::fs::read_to_string(directory.file("run/report.html")).expect("a page");
    let question = "Which HTTP server on an event loop answers a small static page fastest?";
    assert!(page.contains(question), "the page opens with the question");
}

#[test]
fn websocket_echoes_of_the_same_event_loops() {
    websocket("websocket.toml");
}

#[test]
fn websocket_broadcasts_of_the_same_event_loops() {
    websocket("websocket-chat.toml");
}

fn websocket(name: &str) {
    let directory = TestDirectory::new();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/experiments/published/http-servers");
    let file = &format!("{path}/{name}");
    let arguments = ["compare", file, "--allow-file", "--round", "100ms", "--slice", "20ms"];
    let small = ["--pilot", "200ms", "--warm-up", "200ms", "--connections", "8"];
    let (code, report) = directory.report(&[&arguments[..], &small].concat());
    assert_eq!(code, 0, "{}", report["findings"]);
    let contenders = report["contenders"].as_array().expect("contenders");
    assert_eq!(contenders.len(), 3);
    for contender in contenders {
        assert!(number(&contender["operations"]) > 100.0, "{contender:#}");
        assert_eq!(contender["outcomes"]["ok"], contender["operations"], "{contender:#}");
    }
    ranks_fit(&report, &["libevent", "php-streams", "node-ws"]);
}

#[test]
fn what_cannot_be_run_of_a_method_is_reported() {
    let directory = TestDirectory::new();
    let file = "contenders = ['nginx', 'other']\n[published]\nquestion = 'Which <b>one</b>?'\n\
                article = 'x'\nunit = 'requests/s'\n\
                method = { run = ['no-such-program', '{url}'], prints = 'x', package = 'no-such' }\n\
                [contender.other]\nrecipe = 'nginx'\n[scale.short]\nround = '50ms'\n";
    std::fs::write(directory.file("experiment.toml"), file).expect("a file");
    let path = directory.file(".").display().to_string();
    let arguments = ["compare", &path, "--scale", "short", "--rounds", "6", "--slice", "10ms"];
    let more = ["--warm-up", "100ms", "--pilot", "100ms"];
    let (code, report) = directory.report(&[&arguments[..], &more].concat());
    assert_eq!(code, 0, "{report:#}");
    let published = &report["published"];
    assert_eq!(published["scale"], "short");
    let trouble = "the program `no-such-program` is not installed (not found in PATH): apt-get install no-such";
    assert_eq!(published["single_runs"][0]["trouble"], trouble, "{published:#}");
    assert_eq!(published["single_runs"][0]["figure"], Value::Null);
}

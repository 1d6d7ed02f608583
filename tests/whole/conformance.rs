//! The cost of the lanes alone: `tiebreak conformance null`, and the same in every run.

use crate::common::{TestDirectory, errors, serve, stdout, unhurried, url};
use crate::validator;
use serde_json::Value;
use std::fs;
use testserver::null::NullServer;

#[test]
fn every_protocol_is_measured_and_told() {
    let directory = TestDirectory::new();
    let short = ["conformance", "null", "--rounds", "2", "--round", "50ms", "--connections", "4"];
    let output = directory.tiebreak(&[&short[..], &["--json", "null.json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let stdout = stdout(&output);
    let json = fs::read_to_string(directory.file("null.json")).expect("written");
    let json: Value = serde_json::from_str(&json).expect("JSON");
    validator::assert_fits(include_str!("../../schema/null.v1.json"), &json);
    let lanes = json["lanes"].as_array().expect("lanes");
    assert_eq!(lanes.len(), 29);
    for lane in lanes {
        assert_eq!(lane["failed"], 0, "{lane}");
        let protocol = lane["protocol"].as_str().expect("a name");
        assert!(stdout.contains(protocol), "{protocol}: {stdout}");
    }
    assert!(stdout.contains("the machine: "), "{stdout}");
    let stderr = errors(&output);
    assert!(stderr.contains("round"), "progress is reported: {stderr}");
}

#[test]
fn what_cannot_be_is_refused() {
    let cases: [(&[&str], &str); 4] = [
        (&["conformance"], "Usage"),
        (&["conformance", "null", "--connections", "0"], "--connections"),
        (&["conformance", "null", "--round", "0s"], "--round"),
        (&["conformance", "null", "--round", "1h"], "--round"),
    ];
    for (words, named) in cases {
        let output = TestDirectory::new().tiebreak(words);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(errors(&output).contains(named), "{words:?}: {}", errors(&output));
    }
}

#[test]
fn a_run_records_its_lanes_own_cost_and_reports_it() {
    let directory = TestDirectory::new();
    let server = serve(unhurried());
    let url = url(&server);
    let short = ["--duration", "200ms", "--warm-up", "0s", "--connections", "4", "--out", "run"];
    let output = directory.tiebreak(&[&["run", &url, "--verbose"][..], &short[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let journal = fs::read_to_string(directory.file("run/journal.jsonl")).expect("a journal");
    let null: Vec<&str> = journal.lines().filter(|line| line.contains(r#""null""#)).collect();
    let of_null = null.iter().filter(|line| line.contains(r#""phase":"null""#)).count();
    assert_eq!(of_null, 1, "{null:?}");
    let report = directory.json("run/report.json");
    let of = &report["contenders"][0];
    let own = &of["metrics"]["own_cpu_per_operation"]["value"];
    let stdout = stdout(&output);
    assert!(stdout.contains("our CPU/op by itself, against the null server: "), "{stdout}");
    // If other tests took the core away in each of the pieces, the cost is not known.
    let disturbed = stdout.contains("not known (disturbed)");
    assert!(disturbed == own.is_null(), "{own}: {stdout}");
    assert!(disturbed || own.as_f64().is_some_and(|own| own > 0.0), "{own}");
    // The target received none of it.
    let sent = &of["sent"];
    let asked: u64 = sent.as_object().expect("counts").values().filter_map(Value::as_u64).sum();
    assert_eq!(server.stop().requests, asked, "{sent}");
}

/// Through its client library against the null server, too, and not against its own.
#[test]
fn a_run_of_cassandra_reports_what_its_library_costs() {
    let null = NullServer::start(&[::cassandra::ROW.null.expect("a service")], None)
        .expect("a null server");
    let url = format!("cassandra://{}/app", null.addresses()[0]);
    let directory = TestDirectory::new();
    let asks = ["run", &url, "--query", "SELECT key FROM system.local", "--verbose"];
    let short = ["--duration", "200ms", "--warm-up", "0s", "--connections", "4", "--out", "run"];
    let output = directory.tiebreak(&[&asks[..], &short].concat());
    let stdout = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{}{stdout}", errors(&output));
    assert!(stdout.contains("our CPU/op by itself, against the null server: "), "{stdout}");
    assert!(!stdout.contains("its own server's cheapest statement"), "{stdout}");
    let journal = fs::read_to_string(directory.file("run/journal.jsonl")).expect("a journal");
    assert!(journal.contains(r#""phase":"null""#), "{journal}");
}

#[test]
fn a_run_writes_a_page_only_where_one_is_asked_for() {
    let directory = TestDirectory::new();
    let server = serve(unhurried());
    let url = url(&server);
    let drive = |out: &str, more: &[&str]| {
        let short = ["run", &url, "--duration", "50ms", "--warm-up", "0s", "--out", out];
        let output = directory.tiebreak(&[&short[..], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        assert!(!directory.file(out).join("report.html").exists());
        stdout(&output)
    };
    let text = drive("plain", &[]);
    assert!(text.contains("plain/report.json") && !text.contains("report.html"), "{text}");
    drive("asked", &["--html", "page.html"]);
    let page = fs::read_to_string(directory.file("page.html")).expect("a page");
    assert!(page.contains("</html>"), "{page}");
}

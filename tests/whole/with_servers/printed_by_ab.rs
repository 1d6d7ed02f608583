//! `tiebreak audit` of what the real ab printed.

use crate::common::{TestDirectory, errors};
use crate::validator::assert_fits;
use crate::web::nginx;
use serde_json::Value;
use std::process::Command;

/// The audit of a file, as JSON, and the exit code.
fn audited(directory: &TestDirectory, name: &str, text: &str) -> (Option<i32>, Value) {
    std::fs::write(directory.file(name), text).expect("a file");
    let output = directory.tiebreak(&["audit", name, "--json", "--html", "page.html"]);
    let json = serde_json::from_slice(&output.stdout);
    let json: Value = json.unwrap_or_else(|_| panic!("{}", errors(&output)));
    assert_fits(include_str!("../../../schema/published.v1.json"), &json);
    let page = std::fs::read_to_string(directory.file("page.html")).expect("a page");
    assert!(page.contains(json["conclusion"].as_str().expect("a text")), "{page}");
    (output.status.code(), json)
}

fn objections(json: &Value, weight: &str) -> Vec<String> {
    let all = json["objections"].as_array().expect("objections");
    let of_weight = all.iter().filter(|of| of["weight"] == weight);
    of_weight.map(|of| of["rule"].as_str().expect("a rule").to_owned()).collect()
}

/// What ab prints about a URL.
fn ab(url: &str, more: &[&str]) -> String {
    let output = Command::new("ab").args(more).arg(url).output().expect("ab (apache2-utils)");
    assert!(output.status.success(), "{}", errors(&output));
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn what_ab_prints_of_a_server_with_error_pages_is_void_and_of_a_sound_one_is_not() {
    let (served, directory) = (TestDirectory::new(), TestDirectory::new());
    let nginx = nginx(&served);
    let load = ["-k", "-c", "4", "-n", "20000"];
    let (code, json) = audited(&directory, "sound.txt", &ab(&nginx.url(), &load));
    assert_eq!(code, Some(0), "{json}");
    assert_eq!(objections(&json, "void"), [""; 0]);
    let figure = |name: &str| {
        let figures = json["runs"][0]["figures"].as_array().expect("figures");
        figures.iter().find(|of| of["name"] == name).map(|of| of["value"].clone())
    };
    assert_eq!(figure("operations"), Some(Value::from(20_000.0)));
    assert!(!objections(&json, "caution").contains(&"few_samples".to_owned()));

    let missing = format!("{}/missing", nginx.url().trim_end_matches('/'));
    let text = ab(&missing, &load);
    let (code, json) = audited(&directory, "failing.txt", &text);
    assert_eq!(code, Some(3), "{json}");
    assert_eq!(objections(&json, "void"), ["bad_status"]);
    let place_of = &json["objections"][0]["places"][0];
    let line = place_of["line"].as_u64().expect("a line") as usize;
    let quoted = text.lines().nth(line - 1).expect("the line").trim();
    assert_eq!(place_of["quote"], quoted);
    assert!(quoted.starts_with("Non-2xx responses:"), "{quoted}");

    // Two connections' worth of work for 200 of them.
    let rush = ab(&nginx.url(), &["-c", "200", "-n", "400"]);
    let (code, json) = audited(&directory, "rush.txt", &rush);
    assert_eq!((code, objections(&json, "void")), (Some(3), vec!["few_per_connection".to_owned()]));
}

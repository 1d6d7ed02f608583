//! The audit of printed output is valid by its schema, harmless, and quotes its lines.

use super::PLAIN;
use super::validator::wrong_by;
use crate::tests::snapshots::Snapshot;
use crate::{
    printed_html as html, printed_json as json, printed_markdown as markdown,
    printed_terminal as terminal,
};
use published::{Audit, Scan};
use serde_json::Value;

const SOUND: &str = include_str!("../../../published/tests/data/ab-sound.txt");
const FAILING: &str = include_str!("../../../published/tests/data/ab-failing.txt");
const K6: &str = include_str!("../../../published/tests/data/k6-dropped.json");

fn audit(files: &[(&str, &str)]) -> Audit {
    let scans = files.iter().enumerate().map(|(at, (name, text))| {
        let mut scan = Scan::new(at);
        scan.feed(text.as_bytes());
        ((*name).to_owned(), scan)
    });
    Audit::of(scans)
}

const BOARDS: [(&str, &str); 4] = [
    ("board", include_str!("../../../published/tests/boards/web-frameworks.json")),
    ("board-arena", include_str!("../../../published/tests/boards/http-arena.json")),
    ("board-rate", include_str!("../../../published/tests/boards/http-arena-rate.json")),
    ("board-runs", include_str!("../../../published/tests/boards/http-arena-runs.json")),
];

/// The reports of leaderboards, as they are kept.
pub(super) fn snapshots() -> Vec<Snapshot> {
    let mut all = Vec::new();
    for (name, text) in BOARDS {
        let audit = audit(&[("data.json", text)]);
        all.push((format!("{name}.txt"), terminal(&audit, PLAIN)));
        if !["board-arena", "board-rate"].contains(&name) {
            all.push((format!("{name}.md"), markdown(&audit)));
        }
    }
    all
}

fn samples() -> Vec<Audit> {
    let twice = format!("{SOUND}{SOUND}{FAILING}");
    vec![
        audit(&[("a.txt", SOUND)]),
        audit(&[("a.txt", SOUND), ("b.txt", FAILING), ("c.json", K6), ("d.txt", "nothing")]),
        audit(&[("a.txt", &twice)]),
        audit(&[("a.txt", &SOUND[..600])]),
        audit(&[("a.txt", "SET: 5,207 requests per second, p50=0.2 msec\n{\"a\": 1")]),
        hostile(),
        hostile_board(),
        audit(&[("a.txt", SOUND), ("b.json", BOARDS[0].1), ("c.json", BOARDS[3].1)]),
        audit(&[("b.json", BOARDS[1].1)]),
    ]
}

/// Markup, an escape sequence and a bidirectional override in everything that is quoted.
fn hostile() -> Audit {
    let text = FAILING.replace("nginx/1.22.1", "<script>alert(1)</script>\u{202e}\u{7}x");
    audit(&[("<b>\u{202e}.txt", &text)])
}

/// The same in the names of a leaderboard.
fn hostile_board() -> Audit {
    let name = "<script>alert(1)</script>|@team\\u202e\\u0007";
    let text = BOARDS[1].1.replace("elm", name).replace("\"ash\"", &format!("\"{name}2\""));
    audit(&[("<b>\u{202e}.json", &text)])
}

#[test]
fn the_json_is_as_its_schema_says() {
    let schema = include_str!("../../../../schema/published.v1.json");
    let schema: Value = serde_json::from_str(schema).expect("JSON");
    for input in samples() {
        let value: Value = serde_json::from_str(&json(&input)).expect("JSON");
        assert_eq!(wrong_by(&schema, &value), Vec::<String>::new());
    }
    let mut wrong: Value = serde_json::from_str(&json(&samples()[1])).expect("JSON");
    wrong["objections"][0]["weight"] = Value::from("perhaps");
    wrong["runs"][0]["colour"] = Value::from("red");
    assert_eq!(wrong_by(&schema, &wrong).len(), 2);
}

#[test]
fn every_objection_has_its_line() {
    let output = terminal(&samples()[1], PLAIN);
    let place = "b.txt:19: Non-2xx responses:      2000";
    assert!(output.contains(place), "{output}");
    assert!(html(&samples()[1]).contains("Non-2xx responses:      2000"));
    assert!(output.contains("d.txt: no output of a known tool"));
}

#[test]
fn quotations_are_escaped() {
    let page = html(&hostile());
    assert!(!page.contains("<script>alert") && !page.contains("<b>"));
    assert!(page.contains("&lt;b&gt;") && page.contains("<title>VOID"));
    for text in [page, terminal(&hostile(), PLAIN), json(&hostile())] {
        let shown = text.replace('\n', "");
        assert!(!shown.chars().any(text::shown::is_hidden));
    }
}

#[test]
fn names_of_a_leaderboard_are_escaped() {
    let audit = hostile_board();
    assert_eq!(audit.board_error, None);
    let (page, summary) = (html(&audit), markdown(&audit));
    assert!(!page.contains("<script>alert") && page.contains("&lt;script&gt;alert"));
    assert!(!summary.contains("<script>") && !summary.contains("|@") && !summary.contains("@team"));
    assert!(summary.contains("&lt;script&gt;alert"), "{summary}");
    for text in [page, summary, terminal(&audit, PLAIN), json(&audit)] {
        let shown = text.replace('\n', "");
        assert!(!shown.chars().any(text::shown::is_hidden));
    }
}

#[test]
fn a_leaderboard_is_data_and_a_page() {
    let audit = audit(&[("data.json", BOARDS[3].1)]);
    let value: Value = serde_json::from_str(&json(&audit)).expect("JSON");
    let list = &value["lists"][0];
    assert_eq!((&list["answer"], &list["main"]), (&Value::from("ranked"), &Value::from(true)));
    let ranks: Vec<(&str, u64, u64)> = list["entries"]
        .as_array()
        .expect("entries")
        .iter()
        .map(|of| (of["name"].as_str(), of["best"].as_u64(), of["worst"].as_u64()))
        .map(|(name, best, worst)| (name.unwrap(), best.unwrap(), worst.unwrap()))
        .collect();
    assert_eq!(ranks[2..], [("rowan", 3, 3), ("yew", 4, 4)]);
    assert!(ranks[..2].iter().all(|(_, best, worst)| (*best, *worst) == (1, 2)), "{ranks:?}");
    let page = html(&audit);
    assert!(page.contains("512 connections by throughput") && page.contains("1 to 2"));
    assert!(page.contains("Other lists") && page.contains("pairs separated"));
}

#[test]
fn objections_are_in_the_summary() {
    let summary = markdown(&audit(&[("b.txt", FAILING)]));
    assert!(summary.starts_with("## Void: audit of published output"), "{summary}");
    assert!(summary.contains("| void | `bad_status` | "), "{summary}");
}

#[test]
fn the_page_has_its_data_and_balances() {
    for input in samples() {
        let page = html(&input);
        let data = page.split("id=\"report\">").nth(1).expect("data");
        let data = data.split("</script>").next().expect("data");
        assert_eq!(data.replace("\\u003c", "<"), json(&input));
    }
}

//! The audit of printed output is valid by its schema, harmless, and quotes its lines.

use super::PLAIN;
use super::validator::wrong_by;
use crate::{printed_html as html, printed_json as json, printed_terminal as terminal};
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

fn samples() -> Vec<Audit> {
    let twice = format!("{SOUND}{SOUND}{FAILING}");
    vec![
        audit(&[("a.txt", SOUND)]),
        audit(&[("a.txt", SOUND), ("b.txt", FAILING), ("c.json", K6), ("d.txt", "nothing")]),
        audit(&[("a.txt", &twice)]),
        audit(&[("a.txt", &SOUND[..600])]),
        audit(&[("a.txt", "SET: 5,207 requests per second, p50=0.2 msec\n{\"a\": 1")]),
        hostile(),
    ]
}

/// Markup, an escape sequence and a bidirectional override in everything that is quoted.
fn hostile() -> Audit {
    let text = FAILING.replace("nginx/1.22.1", "<script>alert(1)</script>\u{202e}\u{7}x");
    audit(&[("<b>\u{202e}.txt", &text)])
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
fn the_page_has_its_data_and_balances() {
    for input in samples() {
        let page = html(&input);
        let data = page.split("id=\"report\">").nth(1).expect("data");
        let data = data.split("</script>").next().expect("data");
        assert_eq!(data.replace("\\u003c", "<"), json(&input));
    }
}

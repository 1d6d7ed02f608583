//! The chapter on the audit in docs/METHOD.md is made from the table of rules.
//!
//! `TIEBREAK_WRITE_METHOD=1 cargo test --test method` writes it anew.

use judge::audit::{RULES, Rule};
use judge::verdict::Weight;
use std::fmt::Write;

const METHOD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/METHOD.md");
const BEGIN: &str = "<!-- rules:begin -->\n";
const END: &str = "<!-- rules:end -->\n";

/// The chapter as it follows from the rules.
fn chapter(rules: &[Rule]) -> String {
    let mut text = String::from("\n");
    for rule in rules {
        let weight = match rule.weight {
            Weight::Void => "can void the run",
            Weight::Caution => "a caution at most",
            Weight::Note => "a note at most",
        };
        writeln!(text, "#### `{}`: {weight}\n", rule.name).expect("memory");
        writeln!(text, "{}\n", rule.threshold).expect("memory");
        writeln!(text, "*Why:* {}\n", rule.why).expect("memory");
        writeln!(text, "*What to do:* {}\n", rule.remedy).expect("memory");
    }
    text
}

/// The method with this chapter between the marks.
fn with_chapter(method: &str, chapter: &str) -> String {
    let parts = method
        .split_once(BEGIN)
        .and_then(|(before, rest)| rest.split_once(END).map(|(_, behind)| (before, behind)));
    let (before, behind) = parts.expect("docs/METHOD.md has the marks rules:begin and rules:end");
    format!("{before}{BEGIN}{chapter}{END}{behind}")
}

#[test]
fn the_chapter_on_the_audit_is_the_table_of_rules() {
    let method = std::fs::read_to_string(METHOD).expect("docs/METHOD.md");
    let wanted = with_chapter(&method, &chapter(RULES));
    if std::env::var_os("TIEBREAK_WRITE_METHOD").is_some() {
        std::fs::write(METHOD, &wanted).expect("docs/METHOD.md is writable");
        return;
    }
    let differs = method.lines().zip(wanted.lines()).find(|(is, should)| is != should);
    assert!(
        method == wanted,
        "docs/METHOD.md and the rules differ, first here: {differs:?}; \
         TIEBREAK_WRITE_METHOD=1 cargo test --test method writes the chapter anew"
    );
}

#[test]
fn every_rule_has_its_place_and_nothing_else_is_touched() {
    let old = format!("before\n{BEGIN}stale text\n{END}behind\n");
    let new = with_chapter(&old, &chapter(RULES));
    assert!(
        new.starts_with("before\n") && new.ends_with("behind\n") && !new.contains("stale text")
    );
    for rule in RULES {
        assert_eq!(new.matches(&format!("#### `{}`:", rule.name)).count(), 1, "{}", rule.name);
        for said in [rule.threshold, rule.why, rule.remedy] {
            assert!(new.contains(said), "{said}");
        }
    }
}

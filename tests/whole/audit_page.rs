//! docs/audit.md lists the rules of the audit as the table in `judge` has them.
//!
//! `TIEBREAK_WRITE_DOCS=1 cargo test --test whole of_the_code` writes the list again.

use judge::audit::{RULES, Rule};
use judge::verdict::Weight;
use std::fmt::Write;

const PAGE: &str = "docs/audit.md";

/// The list of the rules.
fn list(rules: &[Rule]) -> String {
    let mut text = String::new();
    for rule in rules {
        let weight = match rule.weight {
            Weight::Void => "Can void the run.",
            Weight::Caution => "A caution at most.",
            Weight::Note => "A note at most.",
        };
        writeln!(text, "## `{}`\n", rule.name).expect("memory");
        writeln!(text, "**{weight}** {}\n", rule.threshold).expect("memory");
        writeln!(text, "*Why:* {}\n", rule.why).expect("memory");
        writeln!(text, "*What to do:* {}\n", rule.remedy).expect("memory");
    }
    text
}

/// The page with these lines between the marks of a part, such as `<!-- rules:begin -->`.
///
/// # Panics
/// Panics if the page does not have the marks.
pub(crate) fn with_part(page: &str, part: &str, lines: &str) -> String {
    let (begin, end) = (format!("<!-- {part}:begin -->\n"), format!("<!-- {part}:end -->\n"));
    let parts =
        page.split_once(&begin).and_then(|(before, rest)| Some((before, rest.split_once(&end)?.1)));
    let Some((before, behind)) = parts else { panic!("the page has no marks of `{part}`") };
    format!("{before}{begin}\n{}\n\n{end}{behind}", lines.trim_end())
}

/// Compares a page with what the code says, or writes it with `TIEBREAK_WRITE_DOCS`.
///
/// # Panics
/// Panics if the page differs from what the code says.
pub(crate) fn compare_or_write(page: &str, wanted: impl FnOnce(&str) -> String) {
    let file = format!("{}/{page}", env!("CARGO_MANIFEST_DIR"));
    let is = std::fs::read_to_string(&file).expect(page);
    let wanted = wanted(&is);
    if std::env::var_os("TIEBREAK_WRITE_DOCS").is_some() {
        std::fs::write(&file, &wanted).expect("the page is writable");
        return;
    }
    let differs = is.lines().zip(wanted.lines()).find(|(is, should)| is != should);
    assert!(
        is == wanted,
        "{page} is not what the code says, first here: {differs:?}; \
         TIEBREAK_WRITE_DOCS=1 cargo test --test whole of_the_code writes it again"
    );
}

#[test]
fn the_page_lists_the_rules_of_the_code() {
    compare_or_write(PAGE, |page| with_part(page, "rules", &list(RULES)));
}

#[test]
fn every_rule_is_listed_once_and_nothing_else_is_changed() {
    let old = "before\n<!-- rules:begin -->\nstale text\n<!-- rules:end -->\nafter\n";
    let new = with_part(old, "rules", &list(RULES));
    assert!(new.starts_with("before\n") && new.ends_with("after\n") && !new.contains("stale text"));
    for rule in RULES {
        assert_eq!(new.matches(&format!("## `{}`\n", rule.name)).count(), 1, "{}", rule.name);
        for text in [rule.threshold, rule.why, rule.remedy] {
            assert!(new.contains(text), "{text}");
        }
    }
}

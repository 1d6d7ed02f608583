use super::*;
use crate::samples;
use crate::tests::Snapshot;
use text::shown::is_hidden;

/// The samples whose summary is kept.
const KEPT: [&str; 14] = [
    "ranked",
    "undecided",
    "void",
    "run",
    "five",
    "empty",
    "launched",
    "looks",
    "required",
    "loads",
    "loads-noisy",
    "requests",
    "suite",
    "suite-void",
];

pub(crate) fn summaries() -> Vec<Snapshot> {
    let all = samples::all().into_iter().filter(|input| KEPT.contains(&input.0));
    all.map(|(name, input)| (format!("{name}.md"), summary(&input.view()))).collect()
}

#[test]
fn hostile_text_is_not_markup() {
    let input = samples::hostile();
    let seen = summary(&input.view());
    let hidden: Vec<char> = seen.chars().filter(|c| is_hidden(*c) && *c != '\n').collect();
    assert_eq!(hidden, [] as [char; 0]);
    let marks = seen.replace("\\]", "");
    for never in ["<script", "@team", "](", "\u{202e}"] {
        assert!(!marks.contains(never), "{never}");
    }
    // Every line of a table has as many bars as its head, whatever characters names contain.
    let tables: Vec<&str> = seen.split("\n\n").filter(|part| part.starts_with('|')).collect();
    assert_eq!(tables.len(), 2, "verdicts and costs");
    for (table, bars) in tables.into_iter().zip([8, 6]) {
        assert!(table.lines().count() >= 3);
        for line in table.trim_end().lines() {
            assert_eq!(line.matches('|').count(), bars, "{line}");
        }
    }
}

#[test]
fn names_of_cases_are_not_markup() {
    let seen = summary(&samples::suite().view());
    let marks = seen.replace("\\]", "");
    for never in ["](", "@you", "://"] {
        assert!(!marks.contains(never), "{never}");
    }
    let tables: Vec<&str> = seen.split("\n\n").filter(|part| part.starts_with('|')).collect();
    assert_eq!(tables.len(), 2, "what changed, and all");
    for line in tables.iter().flat_map(|table| table.trim_end().lines()) {
        assert_eq!(line.matches('|').count(), 7, "{line}");
    }
}

/// GitHub refuses a comment of more characters.
#[test]
fn the_summary_of_a_large_suite_is_a_comment() {
    let seen = summary(&samples::large_suite().view());
    assert!(seen.len() < 65_536, "{}", seen.len());
    assert_eq!(seen.matches(" more, in the report").count(), 1, "all that changed have room");
}

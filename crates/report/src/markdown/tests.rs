use super::*;
use crate::samples;
use crate::tests::Snapshot;
use text::shown::is_hidden;

/// The samples whose summary is kept.
const KEPT: [&str; 11] = [
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

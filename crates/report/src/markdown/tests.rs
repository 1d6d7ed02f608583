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

/// What a stranger calls a case is neither a link to an issue or a commit nor an emoji.
#[test]
fn names_of_cases_are_code_in_the_headline_and_in_lists() {
    let mut input = samples::suite();
    let suite = input.suite.as_mut().expect("a suite");
    suite.cases[3].name = "GH-12 :tada:".to_owned();
    suite.pairs[0].failed[0].case = "sort".to_owned();
    suite.left_out = vec!["3ff2ee9".to_owned()];
    let seen = summary(&input.view());
    assert!(seen.starts_with("## 2 of 8 slower (worst: `GH-12 :tada:` 1.12x"), "{seen}");
    for wanted in [
        "- left out to fit into the time: `3ff2ee9`",
        "- only in `old`: `legacy`",
        "- failed: `sort` (`new`: a run failed in round 3)",
    ] {
        assert!(seen.contains(wanted), "{wanted}: {seen}");
    }
}

/// Names of 1000 characters, each of which is escaped to several.
#[test]
fn the_summary_of_cases_with_long_names_is_a_comment() {
    let mut input = samples::large_suite_of(|at| format!("{at}{}", "|".repeat(1000)));
    let suite = input.suite.as_mut().expect("a suite");
    let names = || (0..2000).map(|at| format!("{at}{}", "<".repeat(1000))).collect::<Vec<String>>();
    suite.left_out = names();
    suite.only_in = ["old", "new"]
        .map(|of| judge::verdict::OnlyIn { contender: of.to_owned(), cases: names() })
        .to_vec();
    for (at, comparison) in input.comparisons.iter_mut().enumerate() {
        comparison.because = vec![format!("reason {at} {}", "*".repeat(1000))];
    }
    let seen = summary(&input.view());
    assert!(seen.chars().count() < 65_536, "{}", seen.chars().count());
    assert!(seen.contains("plan `"), "the origin has room");
    // Many requirements and findings have no room, which is said.
    let one = samples::all().into_iter().find(|(of, _)| *of == "required").expect("a sample").1;
    input.checked = vec![Checked { why: "w".repeat(3000), ..one.checked[0].clone() }; 40];
    let seen = summary(&input.view());
    assert!(seen.chars().count() < 65_536, "{}", seen.chars().count());
    assert_eq!(seen.matches(NO_ROOM).count(), 1);
}

/// GitHub refuses a comment of more characters.
#[test]
fn the_summary_of_a_large_suite_is_a_comment() {
    let seen = summary(&samples::large_suite().view());
    assert!(seen.len() < 65_536, "{}", seen.len());
    assert_eq!(seen.matches(" more, in the report").count(), 1, "all that changed have room");
}

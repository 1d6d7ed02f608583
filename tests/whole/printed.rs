//! `tiebreak audit` of files that are missing or have no output, and the page of its rules.
//!
//! `TIEBREAK_WRITE_DOCS=1 cargo test --test whole of_the_code` writes the rules and tools into
//! docs/audit-of-published-output.md again.

use crate::audit_page::{compare_or_write, with_part};
use crate::common::{TestDirectory, errors};
use published::rules::RULES;
use published::tools::TOOLS;
use std::fmt::Write;

#[test]
fn a_file_without_output_and_a_missing_one_are_named() {
    let directory = TestDirectory::new();
    std::fs::write(directory.file("notes.txt"), "nothing\n").expect("a file");
    for (what, text) in [
        (&["audit", "notes.txt"][..], "no output of a load generator was found in notes.txt"),
        (&["audit", "gone.txt"], "the run gone.txt was not found"),
        (&["audit", "notes.txt", "."], "is a run of tiebreak itself: audit one such run at a time"),
        (&["audit", ".", "--json"], "use `tiebreak report`"),
    ] {
        let output = directory.tiebreak(what);
        assert_eq!(output.status.code(), Some(2), "{what:?}");
        assert!(errors(&output).contains(text), "{what:?}: {}", errors(&output));
    }
}

fn rules() -> String {
    let mut text = "| rule | at most | when | why |\n|---|---|---|---|\n".to_owned();
    for rule in RULES {
        let weight = format!("{:?}", rule.weight).to_lowercase();
        writeln!(text, "| `{}` | {weight} | {} | {} |", rule.name, rule.threshold, rule.why)
            .expect("memory");
    }
    text
}

fn tools() -> String {
    let mut text =
        "| tool | what its whole output shows, as far as it is read |\n|---|---|\n".to_owned();
    for tool in TOOLS {
        let names = tool.prints.iter().map(|key| match key {
            published::key::Key::Percentile(_) => "percentiles".to_owned(),
            _ => key.name().0,
        });
        let names = names.collect::<Vec<String>>().join(", ");
        writeln!(text, "| {} | {names} |", tool.name).expect("memory");
    }
    text
}

#[test]
fn the_page_of_printed_output_lists_the_rules_and_tools_of_the_code() {
    compare_or_write("docs/audit-of-published-output.md", |page| {
        with_part(&with_part(page, "rules", &rules()), "tools", &tools())
    });
}

//! `tiebreak help`: commands, and chapters of the guide.

use crate::common::{TestDirectory, errors, stdout};

#[test]
fn help_of_a_command_is_what_its_flag_prints() {
    let directory = TestDirectory::new();
    for (command, flag) in [
        (&["help"][..], &["--help"][..]),
        (&["help", "compare"], &["compare", "--help"]),
        (&["help", "conformance", "null"], &["conformance", "null", "--help"]),
    ] {
        let (help, same) = (directory.tiebreak(command), directory.tiebreak(flag));
        assert_eq!(help.status.code(), Some(0), "{command:?}: {}", errors(&help));
        assert_eq!(stdout(&help), stdout(&same), "{command:?}");
    }
}

#[test]
fn commands_are_grouped_by_task() {
    let directory = TestDirectory::new();
    let help = stdout(&directory.tiebreak(&["--help"]));
    let lines: Vec<&str> = help.lines().collect();
    let after = |line: &str, next: &str| {
        let at = lines.iter().position(|other| *other == line);
        let at = at.unwrap_or_else(|| panic!("{line}: {help}"));
        assert!(lines[at + 1].starts_with(next), "{line}: {help}");
    };
    for (title, first) in [
        ("Compare:", "  compare"),
        ("Run one target:", "  run"),
        ("Prepare:", "  init"),
        ("Read results:", "  report"),
        ("Check the tool:", "  conformance"),
        ("Shell and manual:", "  completions"),
    ] {
        after(title, first);
    }
    assert!(lines.contains(&"Options:") && lines.contains(&"Examples:"), "{help}");
}

#[test]
fn a_topic_is_a_chapter_of_the_guide() {
    let directory = TestDirectory::new();
    let guide = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/guide.md"));
    let guide = guide.expect("the guide");
    for (topic, heading) in [
        ("interleaving", "Interleaving"),
        ("workloads", "Workloads"),
        ("stores", "Stores"),
        ("databases", "Databases"),
        ("ci", "CI"),
    ] {
        let chapter = directory.tiebreak(&["help", topic]);
        let text = stdout(&chapter);
        assert_eq!(chapter.status.code(), Some(0), "{topic}: {}", errors(&chapter));
        assert!(text.starts_with(&format!("## {heading}\n")), "{topic}: {text}");
        assert!(guide.contains(&text) && text.matches("\n## ").count() == 0, "{topic}: {text}");
    }
    let slip = directory.tiebreak(&["help", "interleave"]);
    assert_eq!(slip.status.code(), Some(2));
    assert!(errors(&slip).contains("did you mean `interleaving`?"), "{}", errors(&slip));
}

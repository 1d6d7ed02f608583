use super::*;
use crate::report::stories;
use crate::report::tests::compare;
use crate::shown::is_hidden;

#[test]
fn summaries() {
    for (name, story) in stories::all() {
        if ["faster", "undecided", "void", "run", "five", "empty"].contains(&name) {
            let seen = summary(&story.view(), &stories::checked(name));
            compare(&format!("{name}.md"), &seen);
        }
    }
}

#[test]
fn hostile_text_marks_nothing_up() {
    let story = stories::hostile();
    let seen = summary(&story.view(), &stories::checked("hostile"));
    let hidden: Vec<char> = seen.chars().filter(|c| is_hidden(*c) && *c != '\n').collect();
    assert_eq!(hidden, []);
    let marks = seen.replace("\\]", "");
    for never in ["<script", "@team", "](", "\u{202e}"] {
        assert!(!marks.contains(never), "{never}");
    }
    // Every line of the table has its eight bars, whatever the names hold.
    let cells = seen.lines().filter(|line| line.starts_with('|'));
    assert!(cells.clone().count() >= 3);
    for line in cells {
        assert_eq!(line.matches('|').count(), 8, "{line}");
    }
}

//! What people see, compared as text, and what no report may do.

mod page;
mod schema;
mod snapshots;
pub(super) mod validator;

pub(super) use snapshots::compare;

use super::{Style, html, json, stories, terminal};
use crate::shown::is_hidden;

/// A terminal without colours, 100 columns wide.
const PLAIN: Style = Style { colour: false, width: 100 };

#[test]
fn hostile_text_reaches_nobody_as_it_is() {
    let story = stories::hostile();
    let view = story.view();
    let (_, sweep) = stories::sweeps().pop().expect("the hostile one is the last");
    let sweep = sweep.view();
    let outputs = [
        terminal::report(&view, PLAIN),
        json::report(&view),
        html::page(&view),
        terminal::sweep::report(&sweep, PLAIN),
        json::sweep::report(&sweep),
        html::sweep::page(&sweep),
    ];
    let hidden = outputs.map(|output| {
        output
            .chars()
            .filter(|c| is_hidden(*c) && *c != '\n')
            .map(|c| c.escape_default().to_string())
            .collect::<Vec<String>>()
    });
    assert_eq!(hidden, [const { Vec::<String>::new() }; 6]);
}

#[test]
fn no_line_but_a_path_is_wider_than_the_terminal() {
    use unicode_width::UnicodeWidthStr;
    for (name, story) in stories::all() {
        for width in [40, 80, 100] {
            let report = terminal::report(&story.view(), Style { colour: false, width });
            let lines = report.lines().filter(|line| !line.contains("/report."));
            let widest = lines.max_by_key(|line| line.width()).unwrap_or_default();
            assert!(widest.width() <= width, "{name} at {width}: {widest}");
        }
    }
    for (name, story) in stories::sweeps() {
        for width in [40, 80, 100] {
            let style = Style { colour: false, width };
            let report = terminal::sweep::report(&story.view(), style);
            let lines = report.lines().filter(|line| !line.contains("/report."));
            let widest = lines.max_by_key(|line| line.width()).unwrap_or_default();
            assert!(widest.width() <= width, "{name} at {width}: {widest}");
        }
    }
}

#[test]
fn colours_add_nothing_but_colours() {
    for (name, story) in stories::all() {
        let mut coloured = terminal::report(&story.view(), Style { colour: true, ..PLAIN });
        assert!(coloured.contains("\x1b["), "{name}");
        for code in ["0", "1", "33", "1;31", "1;32"] {
            coloured = coloured.replace(&format!("\x1b[{code}m"), "");
        }
        assert_eq!(coloured, terminal::report(&story.view(), PLAIN), "{name}");
    }
}

#[test]
fn the_same_story_gives_the_same_bytes() {
    for (name, story) in stories::all() {
        let again = story.clone();
        assert_eq!(json::report(&story.view()), json::report(&again.view()), "{name}");
    }
}

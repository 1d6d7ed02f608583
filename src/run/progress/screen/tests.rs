use super::*;
use proptest::prelude::*;

#[path = "../../../../tests/common/terminal.rs"]
mod terminal;
use terminal::Terminal;

fn view(texts: &[&str], room: usize) -> Vec<Line> {
    texts.iter().map(|text| Line::new(room, false).add(text, Paint::Plain)).collect()
}

fn sentences(text: &str) -> Vec<String> {
    vec![text.to_owned()]
}

#[test]
fn text_is_cut_by_columns() {
    for (text, room, fits) in [
        ("contender", 9, "contender"),
        ("contender", 8, "contend…"),
        ("contender", 1, "…"),
        ("contender", 0, ""),
        ("東京の", 6, "東京の"),
        ("東京の", 5, "東京…"),
        ("東京の", 4, "東…"),
    ] {
        assert_eq!(fitted(text, room), fits, "{text} in {room}");
    }
}

#[test]
fn colours_take_no_room_and_are_ended() {
    let line = Line::new(8, true).add("ab", Paint::Strong).to(4).add("cdefgh", Paint::Done);
    assert_eq!(line.text, "\x1b[1mab\x1b[0m  \x1b[36mcde…\x1b[0m");
    assert_eq!(line.width, 8);
    let plain = Line::new(8, false).add("ab", Paint::Strong).to(4).add("cd", Paint::Done);
    assert_eq!(plain.text, "ab  cd");
}

#[test]
fn a_view_is_replaced_and_what_was_said_stays_above() {
    let size = Size { columns: 20, rows: 6 };
    let mut terminal = Terminal::new(20, 6);
    let mut screen = Screen::default();
    let first = screen.frame(&sentences("run: R"), &view(&["round 1", "  a"], 19), size);
    assert_eq!(first, "run: R\nround 1\n  a\n");
    terminal.feed(&first);
    terminal.feed(&screen.frame(&[], &view(&["round 2", "  a", "  b"], 19), size));
    assert_eq!(terminal.text(), "run: R\nround 2\n  a\n  b");
    assert_eq!(terminal.cursor(), (4, 0), "below the view, at the left");
    // Longer than a row, and more than the screen holds.
    let long = "pilot: a sentence of more than twenty columns";
    terminal.feed(&screen.frame(&sentences(long), &view(&["round 3"], 19), size));
    terminal.feed(&screen.frame(&sentences("two"), &view(&["round 4"], 19), size));
    terminal.feed(&screen.frame(&sentences("three"), &[], size));
    assert_eq!(terminal.text(), format!("run: R\n{long}\ntwo\nthree"));
    assert_eq!(terminal.cursor(), (4, 0));
}

#[test]
fn what_is_typed_is_erased_with_the_view() {
    let size = Size { columns: 20, rows: 6 };
    let mut terminal = Terminal::new(20, 6);
    let mut screen = Screen::default();
    terminal.feed(&screen.frame(&sentences("run: R"), &view(&["round 1"], 19), size));
    terminal.feed("^C");
    terminal.feed(&screen.frame(&[], &[], size));
    assert_eq!(terminal.text(), "run: R");
}

proptest! {
    #[test]
    fn only_what_was_said_and_the_last_view_remain(
        steps in proptest::collection::vec(
            (10_usize..90, 0_usize..5, proptest::option::of("[a-z ]{1,100}")),
            1..20,
        ),
    ) {
        let mut terminal = Terminal::new(80, 1000);
        let mut screen = Screen::default();
        let mut kept = Vec::new();
        for (columns, lines, sentence) in steps {
            terminal.resize(columns);
            let size = Size { columns, rows: 1000 };
            let sentences: Vec<String> = sentence.into_iter().collect();
            let text = "x".repeat(90);
            let view = view(&vec![text.as_str(); lines], columns - 1);
            terminal.feed(&screen.frame(&sentences, &view, size));
            kept.extend(sentences.iter().map(|sentence| sentence.trim_end().to_owned()));
            let shown = view.iter().map(|line| line.text.clone());
            let expected: Vec<String> = kept.iter().cloned().chain(shown).collect();
            let expected = expected.join("\n");
            prop_assert_eq!(terminal.text(), expected.trim_end());
        }
    }
}

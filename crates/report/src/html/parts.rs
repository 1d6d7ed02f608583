//! Parts that several sections are made of.

use super::chart::swatch;
use super::node::{Node, el, foreign};
use crate::words::columns::{self, Column};
use crate::{View, words};
use judge::verdict::{Comparison, ContenderSummary, Word};
use record::Metric;
use text::shown::shown;

/// The line at the top with the program, a name of at most `longest` characters, and more about it.
pub(super) fn masthead(name: &str, longest: usize, more: &str) -> Node {
    let name = foreign(words::short_name(name, longest));
    el("header")
        .class("masthead")
        .with(el("span").class("brand").text("tiebreak"))
        .with(el("span").class("quiet").with(name).text(format!(" · {more}")))
}

/// A section with its heading.
pub(super) fn section(heading: &str) -> Node {
    el("section").with(el("h2").text(heading))
}

/// A small paragraph that explains a picture.
pub(super) fn caption(text: &str) -> Node {
    el("p").class("caption").text(text)
}

/// A caption from a sentence without its capital letter and its full stop.
pub(super) fn sentence(text: &str) -> Node {
    caption(&format!("{}.", capitalised(text)))
}

/// Says that verdicts in a table are about launches, if they are.
pub(super) fn about_launches<'a>(verdicts: impl Iterator<Item = &'a Comparison>) -> Option<Node> {
    words::about_launches(verdicts).map(sentence)
}

/// With a capital letter at the beginning.
pub(super) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// The text in place of an empty picture.
pub(super) fn nothing(text: &str) -> Node {
    el("p").class("nothing").text(text)
}

/// A command as it is typed.
pub(super) fn command(text: &str) -> Node {
    el("p").with(el("code").with(foreign(shown(text))))
}

/// Content that is folded until the reader opens it.
pub(super) fn folded(summary: &str, inside: Node) -> Node {
    el("details").with(el("summary").text(summary)).with(inside)
}

/// A table in a box that scrolls horizontally if necessary. The first cell of a row is its name.
pub(super) fn table<S: AsRef<str>>(head: &[S], rows: impl IntoIterator<Item = Vec<Node>>) -> Node {
    let head = head.iter().map(|label| el("th").at("scope", "col").text(label.as_ref()));
    let rows = rows.into_iter().map(|cells| el("tr").with_all(cells));
    let table = el("table")
        .with(el("thead").with(el("tr").with_all(head)))
        .with(el("tbody").with_all(rows));
    // Reachable by keyboard, so that it can be scrolled without a mouse.
    el("div").class("scroll").at("tabindex", "0").with(table)
}

/// The cell with the name of a row.
pub(super) fn row_name(name: &str) -> Node {
    el("th").at("scope", "row").with(foreign(words::short_name(name, 48)))
}

/// A cell with a figure.
pub(super) fn cell(text: impl std::fmt::Display) -> Node {
    el("td").text(text)
}

/// A cell with an interval of ratios.
pub(super) fn interval(of: Option<(f64, f64)>) -> Node {
    cell(words::or_missing(of.map(|(low, high)| format!("{low:.4} to {high:.4}"))))
}

/// A table of these columns with a row for each of these contenders or groups. The head is that of
/// the cells that the rows have.
pub(super) fn figures<'a>(
    view: &View,
    head: &[&'static str],
    columns: &[Column],
    rows: impl Iterator<Item = (Vec<Node>, &'a ContenderSummary)>,
) -> Node {
    let head: Vec<&str> = head.iter().copied().chain(columns.iter().map(|it| it.0)).collect();
    let row = |(cells, of): (Vec<Node>, _)| {
        cells.into_iter().chain(columns::cells(view, of, columns).into_iter().map(cell)).collect()
    };
    table(&head, rows.map(row))
}

/// The contenders, each with the cell of its name.
pub(super) fn named<'a>(
    view: &View<'a>,
    name: impl Fn(usize, &ContenderSummary) -> Node,
) -> impl Iterator<Item = (Vec<Node>, &'a ContenderSummary)> {
    let numbered = view.contenders.iter().enumerate();
    numbered.map(move |(number, of)| (vec![name(number, of)], of))
}

/// The cell with the name of a row, beside the mark of the contender.
pub(super) fn marked_name(number: usize, of: &ContenderSummary) -> Node {
    let name = foreign(words::short_name(&of.name, 40));
    el("th").at("scope", "row").with(el("span").class("named").with(swatch(number)).with(name))
}

/// A list of names and values.
pub(super) fn facts(pairs: impl IntoIterator<Item = (&'static str, String)>) -> Node {
    let pairs = pairs
        .into_iter()
        .map(|(name, fact)| el("div").with(el("dt").text(name)).with(el("dd").with(foreign(fact))));
    el("dl").class("facts").with_all(pairs)
}

/// The sign of a verdict.
fn sign(word: Word, metric: Metric) -> &'static str {
    match (word, metric) {
        (Word::Faster, of) if of.is_use() => "▼",
        (Word::Slower, of) if of.is_use() => "▲",
        (Word::Faster, _) => "▲",
        (Word::Slower, _) => "▼",
        (Word::Equivalent, _) => "=",
        (Word::Undecided, _) => "?",
        (Word::Void, _) => "✕",
    }
}

/// The verdict of a comparison, with a sign, so that it does not depend on colour.
pub(super) fn word(word: Word, metric: Metric) -> Node {
    let class = format!("word {}", class(word));
    signed(&class, sign(word, metric), &words::in_capitals(word, metric))
}

/// The sign alone, where there is no room for the word, which is its description.
pub(super) fn word_as_sign(word: Word, metric: Metric) -> Node {
    let name = words::word(word, metric);
    let of = el("span").class(format!("word {}", class(word))).at("role", "img");
    of.at("aria-label", name).at("title", name).text(sign(word, metric))
}

/// What the signs of verdicts mean.
pub(super) fn signs(metric: Metric) -> String {
    let all = [Word::Faster, Word::Slower, Word::Equivalent, Word::Undecided];
    all.map(|of| format!("{} {}", sign(of, metric), words::word(of, metric))).join(", ")
}

/// What to do about a finding.
pub(super) fn remedy(text: &str) -> Node {
    el("p").class("remedy").with(el("strong").text("What to do: ")).text(text)
}

/// Words with a sign before them that is not read aloud.
pub(super) fn signed(class: &str, sign: &str, words: &str) -> Node {
    let sign = el("span").at("aria-hidden", "true").text(sign);
    el("span").class(class).with(sign).text(format!(" {words}"))
}

/// The class of a verdict.
pub(super) fn class(word: Word) -> &'static str {
    match word {
        Word::Faster => "faster",
        Word::Slower => "slower",
        Word::Equivalent => "equivalent",
        Word::Undecided => "undecided",
        Word::Void => "void",
    }
}

//! The ranks of contenders, and which pairs are separated.

use super::forest::{self, Mark};
use super::node::{Node, el, foreign};
use super::parts;
use crate::View;
use crate::words::{self, ranking};
use judge::verdict::Ranking;
use judge::verdict::{Comparison, Word};

/// Longest name in the matrix, in characters.
const LONGEST_NAME: usize = 24;

/// The table of ranks, at the top of the page. Returns None if contenders were not ranked.
pub(super) fn headline(view: &View) -> Option<Node> {
    let of = view.ranking.filter(|_| !view.void)?;
    let table = ranked(&ranking::head(of), ranking::rows(view, of, '×'));
    let sentences = ranking::about(view, of);
    let sentences = sentences.iter().map(|it| parts::sentence(it));
    Some(el("div").class("ranks").with(table).with(picture(view, of)).with_all(sentences))
}

/// A table whose rows begin with a rank and a name.
pub(super) fn ranked(head: &[String], rows: Vec<ranking::Row>) -> Node {
    let cells = |row: ranking::Row| {
        let rank = el("th").at("scope", "row").text(row.rank);
        let name = el("td").class("name").with(foreign(row.name));
        vec![rank, name, parts::cell(row.figure), parts::cell(row.ratio)]
    };
    parts::table(head, rows.into_iter().map(cells))
}

/// The ratio of each contender to the first one.
fn picture(view: &View, of: &Ranking) -> Node {
    let ratios = of.ranked.iter().flat_map(|it| [it.ratio, it.low, it.high]).flatten();
    let axis = forest::axis_of(view.matters(), ratios);
    let rows = ranking::with_ratios(&of.ranked).zip(ranking::rows(view, of, '×')).map(
        |((it, ratio), row)| {
            let description = format!("{}: {}, rank {}", row.name, row.ratio, row.rank);
            let mark = Mark { class: "ranked", ratio, bounds: it.low.zip(it.high), radius: 5.5 };
            let name = el("div").class("what").with(el("div").with(foreign(row.name)));
            let rank = el("div").class("outcome").text(row.rank);
            let strip = forest::marked(view.matters(), description, &mark, &axis);
            el("div").class("row").with(name).with(strip).with(rank)
        },
    );
    let rows: Vec<Node> = rows.collect();
    let labels = el("div").class("row axis").with(forest::labels(&axis));
    el("div").class("forest").with(el("div").class("group").with_all(rows)).with(labels)
}

/// The matrix of pairs. Returns None if contenders were not ranked.
pub(super) fn section(view: &View) -> Option<Node> {
    let of = view.ranking.filter(|_| !view.void)?;
    let names: Vec<&str> = of.ranked.iter().map(|it| it.name.as_str()).collect();
    let short = |name: &str| words::short_name(name, LONGEST_NAME);
    let head = std::iter::once(String::new()).chain(names.iter().map(|name| short(name)));
    let head: Vec<String> = head.collect();
    let rows = names.iter().map(|row| {
        let cells = names.iter().map(|column| cell(view, of, row, column));
        std::iter::once(parts::row_name(row)).chain(cells).collect()
    });
    let signs = parts::signs(of.metric);
    let caption = format!("Each row against each column, in the order of the ranks: {signs}.");
    Some(
        parts::section("Pairs")
            .with(parts::caption(&caption))
            .with(parts::table(&head, rows.collect::<Vec<_>>())),
    )
}

/// The verdict on the contender of a row against that of a column.
fn cell(view: &View, of: &Ranking, row: &str, column: &str) -> Node {
    let mut primaries = view.primaries();
    let pair = primaries.find_map(|it| match (it.a.as_str(), it.b.as_str()) {
        pair if pair == (column, row) => Some(it.verdict),
        pair if pair == (row, column) => Some(turned(it)),
        _ => None,
    });
    match pair {
        Some(word) => el("td").with(parts::word_as_sign(word, of.metric)),
        None => el("td"),
    }
}

/// The verdict on `a` against `b`.
fn turned(comparison: &Comparison) -> Word {
    match comparison.verdict {
        Word::Faster => Word::Slower,
        Word::Slower => Word::Faster,
        other => other,
    }
}

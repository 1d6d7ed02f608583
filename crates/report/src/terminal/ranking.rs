//! The ranks of contenders.

use super::layout::{Page, Paint};
use super::table;
use crate::View;
use crate::words::ranking;
use judge::verdict::Ranking;
use unicode_width::UnicodeWidthStr;

/// Adds the table and what it means.
pub(super) fn ranks(view: &View, of: &Ranking, page: &mut Page) {
    ranked(ranking::head(of), ranking::rows(view, of, 'x'), page);
    page.sentences(2, ranking::about(view, of), Paint::Plain);
}

/// Adds a table whose rows begin with a rank and a name, both aligned to the left.
pub(super) fn ranked(head: [String; 4], rows: Vec<ranking::Row>, page: &mut Page) {
    let [rank, name, figure, ratio] = head;
    let width = rows.iter().map(|row| row.rank.width()).chain([rank.width()]).max().unwrap_or(0);
    let first = |rank: &str, name: &str| {
        format!("{rank}{}   {name}", " ".repeat(width.saturating_sub(rank.width())))
    };
    let head = [first(&rank, &name), figure, ratio];
    let rows = rows.into_iter().map(|row| vec![first(&row.rank, &row.name), row.figure, row.ratio]);
    table::table(&head, &rows.collect::<Vec<_>>(), page);
}

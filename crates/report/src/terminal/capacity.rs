//! Capacities.

use super::layout::{Page, Paint};
use super::table;
use crate::words::capacity;
use crate::{Style, View};

/// A row for each contender, and what the figures mean.
pub(super) fn table(view: &View, style: Style) -> Page {
    let mut page = Page::new(style);
    let [_, others @ ..] = capacity::HEAD;
    let head: Vec<&str> = std::iter::once("").chain(others).collect();
    let rows: Vec<Vec<String>> = capacity::rows(view).into_iter().map(Vec::from).collect();
    table::table(&head, &rows, &mut page);
    for sentence in capacity::about(view) {
        page.wrapped(2, &sentence, Paint::Plain);
    }
    page
}

/// The answer of a run of one contender.
pub(super) fn answers(view: &View, page: &mut Page) {
    for (of, summary) in capacity::of(view) {
        page.wrapped(0, &capacity::answer(view, of, summary), Paint::Strong);
    }
}

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
    page.sentences(2, capacity::about(view), Paint::Plain);
    page
}

/// The answer of a run of one contender.
pub(super) fn answers(view: &View, page: &mut Page) {
    let answers = capacity::of(view).map(|(of, summary)| capacity::answer(view, of, summary));
    page.sentences(0, answers, Paint::Strong);
}

//! The load points of one target on the terminal.

use super::layout::{Page, Paint};
use super::table;
use crate::words::growth;
use crate::{Style, View};
use judge::growth::Growth;

/// Up to which load throughput grows, if the run swept load points.
pub(super) fn answer(view: &View, page: &mut Page) {
    let paint = if view.growth.is_some() { Paint::Strong } else { Paint::Warning };
    if let Some(sentence) = growth::answer(view, 'x') {
        page.wrapped(0, &sentence, paint);
    }
}

/// A row for each load point.
pub(super) fn points(view: &View, of: &Growth, style: Style) -> Page {
    let mut page = Page::new(style);
    table::table(&growth::columns(view, of), &growth::rows(view, of), &mut page);
    page.wrapped(2, &growth::about_intervals(of), Paint::Plain);
    page
}

/// The change from each load point to the next.
pub(super) fn steps(all: &Growth, page: &mut Page) {
    for of in &all.steps {
        page.wrapped(2, &growth::step(all, of, 'x'), Paint::Plain);
    }
}

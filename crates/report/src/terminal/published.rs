//! A published experiment on the terminal.

use super::layout::{Page, Paint};
use super::table::{self, LONGEST_NAME};
use crate::words::published::{self, Row, Single};
use crate::{Style, View, words};
use text::shown::{shown, shown_sentence};

/// The paragraph for everybody, and the result of the article's method here. Returns an empty
/// page if no article is repeated.
pub(super) fn section(view: &View, style: Style) -> Page {
    let mut page = Page::new(style);
    let Some(of) = &view.plan().published else { return page };
    page.wrapped(2, &published::paragraph(view, of, 'x'), Paint::Plain);
    page.wrapped(2, &format!("the article: {}", shown_sentence(&of.article)), Paint::Plain);
    page.blank();
    let head = ["contender", "here, all rounds", "here, one run of its method", "published"];
    let row = |row: &Row| {
        let name = words::short_name(row.name, LONGEST_NAME);
        std::iter::once(name).chain(published::cells(row, of)).collect()
    };
    let rows: Vec<Vec<String>> = published::rows(view, of).iter().map(row).collect();
    table::table(&head, &rows, &mut page);
    page.sentences(2, published::would_mislead(view), Paint::Plain);
    page
}

/// The result of the article's method here, in one line. Returns None if no article is
/// repeated.
pub(super) fn line(view: &View) -> Option<String> {
    let of = view.plan().published.as_ref()?;
    let each = published::rows(view, of).into_iter().filter_map(|row| match row.single {
        Single::Figure(value) => Some(format!("{} {}", shown(row.name), published::figure(value))),
        Single::Failed(_) | Single::NotRun => None,
    });
    let each: Vec<String> = each.collect();
    let would_mislead = published::would_mislead(view);
    let sentence = if each.is_empty() {
        would_mislead.join("; ")
    } else {
        format!(
            "one run of its method for each gives {} {}; {}",
            each.join(", "),
            shown_sentence(&of.unit),
            would_mislead.join("; ")
        )
    };
    (!sentence.is_empty()).then_some(sentence)
}

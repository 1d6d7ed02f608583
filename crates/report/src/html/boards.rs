//! Leaderboards that others published.

use super::node::{Node, el, foreign};
use super::{parts, ranking};
use crate::words::boards::{self, LISTS, Table};
use published::Audit;
use published::board::sentences::{heading, main};

/// The largest number of rows of each table.
const MOST_ROWS: usize = 400;

/// The main list, and a table of the other ones.
pub(super) fn sections(audit: &Audit) -> Vec<Node> {
    let Some(list) = main(&audit.lists) else { return Vec::new() };
    let section = el("section").with(el("h2").with(foreign(heading(list))));
    let section = match boards::table(list, MOST_ROWS, '×') {
        Some(Table::Ranked(head, rows)) => section.with(ranking::ranked(&head, rows)),
        Some(Table::Unranked(head, rows)) => section.with(parts::table(
            &head,
            rows.iter().map(|[name, figure, lead]| {
                vec![parts::row_name(name), parts::cell(figure), parts::cell(lead)]
            }),
        )),
        None => section,
    };
    let section = section.with_all(more(boards::more(list, MOST_ROWS)));
    let others = boards::other_lists(audit);
    let rows = others.iter().take(MOST_ROWS).map(|[name, figures @ ..]| {
        let cells = figures.iter().map(parts::cell);
        std::iter::once(parts::row_name(name)).chain(cells).collect()
    });
    let left = others.len().saturating_sub(MOST_ROWS);
    let table = (!others.is_empty()).then(|| {
        parts::section("Other lists")
            .with(parts::table(&LISTS, rows.collect::<Vec<_>>()))
            .with_all(more((left > 0).then(|| format!("and {left} more"))))
    });
    std::iter::once(section).chain(table).collect()
}

fn more(more: Option<String>) -> Option<Node> {
    more.map(|more| parts::caption(&format!("{more}, in the JSON of this page")))
}

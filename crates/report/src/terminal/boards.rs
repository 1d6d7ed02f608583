//! Leaderboards that others published.

use super::layout::{Page, Paint};
use super::{ranking, table};
use crate::words::boards::{self, LISTS, Table};
use published::Audit;
use published::board::sentences::main;

/// The largest number of rows of each table.
const MOST_ROWS: usize = 12;

/// Adds the main list and a line for each other one.
pub(super) fn lists(audit: &Audit, page: &mut Page) {
    let Some(list) = main(&audit.lists) else { return };
    match boards::table(list, MOST_ROWS, 'x') {
        Some(Table::Ranked(head, rows)) => ranking::ranked(head, rows, page),
        Some(Table::Unranked(head, rows)) => {
            let rows: Vec<Vec<String>> = rows.iter().map(|row| row.to_vec()).collect();
            table::table(&head, &rows, page);
        }
        None => {}
    }
    more(boards::more(list, MOST_ROWS), page);
    let others = boards::other_lists(audit);
    if others.is_empty() {
        return;
    }
    page.blank();
    let rows: Vec<Vec<String>> = others.iter().take(MOST_ROWS).map(|row| row.to_vec()).collect();
    table::table(&LISTS, &rows, page);
    let left = others.len().saturating_sub(MOST_ROWS);
    more((left > 0).then(|| format!("and {left} more")), page);
}

fn more(more: Option<String>, page: &mut Page) {
    if let Some(more) = more {
        page.wrapped(2, &format!("{more}, with --html or --json"), Paint::Plain);
    }
}

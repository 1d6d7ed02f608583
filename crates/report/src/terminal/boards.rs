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
    page.sentences(2, boards::more(list, MOST_ROWS).map(elsewhere), Paint::Plain);
    let others = boards::other_lists(audit);
    if others.is_empty() {
        return;
    }
    page.blank();
    let rows: Vec<Vec<String>> = others.iter().take(MOST_ROWS).map(|row| row.to_vec()).collect();
    table::table(&LISTS, &rows, page);
    let left = others.len().saturating_sub(MOST_ROWS);
    let more = (left > 0).then(|| elsewhere(format!("and {left} more")));
    page.sentences(2, more, Paint::Plain);
}

fn elsewhere(more: String) -> String {
    more + ", with --html or --json"
}

//! The figures of each group.

use super::layout::Page;
use super::table::{LONGEST_NAME, figures};
use crate::words::columns::{ERRORS, MAX, MISSES, P50, P99, P999, THROUGHPUT, with_misses_if_any};
use crate::words::groups;
use crate::{View, words};

/// Adds the table. Adds nothing if no contender has groups.
pub(super) fn groups(view: &View, page: &mut Page) {
    let rows = groups::rows(view);
    if rows.is_empty() {
        return;
    }
    let columns = [THROUGHPUT, P50, P99, P999, MAX, ERRORS, MISSES];
    let columns = with_misses_if_any(&columns, rows.iter().map(|row| row.of));
    let named = rows.iter().map(|row| {
        let names = [row.contender, &row.of.name];
        (names.map(|name| words::short_name(name, LONGEST_NAME)).join(": "), row.of)
    });
    page.blank();
    figures(view, "by group", &columns, named, page);
}

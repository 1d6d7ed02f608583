//! The figures of each group.

use super::layout::Page;
use super::table::{LONGEST_NAME, table};
use crate::words::groups::{self, GroupRow};
use crate::{View, words};
use text::units;

/// Adds the table. Adds nothing if no contender has groups.
pub(super) fn groups(view: &View, page: &mut Page) {
    let rows = groups::rows(view);
    if rows.is_empty() {
        return;
    }
    let misses = words::any_misses(rows.iter().map(|row| row.of));
    let mut head = vec!["by group", "throughput", "p50", "p99", "p99.9", "max", "errors"];
    head.extend(misses.then_some("misses"));
    let cells = |row: &GroupRow<'_>| {
        let misses = misses.then(|| words::misses(row.of));
        figures(row).into_iter().chain(misses).collect()
    };
    let rows: Vec<Vec<String>> = rows.iter().map(cells).collect();
    page.blank();
    table(&head, &rows, page);
}

fn figures(row: &GroupRow<'_>) -> Vec<String> {
    let [contender, group] =
        [row.contender, &row.of.name].map(|name| words::short_name(name, LONGEST_NAME));
    let times = &row.of.response_time;
    vec![
        format!("{contender}: {group}"),
        units::rate(row.of.throughput),
        words::times::p50(times),
        words::times::p99(times),
        words::times::p999(times),
        words::times::max(times),
        units::count(words::errors(row.of)),
    ]
}

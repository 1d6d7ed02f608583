//! The figures of each group.

use super::layout::Page;
use super::table::{LONGEST_NAME, table};
use crate::words::groups::{self, GroupRow};
use crate::{View, words};
use text::units;

const HEAD: [&str; 7] = ["by group", "throughput", "p50", "p99", "p99.9", "max", "errors"];

/// Adds the table. Adds nothing if no contender has groups.
pub(super) fn groups(view: &View, page: &mut Page) {
    let rows: Vec<Vec<String>> = groups::rows(view).iter().map(cells).collect();
    if !rows.is_empty() {
        page.blank();
        table(&HEAD, &rows, page);
    }
}

fn cells(row: &GroupRow<'_>) -> Vec<String> {
    let [contender, group] =
        [row.contender, &row.of.name].map(|name| words::short_name(name, LONGEST_NAME));
    let times = &row.of.response_time;
    vec![
        format!("{contender}: {group}"),
        units::rate(row.of.throughput),
        units::seconds(times.p50),
        units::seconds(times.p99),
        units::seconds(times.p999),
        units::seconds(times.max),
        units::count(words::errors(row.of)),
    ]
}

//! The figures of each group.

use super::node::Node;
use super::parts;
use crate::words::groups;
use crate::{View, words};
use text::units;

/// The section. Returns None if no contender has groups.
pub(super) fn section(view: &View) -> Option<Node> {
    let rows = groups::rows(view);
    if rows.is_empty() {
        return None;
    }
    let misses = words::any_misses(rows.iter().map(|row| row.of));
    let mut head =
        vec!["contender", "group", "throughput", "p50", "p90", "p99", "p99.9", "max", "errors"];
    head.extend(misses.then_some("misses"));
    let cells = rows.iter().map(|row| {
        let mut cells = vec![
            parts::row_name(row.contender),
            parts::cell(text::shown::shown(&row.of.name)),
            parts::cell(units::rate(row.of.throughput)),
        ];
        cells.extend(words::times::all(&row.of.response_time).map(parts::cell));
        cells.push(parts::cell(units::count(words::errors(row.of))));
        cells.extend(misses.then(|| parts::cell(words::misses(row.of))));
        cells
    });
    let caption = "Groups are driven at the same time, each with its own connections and arrivals. \
                   A group's throughput counts until its own last reply; times are response times.";
    let table = parts::table(&head, cells);
    Some(parts::section("By group").with(table).with(parts::caption(caption)))
}

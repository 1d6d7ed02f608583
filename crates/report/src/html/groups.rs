//! The figures of each group.

use super::node::Node;
use super::parts;
use crate::View;
use crate::words::columns::{
    ERRORS, MAX, MISSES, P50, P90, P99, P999, THROUGHPUT, with_misses_if_any,
};
use crate::words::groups;
use text::shown::shown;

/// The section. Returns None if no contender has groups.
pub(super) fn section(view: &View) -> Option<Node> {
    let rows = groups::rows(view);
    if rows.is_empty() {
        return None;
    }
    let columns = [THROUGHPUT, P50, P90, P99, P999, MAX, ERRORS, MISSES];
    let columns = with_misses_if_any(&columns, rows.iter().map(|row| row.of));
    let rows = rows.iter().map(|row| {
        (vec![parts::row_name(row.contender), parts::cell(shown(&row.of.name))], row.of)
    });
    let caption = "Groups are driven at the same time, each with its own connections and arrivals. \
                   A group's throughput counts until its own last reply; times are response times.";
    let table = parts::figures(view, &["contender", "group"], &columns, rows);
    Some(parts::section("By group").with(table).with(parts::caption(caption)))
}

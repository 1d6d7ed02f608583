//! Latencies by kind of operation.

use super::node::Node;
use super::parts;
use crate::{View, words::kinds};
use text::units;

/// The section. Returns None if no contender has several kinds of operation.
pub(super) fn section(view: &View) -> Option<Node> {
    let rows = kinds::rows(view);
    if rows.is_empty() {
        return None;
    }
    let head = ["contender", "operation", "count", "p50", "p90", "p99", "p99.9", "max"];
    let cells = rows.iter().map(|row| {
        let times = row.times;
        let figures = [times.p50, times.p90, times.p99, times.p999, times.max];
        let mut cells = vec![
            parts::row_name(&view.contenders[row.contender].name),
            parts::cell(&row.operation),
            parts::cell(&row.count),
        ];
        cells.extend(figures.map(|figure| parts::cell(units::seconds(figure))));
        cells
    });
    let caption = "Response times by kind of operation. The update of an operation that reads and \
                   then writes counts from the reply of its read.";
    let table = parts::table(&head, cells);
    let section = parts::section("By operation").with(table).with(parts::caption(caption));
    Some(section.with_all(kinds::share_one_server(view).map(|sentence| parts::caption(&sentence))))
}

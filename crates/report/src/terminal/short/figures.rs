//! The table of figures: one row for each contender and, if there is room, one for each of its
//! groups or kinds of operation.

use crate::terminal::capacity;
use crate::terminal::layout::{Page, Paint};
use crate::terminal::table::{self, LONGEST_NAME};
use crate::words::columns::{
    self, CPU, Column, ERRORS, MAX, MEMORY, MISSES, P50, P99, P999, THROUGHPUT,
};
use crate::words::{self, groups, kinds, lanes};
use crate::{Style, View};
use text::units;

const COLUMNS: [Column; 7] = [THROUGHPUT, P50, P99, ERRORS, MISSES, CPU, ("memory", MEMORY.1)];
/// A run without comparisons has more of the tail.
const COLUMNS_ALONE: [Column; 9] =
    [THROUGHPUT, P50, P99, P999, MAX, ERRORS, MISSES, CPU, ("memory", MEMORY.1)];

/// A row for each contender.
pub(super) fn table(view: &View, style: Style) -> Page {
    if words::capacity::are_sought(view) {
        return capacity::table(view, style);
    }
    made(view, style, |_| Vec::new())
}

/// The figures of each contender, and a row for each of its groups or kinds of operation.
pub(super) fn with_parts(view: &View, style: Style) -> Page {
    if words::capacity::are_sought(view) {
        return table(view, style);
    }
    let columns = columns(view);
    let groups = groups::rows(view);
    let kinds = kinds::rows(view);
    made(view, style, |number| {
        let name = &view.contenders[number].name;
        let of_group = groups.iter().filter(|row| row.contender == name);
        let of_group = of_group.map(|row| {
            let cell = |(_, figure): &Column| figure(view, row.of).unwrap_or_default();
            std::iter::once(part(&row.of.name)).chain(columns.iter().map(cell)).collect()
        });
        let of_kind = kinds.iter().filter(|row| row.contender == number && !row.is_half);
        let of_kind = of_kind.map(|row| {
            let times = [("p50", row.times.p50), ("p99", row.times.p99)];
            let cell = |(head, _): &Column| {
                let time = times.iter().find(|(name, _)| name == head);
                time.map_or(String::new(), |(_, time)| units::seconds(*time))
            };
            let name = part(&row.operation);
            std::iter::once(name).chain(columns.iter().map(cell)).collect()
        });
        if groups.is_empty() { of_kind.collect() } else { of_group.collect() }
    })
}

/// The name of a part of a contender, below the contender's.
fn part(name: &str) -> String {
    format!("  {}", words::short_name(name, LONGEST_NAME))
}

/// The columns in which some row has a figure.
fn columns(view: &View) -> Vec<Column> {
    let columns: &[Column] = if view.comparisons.is_empty() { &COLUMNS_ALONE } else { &COLUMNS };
    columns::known(view, columns)
}

fn made(view: &View, style: Style, parts: impl Fn(usize) -> Vec<Vec<String>>) -> Page {
    let columns = columns(view);
    let mut rows = Vec::new();
    for (number, (name, of)) in table::named(view).enumerate() {
        rows.push(std::iter::once(name).chain(columns::cells(view, of, &columns)).collect());
        rows.extend(parts(number));
    }
    let mut page = Page::new(style);
    table::table(&columns::head("", &columns), &rows, &mut page);
    page.sentences(2, lanes::library_shares(view), Paint::Plain);
    page
}

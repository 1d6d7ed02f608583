//! The table of figures: one row for each contender and, if there is room, one for each of its
//! groups or kinds of operation.

use crate::terminal::growth;
use crate::terminal::layout::{Page, Paint};
use crate::terminal::table::{self, LONGEST_NAME};
use crate::words::{self, groups, kinds, lanes, times};
use crate::{Style, View};
use judge::verdict::ContenderSummary;
use text::units;

/// The cell of a contender, or of one of its groups. None if the figure is not known.
type Figure = fn(&ContenderSummary) -> Option<String>;

/// Is shown if there is a miss.
const MISSES: &str = "misses";

const COLUMNS: [(&str, Figure); 7] = [
    ("throughput", |of| Some(units::rate(of.throughput))),
    ("p50", |of| Some(times::p50(&of.response_time))),
    ("p99", |of| Some(times::p99(&of.response_time))),
    ("errors", |of| Some(units::count(words::errors(of)))),
    (MISSES, |of| Some(words::misses(of))),
    ("CPU/op", |of| of.target.cpu_per_operation.map(|cpu| units::seconds(Some(cpu)))),
    ("memory", |of| of.target.peak_memory_bytes.map(units::bytes)),
];

/// Columns of a run without comparisons, with more of the tail.
const TAIL: [(&str, Figure); 2] = [
    ("p99.9", |of| Some(times::p999(&of.response_time))),
    ("max", |of| Some(times::max(&of.response_time))),
];

/// A row for each contender.
pub(super) fn table(view: &View, style: Style) -> Page {
    if let Some(growth) = view.growth {
        return growth::points(view, growth, style);
    }
    made(view, style, |_| Vec::new())
}

/// The figures of each contender, and a row for each of its groups or kinds of operation.
pub(super) fn with_parts(view: &View, style: Style) -> Page {
    if view.growth.is_some() {
        return table(view, style);
    }
    let columns = columns(view);
    let groups = groups::rows(view);
    let kinds = kinds::rows(view);
    made(view, style, |number| {
        let name = &view.contenders[number].name;
        let of_group = groups.iter().filter(|row| row.contender == name);
        let of_group = of_group.map(|row| cells(&part(&row.of.name), row.of, &columns, ""));
        let of_kind = kinds.iter().filter(|row| row.contender == number && !row.is_half);
        let of_kind = of_kind.map(|row| {
            let times = [("p50", row.times.p50), ("p99", row.times.p99)];
            let cell = |(head, _): &(&str, Figure)| {
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
fn columns(view: &View) -> Vec<(&'static str, Figure)> {
    let mut columns = COLUMNS.to_vec();
    if view.comparisons.is_empty() {
        // After the p99.
        columns.splice(3..3, TAIL);
    }
    columns.retain(|(head, figure)| match *head {
        MISSES => words::any_misses(view.contenders),
        _ => view.contenders.iter().any(|of| figure(of).is_some()),
    });
    columns
}

fn made(view: &View, style: Style, parts: impl Fn(usize) -> Vec<Vec<String>>) -> Page {
    let columns = columns(view);
    let head: Vec<&str> = std::iter::once("").chain(columns.iter().map(|it| it.0)).collect();
    let mut rows = Vec::new();
    for (number, of) in view.contenders.iter().enumerate() {
        let name = words::short_name(&of.name, LONGEST_NAME);
        rows.push(cells(&name, of, &columns, units::MISSING));
        rows.extend(parts(number));
    }
    let mut page = Page::new(style);
    table::table(&head, &rows, &mut page);
    if let Some(sentence) = lanes::library_shares(view) {
        page.wrapped(2, &sentence, Paint::Plain);
    }
    page
}

fn cells(
    name: &str,
    of: &ContenderSummary,
    columns: &[(&str, Figure)],
    missing: &str,
) -> Vec<String> {
    let figures = columns.iter().map(|(_, figure)| figure(of));
    let figures = figures.map(|figure| figure.unwrap_or_else(|| missing.to_owned()));
    std::iter::once(name.to_owned()).chain(figures).collect()
}

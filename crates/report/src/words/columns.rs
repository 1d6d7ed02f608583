//! Columns of figures, which the tables of all formats have in common.

use super::{costs, lanes, times};
use crate::View;
use judge::verdict::ContenderSummary;
use text::units;

/// A heading, and the cell of a contender or of one of its groups. The cell is None if the figure
/// is not known.
pub(crate) type Column = (&'static str, fn(&View, &ContenderSummary) -> Option<String>);

pub(crate) const THROUGHPUT: Column = ("throughput", |_, of| Some(units::rate(of.throughput)));
pub(crate) const P50: Column = ("p50", |_, of| Some(times::p50(&of.response_time)));
pub(crate) const P90: Column = ("p90", |_, of| Some(times::p90(&of.response_time)));
pub(crate) const P99: Column = ("p99", |_, of| Some(times::p99(&of.response_time)));
pub(crate) const P999: Column = ("p99.9", |_, of| Some(times::p999(&of.response_time)));
pub(crate) const MAX: Column = ("max", |_, of| Some(times::max(&of.response_time)));
pub(crate) const ERRORS: Column = ("errors", |_, of| Some(units::count(super::errors(of))));
pub(crate) const MISSES: Column = ("misses", |_, of| Some(super::misses(of)));
pub(crate) const OUR_CPU: Column =
    ("our CPU/op", |_, of| of.generator_cpu_per_operation.map(in_seconds));
pub(crate) const OUR_CPU_ALONE: Column = ("by itself", |_, of| lanes::own_cost(of));
pub(crate) const CPU: Column = ("CPU/op", |_, of| of.target.cpu_per_operation.map(in_seconds));
pub(crate) const BUSY: Column = ("CPU while driven", costs::busy);
pub(crate) const AT_REST: Column = ("CPU at rest", |_, of| costs::at_rest(&of.target));
pub(crate) const MEMORY: Column =
    ("peak memory", |_, of| of.target.peak_memory_bytes.map(units::bytes));

fn in_seconds(figure: f64) -> String {
    units::seconds(Some(figure))
}

/// These columns, but that of misses only if one of the contenders or groups had a miss.
pub(crate) fn with_misses_if_any<'a>(
    columns: &[Column],
    all: impl IntoIterator<Item = &'a ContenderSummary>,
) -> Vec<Column> {
    let any = super::any_misses(all);
    columns.iter().copied().filter(|column| any || column.0 != MISSES.0).collect()
}

/// The columns in which a contender has a figure.
pub(crate) fn known(view: &View, columns: &[Column]) -> Vec<Column> {
    let mut columns = with_misses_if_any(columns, view.contenders);
    columns.retain(|(_, figure)| view.contenders.iter().any(|of| figure(view, of).is_some()));
    columns
}

/// A heading for the names of the rows, and those of these columns.
pub(crate) fn head(name: &'static str, columns: &[Column]) -> Vec<&'static str> {
    std::iter::once(name).chain(columns.iter().map(|column| column.0)).collect()
}

/// The cells of a contender or of one of its groups.
pub(crate) fn cells(view: &View, of: &ContenderSummary, columns: &[Column]) -> Vec<String> {
    columns.iter().map(|(_, figure)| super::or_missing(figure(view, of))).collect()
}

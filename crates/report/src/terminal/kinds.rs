//! Latencies by kind of operation, and how unevenly keys are requested.

use super::layout::{Page, Paint};
use super::table::{LONGEST_NAME, table};
use crate::words::kinds::{self, KindRow};
use crate::{View, words};
use text::shown::shown;
use text::units;

/// Adds the table and the line below it. Adds nothing if no workload has several kinds.
pub(super) fn kinds(view: &View, page: &mut Page) {
    let rows: Vec<Vec<String>> = kinds::rows(view).iter().map(|row| cells(view, row)).collect();
    if !rows.is_empty() {
        page.blank();
        table(&["by operation", "count", "p50", "p99"], &rows, page);
    }
    page.sentences(2, kinds::share_one_server(view), Paint::Plain);
    for of in view.contenders {
        if let Some(sentence) = kinds::conflicts(of) {
            page.wrapped(2, &format!("{}: {sentence}", shown(&of.name)), Paint::Plain);
        }
    }
    let skews = kinds::skews(view);
    if !skews.is_empty() {
        page.blank();
    }
    for (name, sentence) in skews {
        let about = name.map(|name| format!(" of {}", shown(name))).unwrap_or_default();
        page.wrapped(2, &format!("workload{about}: {sentence}"), Paint::Plain);
    }
}

fn cells(view: &View, row: &KindRow<'_>) -> Vec<String> {
    let operation = words::short_name(&row.operation, LONGEST_NAME);
    let contender = words::short_name(&view.contenders[row.contender].name, LONGEST_NAME);
    vec![
        if row.is_half { format!("  {operation}") } else { format!("{contender}: {operation}") },
        row.count.clone(),
        units::seconds(row.times.p50),
        units::seconds(row.times.p99),
    ]
}

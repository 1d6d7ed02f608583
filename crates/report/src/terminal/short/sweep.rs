//! A sweep on one screen: bends, one table of its load points, and one line that says whether to
//! believe them.

use super::files_of_run;
use crate::sweep::{PointView, SweepView};
use crate::terminal::layout::{Page, Paint};
use crate::terminal::sweep as long;
use crate::terminal::{required, table};
use crate::{Style, words};
use judge::verdict::RequirementStatus;
use record::Metric;

/// The whole report.
pub(crate) fn report(view: &SweepView, style: Style) -> String {
    let mut page = Page::new(style);
    let void: Vec<&PointView> = view.points.iter().filter(|point| point.void()).collect();
    if !void.is_empty() {
        let warning = format!("VOID at {}: no verdict there, and no bend", at(view, &void));
        page.wrapped(0, &warning, Paint::Alarm);
    }
    page.wrapped(0, &words::sweep::title(view), Paint::Strong);
    long::bends(view, &mut page);
    if view.any().is_some() {
        page.blank();
        points(view, style, &mut page);
        long::about_launches(view, &mut page);
    }
    page.blank();
    audits(view, &mut page);
    let found = view.driven().any(|(_, of)| !of.findings.is_empty());
    files_of_run(view.run, "report.html", found, &mut page);
    page.finish()
}

/// `connections 1, 8, 32`.
fn at(view: &SweepView, points: &[&PointView]) -> String {
    words::sweep::at(view.sweep.factor, points.iter().map(|point| point.at.value))
}

/// One row for each load point: the figure of each contender that verdicts rest on, and the
/// verdict of each pair. Only the verdicts if all of that is too wide for the terminal.
fn points(view: &SweepView, style: Style, page: &mut Page) {
    let (head, rows) = long::verdict_table(view);
    let metric = view.primary();
    let names = view.bends().map(|(name, _)| words::short_name(name, table::LONGEST_NAME));
    let wide_head: Vec<String> =
        head[..1].iter().cloned().chain(names).chain(head[1..].iter().cloned()).collect();
    let wide_rows: Vec<Vec<String>> = view
        .points
        .iter()
        .zip(&rows)
        .map(|(point, row)| {
            let figures = view.bends().enumerate().map(|(number, _)| figure(point, number, metric));
            row[..1].iter().cloned().chain(figures).chain(row[1..].iter().cloned()).collect()
        })
        .collect();
    let (head, rows) = if table::is_wide(&wide_head, &wide_rows, style) {
        (head, rows)
    } else {
        (wide_head, wide_rows)
    };
    table::table(&head, &rows, page);
}

/// The contender's figure that the verdicts rest on, or throughput if load points differ.
fn figure(point: &PointView, number: usize, metric: Option<Metric>) -> String {
    let metric = metric.unwrap_or(Metric::Throughput);
    let figure = point.contender(number).and_then(|of| of.figure(metric));
    words::figure(metric, figure)
}

/// Whether the headline can be believed, and what else is known of the load points.
fn audits(view: &SweepView, page: &mut Page) {
    for point in &view.points {
        status(view, point, page);
    }
    let worst = words::belief::least_believed(view);
    let paint = worst.map_or(Paint::Warning, |(_, worst)| super::audit_paint(worst));
    page.wrapped(2, &format!("audit: {}", words::belief::of_sweep(view)), paint);
}

/// How a load point ended, if it ended early, and its requirements.
fn status(view: &SweepView, point: &PointView, page: &mut Page) {
    let Some(of) = &point.view else { return };
    for remark in words::remarks(of) {
        let entry = format!("at {}: {remark}", at(view, &[point]));
        page.wrapped(2, &entry, Paint::Warning);
    }
    if !of.checked.is_empty() {
        page.wrapped(2, &format!("at {}:", at(view, &[point])), Paint::Plain);
    }
    for checked in of.checked {
        let why = checked.status != RequirementStatus::Met;
        required("required", checked, why, 2, page);
    }
}

//! A sweep for the terminal: bends, figures, verdicts and the audit.

use super::layout::{Page, Paint};
use super::table::{LONGEST_NAME, table};
use super::{audit_paint, required};
use crate::sweep::{PointView, SweepView};
use crate::{Style, words};
use judge::bend::Bend;
use judge::verdict::{ContenderSummary, Weight};
use text::shown::shown;
use text::units;
use words::sweep::{bend, factor, order, ratio, setting};

/// The whole report.
pub(crate) fn report(view: &SweepView, style: Style) -> String {
    let mut page = Page::new(style);
    for point in view.points.iter().filter(|point| point.void()) {
        void(view, point, &mut page);
    }
    page.wrapped(2, &words::sweep::title(view), Paint::Strong);
    bends(view, &mut page);
    page.blank();
    if view.any().is_some() {
        verdicts(view, &mut page);
        about_launches(view, &mut page);
        page.blank();
        figures(view, &mut page);
        page.blank();
    }
    let alike = |one: &PointView, next: &PointView| {
        line(one) == line(next) && says_no_more(one) && says_no_more(next)
    };
    for points in view.points.chunk_by(alike) {
        status(view, points, &mut page);
    }
    page.blank();
    page.wrapped(2, &order(view), Paint::Plain);
    let run = shown(view.run);
    page.line(
        2,
        &format!("reports: {run}/report.html, and one in the directory of each load point"),
    );
    page.line(2, &format!("         {run}/report.json"));
    page.finish()
}

/// Where each contender's curve bends, one line for each.
pub(super) fn bends(view: &SweepView, page: &mut Page) {
    for (name, of) in view.bends() {
        let paint = if matches!(of, Bend::At { .. }) { Paint::Warning } else { Paint::Plain };
        let name = words::short_name(name, LONGEST_NAME);
        page.labelled(2, &name, paint, &bend(view.sweep.factor, of, 'x'));
    }
}

fn void(view: &SweepView, point: &PointView, page: &mut Page) {
    let rules = point.view.iter().flat_map(|it| it.findings);
    let rules = rules.filter(|it| it.weight == Weight::Void).map(|it| shown(&it.rule));
    let warning = format!(
        "VOID at {}: the audit refused this load point ({}). Its figures are not a verdict and not \
         part of a bend.",
        at(view, point),
        rules.collect::<Vec<String>>().join(", ")
    );
    page.wrapped(2, &warning, Paint::Alarm);
}

/// `connections 8`.
fn at(view: &SweepView, point: &PointView) -> String {
    words::sweep::at(view.sweep.factor, std::iter::once(point.at.value))
}

fn verdicts(view: &SweepView, page: &mut Page) {
    let (head, rows) = verdict_table(view);
    table(&head, &rows, page);
}

/// What the verdicts are about, if that is not the programs.
pub(super) fn about_launches(view: &SweepView, page: &mut Page) {
    if let Some(sentence) = words::about_launches(view.primaries()) {
        page.wrapped(2, sentence, Paint::Plain);
    }
}

/// Head and rows: one row for each load point, one column for each pair.
pub(super) fn verdict_table(view: &SweepView) -> (Vec<String>, Vec<Vec<String>>) {
    let common = view.primary();
    let metric = common.map_or(String::new(), |of| format!(", {}", words::short_metric(of)));
    let pairs = view.pairs();
    let head = pairs.iter().map(|(a, b)| {
        let [a, b] = [a, b].map(|name| words::short_name(name, LONGEST_NAME));
        format!("{b} against {a}{metric}")
    });
    let head: Vec<String> =
        std::iter::once(factor(view.sweep.factor).to_owned()).chain(head).collect();
    let cell = |point: &PointView, pair: &(&str, &str)| match point.primary(*pair) {
        None => units::MISSING.to_owned(),
        Some((view, of)) => {
            let metric = common.is_none().then(|| format!("{} ", words::short_metric(of.metric)));
            let word = words::in_capitals(of.verdict, of.metric);
            // Words are padded so that the ratios are aligned.
            format!("{}{}  {word:<10}", metric.unwrap_or_default(), ratio(view, of, 'x'))
        }
    };
    let row = |point: &PointView| {
        let cells = pairs.iter().map(|pair| cell(point, pair));
        std::iter::once(setting(view.sweep.factor, point.at.value)).chain(cells).collect()
    };
    (head, view.points.iter().map(row).collect())
}

/// One row for each contender at each load point, from the lowest to the highest.
fn figures(view: &SweepView, page: &mut Page) {
    let misses = words::sweep::any_misses(view);
    let mut head =
        vec!["contender", factor(view.sweep.factor), "throughput", "p50", "p99", "errors"];
    head.extend(misses.then_some("misses"));
    let mut rows = Vec::new();
    for (number, (name, _)) in view.bends().enumerate() {
        for point in &view.points {
            let of = point.contender(number);
            let times = of.map(|of| of.response_time).unwrap_or_default();
            let counted = |count: fn(&ContenderSummary) -> String| {
                of.map_or(units::MISSING.to_owned(), count)
            };
            let mut row = vec![
                words::short_name(name, LONGEST_NAME),
                setting(view.sweep.factor, point.at.value),
                units::rate(of.and_then(|of| of.throughput)),
                words::times::p50(&times),
                words::times::p99(&times),
                counted(|of| units::count(words::errors(of))),
            ];
            row.extend(misses.then(|| counted(words::misses)));
            rows.push(row);
        }
    }
    table(&head, &rows, page);
}

/// The audit of the load points, their requirements, and how they ended.
fn status(view: &SweepView, points: &[PointView], page: &mut Page) {
    let last = points.last().expect("a chunk is never empty");
    let settings = points.iter().map(|point| setting(view.sweep.factor, point.at.value));
    let settings = settings.collect::<Vec<String>>().join(", ");
    let paint = last.view.as_ref().map_or(Paint::Warning, audit_paint);
    let factor = factor(view.sweep.factor);
    page.wrapped(2, &format!("audit at {factor} {settings}: {}", line(last)), paint);
    for remark in last.view.iter().flat_map(words::remarks) {
        page.wrapped(4, &remark, Paint::Warning);
    }
    for checked in last.view.iter().flat_map(|of| of.checked) {
        required("required:", checked, true, 4, page);
    }
}

/// The audit of a load point in one line.
fn line(point: &PointView) -> String {
    point.view.as_ref().map_or("not driven".to_owned(), words::audit)
}

/// Whether there is nothing else to report about it.
fn says_no_more(point: &PointView) -> bool {
    point.view.as_ref().is_none_or(|of| words::remarks(of).is_empty() && of.checked.is_empty())
}

//! Load points on the terminal: where curves bend, the verdicts at each load point, and the figures of each target.

use super::layout::{Page, Paint};
use super::table::{self, LONGEST_NAME};
use crate::Style;
use crate::sweep::{PointView, SweepView};
use crate::words::{self, sweep as words_of};
use judge::bend::Bend;
use text::units;

/// Which load points the audit refused. Returns None if it refused none.
pub(super) fn refusal(view: &SweepView) -> Option<String> {
    let at = words_of::at(view.sweep.factor, &view.void());
    (!view.void().is_empty()).then(|| format!("VOID at {at}: no verdict there, and no bend"))
}

/// What is swept, and where each curve bends.
pub(super) fn headline(view: &SweepView, indent: usize, page: &mut Page) {
    page.wrapped(indent, &words_of::title(view.sweep), Paint::Strong);
    let curves = view.curves();
    for (number, (name, sentence)) in words_of::bends(view, 'x').into_iter().enumerate() {
        let bend = curves.get(number).map(|(_, curve)| &curve.bend);
        let paint =
            if matches!(bend, Some(Bend::At { .. })) { Paint::Warning } else { Paint::Plain };
        page.labelled(2, &words::short_name(name, LONGEST_NAME), paint, &sentence);
    }
}

/// What all load points show: verdicts, the figures of each target with their intervals, and how they change.
pub(super) fn in_full(view: &SweepView, style: Style, page: &mut Page) {
    headline(view, 2, page);
    page.blank();
    if !view.pairs().is_empty() {
        verdicts(view, style, page);
        page.blank();
    }
    let curves = view.curves();
    for (target, name) in view.targets().into_iter().enumerate() {
        page.wrapped(2, &words::short_name(name, LONGEST_NAME), Paint::Strong);
        points(view, target, page);
        let steps = curves.get(target).map(|of| words_of::steps(view, of.1, 'x'));
        page.sentences(4, steps.into_iter().flatten(), Paint::Plain);
        page.blank();
    }
    page.sentences(2, words_of::about_intervals(view), Paint::Plain);
}

/// A row for each load point of a target.
pub(super) fn points(view: &SweepView, target: usize, page: &mut Page) {
    table::table(&words_of::columns(view), &words_of::rows(view, target), page);
}

/// One row for each load point: the figure of each target that verdicts rest on, and the
/// verdict of each pair. Only the verdicts if all of that is too wide for the terminal.
pub(super) fn verdicts(view: &SweepView, style: Style, page: &mut Page) {
    let metric = view.whole.plan().question.primary;
    let names: Vec<String> =
        view.targets().iter().map(|name| words::short_name(name, LONGEST_NAME)).collect();
    let pairs = view.pairs();
    let of_pair = |(a, b): &(usize, usize)| {
        format!("{} against {}, {}", names[*b], names[*a], words::short_metric(metric))
    };
    let verdict = |point: &PointView, pair: &(usize, usize)| {
        point.primary(*pair).map_or(units::MISSING.to_owned(), |of| {
            let word = words::in_capitals(of.verdict, of.metric);
            // Words are padded so that the ratios are aligned.
            format!("{}  {word:<10}", words_of::ratio(&point.view, of, 'x'))
        })
    };
    let table = |with_figures: bool| {
        let factor = std::iter::once(words_of::factor(view.sweep.factor).to_owned());
        let of_targets = names.iter().filter(|_| with_figures).cloned();
        let head: Vec<String> = factor.chain(of_targets).chain(pairs.iter().map(of_pair)).collect();
        let row = |point: &PointView| {
            let setting = std::iter::once(words_of::setting(view.sweep.factor, point.value));
            let figure =
                |of: &judge::verdict::ContenderSummary| words::figure(metric, of.figure(metric));
            let figures = point.view.contenders.iter().filter(|_| with_figures).map(figure);
            setting.chain(figures).chain(pairs.iter().map(|pair| verdict(point, pair))).collect()
        };
        (head, view.points.iter().map(row).collect::<Vec<Vec<String>>>())
    };
    let (mut head, mut rows) = table(true);
    if table::is_wide(&head, &rows, style) {
        (head, rows) = table(false);
    }
    table::table(&head, &rows, page);
    page.sentences(2, words::about_launches(view.whole.primaries()), Paint::Plain);
}

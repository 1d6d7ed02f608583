//! The report that fits on one screen: verdicts, one table, one line that says whether to believe them,
//! and where the rest is.

mod figures;
mod verdicts;

use super::capacity;
use super::layout::{ENTRY, Page, Paint};
use super::published;
use super::ranking;
use super::suite;
use super::sweep;
use super::{audit_paint, required};
use crate::sweep::SweepView;
use crate::words::sweep::about_intervals;
use crate::words::{self, costs, fresh};
use crate::{Style, View};
use judge::verdict::{RequirementStatus, Suite};
use text::shown::shown;

/// Lines that the report of two contenders may take, at 100 columns.
pub(crate) const SCREEN: usize = 24;

/// Up to this many ranked contenders have their other figures below the ranks.
const MOST_WITH_FIGURES: usize = 6;

/// How much is shown beside the verdicts: the number of reasons, and whether the reason why a
/// requirement is not met is included.
#[derive(Clone, Copy)]
struct Extras {
    reasons: usize,
    whys: bool,
}

/// What is shown if there is much room, and if there is little.
const EXTRAS: [Extras; 2] = [Extras { reasons: 2, whys: true }, Extras { reasons: 1, whys: false }];

/// The whole report.
pub(crate) fn report(view: &View, style: Style) -> String {
    if let Some(view) = view.sweep() {
        return of_sweep(&view, style);
    }
    if let Some(suite) = view.suite {
        return of_suite(view, suite, style);
    }
    // The ranks of many contenders take the screen.
    let table = match view.ranking {
        Some(_) if view.contenders.len() > MOST_WITH_FIGURES => Page::new(style),
        _ => figures::table(view, style),
    };
    let about = about_figures(view, style);
    let audit = audit(view, style);
    let tail = tail(view, style);
    let taken = table.height() + about.height() + audit.height() + tail.height() + 2;
    let [ample, tight] = EXTRAS.map(|extras| answer(view, style, extras));
    let fits = |(page, screen): &(Page, usize)| page.height() + taken <= *screen;
    let (mut page, screen) = if fits(&ample) { ample } else { tight };
    let room = screen.saturating_sub(page.height() + taken);
    let parts = figures::with_parts(view, style);
    let more = parts.height().saturating_sub(table.height());
    page.blank();
    // Groups and kinds of operation are shown only if they fit.
    page.append(if more <= room { parts } else { table });
    page.append(about);
    page.blank();
    page.append(audit);
    page.append(tail);
    page.finish()
}

/// The report of a sweep.
fn of_sweep(view: &SweepView, style: Style) -> String {
    let mut page = Page::new(style);
    page.sentences(0, words::remarks(&view.whole), Paint::Warning);
    page.sentences(0, sweep::refusal(view), Paint::Alarm);
    sweep::headline(view, 0, &mut page);
    page.blank();
    if view.pairs().is_empty() {
        sweep::points(view, 0, &mut page);
        page.sentences(2, about_intervals(view), Paint::Plain);
    } else {
        sweep::verdicts(view, style, &mut page);
    }
    page.append(about_figures(&view.whole, style));
    page.blank();
    for checked in view.whole.checked {
        let why = checked.status != RequirementStatus::Met;
        required("required", checked, why, 2, &mut page);
    }
    page.append(audit(&view.whole, style));
    page.append(tail(&view.whole, style));
    page.finish()
}

/// The report of a suite: as long as the list of cases that changed.
fn of_suite(view: &View, suite: &Suite, style: Style) -> String {
    let mut page = Page::new(style);
    if view.void {
        let otherwise = "VOID: the audit refused this run, so there is no verdict";
        page.wrapped(0, &words::void(view, otherwise), Paint::Alarm);
    }
    page.sentences(0, words::remarks(view), Paint::Warning);
    if !view.void {
        suite::answers(view, suite, false, &mut page);
    }
    for checked in view.checked {
        required("required", checked, checked.status != RequirementStatus::Met, 2, &mut page);
    }
    page.sentences(2, words::revisions(view.plan()), Paint::Plain);
    page.blank();
    page.append(audit(view, style));
    page.append(tail(view, style));
    page.finish()
}

/// What the figures include, and what they are about.
fn about_figures(view: &View, style: Style) -> Page {
    let mut page = Page::new(style);
    page.sentences(2, words::revisions(view.plan()), Paint::Plain);
    page.sentences(2, words::methods(view.plan()), Paint::Plain);
    page.sentences(2, words::start_included(view), Paint::Plain);
    page.sentences(2, words::one_launch(view), Paint::Plain);
    page
}

/// Whether the headline can be believed. All other findings are only counted.
fn audit(view: &View, style: Style) -> Page {
    let mut page = Page::new(style);
    page.wrapped(2, &format!("audit: {}", words::audit(view)), audit_paint(view));
    page
}

/// The verdicts, and the lines that the report may take: each contender beyond two adds its
/// verdict and its row.
fn answer(view: &View, style: Style, extras: Extras) -> (Page, usize) {
    let mut page = Page::new(style);
    if view.void {
        let warning = "VOID: the audit refused this run, so there is no verdict";
        page.wrapped(0, warning, Paint::Alarm);
    }
    page.sentences(0, words::remarks(view), Paint::Warning);
    let before = page.height();
    // Ratios of a void run are not verdicts. The long form and the page have them.
    let first = match view.ranking {
        _ if view.void => 0,
        Some(of) => {
            ranking::ranks(view, of, &mut page);
            page.height() - before
        }
        None => verdicts::pairs(view, &mut page),
    };
    if view.comparisons.is_empty() && !view.void {
        capacity::answers(view, &mut page);
    }
    let further = (page.height() - before).saturating_sub(first);
    if !view.void {
        verdicts::reasons(view, extras.reasons, &mut page);
    }
    for checked in view.checked {
        let why =
            extras.whys && checked.status != RequirementStatus::Met || words::is_objective(checked);
        required("required", checked, why, 2, &mut page);
    }
    let rows = view.contenders.len().saturating_sub(2);
    (page, SCREEN + further + rows)
}

/// Where the full report is, and what to do next.
fn tail(view: &View, style: Style) -> Page {
    let mut page = Page::new(style);
    for of in view.contenders {
        if let Some(sentence) = costs::not_included(&of.target) {
            page.entry("cost", Paint::Plain, &format!("{}: {sentence}", shown(&of.name)));
        }
    }
    if let Some(article) = published::line(view) {
        page.entry("article", Paint::Plain, &article);
    }
    if let Some(sees) = fresh::sees(view) {
        page.entry("sees", Paint::Plain, &sees);
    }
    if let Some(next) = fresh::next(view) {
        page.entry("next", Paint::Strong, &next.sentence);
        if let Some(command) = &next.command {
            // Never wrapped, because a command on two lines cannot be copied.
            if view.header.words.is_empty() {
                page.entry("", Paint::Plain, command);
            } else {
                page.line(ENTRY, command);
            }
            if next.can_be_planned {
                let plan = "`tiebreak plan` with the same words says how long that takes";
                page.entry("", Paint::Plain, plan);
            }
        }
    }
    let has_reasons = view.comparisons.iter().any(|comparison| !comparison.because.is_empty());
    // A run without comparisons has a page only if it was requested.
    let is_alone = view.header.plan.question.pairs.is_empty();
    let file = if is_alone { "report.json" } else { "report.html" };
    files_of_run(view.run, file, has_reasons || !view.findings.is_empty(), &mut page);
    page
}

/// Where files are. Never wrapped, because a path on two lines cannot be copied.
fn files_of_run(run: &str, file: &str, has_reasons: bool, page: &mut Page) {
    let run = shown(run);
    page.line(2, &format!("report   {run}/{file}"));
    if has_reasons {
        page.line(2, &format!("reasons  tiebreak audit {run}"));
    }
}

//! The report for the terminal: verdicts first, then the evidence. This is the long form of
//! `--verbose`; the form in `short` fits on one screen.

mod agents;
pub(super) mod bisect;
mod boards;
mod capacity;
mod groups;
mod kinds;
mod layout;
pub(super) mod printed;
mod published;
mod ranking;
pub(super) mod short;
mod suite;
mod sweep;
mod table;
mod targets;

use super::{Style, View, words};
use judge::belief::HeadlineStatus;
use judge::verdict::{Checked, Comparison, Finding, RequirementStatus, Weight, Word};
use layout::{Page, Paint};
use text::shown::{shown, shown_sentence};
use text::units;
use unicode_width::UnicodeWidthStr;
use words::capacity::are_sought as capacity_is_sought;
use words::{Sentence, fresh};

/// The whole report.
pub(super) fn report(view: &View, style: Style) -> String {
    let mut page = Page::new(style);
    if view.findings.iter().any(|finding| finding.weight == Weight::Void) {
        void(view, &mut page);
    }
    page.sentences(2, words::remarks(view), Paint::Warning);
    page.sentences(2, words::revisions(view.plan()), Paint::Plain);
    let sweep = view.sweep();
    if let Some(sweep) = &sweep {
        sweep::in_full(sweep, style, &mut page);
    }
    if let Some(suite) = view.suite {
        suite::answers(view, suite, true, &mut page);
    } else if view.comparisons.is_empty() && capacity_is_sought(view) {
        capacity::answers(view, &mut page);
    } else if view.comparisons.is_empty() {
        alone(view, &mut page)
    } else if !view.plan().sweeps_one_target() {
        comparisons(view, &mut page)
    }
    for checked in view.checked {
        required("required:", checked, true, 2, &mut page);
    }
    page.append(published::section(view, style));
    page.wrapped(2, &format!("audit: {}", words::audit(view)), audit_paint(view));
    if view.suite.is_none() {
        figures(view, style, &mut page);
    }
    let weighed = view.findings.iter().filter(|finding| finding.weight != Weight::Void);
    for finding in weighed {
        page.blank();
        show_finding(finding, &mut page);
    }
    pilot(view, &mut page);
    page.blank();
    let run = shown(view.run);
    // Never wrapped, because a path on two lines cannot be copied.
    if view.header.plan.question.pairs.is_empty() {
        page.line(2, &format!("report: {run}/report.json"));
    } else {
        page.line(2, &format!("reports: {run}/report.html"));
        page.line(2, &format!("         {run}/report.json"));
    }
    if let Some(next) = next(view) {
        page.wrapped(2, &format!("next: {next}"), Paint::Strong);
    }
    page.finish()
}

/// A table of words, which are aligned on the left, with remarks below it.
pub fn table_of_words(
    head: &[&str],
    rows: &[Vec<String>],
    below: &[String],
    style: Style,
) -> String {
    let widths = table::widths(head, rows);
    let fill = |(cell, width): (&str, &usize)| {
        format!("{cell}{}", " ".repeat(width.saturating_sub(cell.width())))
    };
    let filled =
        |row: &Vec<String>| row.iter().map(String::as_str).zip(&widths).map(fill).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(filled).collect();
    let head: Vec<String> = head.iter().copied().zip(&widths).map(fill).collect();
    plain_table(&head, &rows, below, style)
}

/// A table and remarks below it, outside of a run's report.
pub(super) fn plain_table<S: AsRef<str>>(
    head: &[S],
    rows: &[Vec<String>],
    below: &[String],
    style: Style,
) -> String {
    let mut page = Page::new(style);
    table::table(head, rows, &mut page);
    page.blank();
    page.sentences(2, below, Paint::Plain);
    page.finish()
}

fn void(view: &View, page: &mut Page) {
    let in_part = view.sweep().filter(|_| !view.void).as_ref().and_then(sweep::refusal);
    let warning =
        words::void(view, "VOID: the audit refused this run. Nothing below is a verdict.");
    page.wrapped(2, &in_part.unwrap_or(warning), Paint::Alarm);
    for finding in view.findings.iter().filter(|finding| finding.weight == Weight::Void) {
        show_finding(finding, page);
    }
    page.blank();
}

/// `run`: nothing is compared.
fn alone(view: &View, page: &mut Page) {
    let figures = view.contenders.iter().map(|of| {
        let times = words::times::p50_and_p99(&of.response_time);
        format!("{}: {}, {times}", shown(&of.name), units::rate(of.throughput))
    });
    page.sentences(2, figures, Paint::Strong);
}

/// Pair by pair: the primary metric, then the others of the pair.
fn comparisons(view: &View, page: &mut Page) {
    if let Some(of) = view.ranking.filter(|_| !view.void) {
        ranking::ranks(view, of, page);
        page.blank();
    }
    let pairs = view.pairs();
    for (a, b) in &pairs {
        let of_pair = |comparison: &&Comparison| comparison.a == *a && comparison.b == *b;
        for comparison in view.comparisons.iter().filter(of_pair) {
            if comparison.primary {
                primary(view, comparison, &words::basis(view, comparison), 2, page);
                reservations(view, comparison, 4, page);
            } else {
                secondary(view, comparison, if pairs.len() > 1 { 4 } else { 2 }, page)
            }
        }
    }
}

/// A secondary metric. The pair is not named: its primary metric is just above.
fn secondary(view: &View, comparison: &Comparison, indent: usize, page: &mut Page) {
    let text = words::second(view, comparison).text('x');
    let word = words::in_capitals(comparison.verdict, comparison.metric);
    page.judged(indent, &text, &word, word_paint(comparison.verdict));
    reservations(view, comparison, indent + 2, page);
}

/// Claim and basis on one line if they fit, else the basis below. Further figures are on a line of their
/// own.
fn primary(view: &View, of: &Comparison, basis: &Sentence, indent: usize, page: &mut Page) {
    let word = &words::in_capitals(of.verdict, of.metric);
    let paint = word_paint(of.verdict);
    let (claim, basis) = (words::claim(view, of).text('x'), basis.text('x'));
    let both = format!("{claim} ({basis})");
    if page.fits(indent, &both, word) {
        page.judged(indent, &both, word, paint);
    } else {
        page.judged(indent, &claim, word, paint);
        page.wrapped(indent + 2, &basis, Paint::Plain);
    }
    page.sentences(indent + 2, words::middle(view, of), Paint::Plain);
}

fn reservations(view: &View, comparison: &Comparison, indent: usize, page: &mut Page) {
    let reservations = words::reservations(view, comparison).into_iter().map(shown_sentence);
    page.sentences(indent, reservations, Paint::Plain);
}

/// A requirement and its result, with the reason if `why` is set.
fn required(label: &str, checked: &Checked, why: bool, indent: usize, page: &mut Page) {
    let text = format!("{label} {}", words::required(checked));
    let status = words::status(checked.status).to_uppercase();
    page.judged(indent, &text, &status, status_paint(checked));
    if why {
        page.wrapped(indent + 2, &shown_sentence(&checked.why), Paint::Plain);
    }
}

fn figures(view: &View, style: Style, page: &mut Page) {
    page.blank();
    if view.void {
        page.wrapped(2, "figures of a void run, only for finding the fault:", Paint::Alarm);
    }
    if capacity_is_sought(view) {
        page.append(capacity::table(view, style));
        return;
    }
    table::contenders(view, page);
    groups::groups(view, page);
    kinds::kinds(view, page);
    agents::agents(view, page);
    targets::targets(view, page);
}

fn show_finding(finding: &Finding, page: &mut Page) {
    let (weight, paint) = (words::weight(finding.weight), finding_paint(finding.weight));
    page.labelled(2, weight, paint, &words::rule_and_name(finding));
    page.wrapped(4, &shown_sentence(&finding.evidence), Paint::Plain);
    page.wrapped(4, &format!("what to do: {}", shown_sentence(&finding.remedy)), Paint::Plain);
}

fn pilot(view: &View, page: &mut Page) {
    page.blank();
    let label = if view.pilot.is_some() { "pilot chose " } else { "" };
    page.wrapped(2, &format!("{label}{}", words::turns(view)), Paint::Plain);
    let why = view.pilot.iter().flat_map(|pilot| &pilot.why);
    page.sentences(4, why.map(shown_sentence), Paint::Plain);
    page.wrapped(2, &format!("warm-up of {}", words::warm_up(view)), Paint::Plain);
    page.sentences(2, words::methods(view.plan()), Paint::Plain);
    page.sentences(2, words::one_launch(view), Paint::Plain);
}

/// The most useful next step. Returns None if there is nothing to do.
fn next(view: &View) -> Option<String> {
    let heaviest = view.findings.first().filter(|finding| finding.weight != Weight::Note);
    if view.void {
        let rule = heaviest.map(|finding| shown(&finding.rule)).unwrap_or_default();
        return Some(format!(
            "fix what the audit found and run again; tiebreak explain {rule} says why it matters"
        ));
    }
    if let Some(next) = fresh::next(view) {
        return Some(match next.command {
            Some(command) => format!("a fresh run would probably decide: {command}"),
            None => next.sentence,
        });
    }
    heaviest.map(|finding| {
        let rule = shown(&finding.rule);
        format!("tiebreak explain {rule} says why that matters")
    })
}

fn word_paint(word: Word) -> Paint {
    match word {
        Word::Faster => Paint::Good,
        Word::Slower => Paint::Bad,
        Word::Equivalent => Paint::Strong,
        Word::Undecided => Paint::Warning,
        Word::Void => Paint::Alarm,
    }
}

fn status_paint(checked: &Checked) -> Paint {
    match checked.status {
        RequirementStatus::Met => Paint::Good,
        RequirementStatus::NotMet => Paint::Bad,
        RequirementStatus::Undetermined => Paint::Warning,
    }
}

fn finding_paint(weight: Weight) -> Paint {
    match weight {
        Weight::Note => Paint::Strong,
        Weight::Caution => Paint::Warning,
        Weight::Void => Paint::Alarm,
    }
}

fn audit_paint(view: &View) -> Paint {
    match view.belief().status {
        HeadlineStatus::Stands => Paint::Good,
        HeadlineStatus::Reservation => Paint::Warning,
        HeadlineStatus::DoesNotStand => Paint::Alarm,
    }
}

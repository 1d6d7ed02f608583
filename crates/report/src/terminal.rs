//! The report for the terminal: verdicts first, then the evidence. This is the long form of
//! `--verbose`; the form in `short` fits on one screen.

mod agents;
mod groups;
mod growth;
mod kinds;
mod layout;
pub(super) mod printed;
mod published;
pub(super) mod short;
pub(super) mod sweep;
mod table;
mod targets;

use super::{Style, View, words};
use judge::belief::HeadlineStatus;
use judge::verdict::{Checked, Comparison, Finding, RequirementStatus, Weight, Word};
use layout::{Page, Paint};
use text::shown::{shown, shown_sentence};
use text::units;
use unicode_width::UnicodeWidthStr;
use words::fresh;

/// The whole report.
pub(super) fn report(view: &View, style: Style) -> String {
    let mut page = Page::new(style);
    if view.void {
        void(view, &mut page);
    }
    for remark in words::remarks(view) {
        page.wrapped(2, &remark, Paint::Warning);
    }
    if view.plan().sweep.is_some() && !view.void {
        growth::answer(view, &mut page);
        let growth = view.growth.into_iter();
        growth.for_each(|growth| {
            page.blank();
            page.append(growth::points(view, growth, style));
            page.blank();
            growth::steps(growth, &mut page);
            page.blank();
        });
    }
    if view.comparisons.is_empty() {
        alone(view, &mut page)
    } else {
        comparisons(view, &mut page)
    }
    requirements(view, &mut page);
    page.append(published::section(view, style));
    page.wrapped(2, &format!("audit: {}", words::audit(view)), audit_paint(view));
    figures(view, &mut page);
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

/// A table of words, which are aligned on the left.
pub(super) fn table_of_words(
    head: &[&str],
    rows: &[Vec<String>],
    below: &[String],
    style: Style,
) -> String {
    let widest = |column: usize| {
        let cells = rows.iter().map(|row| row[column].width());
        cells.chain([head[column].width()]).max().unwrap_or(0)
    };
    let filled = |column: usize, cell: &str| {
        format!("{cell}{}", " ".repeat(widest(column).saturating_sub(cell.width())))
    };
    let fill = |row: &Vec<String>| (0..row.len()).map(|at| filled(at, &row[at])).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(fill).collect();
    let head: Vec<String> = (0..head.len()).map(|at| filled(at, head[at])).collect();
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    plain_table(&head, &rows, below, style)
}

/// A table and remarks below it, outside of a run's report.
pub(super) fn plain_table(
    head: &[&str],
    rows: &[Vec<String>],
    below: &[String],
    style: Style,
) -> String {
    let mut page = Page::new(style);
    table::table(head, rows, &mut page);
    page.blank();
    for sentence in below {
        page.wrapped(2, sentence, Paint::Plain);
    }
    page.finish()
}

fn void(view: &View, page: &mut Page) {
    let warning = "VOID: the audit refused this run. Nothing below is a verdict.";
    page.wrapped(2, warning, Paint::Alarm);
    for finding in view.findings.iter().filter(|finding| finding.weight == Weight::Void) {
        show_finding(finding, page);
    }
    page.blank();
}

/// `run`: nothing is compared.
fn alone(view: &View, page: &mut Page) {
    for contender in view.contenders {
        let text = format!(
            "{}: {}, {}",
            shown(&contender.name),
            units::rate(contender.throughput),
            words::times::p50_and_p99(&contender.response_time),
        );
        page.wrapped(2, &text, Paint::Strong);
    }
}

/// Pair by pair: the primary metric, then the others of the pair.
fn comparisons(view: &View, page: &mut Page) {
    let pairs = view.pairs();
    for (a, b) in &pairs {
        let of_pair = |comparison: &&Comparison| comparison.a == *a && comparison.b == *b;
        for comparison in view.comparisons.iter().filter(of_pair) {
            if comparison.primary {
                primary(view, comparison, page)
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

/// Claim and basis on one line where they fit, else the basis below.
fn primary(view: &View, comparison: &Comparison, page: &mut Page) {
    let word = &words::in_capitals(comparison.verdict, comparison.metric);
    let paint = word_paint(comparison.verdict);
    let claim = words::claim(view, comparison).text('x');
    let basis = words::basis(view, comparison).text('x');
    let both = format!("{claim} ({basis})");
    if page.fits(2, &both, word) {
        page.judged(2, &both, word, paint);
    } else {
        page.judged(2, &claim, word, paint);
        page.wrapped(4, &basis, Paint::Plain);
    }
    if let Some(middle) = words::middle(view, comparison) {
        page.wrapped(4, &middle, Paint::Plain);
    }
    reservations(view, comparison, 4, page);
}

/// What weakens the verdict, the ratio with CPU at rest charged, and what would decide it.
fn reservations(view: &View, comparison: &Comparison, indent: usize, page: &mut Page) {
    if let Some(charged) = words::charged(view, comparison) {
        page.wrapped(indent, &charged.text('x'), Paint::Plain);
    }
    for because in &comparison.because {
        page.wrapped(indent, &shown_sentence(because), Paint::Plain);
    }
    if comparison.verdict == Word::Undecided
        && let Some(fresh) = words::fresh_run(view, comparison)
    {
        page.wrapped(indent, &fresh, Paint::Plain);
    }
}

/// The requirements, each with its result and the reason.
fn requirements(view: &View, page: &mut Page) {
    for checked in view.checked {
        let text = format!("required: {}", words::required(checked));
        let status = words::status(checked.status).to_uppercase();
        page.judged(2, &text, &status, status_paint(checked));
        page.wrapped(4, &shown_sentence(&checked.why), Paint::Plain);
    }
}

fn figures(view: &View, page: &mut Page) {
    page.blank();
    if view.void {
        page.wrapped(2, "figures of a void run, only for finding the fault:", Paint::Alarm);
    }
    table::contenders(view, page);
    groups::groups(view, page);
    kinds::kinds(view, page);
    agents::agents(view, page);
    targets::targets(view, page);
}

fn show_finding(finding: &Finding, page: &mut Page) {
    let about = match &finding.contender {
        Some(name) => format!(" ({})", shown(name)),
        None => String::new(),
    };
    let weight = words::weight(finding.weight);
    page.labelled(
        2,
        weight,
        finding_paint(finding.weight),
        &format!("{}{about}", shown(&finding.rule)),
    );
    page.wrapped(4, &shown_sentence(&finding.evidence), Paint::Plain);
    page.wrapped(4, &format!("what to do: {}", shown_sentence(&finding.remedy)), Paint::Plain);
}

fn pilot(view: &View, page: &mut Page) {
    page.blank();
    let label = if view.pilot.is_some() { "pilot chose " } else { "" };
    page.wrapped(2, &format!("{label}{}", words::turns(view)), Paint::Plain);
    for why in view.pilot.iter().flat_map(|pilot| &pilot.why) {
        page.wrapped(4, &shown_sentence(why), Paint::Plain);
    }
    page.wrapped(2, &format!("warm-up of {}", words::warm_up(view)), Paint::Plain);
    if let Some(sentence) = words::methods(view.plan()) {
        page.wrapped(2, &sentence, Paint::Plain);
    }
    if let Some(sentence) = words::one_launch(view) {
        page.wrapped(2, sentence, Paint::Plain);
    }
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
    if let Some(launches) = words::several_launches(view) {
        return Some(launches);
    }
    let hardest = fresh::hardest(undecided(view)).filter(|it| fresh::is_worth_it(it));
    if let Some((about, up_to)) = hardest.and_then(|comparison| comparison.fresh_rounds) {
        let [about, up_to] = [about, up_to].map(|n| fresh::fresh_option(view, n));
        return Some(format!(
            "a fresh run with {about} would probably decide; it may take {up_to}"
        ));
    }
    heaviest.map(|finding| {
        let rule = shown(&finding.rule);
        format!("tiebreak explain {rule} says why that matters")
    })
}

/// The primary comparisons that are undecided.
fn undecided<'a>(view: &View<'a>) -> impl Iterator<Item = &'a Comparison> + use<'a> {
    view.primaries().filter(|comparison| comparison.verdict == Word::Undecided)
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

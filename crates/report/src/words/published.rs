//! Sentences about a published experiment: its question and answer, what its own method gives
//! on this machine, and how often that method would have been wrong.

use super::{audit, brief};
use crate::View;
use judge::single_runs::{self, SingleRuns};
use judge::verdict::{Comparison, ContenderSummary, Word};
use record::{Published, SingleRun};
use text::shown::{shown, shown_sentence};
use text::units;

/// One row of the table of figures.
pub(crate) struct Row<'a> {
    /// The contender.
    pub(crate) name: &'a str,
    /// Operations per second in the rounds of this run.
    pub(crate) measured: Option<f64>,
    /// The result of one run of the article's method, or why there is none.
    pub(crate) single: Single<'a>,
    /// The published figure, measured on another machine.
    pub(crate) published: Option<f64>,
}

/// The result of one run of the article's method.
pub(crate) enum Single<'a> {
    /// This figure, in the unit of the published ones.
    Figure(f64),
    /// There is no figure, for this reason.
    Failed(&'a str),
    /// It was not run.
    NotRun,
}

/// The paragraph for everybody: question, verdicts, how certain they are, and what was checked.
/// `times` is written after ratios.
pub(crate) fn paragraph(view: &View, of: &Published, times: char) -> String {
    let question = shown_sentence(&of.question);
    let scale = match &of.scale {
        Some(scale) => format!(" (scale `{}`)", shown(scale)),
        None => String::new(),
    };
    let rounds = units::counted(view.complete_rounds.into(), "round");
    let checked = format!("{rounds}: {}", audit(view));
    if view.void {
        return format!("{question}{scale} No verdict: the audit refused this run ({checked}).");
    }
    let claims: Vec<String> = view.primaries().map(|of| brief(view, of).text(times)).collect();
    let answer = match claims.as_slice() {
        [] => "Nothing was compared".to_owned(),
        claims => claims.join("; ").replace(units::JOINT, " "),
    };
    format!("{question}{scale} {answer}. {checked}.")
}

/// A row for each contender.
pub(crate) fn rows<'a>(view: &View<'a>, of: &'a Published) -> Vec<Row<'a>> {
    let row = |(number, contender): (usize, &'a ContenderSummary)| Row {
        name: &contender.name,
        measured: contender.throughput,
        single: single(view.single_runs, number),
        published: of.figures.get(&contender.name).copied(),
    };
    view.contenders.iter().enumerate().map(row).collect()
}

/// The cells of a row behind its name, with the unit of the article.
pub(crate) fn cells(row: &Row<'_>, of: &Published) -> [String; 3] {
    let figure = |value: f64| format!("{} {}", self::figure(value), shown_sentence(&of.unit));
    let single = match row.single {
        Single::Figure(value) => figure(value),
        Single::Failed(why) => shown_sentence(why),
        Single::NotRun => "not run".to_owned(),
    };
    [units::rate(row.measured), single, super::or_missing(row.published.map(figure))]
}

/// A published figure as the article prints it.
pub(crate) fn figure(value: f64) -> String {
    if value.fract() == 0.0 && value >= 0.0 {
        units::count(value as u64)
    } else {
        value.to_string()
    }
}

fn single(all: &[SingleRun], contender: usize) -> Single<'_> {
    match all.iter().find(|run| run.contender as usize == contender) {
        Some(SingleRun { figure: Some(figure), .. }) => Single::Figure(*figure),
        Some(run) => Single::Failed(&run.trouble),
        None => Single::NotRun,
    }
}

/// How often one run of each would have been wrong: a sentence for each comparison that has
/// a verdict.
pub(crate) fn would_mislead(view: &View) -> Vec<String> {
    let sentence = |of: &Comparison| {
        let counted = single_runs::of_comparison(of, view.contenders, &view.plan().question)?;
        Some(describe(of, counted))
    };
    if view.void { Vec::new() } else { view.primaries().filter_map(sentence).collect() }
}

fn describe(of: &Comparison, counted: SingleRuns) -> String {
    let (a, b) = (shown(&of.a), shown(&of.b));
    let wrong = match of.verdict {
        Word::Equivalent => "would have shown a difference that matters",
        _ => "would have named the wrong one",
    };
    format!(
        "one run of {b} and one of {a} {wrong} in {} of {} pairs of rounds ({})",
        units::count(counted.wrong),
        units::count(counted.pairs),
        units::percent(counted.share()),
    )
}

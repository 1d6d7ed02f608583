//! The top of the page: the result in a few large words.

use super::node::{Node, el, foreign};
use super::{capacity, findings, parts, ranking};
use crate::cases::Cases;
use crate::{View, words};
use judge::verdict::{Comparison, Weight, Word};
use text::shown::shown;
use text::units;

/// Up to this many claims are written as sentences; the forest shows all of them.
const SPELLED_OUT: usize = 4;

/// The page's title, for tabs and bookmarks.
pub(super) fn title(view: &View) -> String {
    let mut primaries = view.primaries();
    if let Some(sweep) = view.sweep() {
        let void = match sweep.void().len() {
            0 => "",
            all if all == sweep.points.len() => "VOID: ",
            _ => "VOID in part: ",
        };
        let title = parts::capitalised(&words::sweep::title(sweep.sweep));
        return format!("{void}{title} · tiebreak");
    }
    let result = match (primaries.next(), primaries.next()) {
        (Some(only), None) => words::claim(view, only).text('×'),
        (None, _) => {
            let names = view.contenders.iter().map(|contender| shown(&contender.name));
            names.collect::<Vec<String>>().join(", ")
        }
        _ if view.suite.is_some() => answers(view).join("; "),
        _ => units::counted(view.contenders.len() as u64, "contender"),
    };
    let void = if view.void { "VOID: " } else { "" };
    format!("{void}{result} · tiebreak")
}

/// How many cases have which verdict, for each pair.
fn answers(view: &View) -> Vec<String> {
    Cases::all(view).iter().map(|of| words::cases::answer(of).text('x')).collect()
}

/// The refusal of the audit, which comes before all figures.
pub(super) fn refusal(view: &View) -> Option<Node> {
    view.void.then(|| {
        el("section")
            .class("refusal")
            .at("role", "alert")
            .with(el("p").class("stamp").text("✕ Void"))
            .with(el("p").text(
                "The audit refused this run, so there is no verdict. The figures below are there \
                 to find the fault, not to compare.",
            ))
            .with_all(findings::cards(view, |weight| weight == Weight::Void))
    })
}

/// The verdict on each pair or, for `run`, the main figures.
pub(super) fn verdict(view: &View) -> Node {
    let primaries: Vec<&Comparison> = view.primaries().collect();
    let section = el("section").class("verdict");
    let section = match primaries.len() {
        _ if view.suite.is_some() => section
            .with_all(answers(view).into_iter().map(|answer| el("h1").class("small").text(answer))),
        n if view.ranking.is_some() => section
            .with(el("h1").class("small").text(counted(view, n)))
            .with_all(ranking::headline(view)),
        0 if words::capacity::are_sought(view) => section.with_all(capacity::alone(view)),
        0 => section.with_all(alone(view)),
        1 => section.with_all(claim(view, primaries[0], "h1")),
        n if n <= SPELLED_OUT => section
            .with(el("h1").class("small").text(counted(view, n)))
            .with_all(primaries.iter().flat_map(|comparison| claim(view, comparison, "h2"))),
        n => section
            .with(el("h1").class("small").text(counted(view, n)))
            .with(tally(view, &primaries))
            .with_all(parts::about_launches(view.primaries())),
    };
    let next = words::several_launches(view).map(|next| format!("Next: {next}"));
    section.with_all(next.map(|next| el("p").class("remark").text(next))).with_all(about(view))
}

/// What stands below the result: how the run ended, what was compared, and whether the result can be believed.
pub(super) fn about(view: &View) -> Vec<Node> {
    let remarks = words::remarks(view).into_iter();
    let remarks = remarks.map(|remark| el("p").class("remark").text(remark));
    let revisions = words::revisions(view.plan()).into_iter();
    let revisions = revisions.map(|revision| el("p").class("revision").with(foreign(revision)));
    let audit = el("p").class("audit").text(format!("Audit: {}", words::audit(view)));
    remarks.chain(revisions).chain([audit]).collect()
}

fn counted(view: &View, comparisons: usize) -> String {
    let contenders = units::counted(view.contenders.len() as u64, "contender");
    format!("{contenders}, {}", units::counted(comparisons as u64, "comparison"))
}

fn claim(view: &View, comparison: &Comparison, heading: &'static str) -> Vec<Node> {
    let class = format!("claim {}", parts::class(comparison.verdict));
    let claim = el(heading).class(class).say(&words::claim(view, comparison));
    let basis = el("p").class("basis").say(&words::basis(view, comparison));
    vec![el("p").with(parts::word(comparison.verdict, comparison.metric)), claim, basis]
}

/// How many comparisons have which verdict.
fn tally(view: &View, primaries: &[&Comparison]) -> Node {
    let metric = view.plan().question.primary;
    let all = [Word::Faster, Word::Slower, Word::Equivalent, Word::Undecided, Word::Void];
    let counts = all.into_iter().filter_map(|word| {
        let n = primaries.iter().filter(|comparison| comparison.verdict == word).count();
        (n > 0).then(|| el("li").with(parts::word(word, metric)).text(format!(" {n}")))
    });
    el("ul").class("tally").with_all(counts)
}

/// The main figures of each contender, if nothing is compared.
fn alone(view: &View) -> Vec<Node> {
    let contenders = view.contenders.iter();
    contenders
        .flat_map(|contender| {
            let throughput = el("strong").class("lead").text(units::rate(contender.throughput));
            let name = foreign(shown(&contender.name));
            let times = words::times::p50_and_p99(&contender.response_time);
            [
                el("h1").class("claim").with(throughput).text(" from ").with(name),
                el("p").class("basis").text(format!("response time: {times}")),
            ]
        })
        .collect()
}

//! A summary for a pull request, in GitHub's Markdown.
//!
//! It is short: the verdicts, the requirements, the audit and how it was measured. Foreign text
//! can neither add markup to the comment nor mention people in it.

mod cases;
mod escape;
pub(super) mod printed;
mod targets;

use super::{View, words};
use crate::cases::Cases;
use crate::sweep::SweepView;
use crate::words::capacity;
use crate::words::columns::{self, Column, ERRORS, MISSES, P50, P99, THROUGHPUT};
use crate::words::ranking;
use escape::{code, text};
use judge::verdict::{Checked, Comparison, Finding, RequirementStatus, Weight, Word};
use record::Contender;
use std::fmt::Write as _;
use text::shown::shown;
use text::units;

/// Characters that GitHub accepts in a comment, with some to spare for what is put around a summary.
const MOST_CHARACTERS: usize = 64_000;
/// Pairs of a suite that the headline answers.
const MOST_ANSWERS: usize = 8;
/// What stands in place of the paragraphs for which there is no room.
const NO_ROOM: &str = "*More is in the report: a comment has no room for it.*";

/// The whole summary.
pub(super) fn summary(view: &View) -> String {
    let mut out = String::new();
    push(&mut out, format!("## {}", headline(view)));
    for remark in remarks(view) {
        push(&mut out, format!("> {remark}"));
    }
    push(&mut out, revisions(view));
    if let Some(sweep) = view.sweep() {
        push(&mut out, bends(&sweep));
        (0..sweep.targets().len()).for_each(|target| push(&mut out, load_points(&sweep, target)));
    }
    match view.ranking {
        _ if view.plan().sweeps_one_target() && view.sweep().is_some() => {}
        _ if view.comparisons.is_empty() && capacity::are_sought(view) => {}
        _ if view.suite.is_some() => {}
        _ if view.comparisons.is_empty() => push(&mut out, figures(view)),
        Some(_) if !view.void => push(&mut out, ranks(view)),
        _ => push(&mut out, comparisons(view)),
    }
    push(&mut out, cases::all(view));
    push(&mut out, capacities(view));
    let bounds = words::times::read_at_rest(view);
    push(&mut out, bounds.map_or(String::new(), |bounds| text(&bounds)));
    push(&mut out, reservations(view));
    push(&mut out, words::several_launches(view).map_or(String::new(), |next| text(&next)));
    push(&mut out, requirements(view.checked));
    push(&mut out, audit(view));
    push(&mut out, targets::costs(view));
    push(&mut out, origin(view));
    out
}

/// Adds a paragraph, separated by a blank line, unless it is empty. One that a comment has no room for is left out.
fn push(out: &mut String, paragraph: String) {
    if paragraph.is_empty() {
        return;
    }
    let blank = if out.is_empty() { "" } else { "\n" };
    if out.len() + paragraph.len() <= MOST_CHARACTERS {
        let _ = writeln!(out, "{blank}{}", paragraph.trim_end());
    } else if !out.contains(NO_ROOM) {
        let _ = writeln!(out, "{blank}{NO_ROOM}");
    }
}

/// The most important result.
fn headline(view: &View) -> String {
    if view.void {
        return text(&words::void(view, "Void: the audit refused this run"));
    }
    if view.suite.is_some() {
        let all = Cases::all(view);
        let answers = all.iter().take(MOST_ANSWERS).map(|of| sentence(&words::cases::answer(of)));
        let more = all.len().saturating_sub(MOST_ANSWERS);
        let more = (more > 0).then(|| units::counted(more as u64, "other pair"));
        return answers.chain(more).collect::<Vec<String>>().join("; ");
    }
    if let Some(sweep) = view.sweep() {
        let in_part = if sweep.void().is_empty() { "" } else { "Void in part: " };
        return text(&format!("{in_part}{}", words::sweep::title(sweep.sweep)));
    }
    if let Some(of) = view.ranking {
        let contenders = units::counted(of.ranked.len() as u64, "contender");
        return text(&format!("{contenders}, ranked by {}", words::short_metric(of.metric)));
    }
    let primaries: Vec<&Comparison> = view.primaries().collect();
    match primaries[..] {
        [] if capacity::are_sought(view) => {
            let answer = |(of, summary)| text(&capacity::answer(view, of, summary));
            capacity::of(view).map(answer).collect::<Vec<String>>().join(", ")
        }
        [] => {
            let names: Vec<String> = view.contenders.iter().map(|it| code(&it.name)).collect();
            format!("{}, measured without a comparison", names.join(", "))
        }
        [only] => sentence(&words::claim(view, only)),
        _ => {
            let kinds = [Word::Faster, Word::Slower, Word::Equivalent, Word::Undecided, Word::Void];
            let of_kind = |word: &Word| primaries.iter().filter(|it| it.verdict == *word).count();
            let metric = view.plan().question.primary;
            let counts = kinds.iter().map(|word| (of_kind(word), words::word(*word, metric)));
            let counts = counts.filter(|(n, _)| *n > 0);
            let counts: Vec<String> = counts.map(|(n, word)| format!("{n} {word}")).collect();
            format!("{} comparisons: {}", primaries.len(), counts.join(", "))
        }
    }
}

/// A sentence with its names as code.
fn sentence(sentence: &words::Sentence) -> String {
    let piece = |part: &words::SentencePart| match part {
        words::SentencePart::Plain(plain) => text(plain),
        words::SentencePart::Name(name) => code(name),
        words::SentencePart::Lead(ratio) | words::SentencePart::Ratio(ratio) => format!("{ratio}x"),
    };
    sentence.0.iter().map(piece).collect()
}

fn remarks(view: &View) -> Vec<String> {
    let void = view.void.then(|| "**Nothing below is a verdict.**".to_owned());
    void.into_iter().chain(words::remarks(view).iter().map(|it| text(it))).collect()
}

/// The revisions that are compared. As code, in which GitHub links neither people nor commits.
fn revisions(view: &View) -> String {
    let line = |of: &Contender| {
        let revision = words::revision(of.revision.as_ref()?, &|text| code(&shown(text)));
        Some(format!("- {} is {revision}\n", code(&shown(&of.name))))
    };
    view.plan().contenders.iter().filter_map(line).collect()
}

/// A table with one line for each contender.
fn ranks(view: &View) -> String {
    let Some(of) = view.ranking else { return String::new() };
    let mut table = ranked(ranking::head(of), ranking::rows(view, of, 'x'));
    for sentence in ranking::about(view, of) {
        let _ = write!(table, "\n{}\n", text(&sentence));
    }
    table
}

/// A table whose rows begin with a rank and a name.
fn ranked(head: [String; 4], rows: Vec<ranking::Row>) -> String {
    let head = head.map(|head| text(&head)).join(" | ");
    let mut table = format!("| {head} |\n|---|---|--:|---|\n");
    for ranking::Row { rank, name, figure, ratio } in rows {
        let _ = writeln!(table, "| {rank} | {} | {figure} | {ratio} |", code(&name));
    }
    table
}

/// A table with one line for each comparison; the primary ones are in bold.
fn comparisons(view: &View) -> String {
    let mut table = "| b against a | metric | a | b | b/a | interval | verdict |\n\
                     |---|---|--:|--:|--:|---|---|\n"
        .to_owned();
    for comparison in view.comparisons.iter().filter(|of| of.request.is_none()) {
        let value = |name: &str| words::groups::figure(view, comparison, name);
        let (ratio, interval) = ratio(view, comparison);
        let bold = if comparison.primary { "**" } else { "" };
        let _ = writeln!(
            table,
            "| {} against {} | {bold}{}{bold}{} | {} | {} | {ratio} | {interval} | {bold}{}{bold} |",
            code(&shown(&comparison.b)),
            code(&shown(&comparison.a)),
            words::groups::short_metric(comparison),
            words::groups::kind_of_figures(view, comparison),
            value(&comparison.a),
            value(&comparison.b),
            words::word(comparison.verdict, comparison.metric),
        );
    }
    // With one pair, the headline says it.
    let several = view.primaries().count() > 1;
    if let Some(about) = words::about_launches(view.primaries()).filter(|_| several) {
        let _ = write!(table, "\n{about}");
    }
    table
}

/// The ratio and its interval, with the level and the number of rounds.
fn ratio(view: &View, comparison: &Comparison) -> (String, String) {
    let rounds = words::rests_on(view, comparison);
    let Some(ratio) = comparison.ratio else {
        return (units::MISSING.to_owned(), units::MISSING.to_owned());
    };
    let bounds = comparison.judged_bounds();
    let ratios = units::ratios(ratio, bounds, view.matters());
    let interval = match bounds {
        Some(_) => format!(
            "{}x to {}x ({}, {rounds})",
            ratios[1],
            ratios[2],
            units::level(comparison.confidence)
        ),
        None => format!("none from {rounds}"),
    };
    (format!("{}{}x", words::limit(comparison), ratios[0]), interval)
}

/// The figures of a run without comparisons.
pub(super) fn figures(view: &View) -> String {
    let columns = [THROUGHPUT, P50, P99, ERRORS, MISSES];
    table(view, "contender", &columns::with_misses_if_any(&columns, view.contenders))
}

/// A table of these columns with a row for each contender.
fn table(view: &View, name: &'static str, columns: &[Column]) -> String {
    let head = columns::head(name, columns).join(" | ");
    let mut table = format!("| {head} |\n|---|{}\n", "--:|".repeat(columns.len()));
    for of in view.contenders {
        let cells = columns::cells(view, of, columns).join(" | ");
        let _ = writeln!(table, "| {} | {cells} |", code(&shown(&of.name)));
    }
    table
}

/// Which load points the audit refused, and where the curve of each target bends.
fn bends(view: &SweepView) -> String {
    let mut list = String::new();
    if !view.void().is_empty() {
        let at = words::sweep::at(view.sweep.factor, &view.void());
        let _ = writeln!(list, "> **Void at {}: no verdict there, and no bend.**\n", text(&at));
    }
    for (name, sentence) in words::sweep::bends(view, 'x') {
        let _ = writeln!(list, "- {}: {}", code(&shown(name)), text(&sentence));
    }
    list
}

/// A table with the capacity of each contender. Empty if none were sought.
fn capacities(view: &View) -> String {
    if !capacity::are_sought(view) {
        return String::new();
    }
    let mut table = format!("| {} |\n|---|--:|---|---|\n", capacity::HEAD.join(" | "));
    for [name, rate, objective, limit] in capacity::rows(view) {
        let _ = writeln!(table, "| {} | {rate} | {} | {limit} |", code(&name), text(&objective));
    }
    for sentence in capacity::about(view) {
        let _ = write!(table, "\n{}\n", text(&sentence));
    }
    table
}

/// The load points of one target, and the change from each to the next.
fn load_points(view: &SweepView, target: usize) -> String {
    let names = view.targets();
    let columns = words::sweep::columns(view);
    let mut table = format!(
        "Load points of {}:\n\n| {} |\n|{}\n",
        code(&shown(names[target])),
        columns.join(" | "),
        "--:|".repeat(columns.len())
    );
    for row in words::sweep::rows(view, target) {
        let _ = writeln!(table, "| {} |", row.join(" | "));
    }
    let about = words::sweep::about_intervals(view).filter(|_| target + 1 == names.len());
    about.iter().for_each(|about| {
        let _ = writeln!(table, "\n{}", text(about));
    });
    let curves = view.curves();
    let steps = curves.get(target).map(|of| words::sweep::steps(view, of.1, 'x'));
    let _ = writeln!(table);
    for step in steps.unwrap_or_default() {
        let _ = writeln!(table, "- {}", text(&step));
    }
    table
}

/// What weakens the verdicts, and what would decide them.
fn reservations(view: &View) -> String {
    let mut list = String::new();
    // Cases have their own.
    for comparison in view.comparisons.iter().filter(|of| of.case.is_none()) {
        for reservation in words::reservations(view, comparison) {
            let _ = writeln!(
                list,
                "- {} against {}, {}: {}",
                code(&shown(&comparison.b)),
                code(&shown(&comparison.a)),
                words::groups::short_metric(comparison),
                text(&reservation),
            );
        }
    }
    list
}

fn requirements(checked: &[Checked]) -> String {
    let mut list = String::new();
    for one in checked {
        let status = words::status(one.status);
        let sign = if one.status == RequirementStatus::Met { "x" } else { " " };
        let required = code(&words::required(one));
        let _ = writeln!(list, "- [{sign}] **{status}**: {required}: {}", text(&one.why));
    }
    if list.is_empty() { list } else { format!("**Required**\n\n{list}") }
}

/// The findings: voids and cautions in full, notes folded away.
fn audit(view: &View) -> String {
    let mut out = format!("**Audit**: {}\n", text(&words::audit(view)));
    let (notes, weighty): (Vec<&Finding>, Vec<&Finding>) =
        view.findings.iter().partition(|finding| finding.weight == Weight::Note);
    if !weighty.is_empty() {
        let _ = writeln!(out, "\n{}", weighty.into_iter().map(line).collect::<String>().trim_end());
    }
    if !notes.is_empty() {
        let lines: String = notes.iter().map(|note| line(note)).collect();
        let summary = units::counted(notes.len() as u64, "note");
        let _ = writeln!(
            out,
            "\n<details><summary>{summary}</summary>\n\n{}\n\n</details>",
            lines.trim_end()
        );
    }
    out
}

fn line(finding: &Finding) -> String {
    let about = match &finding.contender {
        Some(name) => format!(" ({})", code(&shown(name))),
        None => String::new(),
    };
    format!(
        "- **{}** {}{about}: {} *What to do:* {}\n",
        words::weight(finding.weight),
        code(&shown(&finding.rule)),
        text(&finding.evidence),
        text(&finding.remedy),
    )
}

/// How it was measured, and where the full report is.
fn origin(view: &View) -> String {
    let (plan, host) = (view.plan(), &view.plan().host);
    let parts = [
        text(&words::turns(view)),
        format!("{} on {}", text(&host.cpu), text(&host.kernel)),
        format!("tiebreak {}", text(&view.header.version)),
        format!("plan {}, seed {}", code(&shown(&view.header.plan_hash)), plan.seed),
        format!("run {}", code(&shown(view.run))),
    ];
    let methods = words::methods(plan).map(|methods| text(&methods));
    let parts: Vec<String> = methods.into_iter().chain(parts).collect();
    format!("<sub>{}</sub>", parts.join("; "))
}

#[cfg(test)]
pub(crate) mod tests;

//! The audit of other tools' printed output, as a page.

use super::node::{Node, el, foreign};
use super::{boards, document, findings, parts};
use crate::printed::{
    RuleObjections, by_rule, contender, json, location, main_figure, scan_notes, span, unanswered,
};
use crate::words;
use published::Audit;
use published::objection::Objection;

/// Maximum number of runs in the table.
const MOST_RUNS: usize = 200;

/// The audit of other tools' printed output as one page.
pub fn page(audit: &Audit) -> String {
    let void = if audit.void() { "VOID: " } else { "" };
    let files = audit.files.join(", ");
    let title = format!("{void}audit of {files} · tiebreak");
    let main = el("main")
        .class(if audit.void() { "refused" } else { "sound" })
        .with(parts::masthead(&files, 80, "published output"))
        .with(conclusion(audit))
        .with_all(boards::sections(audit))
        .with_all(objections(audit))
        .with_all(runs(audit))
        .with_all(list("Rules that could not be applied", unanswered(audit)))
        .with_all(list("What was not read", scan_notes(audit)));
    document(title, main, json(audit))
}

fn conclusion(audit: &Audit) -> Node {
    let section = el("section");
    let section = if audit.void() {
        section.class("refusal").at("role", "alert").with(el("p").class("stamp").text("✕ Void"))
    } else {
        section.class("verdict")
    };
    section.with(el("p").text(audit.conclusion()))
}

fn objections(audit: &Audit) -> Option<Node> {
    let cards: Vec<Node> = by_rule(audit).iter().map(card).collect();
    let section = parts::section("Objections").at("id", "audit");
    (!cards.is_empty()).then(|| section.with_all(cards))
}

fn card(rule_objections: &RuleObjections<'_>) -> Node {
    let weight = words::weight(rule_objections.weight);
    let badge = findings::badge(rule_objections.weight);
    el("article")
        .class(format!("card {weight}"))
        .with(el("p").class("about").with(badge).with(el("code").text(rule_objections.rule.name)))
        .with_all(rule_objections.all.iter().flat_map(|objection| seen(objection)))
        .with(el("p").class("quiet").text(rule_objections.rule.why))
        .with(parts::remedy(rule_objections.rule.remedy))
}

/// The evidence, and the lines that it was read from.
fn seen(objection: &Objection) -> Vec<Node> {
    let mut nodes = vec![el("p").with(foreign(&objection.evidence))];
    nodes.extend(objection.source_lines.iter().map(|at| {
        el("p")
            .class("quiet")
            .with(foreign(format!("{}: ", location(at))))
            .with(el("code").with(foreign(&at.quote)))
    }));
    nodes
}

fn runs(audit: &Audit) -> Option<Node> {
    if audit.runs.is_empty() {
        return None;
    }
    let rows = audit.runs.iter().take(MOST_RUNS).enumerate().map(|(at, run)| {
        let weight = audit.weight(at).map_or("–", words::weight);
        vec![
            parts::row_name(contender(audit, at)),
            parts::cell(run.tool.name),
            el("td").with(foreign(span(audit, run))),
            parts::cell(main_figure(run)),
            parts::cell(weight),
        ]
    });
    let head = ["contender", "tool", "lines", "printed", "heaviest objection"];
    let section = parts::section("Runs").with(parts::table(&head, rows));
    let more = audit.runs.len().saturating_sub(MOST_RUNS);
    Some(match more {
        0 => section,
        _ => section.with(parts::caption(&format!("and {more} more, in the JSON of this page"))),
    })
}

fn list(heading: &str, lines: Vec<String>) -> Option<Node> {
    let items = lines.iter().map(|line| el("li").with(foreign(line)));
    (!lines.is_empty()).then(|| parts::section(heading).with(el("ul").class("why").with_all(items)))
}

//! The findings of the audit as cards, the heaviest first.

use super::node::{Node, el, foreign};
use super::parts;
use crate::words::findings::{FindingGroup, grouped};
use crate::{View, words};
use judge::verdict::Weight;
use text::shown::{shown, shown_sentence};

/// Cautions and notes. Returns None if there are none. Findings that void a run are at the top
/// of the page instead.
pub(super) fn section(view: &View) -> Option<Node> {
    let cards = cards(view, |weight| weight != Weight::Void);
    let section = parts::section("What the audit says").at("id", "audit");
    (!cards.is_empty()).then(|| section.with_all(cards))
}

/// One card for each finding of this weight; equal findings about several contenders share one.
pub(super) fn cards(view: &View, has_weight: impl Fn(Weight) -> bool) -> Vec<Node> {
    let findings = view.findings.iter().filter(|finding| has_weight(finding.weight));
    grouped(findings).iter().map(card).collect()
}

/// The weight in words, with a sign, so that it does not depend on colour.
pub(super) fn badge(weight: Weight) -> Node {
    let sign = match weight {
        Weight::Void => "✕",
        Weight::Caution => "!",
        Weight::Note => "i",
    };
    parts::signed("weight", sign, words::weight(weight))
}

fn card(group: &FindingGroup<'_>) -> Node {
    let finding = group.first;
    let weight = words::weight(finding.weight);
    let badge = badge(finding.weight);
    let evidence = group.evidence();
    // The names are above a single sentence; several sentences have names of their own.
    let one = evidence.len() == 1;
    let names = evidence.iter().filter(|_| one).flat_map(|(names, _)| names);
    let names = names.map(foreign);
    let head = el("p").class("about").with(badge).with_all(names);
    let paragraphs = evidence.iter().map(|(names, seen)| {
        let who = (!one && !names.is_empty()).then(|| foreign(names.join(", ")));
        let colon = if who.is_some() { ": " } else { "" };
        el("p").with_all(who).text(format!("{colon}{seen}"))
    });
    el("article")
        .class(format!("card {weight}"))
        .with(head.with(el("code").text(shown(&finding.rule))))
        .with_all(paragraphs)
        .with(parts::remedy(&shown_sentence(&finding.remedy)))
}

//! What the audit objects to, as cards, the heaviest first.

use super::node::{Node, el, foreign};
use super::parts;
use crate::report::{View, words};
use crate::shown::{shown, shown_sentence};
use judge::verdict::{Finding, Weight};

/// Cautions and notes; none where there are none. What voids a run stands at
/// the top of the page instead.
pub(super) fn section(view: &View) -> Option<Node> {
    let findings = view.findings.iter().filter(|finding| finding.weight != Weight::Void);
    let cards: Vec<Node> = findings.map(card).collect();
    let section = parts::section("What the audit says").at("id", "audit");
    (!cards.is_empty()).then(|| section.with_all(cards))
}

/// One finding.
pub(super) fn card(finding: &Finding) -> Node {
    let weight = words::weight(finding.weight);
    let sign = match finding.weight {
        Weight::Void => "✕",
        Weight::Caution => "!",
        Weight::Note => "i",
    };
    let badge = el("span")
        .class("weight")
        .with(el("span").at("aria-hidden", "true").text(sign))
        .text(format!(" {weight}"));
    let about = finding.contender.as_ref().map(|name| foreign(shown(name)));
    let head = el("p").class("about").with(badge).with_all(about);
    el("article")
        .class(format!("card {weight}"))
        .with(head.with(el("code").text(shown(&finding.rule))))
        .with(el("p").text(shown_sentence(&finding.evidence)))
        .with(
            el("p")
                .class("remedy")
                .with(el("strong").text("What to do: "))
                .text(shown_sentence(&finding.remedy)),
        )
}

//! What the targets cost: CPU and memory, and their sources.

use super::chart::swatch;
use super::node::{Node, el, foreign};
use super::parts;
use crate::{View, words, words::costs};
use judge::verdict::ContenderSummary;
use text::units::{self, MISSING};

/// The section. Returns None if nothing is known about any target.
pub(super) fn section(view: &View) -> Option<Node> {
    if !costs::known(view) {
        return None;
    }
    let section = parts::section("What the targets cost");
    let section = if costs::figures(view) {
        section.with(table(view)).with(parts::caption(
            "CPU per operation includes what the target used at rest. At rest: while other \
             contenders were driven.",
        ))
    } else {
        section
    };
    let known = view.contenders.iter();
    let known = known.filter(|of| !costs::sentences(&of.target).is_empty() || of.store.is_some());
    Some(section.with(el("ul").class("behind").with_all(known.map(origin))))
}

fn table(view: &View) -> Node {
    let head = ["target", "CPU per operation", "CPU while driven", "CPU at rest", "peak memory"];
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| MISSING.to_owned());
    let rows = view.contenders.iter().enumerate().map(|(number, of)| {
        let target = &of.target;
        vec![
            name(number, of),
            parts::cell(units::seconds(target.cpu_per_operation)),
            parts::cell(or_dash(costs::busy(view, of))),
            parts::cell(or_dash(costs::at_rest(target))),
            parts::cell(or_dash(target.peak_memory_bytes.map(units::bytes))),
        ]
    });
    parts::table(&head, rows)
}

fn name(number: usize, of: &ContenderSummary) -> Node {
    let name = foreign(words::short_name(&of.name, 40));
    el("th").at("scope", "row").with(el("span").class("named").with(swatch(number)).with(name))
}

/// The sources of one target's figures, and what it reports about itself.
fn origin(of: &ContenderSummary) -> Node {
    let target = &of.target;
    let sentences = costs::launches(target).into_iter().chain(costs::runs(target));
    let sentences = sentences.chain(costs::sources(target)).chain(costs::watched(target));
    let sentences: Vec<String> = sentences.chain(costs::reservations(target)).collect();
    let facts = costs::facts(target).into_iter().map(|fact| el("code").text(fact));
    let store = of.store.iter().map(|store| el("p").text(words::store(store).join("; ")));
    el("li")
        .with(el("span").with(foreign(words::short_name(&of.name, 40))))
        .with(el("div").with(el("p").text(sentences.join("; "))).with_all(store).with_all(facts))
}

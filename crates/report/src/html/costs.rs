//! What the targets cost: CPU and memory, and their sources.

use super::node::{Node, el, foreign};
use super::parts;
use crate::words::columns::{AT_REST, BUSY, CPU, MEMORY};
use crate::{View, words, words::costs};
use judge::verdict::ContenderSummary;

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
    let columns = [("CPU per operation", CPU.1), BUSY, AT_REST, MEMORY];
    parts::figures(view, &["target"], &columns, parts::named(view, parts::marked_name))
}

/// The sources of one target's figures, and what it reports about itself.
fn origin(of: &ContenderSummary) -> Node {
    let target = &of.target;
    let sentences: Vec<String> = costs::origin(target).collect();
    let facts = costs::facts(target).into_iter().map(|fact| el("code").text(fact));
    let store = of.store.iter().map(|store| el("p").text(words::store(store).join("; ")));
    el("li")
        .with(el("span").with(foreign(words::short_name(&of.name, 40))))
        .with(el("div").with(el("p").text(sentences.join("; "))).with_all(store).with_all(facts))
}

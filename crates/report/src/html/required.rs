//! The requirements, and whether they are met.

use super::node::{Node, el};
use super::parts;
use crate::{View, words};
use judge::verdict::{Checked, RequirementStatus};
use text::shown::shown_sentence;

/// The section. Returns None if nothing was required.
pub(super) fn section(view: &View) -> Option<Node> {
    let list = el("ul").class("required").with_all(view.checked.iter().map(one));
    (!view.checked.is_empty()).then(|| parts::section("Required").with(list))
}

fn one(checked: &Checked) -> Node {
    let (sign, class) = match checked.status {
        RequirementStatus::Met => ("✓", "faster"),
        RequirementStatus::NotMet => ("✕", "slower"),
        RequirementStatus::Undetermined => ("?", "undecided"),
    };
    let status = words::status(checked.status).to_uppercase();
    let word = parts::signed(&format!("word {class}"), sign, &status);
    let requirement = el("code").text(words::required(checked));
    el("li")
        .with(el("p").class("asked").with(requirement).with(word))
        .with(el("p").class("quiet").text(shown_sentence(&checked.why)))
}

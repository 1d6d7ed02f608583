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
    let (sign, class) = match checked.standing {
        RequirementStatus::Met => ("✓", "faster"),
        RequirementStatus::NotMet => ("✕", "slower"),
        RequirementStatus::CannotBeSaid => ("?", "undecided"),
    };
    let standing = words::standing(checked.standing).to_uppercase();
    let word = el("span")
        .class(format!("word {class}"))
        .with(el("span").at("aria-hidden", "true").text(sign))
        .text(format!(" {standing}"));
    let requirement = el("code").text(words::required(checked));
    el("li")
        .with(el("p").class("asked").with(requirement).with(word))
        .with(el("p").class("quiet").text(shown_sentence(&checked.why)))
}

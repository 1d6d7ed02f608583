//! Limits that the user set, and that the run crossed.

use super::{Check, Checked, Rule, fine, found};
use crate::key::Key;
use crate::run::PublishedRun;
use judge::verdict::Weight;
use text::units::{show_counted, whole};

pub(super) const RULE: Rule = Rule {
    name: "crossed_thresholds",
    weight: Weight::Caution,
    threshold: "Counts the thresholds that k6 marks as crossed (✗). Any such threshold is a caution.",
    why: "Who made the run called it failed.",
    remedy: "State with the figures which threshold was crossed, and by how much.",
    check: Check::Run(check),
};

fn check(run: &PublishedRun) -> Checked {
    let Some(at) = run.figure(Key::Crossed) else { return fine() };
    let text = format!("{} crossed", show_counted(whole(at.value), "threshold"));
    found(Weight::Caution, text, [at.line])
}

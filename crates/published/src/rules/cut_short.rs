//! Incomplete output.

use super::{Check, Checked, Rule, fine, found};
use crate::run::PublishedRun;
use judge::verdict::Weight;
use text::lists::listed;

pub(super) const RULE: Rule = Rule {
    name: "cut_short",
    weight: Weight::Caution,
    threshold: "Compares the output with the complete output of the tool. Anything missing is a \
                caution; the missing figure is named wherever a rule needs it.",
    why: "What was left out cannot be checked, and it is often the line about errors.",
    remedy: "Publish the complete output, with the command line.",
    check: Check::Run(check),
};

fn check(run: &PublishedRun) -> Checked {
    let missing = run.missing();
    if missing.is_empty() {
        return fine();
    }
    let text = format!("the output of {} does not show: {}", run.tool.name, listed(&missing));
    found(Weight::Caution, text, [run.first])
}

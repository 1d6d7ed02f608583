//! Output that is not whole.

use super::{Check, Checked, Rule, fine, found};
use crate::run::Run;
use judge::verdict::Weight;
use text::lists::listed;

pub(super) const RULE: Rule = Rule {
    name: "cut_short",
    weight: Weight::Caution,
    threshold: "Compares with what the whole output of the tool shows. Something is missing: a \
                caution. That figure is then named wherever a rule would need it.",
    why: "What was left out cannot be checked, and it is often the line on errors.",
    remedy: "Publish the whole output, with the command line.",
    check: Check::Run(check),
};

fn check(run: &Run) -> Checked {
    let missing = run.missing();
    match missing.is_empty() {
        true => fine(),
        false => {
            let text =
                format!("the output of {} does not show: {}", run.tool.name, listed(&missing));
            found(Weight::Caution, text, [run.first])
        }
    }
}

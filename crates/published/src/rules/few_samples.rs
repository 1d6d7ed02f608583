//! A run with few operations.

use super::{Check, Checked, Rule, fine, found};
use crate::run::PublishedRun;
use crate::tools::ToolKind;
use judge::verdict::Weight;
use text::units::{show_counted, whole};

pub(super) const RULE: Rule = Rule {
    name: "few_samples",
    weight: Weight::Caution,
    threshold: "Checks the number of operations. Fewer than 10 000: a caution.",
    why: "A mean of few operations moves with each slow one, and a p99 of 10 000 operations rests \
          on 100.",
    remedy: "Measure longer, or with more connections if the server is idle.",
    check: Check::Run(check),
};

/// Fewest operations without an objection.
const FEWEST: f64 = 10_000.0;

fn check(run: &PublishedRun) -> Checked {
    if run.tool.kind == ToolKind::Program {
        return fine();
    }
    let Some(operations) = run.operations() else { return Err("how many operations there were") };
    if operations.value >= FEWEST || operations.value <= 0.0 {
        return fine();
    }
    let text = format!("the run had {}", show_counted(whole(operations.value), "operation"));
    found(Weight::Caution, text, [operations.line])
}

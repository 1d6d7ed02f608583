//! A suite in which the same program differs from itself.

use super::{Evidence, Rule, named_cases};
use crate::verdict::{Comparison, Finding, Weight};

pub(super) const RULE: Rule = Rule {
    name: "control",
    short: "the control differs from itself",
    hint: "find what differs besides the program",
    weight: Weight::Void,
    threshold: "With --control a suite also compares a copy of the last contender with it, case by case and at the \
                same level as all others. A case of the copy that is faster or slower refuses the run.",
    why: "The two are the same program, so whatever is called different is not due to it. What misled the \
          control can mislead the verdicts in the same way: an order that is not drawn, a directory or a cache \
          that only one of them has, a machine that treats them differently. At most 5 % of sound runs have \
          such a case.",
    remedy: "Run again. If the control differs again, look for what the two do not share: working directories, \
             caches, temporary files, the length of paths and of environment variables.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let all = evidence.control.iter().map(|draft| &draft.comparison);
    let flagged: Vec<&Comparison> = all.filter(|of| of.verdict.is_difference()).collect();
    if flagged.is_empty() {
        return Vec::new();
    }
    let cases = named_cases(&flagged, evidence.control.len());
    let seen = format!("the control, the same program against itself, differs in {cases}");
    let figure = format!("{} of {}", flagged.len(), evidence.control.len());
    vec![RULE.about_the_run(Weight::Void, seen).with_figure(figure)]
}

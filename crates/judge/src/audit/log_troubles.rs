//! Logs of launched targets that could not be cleaned.

use super::{Evidence, Rule};
use crate::verdict::{Finding, Weight};

pub(super) const RULE: Rule = Rule {
    name: "log_troubles",
    short: "a log may hold secrets",
    hint: "read it before you pass it on",
    weight: Weight::Caution,
    threshold: "Looks whether each log of a launched target could be read through when the target \
                had ended: secrets are blotted out of it, and its middle is cut out where it is \
                longer than 64 MiB. One that could not: a caution.",
    why: "Servers print what they are asked with. A log that was not cleaned can hold tokens, \
          passwords and bodies as they were sent, and is no file to pass on.",
    remedy: "Read the log before you pass the run's folder on, or remove it. If the target replaces \
             its log by another file, let it write to standard output and leave the file alone.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let each = evidence.each().flat_map(|(name, driven)| {
        let troubles = driven.target.log_troubles.iter();
        troubles.map(move |trouble| RULE.about(name, Weight::Caution, trouble.clone()))
    });
    each.collect()
}

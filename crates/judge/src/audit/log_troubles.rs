//! Logs of launched targets from which secrets could not be removed.

use super::{Evidence, Rule};
use crate::verdict::{Finding, Weight};

pub(super) const RULE: Rule = Rule {
    name: "log_troubles",
    short: "a log may hold secrets",
    hint: "read it before you share it",
    weight: Weight::Caution,
    threshold: "Checks whether each log of a launched target could be processed after the target \
                ended: secrets are masked, and the middle is removed if the log is longer than 64 \
                MiB. A log for which this failed is a caution.",
    why: "Servers log the requests that they receive. A log that was not cleaned can contain \
          tokens, passwords and bodies as they were sent, and should not be shared.",
    remedy: "Read the log before you share the run's directory, or delete it. If the target replaces \
             its log by another file, let it write to standard output and leave the log file to \
             tiebreak.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let each = evidence.each().flat_map(|(name, driven)| {
        let troubles = driven.target.log_troubles.iter();
        troubles.map(move |trouble| RULE.about(name, Weight::Caution, trouble.clone()))
    });
    each.collect()
}

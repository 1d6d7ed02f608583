//! Too few operations to derive any figure.

use super::{Evidence, Rule};
use crate::verdict::{Finding, Weight};

/// A round with fewer operations is too short.
const FEWEST: u64 = 100;

/// The hint for a run of one contender.
pub(super) const LONGER_RUN: &str = "drive longer (--duration 1m)";

pub(super) const RULE: Rule = Rule {
    name: "too_short",
    short: "few operations in a round",
    hint: "drive longer (--round 5s)",
    weight: Weight::Caution,
    threshold: "Counts the operations of each judged round. Fewer than 100 in one round is a \
                caution.",
    why: "A throughput from a handful of operations changes by several percent with each of them, \
          and the start and the end of the round weigh as much as the time between.",
    remedy: "Drive longer (--round 5s; in a single run: --duration), or increase the load: a \
             higher --rate or more --connections.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let parts = evidence.parts().into_iter();
    parts
        .filter_map(|part| {
            let shortest = part.driven.trials.iter().min_by_key(|trial| trial.operations)?;
            let seen = format!(
                "{} operations in round {}; at least {FEWEST} are needed",
                shortest.operations, shortest.round
            );
            let finding = || {
                let finding = RULE.about_part(&part, Weight::Caution, seen);
                let finding = finding.with_figure(shortest.operations.to_string());
                if evidence.single() { finding.with_hint(LONGER_RUN) } else { finding }
            };
            (shortest.operations < FEWEST).then(finding)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, weights};

    #[test]
    fn a_hundred_operations_a_round() {
        assert_eq!(weights(&SampleRun::compare(4).with_operations(100), RULE.name), []);
        assert_eq!(
            weights(&SampleRun::compare(4).with_operations(99), RULE.name),
            [Weight::Caution; 2]
        );
        assert_eq!(weights(&SampleRun::single().with_operations(99), RULE.name), [Weight::Caution]);
        assert!(RULE.threshold.contains(&FEWEST.to_string()));
    }
}

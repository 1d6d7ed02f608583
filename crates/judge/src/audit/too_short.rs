//! Too few operations to derive any figure.

use super::{Evidence, Rule};
use crate::evidence::DriveSummary;
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
    threshold: "Counts the operations of each judged round, or of each launch if there are several. \
                Fewer than 100 in one of them is a caution.",
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
            let (operations, shortest) = shortest(part.driven)?;
            let seen =
                format!("{operations} operations in {shortest}; at least {FEWEST} are needed");
            let finding = || {
                let finding = RULE.about_part(&part, Weight::Caution, seen);
                let finding = finding.with_figure(operations.to_string());
                if evidence.single() { finding.with_hint(LONGER_RUN) } else { finding }
            };
            (operations < FEWEST).then(finding)
        })
        .collect()
}

/// The round with the fewest operations, or the launch if launches are judged as a whole.
fn shortest(driven: &DriveSummary) -> Option<(u64, String)> {
    let launches = driven.launches.iter();
    let launches = launches.map(|of| (of.operations, format!("launch {}", of.number)));
    let rounds = driven.trials.iter().map(|of| (of.operations, format!("round {}", of.round)));
    let rounds = rounds.filter(|_| driven.launches.is_empty());
    launches.chain(rounds).min_by_key(|(operations, _)| *operations)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, weights};

    #[test]
    fn a_launch_counts_as_a_whole() {
        let run = |operations| {
            let run = SampleRun::compare(16).with_operations(operations).with_restarts(8);
            run.with_whole_launches()
        };
        assert_eq!(weights(&run(50), RULE.name), []);
        assert_eq!(weights(&run(49), RULE.name), [Weight::Caution; 2]);
        assert!(run(49).findings(RULE.name)[0].evidence.contains("98 operations in launch 1"));
    }

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

//! Too few operations to derive any figure.

use super::{
    Evidence, Rule,
    remedies::{ROUND, longer},
};
use crate::evidence::DriveSummary;
use crate::verdict::{Finding, Weight};

/// A round with fewer operations is too short.
const FEWEST: u64 = 100;

/// The remedy where rounds would have to be very long.
const HIGHER_LOAD: &str = "Increase the load: a higher --rate or more --connections.";

pub(super) const RULE: Rule = Rule {
    name: "too_short",
    short: "few operations in a round",
    hint: "drive longer (--round 5s)",
    weight: Weight::Caution,
    threshold: "Counts the operations of each judged round, or of each launch if there are several. \
                Fewer than 100 in one of them is a caution.",
    why: "A throughput from a handful of operations changes by several percent with each of them, \
          and the start and the end of the round weigh as much as the time between.",
    remedy: "Drive longer (--round 5s), or increase the load: a higher --rate or more --connections.",
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
                match longer(evidence, FEWEST as f64 / operations.max(1) as f64) {
                    Some(option) => finding.with_option(ROUND, &option),
                    None => finding.with_remedy("increase the load", HIGHER_LOAD),
                }
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

    #[test]
    fn rounds_become_long_enough_for_this_contender() {
        let hint = |operations| {
            SampleRun::compare(4).with_operations(operations).findings(RULE.name)[0].hint.clone()
        };
        assert_eq!(hint(50), RULE.hint);
        assert_eq!(hint(10), "drive longer (--round 10s)");
        assert_eq!(hint(0), "drive longer (--round 100s)");
        let mut slow = SampleRun::compare(4).with_operations(10);
        slow.pilot.as_mut().expect("a pilot").round_ns = 20_000_000_000;
        assert_eq!(slow.findings(RULE.name)[0].hint, "increase the load");
        let single = SampleRun::single().with_operations(50);
        assert_eq!(single.findings(RULE.name)[0].hint, "drive longer (--duration 60s)");
    }
}

//! Targets that use CPU time while other contenders are driven.

use super::{Evidence, Rule, remedies::turns};
use crate::{
    compare::{CAUTION_ABOVE, NOTE_ABOVE},
    verdict::{Finding, Weight},
};
use text::{lists, units};

pub(super) const RULE: Rule = Rule {
    name: "cpu_at_rest",
    short: "target works while others are driven",
    hint: "use --interleave turns",
    weight: Weight::Caution,
    threshold: "The CPU time of each target while other contenders are driven, as a share of one \
                core. Above 0.5 % is a note, above 1 % a caution. With a caution, a verdict on \
                throughput is given only if the CPU-charged ratio leads to the same verdict, and \
                in slices there is no verdict on response times. If a target shares its process \
                with other contenders and no contender outside it is driven, a note says that its \
                CPU time at rest is unknown.",
    why: "Garbage collection, flushes and compaction that run while a contender is not driven are \
          missing from its own time and slow the others down. The logarithm of the ratio is off by \
          about twice the share. This has hidden whole effects.",
    remedy: "Let contenders take whole turns (--interleave turns); if they already do, make the \
             turns longer (--round 5s). Or configure the target so that it is idle when it gets no \
             requests. Contenders that run in separate processes can be measured separately.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let each = evidence.each().enumerate();
    each.filter_map(|(number, (name, _))| finding(evidence, number, name)).collect()
}

fn finding(evidence: &Evidence, contender: usize, name: &str) -> Option<Finding> {
    let costs = evidence.costs(contender)?;
    let finding = match costs.cost.at_rest() {
        None if costs.shared => {
            let shared = lists::listed(&evidence.names(&evidence.sharers(contender)));
            let seen = format!("CPU at rest is unknown: the process is shared with {shared}");
            let hint = "run each contender in its own process";
            RULE.about(name, Weight::Note, seen).with_short("CPU at rest is unknown", hint)
        }
        None => return None,
        Some(share) => {
            let weight = if share > CAUTION_ABOVE { Weight::Caution } else { Weight::Note };
            let used = units::show_percent(share);
            let seen =
                format!("the target used {used} of a core while other contenders were driven");
            let finding = RULE.about(name, weight, seen).with_figure(used);
            let finding = match turns(evidence) {
                Some(option) => finding.with_hint(&format!("use {option}")),
                None => finding.with_hint("let it be idle without requests"),
            };
            (share > NOTE_ABOVE).then_some(finding)?
        }
    };
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, weights};
    use record::Interleave;

    /// b uses this share of a core while a is driven.
    fn resting(share: f64) -> SampleRun {
        SampleRun::compare(8).with_target_cpu(|target, driven| match (target, driven) {
            (1, 0) => share,
            (0, 1) => 0.0,
            _ => 0.5,
        })
    }

    #[test]
    fn half_a_percent_is_a_note_and_one_percent_a_caution() {
        assert_eq!(weights(&resting(0.0049), RULE.name), []);
        assert_eq!(weights(&resting(0.0051), RULE.name), [Weight::Note]);
        assert_eq!(weights(&resting(0.0099), RULE.name), [Weight::Note]);
        assert_eq!(weights(&resting(0.0101), RULE.name), [Weight::Caution]);
        let found = resting(0.13).findings(RULE.name);
        assert_eq!(found[0].contender.as_deref(), Some("b"));
        assert_eq!(
            found[0].evidence,
            "the target used 13 % of a core while other contenders were driven"
        );
        for limit in [NOTE_ABOVE, CAUTION_ABOVE] {
            assert!(RULE.threshold.contains(&units::show_percent(limit)));
        }
        let mut turns = resting(0.0101);
        turns.pilot.as_mut().expect("a pilot").interleave = Interleave::Turns;
        assert_eq!(weights(&turns, RULE.name), [Weight::Caution]);
    }

    #[test]
    fn what_is_not_read_or_never_rests_is_not_judged() {
        let mut unread = resting(0.5);
        unread.ask_each([true, false], |of, in_sight| of.cpu_in_sight = in_sight);
        assert_eq!(weights(&unread, RULE.name), []);
        let single = SampleRun::single().with_target_cpu(|_, _| 0.5);
        assert_eq!(weights(&single, RULE.name), []);
    }

    #[test]
    fn a_shared_process_is_known_only_while_another_is_driven() {
        let mut two = resting(0.5);
        two.question.sharing = vec![vec![0, 1]];
        let found = two.findings(RULE.name);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].weight, Weight::Note);
        assert_eq!(found[0].evidence, "CPU at rest is unknown: the process is shared with b");
        let mut three =
            SampleRun::of(&["a", "b", "c"], 8).with_target_cpu(|target, driven| {
                match (target, driven) {
                    (2, 2) | (0 | 1, 0 | 1) => 0.5,
                    (0 | 1, 2) => 0.02,
                    _ => 0.0,
                }
            });
        three.question.sharing = vec![vec![0, 1]];
        assert_eq!(weights(&three, RULE.name), [Weight::Caution; 2]);
    }

    #[test]
    fn turns_are_proposed_only_where_there_are_slices() {
        let mut run = resting(0.13);
        assert_eq!(run.findings(RULE.name)[0].hint, RULE.hint);
        let pilot = run.pilot.as_mut().expect("a pilot");
        (pilot.interleave, pilot.round_ns) = (Interleave::Turns, 5_000_000_000);
        assert_eq!(run.findings(RULE.name)[0].hint, "use --round 10s");
    }
}

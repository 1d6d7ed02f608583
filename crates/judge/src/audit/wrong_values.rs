//! Values that were never written, or that were overwritten long before.

use super::{Evidence, Rule, non_success::MOST, statements};
use crate::verdict::{Finding, Weight};
use record::Consistency;
use text::units;

pub(super) const RULE: Rule = Rule {
    name: "wrong_values",
    short: "wrong or stale values",
    hint: "check for other writers of its keys, or wrong echoes",
    weight: Weight::Void,
    threshold: "Counts the values read in all rounds that were never written under their key or \
                not with these bytes (wrong), and those that were overwritten before they were \
                requested (stale: among the writes of one worker and of one group, and only if the \
                overwriting write began after the value was acknowledged and was itself \
                acknowledged before the read). A statement that returned or changed more rows than \
                expected, or returned another value than the load wrote, counts as wrong, by name. \
                So does a message that comes back with other bytes or out of order. At \
                least one: a caution. More than 1 in 1000: void. At a consistency level at which a \
                read may miss the last write (such as one), stale values are never more than a \
                caution; at one at which it must not (quorum, all), a single stale value is void.",
    why: "A store that mixes up keys, truncates values or forgets a write that it confirmed has \
          not done the same work as the other.",
    remedy: "Check whether something else writes the keys of the workload (their prefix begins \
             with `tiebreak`), and check the store's replication and caches. A server of \
             messages must send every message back once, unchanged and in order.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let found = evidence.parts_and_requests().into_iter().filter_map(|part| {
        let driven = part.driven;
        let (wrong, stale) = (driven.outcomes.wrong, driven.outcomes.stale);
        let total = driven.outcomes.total();
        let share = (wrong + stale) as f64 / total as f64;
        let level =
            evidence.contender_question(part.contender).and_then(|question| question.consistency);
        let weight = weight(level, (wrong, stale), total);
        let evidence_text = || {
            let share = units::show_percent(share);
            let statements = statements::named(driven, |kind| kind.wrong);
            format!(
                "of {total} operations {wrong} returned wrong values and {stale} stale ones \
                 ({share}){statements}"
            )
        };
        (wrong + stale > 0).then(|| {
            RULE.about_part(&part, weight, evidence_text()).with_figure(units::show_percent(share))
        })
    });
    found.collect()
}

/// Returns the weight of these numbers of wrong and stale values among `total` operations.
fn weight(level: Option<Consistency>, (wrong, stale): (u64, u64), total: u64) -> Weight {
    let counted = match level {
        // The store broke a promise.
        Some(level) if level.overlaps() && stale > 0 => return Weight::Void,
        Some(level) if !level.overlaps() => wrong,
        _ => wrong + stale,
    };
    if counted as f64 / total as f64 > MOST { Weight::Void } else { Weight::Caution }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::statements::tests::with_statement;
    use crate::builder::{SampleRun, weights};

    fn with(wrong: u64, stale: u64) -> SampleRun {
        let mut run = SampleRun::compare(4).with_operations(1000);
        run.each_seen("b", |round, seen| {
            if round == 1 {
                seen.outcomes.ok -= wrong + stale;
                (seen.outcomes.wrong, seen.outcomes.stale) = (wrong, stale);
            }
        });
        run
    }

    #[test]
    fn statements_are_named() {
        let run = with_statement(|kind| kind.wrong = 1);
        let evidence = &run.findings(RULE.name)[0].evidence;
        assert!(evidence.ends_with("0 stale ones (0.1 %): 4 of `read`"), "{evidence}");
    }

    #[test]
    fn stale_values_weigh_as_the_consistency_level_promises() {
        for (level, wrong, stale, wanted) in [
            (Consistency::One, 0, 4000, Weight::Caution),
            (Consistency::One, 5, 0, Weight::Void),
            (Consistency::One, 4, 900, Weight::Caution),
            (Consistency::Quorum, 0, 1, Weight::Void),
            (Consistency::All, 4, 0, Weight::Caution),
        ] {
            let evidence_text = weight(Some(level), (wrong, stale), 4000);
            assert_eq!(evidence_text, wanted, "{} {wrong} {stale}", level.name());
        }
        let mut run = with(0, 4);
        run.question.contenders[1].consistency = Some(Consistency::LocalQuorum);
        assert_eq!(weights(&run, RULE.name), [Weight::Void]);
    }

    #[test]
    fn one_in_a_thousand_is_the_limit_for_both() {
        assert_eq!(weights(&with(0, 0), RULE.name), []);
        assert_eq!(weights(&with(4, 0), RULE.name), [Weight::Caution]);
        assert_eq!(weights(&with(0, 4), RULE.name), [Weight::Caution]);
        assert_eq!(weights(&with(3, 2), RULE.name), [Weight::Void]);
        assert_eq!(
            with(3, 2).findings(RULE.name)[0].evidence,
            "of 4000 operations 3 returned wrong values and 2 stale ones (0.125 %)"
        );
    }
}

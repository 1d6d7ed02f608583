//! Values that were never written, or were overwritten long before.

use super::{Evidence, Rule, non_success::MOST, statements};
use crate::verdict::{Finding, Weight};
use record::Consistency;
use text::units;

pub(super) const RULE: Rule = Rule {
    name: "wrong_values",
    short: "wrong or stale values",
    hint: "look for others that write its keys, or wrong echoes",
    weight: Weight::Void,
    threshold: "Counts the values read in all rounds that were never written under their key, or \
                not with these bytes (wrong), and those that were overwritten before they were \
                asked for (stale: among the writes of one worker and of one group, and only where the overwriting \
                one began after the value was acknowledged and was acknowledged before it was \
                asked for). A statement counts as wrong, by its name, that brought or changed more \
                rows than were expected, or another value than the load wrote. So does a message of \
                WebSocket that comes back with other bytes, or in another's place. Some: a caution. \
                More than 1 in 1000: void. At a consistency level at which a read need not meet \
                the last write (such as one), stale values are never more than a caution; at one \
                at which it must (quorum, all), one stale value is void.",
    why: "A store that mixes up keys, cuts values or forgets a write that it confirmed has not \
          done the work that the other has.",
    remedy: "Look whether something else writes the keys of the workload (their prefix begins with \
             `tiebreak`), and at the store's replication and caches. A WebSocket server must send every message back \
             once, unchanged and in order.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let found = evidence.parts().into_iter().filter_map(|part| {
        let driven = part.driven;
        let (wrong, stale) = (driven.outcomes.wrong, driven.outcomes.stale);
        let total = driven.outcomes.total();
        let share = (wrong + stale) as f64 / total as f64;
        let level = evidence.asked(part.contender).and_then(|asked| asked.consistency);
        let weight = weight(level, (wrong, stale), total);
        let told = || {
            let share = units::show_percent(share);
            let statements = statements::named(driven, |kind| kind.wrong);
            format!("of {total} operations {wrong} brought wrong values and {stale} stale ones ({share}){statements}")
        };
        (wrong + stale > 0)
            .then(|| RULE.about_part(&part, weight, told()).with_figure(units::show_percent(share)))
    });
    found.collect()
}

/// How much it weighs that of so many operations these brought wrong and stale values.
fn weight(level: Option<Consistency>, (wrong, stale): (u64, u64), total: u64) -> Weight {
    let counted = match level {
        // A promise of the store's is broken.
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
    use crate::builder::{Run, weights};

    fn with(wrong: u64, stale: u64) -> Run {
        let mut run = Run::compare(4).with_operations(1000);
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
            let told = weight(Some(level), (wrong, stale), 4000);
            assert_eq!(told, wanted, "{} {wrong} {stale}", level.name());
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
            "of 4000 operations 3 brought wrong values and 2 stale ones (0.125 %)"
        );
    }
}

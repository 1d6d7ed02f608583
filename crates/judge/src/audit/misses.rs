//! Keys that a store should hold but does not.

use super::{Evidence, Rule, statements};
use crate::verdict::{Finding, Weight};
use text::units;

/// A larger share of misses voids the run.
const MOST: f64 = 0.01;

pub(super) const RULE: Rule = Rule {
    name: "misses",
    short: "keys were not found",
    hint: "give it more memory, or less data (--keys)",
    weight: Weight::Void,
    threshold: "Counts the operations of all rounds that read something that had been written into \
                the store and found nothing, and the statements that returned or changed fewer \
                rows than expected, by name. A workload that removes keys causes misses itself and \
                is not checked. At least one miss: a caution. More than 1 in 100: void.",
    why: "A store that loses data answers quickly and with little: a miss costs less than a value. \
          A store that evicts what does not fit wins by losing data.",
    remedy: "Give the store more memory (memcached -m, Redis maxmemory) or the workload less data \
             (--keys, --value), and check whether something expires or removes keys. For a \
             statement, check whether its rows exist and what it expects (rows, at_least).",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let misses_asked = |number: usize| {
        evidence.contender_question(number).is_some_and(|question| question.misses_asked)
    };
    let each = evidence.parts().into_iter().filter(|part| !misses_asked(part.contender));
    let found = each.filter_map(|part| {
        let driven = part.driven;
        let (miss, total) = (driven.outcomes.miss, driven.outcomes.total());
        let share = miss as f64 / total as f64;
        let weight = if share > MOST { Weight::Void } else { Weight::Caution };
        let evidence_text = || {
            let statements = statements::named(driven, |kind| kind.miss);
            let share = units::show_percent(share);
            format!("{miss} of {total} operations found nothing ({share}){statements}")
        };
        (miss > 0).then(|| {
            RULE.about_part(&part, weight, evidence_text()).with_figure(units::show_percent(share))
        })
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::statements::tests::with_statement;
    use crate::builder::{SampleRun, weights};

    fn with_misses(misses: u64) -> SampleRun {
        let mut run = SampleRun::compare(4).with_operations(1000);
        run.each_seen("b", |_, seen| {
            seen.outcomes.ok -= misses;
            seen.outcomes.miss = misses;
        });
        run
    }

    #[test]
    fn one_in_a_hundred_is_the_limit() {
        assert_eq!(weights(&with_misses(0), RULE.name), []);
        assert_eq!(weights(&with_misses(10), RULE.name), [Weight::Caution]);
        assert_eq!(weights(&with_misses(11), RULE.name), [Weight::Void]);
        let found = with_misses(11).findings(RULE.name);
        assert_eq!(found[0].contender.as_deref(), Some("b"));
        assert_eq!(found[0].evidence, "44 of 4000 operations found nothing (1.1 %)");
    }

    #[test]
    fn statements_are_named() {
        let run = with_statement(|kind| kind.miss = 20);
        let found = run.findings(RULE.name);
        assert_eq!(found[0].evidence, "80 of 4000 operations found nothing (2 %): 80 of `read`");
    }

    #[test]
    fn intended_misses_are_not_counted() {
        let mut run = with_misses(500);
        run.ask_each([false, true], |of, misses| of.misses_asked = misses);
        assert_eq!(weights(&run, RULE.name), []);
    }
}
